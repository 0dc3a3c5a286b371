/**
 * Labels of the run: `ready` leaves them in the container's /run/bench; outside Compose they come from the environment.
 *
 * @param {{scenario: string, scheme: string}} about
 * @param {() => Record<string, string>} readRunFile
 * @returns {Record<string, string>} of every sample, and of the summary
 */
export function tagsOf({ scenario, scheme }, readRunFile) {
  const known = __ENV.RUN && __ENV.PROXY ? {} : readRunFile();
  return {
    run: __ENV.RUN || known.run || "unnamed",
    proxy: __ENV.PROXY || known.proxy || "unnamed",
    scenario,
    scheme,
    trial: __ENV.TRIAL || "1",
  };
}

/** Where `ready` leaves them. */
export const RUN_FILE = "/run/bench/run.json";

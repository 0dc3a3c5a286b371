/**
 * What a plan sets for Compose.
 */

/**
 * @param {number | null} workers of a plan
 * @returns {Record<string, string>} knobs for Compose; none: those of .env hold
 */
export function workersEnv(workers) {
  if (workers === null) return {};
  return { PROXY_WORKERS: String(workers), ECHO_WORKERS: String(workers) };
}

/**
 * wrk: HTTP requests over connections that are kept, each sent when the last on its connection was answered.
 *
 * That is a closed loop: a slow server is asked less, so its latencies leave out what would have waited meanwhile (coordinated
 * omission). wrk makes up for it by an estimate: to each latency of more than twice the mean interval between the requests of a connection it
 * adds those that requests sent in that interval would have had (stats_correct() in its stats.c). An answer that takes longer than
 * TIMEOUT_SECONDS counts as a timeout and in no latency; one that never comes counts nowhere.
 *
 * wrk verifies no certificate. The runner of battles does before it, and so does what waits for the target.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { printHttpSummary } from "./http-summary.mjs";
import { edge, output, readPolicy, scenarioOf, waitForTarget } from "./node.mjs";
import { inScratch, opensslConfig } from "./openssl.mjs";
import { withReference } from "./reference.js";

/** @typedef {import("./http-summary.mjs").HttpRun} HttpRun */

const SCRIPT = fileURLToPath(new URL("wrk.lua", import.meta.url));
const PATH = "/hello";
/** What wrk calls neither 2xx nor 3xx. */
const ERRORS_FROM = 400;
/** How long the pass takes that counts statuses. */
const STATUSES_SECONDS = 2;

/**
 * A scenario of requests for one small page.
 *
 * @param {string} name of the scenario
 */
export async function requestPage(name) {
  const scenario = scenarioOf(name);
  const { THREADS, CONNECTIONS, DURATION_SECONDS } = scenario.parameters;
  if (CONNECTIONS % THREADS !== 0)
    throw new Error(
      `no load was started: CONNECTIONS=${CONNECTIONS}: expected a multiple of THREADS, which is ${THREADS}: wrk gives each thread as many. ` +
        "Set them in the environment or in .env",
    );
  await waitForTarget(scenario);
  const beside = withReference(CONNECTIONS) - CONNECTIONS;
  const { run, reference } = await inScratch(async (folder) => {
    const env =
      scenario.scheme === "wss" ? opensslConfig(readPolicy(), join(folder, "openssl.cnf")) : {};
    await edge("start");
    const [run, reference] = await Promise.all([
      wrk(scenario, DURATION_SECONDS, env),
      beside > 0 ? wrk(referenceOf(scenario, beside), DURATION_SECONDS, env) : null,
    ]);
    await edge("end");
    if (run.non2xx > 0) {
      const counting = { ...env, COUNT_STATUSES: "1" };
      run.statuses = (await wrk(scenario, STATUSES_SECONDS, counting)).statuses;
    }
    return { run, reference };
  });
  const title = `${CONNECTIONS} connections kept for ${DURATION_SECONDS} s, ${THREADS} threads`;
  printHttpSummary(title, scenario, run, {
    reference,
    notes: ["request: with wrk's estimate of what a closed loop leaves out"],
  });
}

/**
 * A second, smaller wrk.
 *
 * @param {import("./node.mjs").Scenario} scenario
 * @param {number} connections for the reference proxy
 * @returns {import("./node.mjs").Scenario}
 */
function referenceOf(scenario, connections) {
  const parameters = { ...scenario.parameters, THREADS: 1, CONNECTIONS: connections };
  return { ...scenario, origin: scenario.referenceOrigin, parameters };
}

/**
 * @param {import("./node.mjs").Scenario} scenario
 * @param {number} seconds
 * @param {Record<string, string>} env
 */
async function wrk({ origin, parameters }, seconds, env) {
  const { THREADS, CONNECTIONS, TIMEOUT_SECONDS } = parameters;
  const options = [
    ["--threads", THREADS],
    ["--connections", CONNECTIONS],
    ["--duration", `${seconds}s`],
    ["--timeout", `${TIMEOUT_SECONDS}s`],
    ["--script", SCRIPT],
  ];
  const args = [...options.flat().map(String), "--latency", `${origin}${PATH}`];
  return readWrk(await output("wrk", args, env));
}

/**
 * @param {string} stdout of wrk with wrk.lua
 * @returns {HttpRun}
 * @throws {Error} when it is not as wrk.lua writes it
 */
export function readWrk(stdout) {
  const json = /^WRK (\{.*\})$/m.exec(stdout)?.[1];
  if (!json)
    throw new Error(`wrk ended without the line that wrk.lua prints: ${stdout.slice(-300)}`);
  const { requests, durationUs, non2xx, socketErrors, latencyUs, statuses } = JSON.parse(json);
  const count = requests - socketErrors.timeout;
  const ms = (/** @type {string} */ name) => Number(latencyUs[name]) / 1000;
  return {
    completed: requests,
    non2xx,
    statuses: Object.fromEntries(
      Object.entries(statuses).filter(([status]) => Number(status) >= ERRORS_FROM),
    ),
    socketErrors,
    requestMs:
      count > 0
        ? {
            count,
            mean: ms("mean"),
            sd: ms("sd"),
            min: ms("min"),
            median: ms("median"),
            p90: ms("p90"),
            p95: ms("p95"),
            p99: ms("p99"),
            max: ms("max"),
          }
        : null,
    totalMs: durationUs / 1000,
  };
}

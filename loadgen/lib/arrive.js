/**
 * Connections that arrive at a rate, whatever the proxy does: an open loop. A handshake counts from when its arrival was due, a message
 * from the handshake's end or the last echo: so no wait is left out, and none counts twice.
 */
import exec from "k6/execution";
import { Connection } from "./connection.js";
import { keepTo, shareOfRate } from "./open-loop.js";
import { isReference, withReference } from "./reference.js";
import { now } from "./target.js";

/**
 * A VU does one thing after the other, and what waits for it is in a latency: several share the rate. Of 1, 4, 16 and 64 at 200 arrivals a
 * second, 4 were never late by more than 1.4 ms; each further one has to be warmed up by k6, with arrivals up to 15 ms late.
 */
const LEAST_VUS = 4;
const ARRIVALS_PER_VU = 250;
/** What numbers of two VUs are apart. Not a round number: message.js tells connections apart by the last digit, too. */
const NUMBERS_PER_VU = 1e7 + 1;
/** Of so many connections, the share of the reference proxy is known finely enough. */
const SHARED = 1e6;

/**
 * @typedef {object} Arrivals
 * @property {number} CONNECTIONS_PER_SECOND
 * @property {number} ARRIVE_SECONDS
 * @property {number} CONCURRENCY connections at a time, at most
 * @property {number} MESSAGES
 * @property {number} POISSON
 * @property {number} SEED
 * @property {number} TIMEOUT_SECONDS of each connection
 */

/** @param {Arrivals} parameters */
export function arrivalVusOf({ CONNECTIONS_PER_SECOND, CONCURRENCY }) {
  const wanted = Math.max(LEAST_VUS, Math.ceil(CONNECTIONS_PER_SECOND / ARRIVALS_PER_VU));
  return Math.min(CONCURRENCY, wanted);
}

/**
 * @param {Arrivals} parameters
 * @returns {import("k6/options").PerVUIterationsScenario} with an iteration a VU
 */
export function arriveScenario(parameters) {
  return {
    executor: "per-vu-iterations",
    vus: arrivalVusOf(parameters),
    iterations: 1,
    maxDuration: `${parameters.ARRIVE_SECONDS + parameters.TIMEOUT_SECONDS + 60}s`,
    gracefulStop: "0s",
  };
}

/**
 * This VU's share of the arrivals, to the end of the last connection.
 *
 * @param {Arrivals} parameters
 * @param {object} options
 * @param {(connection: number, number: number) => string} options.message
 * @param {number} options.sampleEvery
 * @param {number} options.startMs from when on they arrive, by `now()`
 * @param {string} options.trial
 * @param {import("k6/metrics").Trend} options.total
 */
export async function arrive(parameters, { message, sampleEvery, startMs, trial, total }) {
  const { CONNECTIONS_PER_SECOND, ARRIVE_SECONDS, CONCURRENCY, TIMEOUT_SECONDS } = parameters;
  const vu = exec.scenario.iterationInTest;
  const vus = arrivalVusOf(parameters);
  const numberOf = (/** @type {number} */ which) => which + vu * NUMBERS_PER_VU;
  const atATime = withReference(CONCURRENCY);
  const most = Math.floor(atATime / vus) + (vu < atATime % vus ? 1 : 0);
  const endMs = 1000 * ARRIVE_SECONDS;
  const schedule = shareOfRate({
    perSecond: (CONNECTIONS_PER_SECOND * withReference(SHARED)) / SHARED,
    vu,
    vus,
    seed: parameters.SEED,
    trial,
    endMs,
    isPoisson: parameters.POISSON === 1,
  });
  let open = 0;
  let lastEndMs = startMs;
  let onLast = () => {};
  await keepTo(schedule, {
    startMs,
    endMs,
    begin: (which, dueMs) => {
      if (open >= most) return false;
      open += 1;
      const options = { message, seconds: TIMEOUT_SECONDS, sampleEvery, dueMs };
      const connection = new Connection(numberOf(which), options);
      connection.exchange(parameters.MESSAGES);
      connection.onEnd = () => {
        open -= 1;
        lastEndMs = now();
        if (open === 0) onLast();
      };
      return true;
    },
    isReference: (which) => isReference(numberOf(which)),
  });
  if (open > 0) await new Promise((resolve) => (onLast = () => resolve(undefined)));
  total.add(lastEndMs - startMs);
}

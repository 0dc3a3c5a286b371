/**
 * What the parameters of a scenario say about its load, whatever the scenario is called.
 */

/** @import { Parameters } from "../record/types.js" */

/**
 * Requests of HTTP, instead of WebSockets: REQUESTS in all, or as many as there can be in DURATION_SECONDS.
 *
 * @param {Parameters} parameters
 */
export function sendsRequests(parameters) {
  return "REQUESTS" in parameters || "DURATION_SECONDS" in parameters;
}

/**
 * CONNECTIONS that are opened at CONNECTIONS_PER_SECOND before the measured phase and held through it: scenarios idle and hot.
 *
 * @param {Parameters} parameters
 */
export function holdsConnections(parameters) {
  return "CONNECTIONS" in parameters && "CONNECTIONS_PER_SECOND" in parameters;
}

/**
 * @param {Parameters} parameters
 * @returns {number} connections in all; 0: the scenario does not say
 */
export function connectionsOf(parameters) {
  const { CONNECTIONS, REQUESTS, CONNECTIONS_PER_SECOND = 0, CHURN_SECONDS = 0 } = parameters;
  // Where requests are counted, each has a connection of its own.
  return CONNECTIONS ?? REQUESTS ?? Math.round(CONNECTIONS_PER_SECOND * CHURN_SECONDS);
}

/**
 * @param {Parameters} parameters
 * @returns {number} connections at a time: a scenario without CONCURRENCY has all of them open at once
 */
export function connectionsAtATime(parameters) {
  return parameters.CONCURRENCY ?? connectionsOf(parameters);
}

/**
 * @param {Parameters} parameters
 * @returns {number} until the connections that are held are open, before the measured phase
 */
export function rampSeconds(parameters) {
  if (!holdsConnections(parameters)) return 0;
  return parameters.CONNECTIONS / parameters.CONNECTIONS_PER_SECOND;
}

/**
 * @param {Parameters} parameters
 * @returns {number} how long the measured phase lasts whatever the machine does; 0: it lasts until the work is done
 */
export function timedSeconds({ HOLD_SECONDS = 0, CHURN_SECONDS = 0, DURATION_SECONDS = 0 }) {
  return HOLD_SECONDS + CHURN_SECONDS + DURATION_SECONDS;
}

/**
 * @param {Parameters} parameters
 * @param {"ecdsa" | "rsa"} planned key type of the plan
 * @returns {"ecdsa" | "rsa"} of the proxy's certificate: the plan's, unless the scenario chooses
 */
export function keyTypeOf({ RSA_BITS }, planned) {
  if (RSA_BITS === undefined) return planned;
  return RSA_BITS > 0 ? "rsa" : "ecdsa";
}

/**
 * @param {number | null} workers of a plan
 * @returns {Record<string, string>} knobs for Compose; none: those of .env hold
 */
export function workersEnv(workers) {
  if (workers === null) return {};
  return { PROXY_WORKERS: String(workers), ECHO_WORKERS: String(workers) };
}

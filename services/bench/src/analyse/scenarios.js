/**
 * What the name of a scenario says about its load. A record has parameters and figures, and not which program made the load or
 * what it opened: this is the one place that knows.
 */

/** @import { CellRecord, Scheme } from "../record/types.js" */

/** Requests over HTTP; all others open WebSockets. */
const HTTP = ["http", "http-spring", "files"];

/** ApacheBench and the Node client of TLS handshakes do everything in one thread. k6 and wrk take all cores that they are given. */
const ONE_THREAD = ["files", "tls-handshake"];

/**
 * @param {string} scenario
 * @returns {boolean} it sends requests over HTTP, and opens no WebSocket
 */
export function isHttp(scenario) {
  return HTTP.includes(scenario);
}

/**
 * @param {string} scenario
 * @returns {boolean} what stands in a proxy's place may be the server itself, the control among them: it bounds nothing, and what
 *   proxy and server cost together is what compares
 */
export function comparesServers(scenario) {
  return scenario === "files";
}

/**
 * @param {string} scenario
 * @returns {boolean} it is about single handshakes, under several keys and versions of TLS
 */
export function comparesHandshakes(scenario) {
  return scenario === "tls-handshake";
}

/**
 * @param {{scenario: string, scheme: Scheme}} setting
 * @returns {string} `ws` or `wss`; of requests over HTTP `http` or `https`
 */
export function schemeName({ scenario, scheme }) {
  if (!isHttp(scenario)) return scheme;
  return scheme === "ws" ? "http" : "https";
}

/**
 * @param {string} scenario
 * @returns {boolean} a generator of it can never use more than one core
 */
export function hasOneThread(scenario) {
  return ONE_THREAD.includes(scenario);
}

/**
 * @param {Pick<CellRecord, "scenario" | "containers" | "loadCores">} record
 * @returns {number} cores that its generators can use at most, together
 */
export function generatorCores({ scenario, containers, loadCores }) {
  if (!hasOneThread(scenario)) return loadCores;
  const generators = Object.values(containers).filter(({ role }) => role === "load").length;
  return Math.min(loadCores, generators);
}

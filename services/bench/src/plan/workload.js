/**
 * What one setting asks of a proxy, whatever its scenario and its parameters are called.
 */

/** @import { Parameters, Plan, ScenarioDescription, Scheme, Workload } from "../model/plan.ts" */

/** Connections of an open loop that may fail, in % of those asked for: what is promised of a capacity, and a cell at a set rate keeps to. */
export const FAILED_LIMIT_PERCENT = 0.1;

/**
 * @param {Pick<Plan, "scenarios" | "referenceShare">} plan
 * @param {{scenario: string, parameters: Parameters}} cell of that plan
 * @returns {Workload}
 */
export function workloadOf({ scenarios, referenceShare }, { scenario, parameters }) {
  return workload(scenarios[scenario], parameters, referenceShare);
}

/**
 * @param {ScenarioDescription} description
 * @param {Parameters} parameters
 * @param {number} [referenceShare] of the plan
 * @returns {Workload}
 */
export function workload(description, parameters, referenceShare = 0) {
  const values = Object.fromEntries(
    Object.entries(description.parameterNames).map(([meaning, name]) => [
      meaning,
      parameters[name],
    ]),
  );
  const { quietSeconds, watchSeconds, stallSeconds } = values;
  const afterwards = watchSeconds ?? stallSeconds;
  return /** @type {Workload} */ ({
    ...description,
    ...values,
    ...(quietSeconds !== undefined &&
      afterwards !== undefined && { phaseSeconds: quietSeconds + afterwards }),
    referenceShare: description.usesReference ? referenceShare : 0,
  });
}

/** What a scenario compares, where something happens to its connections. @type {ScenarioDescription["compares"][]} */
const EXPERIMENTS = ["survival", "storm", "stalls"];

/**
 * @param {Pick<ScenarioDescription, "compares">} description
 * @returns {boolean} something happens to its connections: what came of it is told, and no comparison of costs sees it
 */
export function isExperiment({ compares }) {
  return EXPERIMENTS.includes(compares);
}

/**
 * @param {Workload} workload
 * @returns {number} connections in all
 */
export function connectionsInAll(workload) {
  const { connections, requests, connectionsPerSecond = 0, phaseSeconds = 0 } = workload;
  // Where requests are counted, each has a connection of its own.
  return connections ?? requests ?? Math.round(connectionsPerSecond * phaseSeconds);
}

/**
 * @param {Workload} workload
 * @returns {number} connections at a time, at most
 */
export function connectionsAtATime(workload) {
  return workload.concurrency ?? connectionsInAll(workload);
}

/**
 * @param {number} connections or requests
 * @param {Pick<Workload, "referenceShare">} workload
 * @returns {number} with those that go to the reference proxy
 */
export function withReference(connections, { referenceShare }) {
  return Math.ceil(connections / (1 - referenceShare));
}

/**
 * @param {Workload} workload
 * @returns {number} until the connections that are held are open, before the measured phase
 */
export function rampSeconds({ holdsConnections, connections = 0, connectionsPerSecond = 1 }) {
  return holdsConnections ? connections / connectionsPerSecond : 0;
}

/**
 * @param {Pick<Workload, "loop" | "holdsConnections" | "connectionsPerSecond">} workload
 * @returns {boolean} each of its connections is due at a time of its own in the measured phase: `concurrency` is a bound alone
 */
export function isPaced({ loop, holdsConnections, connectionsPerSecond }) {
  return loop === "open" && !holdsConnections && connectionsPerSecond !== undefined;
}

/**
 * @param {Pick<ScenarioDescription, "protocol" | "loop" | "holdsConnections" | "parameterNames">} description
 * @returns {string | null} name of the parameter that says how fast WebSockets, or messages on those that are held, are due; null: nothing is
 *   due at a rate
 */
export function rateName({ protocol, loop, holdsConnections, parameterNames }) {
  if (protocol !== "websocket" || loop !== "open") return null;
  const { messagesPerSecond = null, connectionsPerSecond = null } = parameterNames;
  return holdsConnections ? messagesPerSecond : connectionsPerSecond;
}

/**
 * @param {Pick<Workload, "parameterNames" | "connections">} workload
 * @returns {string[]} names of the parameters that say how many connections there are, and in nothing else how they are used
 */
export function sizeNames({ parameterNames: { connections, phaseSeconds } }) {
  const name = connections ?? phaseSeconds;
  return name === undefined ? [] : [name];
}

/**
 * @param {Parameters} parameters
 * @param {(string | undefined)[]} names
 * @returns {Parameters} all others
 */
export function without(parameters, names) {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));
}

/**
 * @param {{scheme: Scheme, workload: Pick<Workload, "protocol">}} setting
 * @returns {string} `ws` or `wss`; of requests over HTTP `http` or `https`
 */
export function schemeName({ scheme, workload: { protocol } }) {
  if (protocol === "websocket") return scheme;
  return scheme === "ws" ? "http" : "https";
}

/** Below that, memory that grows and memory that settles look alike. */
export const SOAK_SECONDS = 120;

/**
 * @param {Pick<Workload, "holdsConnections" | "messagesPerSecond" | "phaseSeconds">} workload
 * @returns {boolean} connections are held under a steady load for so long that what grows over time shows
 */
export function isSoak({ holdsConnections, messagesPerSecond, phaseSeconds = 0 }) {
  return holdsConnections && messagesPerSecond !== undefined && phaseSeconds >= SOAK_SECONDS;
}

/**
 * @param {Pick<Workload, "settleSeconds">} workload
 * @returns {boolean} what the proxy still holds is read some seconds after the load
 */
export function isReadAfter({ settleSeconds }) {
  return settleSeconds !== undefined;
}

/**
 * @param {Pick<Workload, "rsaBits">} workload
 * @param {"ecdsa" | "rsa"} planned key type of the plan
 * @returns {"ecdsa" | "rsa"} of the proxy's certificate: the plan's, unless the scenario chooses
 */
export function keyTypeOf({ rsaBits }, planned) {
  if (rsaBits === undefined) return planned;
  return rsaBits > 0 ? "rsa" : "ecdsa";
}

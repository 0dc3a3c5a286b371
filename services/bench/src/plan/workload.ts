/**
 * What one setting asks of a proxy, whatever its scenario and its parameters are called.
 */

import type { Parameters, Plan, ScenarioDescription, Scheme, Workload } from "../model/plan.ts";

/**
 * Connections of an open loop that may fail, in % of those asked for: what is promised of a
 * capacity, and a cell at a set rate keeps to.
 */
export const FAILED_LIMIT_PERCENT = 0.1;

/** @param cell of that plan */
export function workloadOf(
  { scenarios, referenceShare }: Pick<Plan, "scenarios" | "referenceShare">,
  { scenario, parameters }: { scenario: string; parameters: Parameters },
): Workload {
  return workload(scenarios[scenario], parameters, referenceShare);
}

/** @param referenceShare of the plan */
export function workload(
  description: ScenarioDescription,
  parameters: Parameters,
  referenceShare = 0,
): Workload {
  const values = Object.fromEntries(
    Object.entries(description.parameterNames).map(([meaning, name]) => [
      meaning,
      parameters[name],
    ]),
  );
  const { quietSeconds, watchSeconds, stallSeconds } = values;
  const afterwards = watchSeconds ?? stallSeconds;
  return {
    ...description,
    ...values,
    ...(quietSeconds !== undefined &&
      afterwards !== undefined && { phaseSeconds: quietSeconds + afterwards }),
    referenceShare: description.usesReference ? referenceShare : 0,
  } as Workload;
}

/** What a scenario compares, where something happens to its connections. */
const EXPERIMENTS: ScenarioDescription["compares"][] = ["survival", "storm", "stalls"];

/**
 * @returns something happens to its connections: the outcome is compared, and comparisons of
 *   costs leave it out
 */
export function isExperiment({ compares }: Pick<ScenarioDescription, "compares">): boolean {
  return EXPERIMENTS.includes(compares);
}

/** @returns connections in all */
export function connectionsInAll(workload: Workload): number {
  const { connections, requests, connectionsPerSecond = 0, phaseSeconds = 0 } = workload;
  const { arrivalsPerSecond = 0 } = workload;
  if (connections !== undefined) return connections + Math.round(arrivalsPerSecond * phaseSeconds);
  // Where requests are counted, each has a connection of its own.
  return requests ?? Math.round(connectionsPerSecond * phaseSeconds);
}

/** @returns connections at a time, at most */
export function connectionsAtATime(workload: Workload): number {
  return workload.concurrency ?? connectionsInAll(workload);
}

/**
 * @param connections or requests
 * @returns with those that go to the reference proxy
 */
export function withReference(
  connections: number,
  { referenceShare }: Pick<Workload, "referenceShare">,
): number {
  return Math.ceil(connections / (1 - referenceShare));
}

/** @returns until the connections that are held are open, before the measured phase */
export function rampSeconds({
  holdsConnections,
  connections = 0,
  connectionsPerSecond = 1,
}: Workload): number {
  return holdsConnections ? connections / connectionsPerSecond : 0;
}

/**
 * @returns each of its connections is due at a time of its own in the measured phase: `concurrency`
 *   is a bound alone
 */
export function isPaced({
  loop,
  holdsConnections,
  connectionsPerSecond,
}: Pick<Workload, "loop" | "holdsConnections" | "connectionsPerSecond">): boolean {
  return loop === "open" && !holdsConnections && connectionsPerSecond !== undefined;
}

/** @returns what a rate is of, and what the reference beside it counts */
export function operationsOf({ holdsConnections }: Workload): "messages" | "connections" {
  return holdsConnections ? "messages" : "connections";
}

/**
 * @returns name of the parameter that says how fast WebSockets, or messages on those that are held,
 *   are due; null: nothing is due at a rate
 */
export function rateName({
  protocol,
  loop,
  holdsConnections,
  parameterNames,
}: Pick<ScenarioDescription, "protocol" | "loop" | "holdsConnections" | "parameterNames">):
  | string
  | null {
  if (protocol !== "websocket" || loop !== "open") return null;
  const { messagesPerSecond = null, connectionsPerSecond = null } = parameterNames;
  return holdsConnections ? messagesPerSecond : connectionsPerSecond;
}

/**
 * @returns names of the parameters that say how many connections there are, and in nothing else how
 *   they are used
 */
export function sizeNames({
  parameterNames: { connections, phaseSeconds },
}: Pick<Workload, "parameterNames" | "connections">): string[] {
  const name = connections ?? phaseSeconds;
  return name === undefined ? [] : [name];
}

/** @returns all others */
export function without(parameters: Parameters, names: (string | undefined)[]): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));
}

/** @returns `ws` or `wss`; of requests over HTTP `http` or `https` */
export function schemeName({
  scheme,
  workload: { protocol },
}: {
  scheme: Scheme;
  workload: Pick<Workload, "protocol">;
}): string {
  if (protocol === "websocket") return scheme;
  return scheme === "ws" ? "http" : "https";
}

/** Below that, memory that grows and memory that settles look alike. */
export const SOAK_SECONDS = 120;

/** @returns connections are held under a steady load for so long that what grows over time shows */
export function isSoak({
  holdsConnections,
  messagesPerSecond,
  phaseSeconds = 0,
}: Pick<Workload, "holdsConnections" | "messagesPerSecond" | "phaseSeconds">): boolean {
  return holdsConnections && messagesPerSecond !== undefined && phaseSeconds >= SOAK_SECONDS;
}

/** @returns what the proxy still holds is read some seconds after the load */
export function isReadAfter({ settleSeconds }: Pick<Workload, "settleSeconds">): boolean {
  return settleSeconds !== undefined;
}

/**
 * @param planned key type of the plan
 * @returns of the proxy's certificate: the plan's, unless the scenario chooses
 */
export function keyTypeOf(
  { rsaBits }: Pick<Workload, "rsaBits">,
  planned: "ecdsa" | "rsa",
): "ecdsa" | "rsa" {
  if (rsaBits === undefined) return planned;
  return rsaBits > 0 ? "rsa" : "ecdsa";
}

/**
 * Figures and lists inside of sentences.
 */
import { counted, figure, number, range, shownUnit, times } from "../numbers.js";
import { comparesServers, isHttp, schemeName } from "../analyse/scenarios.js";
import { CONTROL } from "../plan/proxies.js";

/** @import { HandshakeKind, Measure, NoiseFloor, Setting, Slopes } from "../analyse/types.js" */
/** @import { Results } from "../record/types.js" */
/** @import { Estimate, Interval } from "../statistics/types.js" */

/**
 * @param {number} value
 * @param {Pick<Measure, "unit">} measure
 * @param {(value: number) => string} [text] of the figure
 * @returns {string} `190 µs`, `26.1 MB`
 */
export function amount(value, measure, text = figure) {
  const { unit, divisor } = shownUnit(measure.unit, [value]);
  return unit ? `${text(value / divisor)} ${unit}` : text(value / divisor);
}

/**
 * @param {Interval} ends
 * @param {number} value that they stand beside, in whose unit they are
 * @param {Pick<Measure, "unit">} measure
 * @returns {string} `185 to 195`
 */
export function amountRange([low, high], value, measure) {
  const { divisor } = shownUnit(measure.unit, [value]);
  return range([low / divisor, high / divisor], value / divisor, " to ");
}

/**
 * @param {Estimate} estimate of a ratio
 * @returns {string} `3.10 times`, and in brackets the interval
 */
export function timesWithInterval({ value, interval }) {
  return `${times(value)} times${interval ? ` (${timesRange(interval)})` : ""}`;
}

/**
 * @param {Interval} ends of a ratio
 * @returns {string} `2.90 to 3.40`
 */
export function timesRange([low, high]) {
  return `${times(low)} to ${times(high)}`;
}

/**
 * @param {string[]} words
 * @returns {string} `nginx, HAProxy and http-proxy`
 */
export function list(words) {
  return words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * @param {string} text that begins with no name: `nginx` stays as it is written
 * @returns {string} with a capital letter
 */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Parameters in words. @type {Record<string, (value: number) => string>} */
const WORDS = {
  CONNECTIONS: (value) => counted(value, "connection"),
  CONCURRENCY: (value) => `${number(value)} at a time`,
  REQUESTS: (value) => counted(value, "request"),
  THREADS: (value) => counted(value, "client thread"),
  HOLD_SECONDS: (value) => `held for ${number(value)} s`,
  DURATION_SECONDS: (value) => `for ${number(value)} s`,
  MESSAGES: (value) => `${counted(value, "message")} a connection`,
  MESSAGE_BYTES: (value) => `${counted(value, "byte")} a message`,
  CONNECTIONS_PER_SECOND: (value) => `${counted(value, "connection")} opened a second`,
  INTERVAL_SECONDS: (value) => `a message each ${number(value)} s`,
  CHURN_SECONDS: (value) => `for ${number(value)} s`,
  SERVER_WORKERS: (value) => counted(value, "server process", "server processes"),
  FILE_BYTES: (value) => `files of ${number(value)} bytes`,
  TLS_VERSION: (value) => `TLS ${value}`,
  RSA_BITS: (value) => (value === 0 ? "ECDSA key" : `RSA-${value} key`),
  RESUMED: (value) => (value === 0 ? "full handshakes" : "resumed handshakes"),
};

/**
 * @param {string} name
 * @param {number} value
 * @returns {string} `files of 12 bytes`; of a parameter that has no words `NAME=10`
 */
export function parameterText(name, value) {
  return WORDS[name]?.(value) ?? `${name}=${value}`;
}

/**
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters">} setting
 * @param {Pick<Setting, "parameters">[]} [all] of the run
 * @returns {string} with every parameter that another setting has otherwise
 */
export function settingTitle({ scenario, scheme, parameters }, all = []) {
  const { CONNECTIONS: connections, MESSAGES: messages } = parameters;
  const others = Object.entries(parameters)
    .filter(([name]) => name !== "CONNECTIONS" && name !== "MESSAGES")
    .filter(([name, value]) => all.some((other) => other.parameters[name] !== value))
    .map(([name, value]) => parameterText(name, value));
  // The files say what the scenario is.
  const isTold = comparesServers(scenario) && others.some((text) => text.startsWith(scenario));
  const what = connections
    ? isHttp(scenario)
      ? `requests (${scenario}) over ${counted(connections, "connection")}`
      : `${number(connections)} ${scenario} connections`
    : scenario;
  const load = messages > 1 ? ` × ${number(messages)} messages` : "";
  return [...(isTold ? [] : [`${what}${load}`]), ...others, schemeName({ scenario, scheme })].join(
    ", ",
  );
}

/**
 * @param {Setting[]} settings one, or those of a sum
 * @param {Setting[]} all of the run
 * @returns {string} `files, https, all 5 sizes together`
 */
export function placesTitle(settings, all) {
  const [{ scenario, scheme }] = settings;
  if (settings.length === 1) return settingTitle(settings[0], all);
  return `${settingTitle({ scenario, scheme, parameters: {} })}, all ${counted(settings.length, "size")} together`;
}

/**
 * @param {Pick<Slopes, "scenario" | "scheme" | "parameters">} slopes
 * @param {Slopes[]} all of the run
 * @returns {string} `idle connections, ws`, with every parameter that others have otherwise
 */
export function slopesTitle({ scenario, scheme, parameters }, all) {
  const others = Object.entries(parameters)
    .filter(([name, value]) => all.some((other) => other.parameters[name] !== value))
    .map(([name, value]) => `, ${name}=${value}`);
  return `${scenario} connections${others.join("")}, ${scheme}`;
}

/**
 * @param {Pick<NoiseFloor, "connections" | "scenarios">} floor
 * @returns {string} `1,000 and 5,000 connections`
 */
export function floorLoad({ connections, scenarios }) {
  return connections.length > 0 ? `${list(connections.map(number))} connections` : list(scenarios);
}

/**
 * @param {Results} results
 * @param {string} name
 * @returns {string} as a reader knows it
 */
export function titleOfProxy(results, name) {
  const { cells } = results.plan;
  const isServer = cells.length > 0 && cells.every(({ scenario }) => comparesServers(scenario));
  // Among file servers, what stands behind the proxies is one of them.
  if (name === CONTROL && isServer) return "Node, files in memory";
  return results.proxies.find((proxy) => proxy.name === name)?.title ?? name;
}

/**
 * @param {HandshakeKind} kind
 * @param {Pick<Setting, "parameters">} setting
 * @returns {string} what both sides of a comparison of handshakes have: `TLS 1.3, ECDSA key`
 */
export function handshakesText(kind, { parameters }) {
  return HANDSHAKE_PARAMETERS[kind].map((name) => parameterText(name, parameters[name])).join(", ");
}

/** What the sides do not differ in. @type {Record<HandshakeKind, string[]>} */
const HANDSHAKE_PARAMETERS = {
  resumed: ["TLS_VERSION", "RSA_BITS"],
  rsa: ["TLS_VERSION"],
  tls12: ["RSA_BITS"],
};

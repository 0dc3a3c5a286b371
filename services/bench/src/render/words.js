/**
 * Figures and lists inside of sentences.
 */
import { counted, figure, number, range, shownUnit, times } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { roundsBySetting } from "../plan/rounds.js";
import { schemeName, without } from "../plan/workload.js";
import { comparesServers } from "../analyse/settings.js";
import { withoutVariants } from "../analyse/variants.js";

/** @import { HandshakeKind, Measure, NoiseFloor, Setting, Slopes } from "../analyse/types.js" */
/** @import { Meaning, ScenarioDescription } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { Estimate, Interval } from "../statistics/types.js" */

/** @typedef {Pick<ScenarioDescription, "parameterNames" | "holdsConnections">} Described */

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

/** Parameters in words, by what they mean, in the order in which a reader wants to know them. @type {Partial<Record<Meaning, (value: number, holds: boolean) => string>>} */
const WORDS = {
  connections: (value) => counted(value, "connection"),
  streams: (value) =>
    value === 0 ? "a connection each, over HTTP/1.1" : `${number(value)} on an HTTP/2 connection`,
  connectionsPerSecond: (value) => `${counted(value, "connection")} opened a second`,
  concurrency: (value) => `${number(value)} at a time`,
  requests: (value) => counted(value, "request"),
  threads: (value) => counted(value, "client thread"),
  phaseSeconds: (value, holds) => `${holds ? "held " : ""}for ${number(value)} s`,
  quietSeconds: (value) => `quiet for ${number(value)} s`,
  watchSeconds: (value) => `watched for ${number(value)} s`,
  stalled: (value) => `${number(value)} of them stop reading`,
  stallSeconds: (value) => `for ${number(value)} s`,
  backoff: (value) =>
    ["back at once", "after a fixed back-off", "after a back-off with full jitter"][value],
  backoffSeconds: (value) => `back-off ${number(value)} s`,
  messages: (value) => `${counted(value, "message")} a connection`,
  intervalSeconds: (value) => `a message each ${number(value)} s`,
  messagesPerSecond: (value) => `${counted(value, "message")} a second`,
  messageBytes: (value) => `${counted(value, "byte")} a message`,
  serverWorkers: (value) => counted(value, "server process", "server processes"),
  hostNetwork: (value) => ["Docker's network", "the machine's own network", "the overlay"][value],
  fileBytes: (value) => `files of ${number(value)} bytes`,
  tlsVersion: (value) => `TLS ${value}`,
  rsaBits: (value) => (value === 0 ? "ECDSA key" : `RSA-${value} key`),
  resumed: (value) => (value === 0 ? "full handshakes" : "resumed handshakes"),
  poisson: (value) => (value === 0 ? "evenly" : "as a Poisson process"),
  seed: (value) => `seed ${value}`,
  timeoutSeconds: (value) => `timeout ${number(value)} s`,
  settleSeconds: (value) => `read again after ${number(value)} s`,
};

/**
 * @param {Described} description of the scenario
 * @param {string[]} names of its parameters, in any order: InfluxDB has them by the alphabet
 * @returns {string[]} those that mean something first, in the order in which a reader wants to know them
 */
export function inReadingOrder({ parameterNames }, names) {
  const meanings = /** @type {Meaning[]} */ (Object.keys(WORDS));
  const told = meanings.flatMap((meaning) => parameterNames[meaning] ?? []);
  return [
    ...told.filter((name) => names.includes(name)),
    ...names.filter((name) => !told.includes(name)),
  ];
}

/**
 * @param {Described | null} description of the scenario that has it; null: nobody knows
 * @param {string} name
 * @param {number} value
 * @returns {string} `files of 12 bytes`; of a parameter that has no words `NAME=10`
 */
export function parameterText(description, name, value) {
  const meaning = description && meaningOf(description, name);
  const words = meaning && WORDS[meaning];
  return words ? words(value, description.holdsConnections) : `${name}=${value}`;
}

/**
 * @param {Pick<ScenarioDescription, "parameterNames">} description
 * @param {string} name of a parameter
 * @returns {Meaning | undefined} undefined: it is the script's own affair
 */
export function meaningOf({ parameterNames }, name) {
  const meanings = /** @type {Meaning[]} */ (Object.keys(parameterNames));
  return meanings.find((meaning) => parameterNames[meaning] === name);
}

/**
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters" | "workload">} setting
 * @param {Pick<Setting, "scenario" | "parameters">[]} [all] of the run
 * @param {number[]} [counts] of connections, where it stands for several that differ in that alone
 * @returns {string} with every parameter that another setting of its scenario has otherwise
 */
export function settingTitle({ scenario, scheme, parameters, workload }, all = [], counts) {
  const { connections, messages = 1, protocol, parameterNames: names } = workload;
  const others = Object.entries(without(parameters, [names.connections, names.messages])).filter(
    ([name, value]) =>
      // A figure without Docker's network, or of one at a time, is no other's, wherever it stands.
      ([names.hostNetwork, names.concurrency].includes(name) && value === 1) ||
      all.some((other) => other.scenario === scenario && other.parameters[name] !== value),
  );
  // The files say what is asked for.
  const isTold = comparesServers(workload) && others.some(([name]) => name === names.fileBytes);
  const what = connections
    ? protocol === "http"
      ? `requests (${scenario}) over ${counted(connections, "connection")}`
      : `${list((counts ?? [connections]).map(number))} ${scenario} connections`
    : scenario;
  const load = messages > 1 ? ` × ${number(messages)} messages` : "";
  return [
    ...(isTold ? [] : [`${what}${load}`]),
    ...others.map(([name, value]) => parameterText(workload, name, value)),
    schemeName({ scheme, workload }),
  ].join(", ");
}

/**
 * @param {Setting[]} settings one, or those of a sum
 * @param {Setting[]} all of the run
 * @returns {string} `files, https, all 5 sizes together`
 */
export function placesTitle(settings, all) {
  const [{ scenario, scheme, workload }] = settings;
  if (settings.length === 1) return settingTitle(settings[0], all);
  return `${scenario}, ${schemeName({ scheme, workload })}, all ${counted(settings.length, "size")} together`;
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
 * @param {Results["plan"]} plan
 * @returns {string} `6 rounds`; `1 to 6 rounds`, where some settings have fewer
 */
export function roundsText(plan) {
  const least = Math.min(plan.rounds, ...roundsBySetting(plan).map(({ rounds }) => rounds));
  return `${least < plan.rounds ? `${least} to ` : ""}${counted(plan.rounds, "round")}`;
}

/**
 * @param {Results} results
 * @param {string} name
 * @returns {string} as a reader knows it
 */
export function titleOfProxy(results, name) {
  const { cells, scenarios } = results.plan;
  const isServer =
    cells.length > 0 && cells.every(({ scenario }) => comparesServers(scenarios[scenario]));
  // Among file servers, what stands behind the proxies is one of them.
  if (name === CONTROL && isServer) return "Node, files in memory";
  return results.proxies.find((proxy) => proxy.name === name)?.title ?? name;
}

/**
 * @param {string} title of a proxy
 * @returns {string} as a sentence has it, where a comma would part it: `nginx (16k buffer)` of `nginx, 16k buffer`
 */
export function bracketed(title) {
  const [first, ...rest] = title.split(", ");
  return rest.length > 0 ? `${first} (${rest.join(", ")})` : first;
}

/**
 * @param {Results} results
 * @param {string} name
 * @returns {string} as a sentence has it
 */
export function nameOfProxy(results, name) {
  return bracketed(titleOfProxy(results, name));
}

/**
 * @param {Results} results
 * @param {string[]} names of proxies that tie
 * @returns {string} `HAProxy and nginx`; `HAProxy and nginx, with variants` where variants of these are left out
 */
export function tyingText(results, names) {
  const told = withoutVariants(names, results.proxies);
  const end = told.length < names.length ? ", with variants" : "";
  return `${list(told.map((name) => nameOfProxy(results, name)))}${end}`;
}

/**
 * @param {HandshakeKind} kind
 * @param {Pick<Setting, "parameters" | "workload">} setting
 * @returns {string} what both sides of a comparison of handshakes have: `TLS 1.3, ECDSA key`
 */
export function handshakesText(kind, setting) {
  return meaningTexts(setting, HANDSHAKE_MEANINGS[kind]).join(", ");
}

/**
 * @param {Pick<Setting, "parameters" | "workload">} setting
 * @param {Meaning[]} meanings
 * @returns {string[]} of those that it has a parameter for
 */
export function meaningTexts({ parameters, workload }, meanings) {
  return meanings.flatMap((meaning) => {
    const name = workload.parameterNames[meaning];
    return name === undefined ? [] : [parameterText(workload, name, parameters[name])];
  });
}

/** What the sides do not differ in. @type {Record<HandshakeKind, Meaning[]>} */
const HANDSHAKE_MEANINGS = {
  resumed: ["tlsVersion", "rsaBits"],
  rsa: ["tlsVersion"],
  tls12: ["rsaBits"],
};

/**
 * Findings in words, one sentence a gate; and why a figure is missing, which may be for a finding.
 */
import { measure } from "../analyse/measures.js";
import { counted, figure, number, timesFinely } from "../numbers.js";
import { amount, capital, floorLoad, list } from "./words.js";

/** @import { Finding, FindingOf, Gate, GateFigures, Missing, SlopeRow } from "../analyse/types.js" */

/**
 * @typedef {object} Sentence
 * @property {string} message without a full stop; of a cell it begins with a small letter
 * @property {string} figures of a comparison, which `message` is without: findings that differ in nothing else can be told as
 *   one; empty where there are none
 *
 * @typedef {{severity: Finding["severity"], message: string}} ToldFinding
 * @typedef {(proxy: string) => string} Title of a proxy by its name
 */

/** @type {Record<GateFigures["bypassed"]["what"], string>} */
const TRAFFIC = {
  rxBytes: "bytes received",
  txBytes: "bytes sent",
  rxPackets: "packets received",
  txPackets: "packets sent",
};

/** @type {{[G in Gate]: (finding: FindingOf<G>, title: Title) => string | Sentence}} */
const SENTENCES = {
  "generator-busy": ({ figures: { percent, limit, cores, isBounded } }) =>
    isBounded
      ? `the generator used ${number(percent)} % of the ${counted(cores, "core")} that it can use (limit ${limit} %): times and throughput are limited by it and do not count; CPU and memory do`
      : `the generator used ${number(percent)} % of its ${cores} cores (limit ${limit} %): latencies and throughput are limited by it`,
  "too-short": ({ figures: { cpuSeconds, tickSeconds, percent, limit, repeats } }) =>
    repeats === null
      ? `the proxy used ${number(cpuSeconds)} s of CPU, which is known to ${2 * tickSeconds} s: its CPU figure is an order of magnitude`
      : `the proxy used ${number(cpuSeconds)} s of CPU: a tick of ${tickSeconds} s at each end is ${number(percent)} % of that (limit ${limit} %); more ${repeats} make the phase longer`,
  saturated: ({ figures: { percent, limit, loop, atATime } }) =>
    loop === "closed"
      ? `${queueText(atATime)} (${number(percent)} % busy, limit ${limit} %)`
      : `open loop, machine saturated (${number(percent)} % busy, limit ${limit} %): times and throughput do not count`,
  steal: ({ figures: { percent, limit } }) =>
    `steal took ${number(percent)} % of the machine's CPU time (limit ${limit} %)`,
  "foreign-load": ({ figures: { percent, limit } }) =>
    `other programs used ${number(percent)} % of the machine's CPU time (limit ${limit} %)`,
  tls: ({ figures: { what, found, expected, isOfLoad } }) =>
    `TLS ${what} was ${found}, ${isOfLoad ? "this load asks for" : "the policy says"} ${expected.join(" or ")}: proxies cannot be compared`,
  "tls-unknown": () => "what TLS negotiated was not recorded, so ciphers may differ",
  bypassed: ({ figures: { what, found, least } }) =>
    `${number(found)} ${TRAFFIC[what]} by the proxy, but this load needs at least ${number(least)}: traffic did not pass it`,
  "bypass-unknown": () =>
    "the proxy's network counters could not be read: that the traffic passed it was not checked",
  "echo-count": ({ figures: { what, echo, generator, limit } }) =>
    `the echo server counted ${number(echo)} ${what}, the generator ${number(generator)} (limit ${limit} more)`,
  "echo-count-unknown": () =>
    "the echo server's own counts could not be read: that the load reached it was not checked",
  "request-count": ({ figures: { answers, unanswered, asked } }) =>
    `the generator counted ${number(answers)} answers and ${number(unanswered)} that never came, of ${number(asked)} requests`,
  "bad-answers": ({ severity, figures: { bad, asked, percent, limit } }) => {
    const many = ` (limit ${limit} %): latencies include those of error responses`;
    return `${number(bad)} of ${number(asked)} requests failed, ${number(percent)} %${severity === "weak" ? many : ""}`;
  },
  "not-held": ({ figures: { from, to, asked } }) =>
    `the echo server had ${number(from)} connections open at the start of the measured phase and ${number(to)} at its end, of ${number(asked)} that should be held`,
  failed: ({ figures: { failed, asked, percent, limit } }) =>
    `${number(failed)} of ${number(asked)} connections failed, ${number(percent)} % (above ${limit} % the cell has failed): they are in no latency`,
  late: ({ figures: { percent, limit, due } }) =>
    `${number(percent)} % of ${number(due)} sends left more than 10 ms late (limit ${limit} %): times and throughput do not count`,
  dropped: ({ figures: { percent, limit, due } }) =>
    `${number(percent)} % of ${number(due)} sends were dropped (limit ${limit} %): the load was lower than planned, and times and throughput do not count`,
  "machine-index": ({ figures: { percent, limit, medianUs } }) =>
    `the reference proxy cost ${number(Math.abs(percent))} % ${percent > 0 ? "more" : "less"} CPU time than in the median cell of the setting, ${figure(medianUs)} µs (limit ${limit} %): the machine was ${percent > 0 ? "slower" : "faster"}`,
  "memory-unknown": () => "the proxy's memory could not be read",
  "machine-unknown": () =>
    "the machine's own counters could not be read: steal and foreign load are not known",

  "side-by-side": () =>
    "the other proxies of its round ran at the same time: its memory, sockets and descriptors are its own, CPU and times do not count",

  "few-rounds": ({ figures: { rounds, least, enough, onePairIn } }) => {
    if (rounds < least) return `${capital(onlyRounds(rounds))}: below ${least} nothing is ranked`;
    const how =
      onePairIn === null
        ? "tested"
        : `ranked by range and not tested, so that two equal proxies would rank apart in 1 of ${number(onePairIn)} cases`;
    return `A first look, ${counted(rounds, "round")} of the ${enough} that a verdict takes: ${how}`;
  },
  survivors: ({ figures: { proxies } }, title) => ({
    message: "The others are not ranked, as they are survivors: measured, but void",
    figures: list(proxies.map(title)),
  }),
  "no-slope": ({ figures: { rows } }, title) => ({
    message: "Not measured: no slope",
    figures: rows
      .map(({ proxy, missing, ended }) => {
        const end = ended && `; ${number(ended.next)} connections: ${plainReason(ended.why)}`;
        return `${title(proxy)}, as ${noSlopeText(missing)}${end ?? ""}`;
      })
      .join("; "),
  }),
  "slope-rule": ({ figures: { confidence } }) => {
    const level = `${number(100 * confidence)} %`;
    return `In brackets the ${level} interval of a slope over the counts of connections (Theil–Sen): it needs no rounds. Two differ where their intervals, widened until all hold together at ${level}, do not overlap`;
  },
  "few-points": ({ figures: { proxies, points } }) =>
    `Not ranked: for ${counted(proxies, "slope")}, one of ${counted(points, "point")} is too uncertain; more counts of connections, or another round, would do`,
  "missing-rounds": ({ figures: { most, proxies } }, title) => ({
    message: `Some lack rounds, and with fewer than the ${most} of others a difference is less likely to be seen`,
    figures: list(proxies.map(({ proxy, rounds }) => `${title(proxy)} ${rounds}`)),
  }),
  "ranked-last": ({ figures: { limit, proxies } }, title) => ({
    message: `More than ${limit} % of the requests failed, and a proxy with so many ranks last`,
    figures: list(
      proxies.map(({ proxy, badPercent }) => `${title(proxy)} ${number(badPercent)} %`),
    ),
  }),
  spread: ({ figures: { limit, proxies } }, title) => ({
    message: `The middle half of the rounds spans more than ${limit} % of the median`,
    figures: list(proxies.map(({ proxy, percent }) => `${title(proxy)} ${number(percent)} %`)),
  }),
  "control-slower": ({ figures: { measure: key, control, proxies } }, title) => {
    const of = (/** @type {number} */ value) => amount(value, measure(key));
    const each = proxies.map(({ proxy, value }) => `${title(proxy)} ${of(value)}`);
    return {
      message:
        "The control was slower than a proxy, so it is no baseline, and what a proxy adds is not known",
      figures: `control ${of(control)}, ${list(each)}`,
    };
  },
  "control-own": () =>
    "The control's figure is the cost of its own server, not of a proxy: it has no rank, and no ratio to it is given",
  "control-beside": () =>
    "The control ends TLS in Node's own thread: it stands beside the proxies and bounds nothing",
  queue: ({ figures: { percent, limit, atATime } }) => ({
    message: capital(queueText(atATime)),
    figures: `up to ${number(percent)} % busy, limit ${limit} %`,
  }),

  "no-figure": ({ figures: { proxies, missing } }, title) =>
    `No figure for ${list(proxies.map(title))}: ${missingText(missing)}`,
  "lacks-settings": ({ figures: { proxies } }, title) => ({
    message:
      "Some have no figure with some numbers of connections: each two are compared over those that both have, and a figure is of its own alone",
    figures: proxies
      .map(({ proxy, connections }) => `${title(proxy)} none with ${list(connections.map(number))}`)
      .join("; "),
  }),
  "left-out": ({ figures: { proxies, connections } }, title) =>
    `What was measured with ${list(connections.map(number))} connections is left out: figures of ${list(proxies.map(title))} are void there, and the others survivors`,
  opposite: ({ figures: { pairs } }, title) =>
    pairs
      .map(({ proxies: [first, second], better }) => {
        const [one, other] = better.map((connections) => list(connections.map(number)));
        return `${title(first)} and ${title(second)} differ in opposite directions: ${title(first)} is better with ${one} connections, ${title(second)} with ${other}`;
      })
      .join("; "),
  "inside-noise": ({ figures: { proxies, ratio, floor } }, title) =>
    `The difference of ${list(proxies.map(title))} from the best is no larger than the noise floor: ${timesFinely(ratio)} times with ${floorLoad(floor)}`,
  "full-handshakes": () => "Every connection made a full handshake; resumed sessions cost less",
  "whole-connections": () =>
    "Both include connection, upgrade, message and close: for the handshake alone the ratio is further from 1",

  incomplete: ({ figures: { open, planned } }) =>
    `${open} of ${counted(planned, "cell")} have not run: medians rest on fewer rounds than planned`,
  "shared-cores": ({ figures: { cores, busyPercent } }) =>
    `Load, proxy and echo server shared ${counted(cores, "core")}, ${number(busyPercent)} % busy (median over cells): latencies and connections per second are those of this machine with everything on it; CPU times are those of this machine at that hour, and what holds are the ratios between proxies within this run`,
  "one-machine": ({ figures: { names } }) =>
    `${list(names)} are engines of one machine: no link lies between them, and what one takes the others miss`,
  unobserved: ({ figures: { proxies } }, title) =>
    `${list(proxies.map(title))} ran without InfluxDB and cAdvisor: the difference to the others includes their cost`,
  variants: ({ figures: { variants } }, title) =>
    variants
      .map(({ proxy, of, differs }) => `${title(proxy)} is ${title(of)} but for this: ${differs}`)
      .join("; "),
  "client-chooses-cipher": ({ figures: { proxies } }, title) =>
    `With ${list(proxies.map(title))} the client chooses the cipher of TLS 1.3, as the TLS library has no setting for it: the load prefers that of the policy and got it, other clients may get another`,
};

/**
 * @param {number} rounds too few to rank
 * @returns {string} `a single round`, `only 2 rounds`
 */
export function onlyRounds(rounds) {
  return rounds === 1 ? "a single round" : `only ${counted(rounds, "round")}`;
}

/**
 * @param {number} atATime connections, or requests
 * @returns {string} what times of a closed loop are on a saturated machine; without a full stop
 */
export function queueText(atATime) {
  return `closed loop, ${number(atATime)} at a time, machine saturated: time in the queue`;
}

/**
 * @template {Gate} G
 * @param {FindingOf<G>} finding
 * @param {Title} [title] no finding of a cell names a proxy
 * @returns {Sentence}
 */
export function findingParts(finding, title = String) {
  const told = SENTENCES[finding.gate](finding, title);
  const { message, figures } = typeof told === "string" ? { message: told, figures: "" } : told;
  if (!finding.cells) return { message, figures };
  const { affected, all, first } = finding.cells;
  return {
    message: `${affected} of ${counted(all, "cell")}, such as ${first}: ${message}`,
    figures,
  };
}

/**
 * @param {Finding} finding
 * @param {Title} [title] no finding of a cell names a proxy
 * @returns {string} without a full stop
 */
export function findingText(finding, title) {
  const { message, figures } = findingParts(finding, title);
  return figures ? `${message}: ${figures}` : message;
}

/**
 * @param {Finding[]} findings
 * @param {Title} [title] no finding of a cell names a proxy
 * @returns {ToldFinding[]}
 */
export function tellFindings(findings, title) {
  return findings.map((finding) => ({
    severity: finding.severity,
    message: findingText(finding, title),
  }));
}

/**
 * @param {Pick<ToldFinding, "message">} finding
 * @returns {string} as a sentence of its own
 */
export function findingSentence({ message }) {
  const text = capital(message);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/**
 * @param {Missing[]} reasons
 * @returns {string} each once
 */
export function missingText(reasons) {
  return [...new Set(reasons.map(reasonText))].join("; ");
}

/** @param {Missing} reason */
function reasonText(reason) {
  switch (reason.kind) {
    case "failed":
      return `${reason.cause.kind}: ${reason.cause.message}`;
    case "skipped":
      return `skipped: ${reason.why}`;
    default:
      return plainReason(reason);
  }
}

/**
 * @param {Missing} reason
 * @returns {string} without its kind
 */
export function plainReason(reason) {
  switch (reason.kind) {
    case "failed":
      return reason.cause.message;
    case "skipped":
    case "has-none":
      return reason.why;
    case "invalid":
    case "voided":
      return findingText(reason.finding);
    case "unreadable":
      return "could not be read";
    case "not-run":
      return "not run yet";
    case "no-common-round":
      return "no round has a counted cell in each setting that it is derived from";
  }
}

/**
 * @param {SlopeRow["missing"]} missing of a row without a slope
 * @returns {string}
 */
export function noSlopeText(missing) {
  if (missing?.kind === "few-counts")
    return `${missing.counts} of at least ${missing.least} connection counts have a counted cell`;
  return "this kernel does not count it";
}

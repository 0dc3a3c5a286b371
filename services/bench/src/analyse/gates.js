/**
 * What voids or weakens the figures of one cell.
 */
import { number } from "../numbers.js";
import { held, measuresOf, proxyNetwork } from "./measures.js";

/** @import { TlsPolicy } from "../conformance/connect.js" */
/** @import { CellRecord } from "../record/types.js" */
/** @import { Finding } from "./types.js" */

/** A generator that is busier than this measures itself. */
const GENERATOR_LIMIT_PERCENT = 80;
/**
 * What cgroup v1 counts user and system time in (cpuacct.stat, in USER_HZ: kernel, cgroup-v1/cpuacct.rst; 100 a second,
 * man 7 time). At each edge of the measured phase one tick may be on the wrong side.
 */
const TICK_SECONDS = 0.01;
/** Two ticks may be so much of the proxy's CPU time. */
const RESOLUTION_LIMIT_PERCENT = { invalid: 40, weak: 20 };
const STEAL_LIMIT_PERCENT = { invalid: 10, weak: 2 };
const FOREIGN_LIMIT_PERCENT = 10;
/** Of the sends of an open loop. */
const LATE_LIMIT_PERCENT = 5;
const DROPPED_LIMIT_PERCENT = 1;
/** Beyond what k6 counted, the echo server may have seen so many connections and messages of other clients. */
const STRAYS = 5;

/**
 * @param {CellRecord} record
 * @param {object} options
 * @param {TlsPolicy | null} options.policy of certs/policy.json; null: what TLS negotiated is not judged
 * @param {string} options.keyType of the plan
 * @param {boolean} options.isControl whether the proxy's place is taken by an echo server
 * @returns {Finding[]} empty for a cell that did not end well: it counts for nothing anyway
 */
export function findingsOf(record, { policy, keyType, isControl }) {
  if (record.status !== "ok") return [];
  const measures = measuresOf(record);
  return [
    ...generatorBusy(record, measures),
    // Of the control, the CPU time is not compared.
    ...(isControl ? [] : tooShort(record, measures)),
    ...taken("steal", "steal took", measures.steal_percent, STEAL_LIMIT_PERCENT),
    ...taken("foreign-load", "other programs used", measures.foreign_cpu_percent, {
      invalid: Infinity,
      weak: FOREIGN_LIMIT_PERCENT,
    }),
    ...(record.scheme === "wss" && policy ? wrongTls(record, policy, keyType) : []),
    ...bypassed(record, isControl ? 1 : 2),
    ...miscounted(record),
    ...notHeld(record),
    ...unlikePlanned(record, measures),
    ...gaps(record, measures),
  ];
}

/**
 * @param {CellRecord} record
 * @param {Record<string, number>} measures
 * @returns {Finding[]}
 */
function generatorBusy({ loadCores }, { generator_cpu_percent: percent }) {
  if (!(percent > GENERATOR_LIMIT_PERCENT)) return [];
  return [
    {
      gate: "generator-busy",
      severity: "invalid",
      message: `the generator used ${number(percent)} % of its ${loadCores} cores (limit ${GENERATOR_LIMIT_PERCENT} %): latencies and throughput are its own`,
    },
  ];
}

/**
 * Of connections that are held, memory is asked first, and a proxy that hardly does anything is an answer: that voids nothing.
 *
 * @param {CellRecord} record
 * @param {Record<string, number>} measures
 * @returns {Finding[]}
 */
function tooShort(record, { proxy_cpu_seconds: seconds }) {
  if (seconds === undefined) return [];
  const percent = (100 * 2 * TICK_SECONDS) / seconds;
  const severity = severityOf(percent, RESOLUTION_LIMIT_PERCENT);
  if (!severity) return [];
  if (held(record) !== null) {
    const message = `the proxy used ${number(seconds)} s of CPU, which is known to ${2 * TICK_SECONDS} s: take its CPU for an order of magnitude`;
    return [{ gate: "too-short", severity: "note", message }];
  }
  return [
    {
      gate: "too-short",
      severity,
      message: `the proxy used ${number(seconds)} s of CPU: a tick of ${TICK_SECONDS} s at each end is ${number(percent)} % of that (limit ${RESOLUTION_LIMIT_PERCENT[severity]} %); more connections make the phase longer`,
    },
  ];
}

/**
 * @param {number | undefined} percent
 * @param {{invalid: number, weak: number}} limits
 */
function severityOf(percent = 0, limits) {
  if (percent > limits.invalid) return "invalid";
  return percent > limits.weak ? "weak" : null;
}

/**
 * @param {string} gate
 * @param {string} what
 * @param {number | undefined} percent of the machine's CPU time
 * @param {{invalid: number, weak: number}} limits
 * @returns {Finding[]}
 */
function taken(gate, what, percent, limits) {
  const severity = severityOf(percent, limits);
  if (percent === undefined || !severity) return [];
  const message = `${what} ${number(percent)} % of the machine's CPU time (limit ${limits[severity]} %)`;
  return [{ gate, severity, message }];
}

/**
 * The client that asked offers all that the policy allows, and more: whoever follows the policy chose the policy's best.
 *
 * @param {CellRecord} record
 * @param {TlsPolicy} policy
 * @param {string} keyType
 * @returns {Finding[]}
 */
function wrongTls({ tls }, policy, keyType) {
  if (!tls) {
    const message = "what TLS negotiated was not recorded, so ciphers may differ";
    return [{ gate: "tls", severity: "invalid", message }];
  }
  const ciphers = policy.maxVersion === "TLSv1.3" ? policy.cipherSuitesTls13 : policy.ciphersTls12;
  /** @type {[string, string, boolean, string][]} */
  const checks = [
    ["version", tls.version, tls.version === policy.maxVersion, policy.maxVersion],
    ["cipher", tls.cipher, ciphers.includes(tls.cipher), ciphers.join(" or ")],
    ["group", tls.group, policy.groups.includes(tls.group), policy.groups.join(" or ")],
    ["key", tls.keyType, tls.keyType.startsWith(keyType), keyType],
    ["session", tls.resumed ? "resumed" : "new", !tls.resumed, "new"],
  ];
  return checks
    .filter(([, , holds]) => !holds)
    .map(([what, found, , expected]) => ({
      gate: "tls",
      severity: "invalid",
      message: `TLS ${what} was ${found}, the policy says ${expected}: proxies cannot be compared`,
    }));
}

/**
 * Every byte of a message passes the proxy's interface twice each way: client to proxy to echo, and back. A connection that is
 * opened in the measured phase has at least a SYN and a segment with data in each direction on each side, and those are packets of
 * their own (RFC 9293).
 *
 * @param {CellRecord} record
 * @param {1 | 2} sides on which the proxy has connections: client, and echo server
 * @returns {Finding[]}
 */
function bypassed(record, sides) {
  const network = proxyNetwork(record);
  if (!network) {
    const message =
      "the proxy's network counters could not be read: that the traffic passed it was not checked";
    return [{ gate: "bypassed", severity: "weak", message }];
  }
  const bytes = sides * (record.messagesEchoed ?? 0) * (record.parameters.MESSAGE_BYTES ?? 0);
  const opened = held(record) === null ? (record.connections?.opened ?? 0) : 0;
  const packets = sides * 2 * opened;
  /** @type {[string, number, number][]} */
  const checks = [
    ["bytes received", network.rxBytes, bytes],
    ["bytes sent", network.txBytes, bytes],
    ["packets received", network.rxPackets, packets],
    ["packets sent", network.txPackets, packets],
  ];
  return checks
    .filter(([, found, least]) => found < least)
    .map(([what, found, least]) => ({
      gate: "bypassed",
      severity: "invalid",
      message: `${number(found)} ${what} by the proxy, but this load needs at least ${number(least)}: traffic did not pass it`,
    }));
}

/**
 * @param {CellRecord} record
 * @returns {Finding[]}
 */
function miscounted(record) {
  const { echoWorkers, connections, messagesEchoed } = record;
  if (!echoWorkers) {
    const message =
      "the echo server's own counts could not be read: that the load reached it was not checked";
    return [{ gate: "echo-count", severity: "weak", message }];
  }
  /** @type {[string, number, number][]} */
  const checks = [
    // Those that are held were opened before.
    [
      "connections",
      sum(echoWorkers, "connections"),
      held(record) === null ? (connections?.opened ?? 0) : 0,
    ],
    ["messages", sum(echoWorkers, "messages"), messagesEchoed ?? 0],
  ];
  return checks
    .filter(([, echo, load]) => echo < load || echo > load + STRAYS)
    .map(([what, echo, load]) => ({
      gate: "echo-count",
      severity: "invalid",
      message: `the echo server counted ${number(echo)} ${what}, the generator ${number(load)} (limit ${STRAYS} more)`,
    }));
}

/**
 * @param {CellRecord} record
 * @returns {Finding[]}
 */
function notHeld({ connectionsHeld, connections }) {
  if (!connectionsHeld || !connections) return [];
  const { from, to } = connectionsHeld;
  if (Math.min(from, to) >= connections.asked) return [];
  return [
    {
      gate: "not-held",
      severity: "invalid",
      message: `the echo server had ${number(from)} connections open at the start of the measured phase and ${number(to)} at its end, of ${number(connections.asked)} that should be held`,
    },
  ];
}

/**
 * @param {CellRecord} record
 * @param {Record<string, number>} measures
 * @returns {Finding[]}
 */
function unlikePlanned({ sends }, { sends_late_percent: late, sends_dropped_percent: dropped }) {
  /** @type {Finding[]} */
  const findings = [];
  if (late > LATE_LIMIT_PERCENT) {
    const message = `${number(late)} % of ${number(sends?.due ?? 0)} sends left more than 10 ms late (limit ${LATE_LIMIT_PERCENT} %): latencies have the generator's own lateness in them`;
    findings.push({ gate: "late", severity: "weak", message });
  }
  if (dropped > DROPPED_LIMIT_PERCENT) {
    const message = `${number(dropped)} % of ${number(sends?.due ?? 0)} sends were dropped (limit ${DROPPED_LIMIT_PERCENT} %): the load was lower than planned, and what those messages would have waited is in no latency`;
    findings.push({ gate: "dropped", severity: "weak", message });
  }
  return findings;
}

/**
 * @param {NonNullable<CellRecord["echoWorkers"]>} workers
 * @param {"connections" | "messages"} what
 */
function sum(workers, what) {
  return workers.reduce((total, worker) => total + worker[what], 0);
}

/**
 * @param {CellRecord} record
 * @param {Record<string, number>} measures
 * @returns {Finding[]}
 */
function gaps({ machine }, { proxy_memory_peak_usage_bytes: memory }) {
  /** @type {Finding[]} */
  const findings = [];
  if (memory === undefined) {
    const message = "the proxy's memory could not be read";
    findings.push({ gate: "no-memory", severity: "note", message });
  }
  if (!machine) {
    const message =
      "the machine's own counters could not be read: steal and foreign load are not known";
    findings.push({ gate: "no-machine", severity: "weak", message });
  }
  return findings;
}

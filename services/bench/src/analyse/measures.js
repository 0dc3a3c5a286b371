/**
 * Everything that is derived from one cell, flat: the columns of results.csv, and what analysis compares.
 */

import { CONTROL } from "../plan/proxies.js";
import { isPaced } from "../plan/workload.js";
import { usageOnce } from "../record/carriers.js";
import { takenByOthers } from "../record/disturbance.js";
import { generatorCores } from "../record/generator-cores.js";
import { referenceCpuUs } from "../record/machine-index.js";
import { EXPERIMENT_DEFINITIONS } from "./experiment-measures.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { ContainerRecord, MemoryReading, Role } from "../model/container.ts" */
/** @import { LatencySummary, Requests } from "../model/load.ts" */
/** @import { Workload } from "../model/plan.ts" */
/** @import { Measure } from "./types.js" */

/**
 * @typedef {Measure & {of: ((record: CellRecord, workload: Workload) => number | null | undefined) | null}} Definition
 *   of: gives null, undefined or not finite where it cannot be had; null: no cell alone tells it (operation-costs.js)
 */

/** @type {[Exclude<keyof LatencySummary, "count">, string][]} */
const STATISTICS = [
  ["mean", "mean"],
  ["sd", "standard deviation"],
  ["min", "minimum"],
  ["median", "median"],
  ["p90", "90th percentile"],
  ["p95", "95th percentile"],
  ["p99", "99th percentile"],
  ["p999", "99.9th percentile"],
  ["max", "maximum"],
];

/**
 * `proxy` means every container of the role, together: haproxy-hitch has two. In a cell of the control the proxy's
 * container is an echo server, so these figures are the cost of an echo server there, not of a proxy.
 *
 * @type {Definition[]}
 */
const DEFINITIONS = [
  {
    key: "connections_opened",
    title: "Connections opened",
    unit: "",
    better: "higher",
    description: "WebSockets whose upgrade was answered, as the generator counted.",
    of: ({ connections }) => connections?.opened,
  },
  {
    key: "connections_failed",
    title: "Connections failed",
    unit: "",
    better: "lower",
    description: "Connections that did not do all they should, as the generator counted.",
    of: ({ connections }) => connections?.failed,
  },
  {
    key: "messages_echoed",
    title: "Messages echoed",
    unit: "",
    better: "higher",
    description: "Messages that came back as they were sent, as the generator counted.",
    of: ({ messagesEchoed }) => messagesEchoed,
  },
  {
    key: "connections_held",
    title: "Connections held at once",
    unit: "",
    better: "higher",
    description:
      "WebSockets that the echo server itself counted as open at both ends of the measured phase; the smaller of the two. Only of scenarios that open them before it.",
    of: held,
  },
  {
    key: "messages_per_second",
    title: "Messages per second",
    unit: "",
    better: "higher",
    description:
      "Messages echoed, divided by the measured phase. Where each is sent when the last has come back, it is what this machine carries with the generator on it, unless the proxy has a CPU budget.",
    of: (record) => ratio(record.messagesEchoed, measuredSeconds(record)),
  },
  {
    key: "sends_due",
    title: "Sends due",
    unit: "",
    better: "higher",
    description:
      "What should have been begun in the measured phase, messages or connections; only of an open loop.",
    of: ({ sends }) => sends?.due,
  },
  {
    key: "sends_late_percent",
    title: "Sends late",
    unit: "%",
    better: "lower",
    description:
      "Share of the sends due that left more than 10 ms late, as the generator was behind. Their latency counts from when they were due all the same.",
    of: ({ sends }) => percent(sends?.late, sends?.due),
  },
  {
    key: "sends_dropped_percent",
    title: "Sends dropped",
    unit: "%",
    better: "lower",
    description:
      "Share of the sends due that were not sent: the connection still waited for its last echo, had failed, too many were open, or the time was over. Their latency is in no figure.",
    of: ({ sends }) => percent(sends?.dropped, sends?.due),
  },
  {
    key: "offered_per_second",
    title: "Offered a second",
    unit: "",
    better: "higher",
    description:
      "What was due a second, messages on connections that are held, else connections; only of an open loop with a set time.",
    of: ({ sends }, { phaseSeconds }) => ratio(sends?.due, phaseSeconds),
  },
  {
    key: "achieved_per_second",
    title: "Achieved a second",
    unit: "",
    better: "higher",
    description:
      "Of what was due, what did all it should, divided by the total. Less than was offered: it was not sent, it failed, or it took longer than the time set.",
    of: (record) => ratio(achieved(record), record.totalSeconds),
  },
  {
    key: "total_seconds",
    title: "Total",
    unit: "s",
    better: "lower",
    description:
      "First connection to last close; of connections that are held, first message to last echo. In a closed loop a slow proxy gets less load.",
    of: ({ totalSeconds }) => totalSeconds,
  },
  {
    key: "connections_per_second",
    title: "Connections per second",
    unit: "",
    better: "higher",
    description:
      "Connections opened, divided by the total. In a closed loop that is what this machine carries with the generator on it, not the proxy's own limit.",
    of: (record) => ratio(openedInPhase(record), record.totalSeconds),
  },
  {
    key: "requests_per_second",
    title: "Requests per second",
    unit: "",
    better: "higher",
    description:
      "Successful requests, 2xx or 3xx, whole and in time, divided by the total: error responses are fast. In a closed loop that is what this machine carries with the generator on it, not the proxy's own limit.",
    of: (record) => ratio(goodAnswers(record), record.totalSeconds),
  },
  {
    key: "responses_per_second",
    title: "Responses per second, errors counted",
    unit: "",
    better: "higher",
    description:
      "All answers, errors too, divided by the total: what wrk calls Requests/sec. Only for what was published so.",
    of: (record) => ratio(record.requests?.completed, record.totalSeconds),
  },
  {
    key: "non_2xx_percent",
    title: "Error answers",
    unit: "%",
    better: "lower",
    description: "Share of all answers whose status was neither 2xx nor 3xx.",
    of: ({ requests }) => percent(requests?.non2xx, requests?.completed),
  },
  {
    key: "socket_errors_per_1000_requests",
    title: "Socket errors per 1,000 requests",
    unit: "",
    better: "lower",
    description:
      "Connections that failed, broke or timed out, and answers of a wrong length, as the generator counted, to 1,000 answers.",
    of: ({ requests }) => 1000 * ratio(requests && socketErrors(requests), requests?.completed),
  },
  ...latency(
    "request_ms",
    "Request",
    "From the start of a request to the last byte of its answer; where each has a connection of its own, from the start of that, TLS included. Of all answers, errors too",
    ({ requestMs }) => requestMs,
  ).filter(({ key }) => key !== "request_ms_p999"),
  ...latency(
    "handshake_ms",
    "Handshake",
    "From opening the socket, or at a fixed rate from when that was due, to the open event: TCP, TLS and the upgrade, the queue in the generator included",
    ({ handshakeMs }) => handshakeMs,
  ),
  ...latency(
    "echo_latency_ms",
    "Echo latency",
    "From sending a message, or at a fixed rate from when that was due, to its echo",
    ({ echoLatencyMs }) => echoLatencyMs,
  ),
  {
    key: "cpu_us_per_connection",
    title: "CPU per connection",
    unit: "µs",
    better: "lower",
    description:
      "CPU time of the proxy over the measured phase, divided by the connections opened: handshake, messages and close of one connection, together.",
    of: (record) => ratio(1e6 * proxyCpu(record, "totalSeconds"), openedInPhase(record)),
  },
  {
    key: "cpu_us_per_message",
    title: "CPU per message",
    unit: "µs",
    better: "lower",
    description:
      "CPU time of the proxy for one message, there and back, without handshake and close. Where connections are open before the measured phase: its CPU time divided by the messages echoed. Elsewhere: by how much CPU per connection grows with each message, from the setting with the fewest messages to this one, within a round; results.csv, a line a cell, does not have that.",
    of: (record) =>
      record.connectionsHeld &&
      ratio(1e6 * proxyCpu(record, "totalSeconds"), record.messagesEchoed),
  },
  {
    key: "cpu_us_per_handshake",
    title: "CPU per handshake and close",
    unit: "µs",
    better: "lower",
    description:
      "CPU time of the proxy for one connection without its messages: CPU per connection less its messages times CPU per message, within a round. It holds TCP, TLS with wss, the upgrade, and the close. Only where the run has settings that differ in messages alone.",
    of: null,
  },
  {
    key: "proxy_cpu_us_per_request",
    title: "CPU per request",
    unit: "µs",
    better: "lower",
    description:
      "CPU time of the proxy over the measured phase, divided by all answers. Where each request has a connection of its own, that is in it.",
    of: (record) => ratio(1e6 * proxyCpu(record, "totalSeconds"), record.requests?.completed),
  },
  ...againstReference("connection", "cpu_us_per_connection", (record) =>
    record.connectionsHeld ? null : referenceCpuUs(record, "connections"),
  ),
  ...againstReference("message", "cpu_us_per_message", (record) =>
    record.connectionsHeld ? referenceCpuUs(record, "messages") : null,
  ),
  ...againstReference("request", "proxy_cpu_us_per_request", (record) =>
    referenceCpuUs(record, "requests"),
  ),
  {
    key: "servers_cpu_seconds",
    title: "CPU of proxy and server",
    unit: "s",
    better: "lower",
    description:
      "CPU time of the proxy and of the server behind it, together, over the measured phase: what serving cost in all, wherever it was spent.",
    // Behind a server that answers by itself there is none.
    of: (record) => proxyCpu(record, "totalSeconds") + (roleCpu(record, "echo") ?? 0),
  },
  {
    key: "proxy_cpu_seconds",
    title: "CPU of the proxy",
    unit: "s",
    better: "lower",
    description: "CPU time of the proxy's cgroups over the measured phase, user and system.",
    of: (record) => proxyCpu(record, "totalSeconds"),
  },
  {
    key: "proxy_cpu_cores",
    title: "CPU of the proxy in cores",
    unit: "cores",
    better: "lower",
    description:
      "CPU time of the proxy's cgroups, divided by the measured phase: normalised to a single core, whatever the number of cores that it was spread over.",
    of: (record) => ratio(proxyCpu(record, "totalSeconds"), measuredSeconds(record)),
  },
  {
    key: "proxy_cpu_user_seconds",
    title: "User CPU of the proxy",
    unit: "s",
    better: "lower",
    description:
      "The part in user mode. Under cgroup v1 the kernel counts this split in ticks of 1/100 s.",
    of: (record) => proxyCpu(record, "userSeconds"),
  },
  {
    key: "proxy_cpu_system_seconds",
    title: "System CPU of the proxy",
    unit: "s",
    better: "lower",
    description:
      "The part in kernel mode. Under cgroup v1 the kernel counts this split in ticks of 1/100 s.",
    of: (record) => proxyCpu(record, "systemSeconds"),
  },
  {
    key: "proxy_throttled_seconds",
    title: "Proxy throttled",
    unit: "s",
    better: "lower",
    description: "Time for which the CPU budget held the proxy back.",
    of: (record) => proxyCpu(record, "throttledSeconds"),
  },
  {
    key: "proxy_memory_growth_bytes",
    title: "Memory growth under load",
    unit: "bytes",
    better: "lower",
    description:
      "Peak less baseline of usage: what the load added, whatever the configuration had reserved before it.",
    of: growth,
  },
  {
    key: "proxy_memory_per_connection_bytes",
    title: "Memory per open connection",
    unit: "bytes",
    better: "lower",
    description:
      "Peak less baseline of usage, divided by the connections open at once: those held, or those at a time in a closed loop. It includes what a process keeps for the next connection and whatever it grows by on its way, so take it for an upper limit. Under cgroup v1 socket buffers are in no container's usage.",
    of: (record, workload) =>
      ratio(growth(record), held(record) ?? (isPaced(workload) ? null : workload.concurrency)),
  },
  perHeldConnection(
    "proxy_memory_user_per_connection_bytes",
    "User memory per held connection",
    "anonymous memory",
    "rssBytes",
  ),
  perHeldConnection(
    "proxy_memory_kernel_per_connection_bytes",
    "Kernel memory per held connection",
    "what the kernel holds for the proxy; under cgroup v1 without socket buffers, and with the socket itself only where the proxy opened it",
    "kernelBytes",
  ),
  left(
    { key: "proxy_sockets_left", title: "Sockets left", unit: "" },
    "TCP sockets of the proxy",
    (record, time) => sumOrNull(withNetwork(record), ({ sockets }) => sockets?.[time]?.tcpInUse),
  ),
  left(
    { key: "proxy_close_wait_left", title: "Half closed sockets left", unit: "" },
    "TCP sockets of the proxy that the other side has closed (CLOSE_WAIT)",
    (record, time) =>
      sumOrNull(withNetwork(record), ({ sockets }) => sockets?.[time]?.tcpCloseWait),
  ),
  left(
    { key: "proxy_descriptors_left", title: "Descriptors left", unit: "" },
    "Open files of the proxy's processes",
    (record, time) =>
      sumOrNull(ofRole(record, "proxy"), ({ sockets }) => sockets?.[time]?.descriptors),
  ),
  left(
    { key: "proxy_memory_left_bytes", title: "Memory left", unit: "bytes" },
    "Usage of the proxy's cgroups",
    (record, time) =>
      sumOrNull(ofRole(record, "proxy"), ({ memory }) => memory?.[time]?.usageBytes),
  ),
  ...memoryDefinitions(),
  {
    key: "proxy_memory_high_water_bytes",
    title: "Memory high-water mark",
    unit: "bytes",
    better: "lower",
    description:
      "The kernel's own highest usage since the containers started, so warm-up included; summed over the containers.",
    of: (record) => sumOrNull(ofRole(record, "proxy"), ({ memory }) => memory?.highWaterBytes),
  },
  {
    key: "proxy_packets_per_connection",
    title: "Packets per connection",
    unit: "",
    better: "lower",
    description:
      "Packets that the proxy's network interface received and sent, on both of its sides, divided by the connections opened. Segmentation offload lets one packet stand for several on a wire.",
    of: (record) => {
      const network = proxyNetwork(record);
      return network && ratio(network.rxPackets + network.txPackets, openedInPhase(record));
    },
  },
  {
    key: "proxy_bytes_per_connection",
    title: "Bytes per connection",
    unit: "bytes",
    better: "lower",
    description:
      "Bytes that the proxy's network interface received and sent, on both of its sides, divided by the connections opened.",
    of: (record) => {
      const network = proxyNetwork(record);
      return network && ratio(network.rxBytes + network.txBytes, openedInPhase(record));
    },
  },
  {
    key: "echo_cpu_seconds",
    title: "CPU of the echo server",
    unit: "s",
    better: "lower",
    description: "CPU time of the echo server behind the proxy over the measured phase.",
    of: (record) => roleCpu(record, "echo"),
  },
  {
    key: "echo_busiest_worker_percent",
    title: "Connections on the busiest echo worker",
    unit: "%",
    better: "lower",
    description: "Share of all connections; evenly spread it is 100 divided by the workers.",
    of: ({ echoWorkers }) => busiest(echoWorkers?.map(({ connections }) => connections)),
  },
  {
    key: "echo_busiest_worker_messages_percent",
    title: "Messages on the busiest echo worker",
    unit: "%",
    better: "lower",
    description: "Share of all messages; evenly spread it is 100 divided by the workers.",
    of: ({ echoWorkers }) => busiest(echoWorkers?.map(({ messages }) => messages)),
  },
  {
    key: "generator_cpu_seconds",
    title: "CPU of the generator",
    unit: "s",
    better: "lower",
    description: "CPU time of all load containers over the measured phase.",
    of: (record) => roleCpu(record, "load"),
  },
  {
    key: "generator_cpu_percent",
    title: "Generator busy",
    unit: "%",
    better: "lower",
    description:
      "CPU time of all load containers, as a share of what the cores that they can use had to give: of a generator with one thread that is one.",
    of: (record, workload) =>
      percent(
        roleCpu(record, "load"),
        generatorCores(record, workload) * (measuredSeconds(record) ?? NaN),
      ),
  },
  {
    key: "observers_cpu_percent",
    title: "Observers' share of CPU",
    unit: "%",
    better: "lower",
    description:
      "CPU time of cAdvisor, InfluxDB and this program, as a share of all CPU time used in the measured phase.",
    of: (record) =>
      percent(
        (roleCpu(record, "observer") ?? 0) + (benchSeconds(record) ?? NaN),
        busySeconds(record),
      ),
  },
  {
    key: "machine_busy_percent",
    title: "Machine busy",
    unit: "%",
    better: "lower",
    description: "CPU time used by anything, as a share of what the machine had to give.",
    of: (record) => percent(record.machine?.busySeconds, machineSeconds(record)),
  },
  {
    key: "steal_percent",
    title: "Steal",
    unit: "%",
    better: "lower",
    description: "CPU time that the hypervisor gave to others, as a share of the machine's.",
    of: (record) => takenByOthers(record)?.steal,
  },
  {
    key: "foreign_cpu_percent",
    title: "Foreign load",
    unit: "%",
    better: "lower",
    description:
      "CPU time used by nothing that this benchmark started, as a share of the machine's. Kernel work that is charged to no container counts here.",
    of: (record) => takenByOthers(record)?.foreign,
  },
  ...EXPERIMENT_DEFINITIONS,
];

/** @type {Measure[]} */
export const MEASURES = DEFINITIONS.map(({ of, ...measure }) => measure);

/** Keys of those that a cell alone can tell: the columns of results.csv. */
export const CELL_MEASURES = DEFINITIONS.flatMap(({ key, of }) => (of ? [key] : []));

/**
 * @param {CellRecord} record of a failed cell too
 * @param {Workload} workload of it
 * @returns {Record<string, number>} by `Measure.key`; without what could not be had
 */
export function measuresOf(record, workload) {
  /** @type {Record<string, number>} */
  const measures = {};
  for (const { key, of } of DEFINITIONS) {
    const value = of?.(record, workload);
    if (typeof value === "number" && Number.isFinite(value)) measures[key] = value;
  }
  return measures;
}

/**
 * @param {string} key
 * @returns {Measure}
 */
export function measure(key) {
  const found = MEASURES.find((measure) => measure.key === key);
  if (!found) throw new Error(`no measure ${key}`);
  return found;
}

/**
 * @param {string} key of a measure
 * @returns {string | null} key of the 99th percentile, which a mean of times does not stand without; null: it is none
 */
export function p99Of(key) {
  return key.endsWith("_ms_mean") ? key.replace(/mean$/, "p99") : null;
}

/**
 * @param {string} prefix
 * @param {string} title
 * @param {string} description
 * @param {(record: CellRecord) => Partial<LatencySummary> | null | undefined} summaryOf
 * @returns {Definition[]}
 */
function latency(prefix, title, description, summaryOf) {
  return STATISTICS.map(([statistic, name]) => ({
    key: `${prefix}_${statistic}`,
    title: `${title}, ${name}`,
    unit: "ms",
    better: "lower",
    description: `${description}; ${name} over all recorded in the cell.`,
    of: (record) => summaryOf(record)?.[statistic],
  }));
}

/**
 * @param {string} operation
 * @param {string} measure key of the proxy's CPU time per operation
 * @param {(record: CellRecord) => number | null} ofReference what it cost the reference proxy, in µs
 * @returns {Definition[]}
 */
function againstReference(operation, measure, ofReference) {
  const ofProxy = (/** @type {CellRecord} */ record, /** @type {Workload} */ workload) =>
    DEFINITIONS.find(({ key }) => key === measure)?.of?.(record, workload);
  return [
    {
      key: `reference_cpu_us_per_${operation}`,
      title: `Machine index: CPU per ${operation} of the reference proxy`,
      unit: "µs",
      better: "lower",
      description: `CPU time of the reference proxy over the measured phase, divided by the ${operation}s that it carried: the same load, in the same loop, to the same server. It tells how fast the machine was in that cell.`,
      of: ofReference,
    },
    {
      key: `cpu_per_${operation}_to_reference`,
      title: `CPU per ${operation}, × reference`,
      unit: "",
      better: "lower",
      description: `CPU time per ${operation} of the proxy, divided by that of the reference proxy in the same cell. Of all figures of CPU time this alone may be held against another machine's.`,
      of: (record, workload) => ratio(ofProxy(record, workload), ofReference(record)),
    },
  ];
}

/** @returns {Definition[]} */
function memoryDefinitions() {
  /** @type {["peak" | "mean" | "baseline", string][]} */
  const times = [
    ["peak", "highest sample of the measured phase; summed over containers whose peaks may differ"],
    ["mean", "mean of the samples of the measured phase"],
    ["baseline", "before the load began, warmed up and without a connection"],
  ];
  /** @type {[keyof MemoryReading, string, string, string][]} */
  const kinds = [
    ["usageBytes", "usage", "Memory", "All that the proxy's cgroups are charged for"],
    ["workingSetBytes", "working_set", "Working set", "Usage without inactive file cache"],
    ["rssBytes", "rss", "Anonymous memory", "Anonymous memory of the proxy's cgroups"],
    ["kernelBytes", "kernel", "Kernel memory", "Memory that the kernel holds for the proxy"],
    ["socketBytes", "socket", "Socket memory", "Socket buffers of the proxy"],
  ];
  return kinds.flatMap(([kind, name, title, description]) =>
    times.map(([time, when]) => ({
      key: `proxy_memory_${time}_${name}_bytes`,
      title: `${title}, ${time}`,
      unit: "bytes",
      better: /** @type {const} */ ("lower"),
      description: `${description}: ${when}.`,
      of: (/** @type {CellRecord} */ record) => memory(record, time, kind),
    })),
  );
}

/**
 * @param {string} key
 * @param {string} title
 * @param {string} what
 * @param {keyof MemoryReading} kind
 * @returns {Definition}
 */
function perHeldConnection(key, title, what, kind) {
  return {
    key,
    title,
    unit: "bytes",
    better: "lower",
    description: `Mean over the measured phase less the baseline of ${what}, divided by the connections held.`,
    of: (record) =>
      ratio(
        difference(memory(record, "mean", kind), memory(record, "baseline", kind)),
        held(record),
      ),
  };
}

/**
 * @param {Pick<Measure, "key" | "title" | "unit">} measure
 * @param {string} what
 * @param {(record: CellRecord, time: "baseline" | "after") => number | null} at
 * @returns {Definition}
 */
function left(measure, what, at) {
  return {
    ...measure,
    better: "lower",
    description: `${what} some seconds after the load had ended, which its scenario sets, less those before it began.`,
    of: (record) => difference(at(record, "after"), at(record, "baseline")),
  };
}

/** Kinds of socket errors of an answer that came all the same: ab's are of a wrong length, wrk's too late. */
const ANSWERED = ["length", "exceptions", "timeout"];

/**
 * @param {Requests} requests
 * @returns {number} answers that are errors, not whole, or too late; an error has another length than the file, too
 */
function wrongAnswers({ non2xx, socketErrors: { length = 0, exceptions = 0, timeout = 0 } }) {
  return Math.max(non2xx, length, exceptions) + timeout;
}

/** @param {Requests} requests */
function socketErrors({ socketErrors }) {
  return Object.values(socketErrors).reduce((sum, n) => sum + n, 0);
}

/**
 * @param {CellRecord} record
 * @returns {number | null} null: it asks nothing over HTTP
 */
export function goodAnswers({ requests }) {
  return requests ? requests.completed - wrongAnswers(requests) : null;
}

/**
 * @param {Requests} requests
 * @returns {{bad: number, asked: number}} bad: wrong answers, and those that never came; asked: with those that came
 */
export function badAnswers(requests) {
  const answered = ANSWERED.reduce((sum, kind) => sum + (requests.socketErrors[kind] ?? 0), 0);
  const unanswered = socketErrors(requests) - answered;
  return { bad: wrongAnswers(requests) + unanswered, asked: requests.completed + unanswered };
}

/**
 * @param {CellRecord} record
 * @returns {number | null} connections open at both edges; null: the scenario does not hold any
 */
export function held({ connectionsHeld }) {
  // Runs that are older than such scenarios do not have it at all.
  return connectionsHeld ? Math.min(connectionsHeld.from, connectionsHeld.to) : null;
}

/**
 * @param {CellRecord} record
 * @returns {number | null | undefined} connections opened in the measured phase; null: they were before it
 */
function openedInPhase({ connections, connectionsHeld }) {
  return connectionsHeld ? null : connections?.opened;
}

/**
 * @param {CellRecord} record
 * @returns {number | null | undefined} messages on connections that are held, else connections that did all they should; null: nothing was
 *   due
 */
function achieved({ sends, connections, connectionsHeld, messagesEchoed }) {
  if (!sends) return null;
  return connectionsHeld
    ? messagesEchoed
    : sends.due - sends.dropped - (connections?.failed ?? NaN);
}

/**
 * @param {CellRecord} record
 * @returns {ContainerRecord[]} of the proxy, those with a network of their own: the others' sockets are counted there
 */
function withNetwork(record) {
  return ofRole(record, "proxy").filter(({ network }) => network);
}

/**
 * @param {Pick<CellRecord, "containers">} record
 * @param {Role} role
 * @returns {ContainerRecord[]}
 */
export function ofRole({ containers }, role) {
  return Object.values(containers).filter((container) => container.role === role);
}

/**
 * @param {ContainerRecord[]} containers
 * @param {(container: ContainerRecord) => number | null | undefined} valueOf
 * @returns {number | null} null: there is no container, or one has no value
 */
function sumOrNull(containers, valueOf) {
  const values = containers.map(valueOf);
  if (values.length === 0) return null;
  return values.reduce((/** @type {number} */ sum, value) => sum + (value ?? NaN), 0);
}

/**
 * @param {CellRecord} record
 * @param {Role} role
 * @returns {number | null} CPU seconds over the measured phase
 */
function roleCpu(record, role) {
  return sumOrNull(ofRole(record, role), ({ cpu }) => cpu.totalSeconds);
}

/**
 * @param {CellRecord} record
 * @param {keyof ContainerRecord["cpu"]} part
 * @returns {number} NaN: there is no container
 */
function proxyCpu(record, part) {
  return sumOrNull(ofRole(record, "proxy"), ({ cpu }) => cpu[part]) ?? NaN;
}

/**
 * @param {CellRecord} record
 * @param {"baseline" | "mean" | "peak"} time
 * @param {keyof MemoryReading} kind
 */
function memory(record, time, kind) {
  return sumOrNull(ofRole(record, "proxy"), ({ memory }) => memory?.[time][kind]);
}

/** @param {CellRecord} record */
function growth(record) {
  return difference(memory(record, "peak", "usageBytes"), memory(record, "baseline", "usageBytes"));
}

/** The shortest request: `GET / HTTP/1.0`, its end of line and an empty one. */
export const LEAST_REQUEST_BYTES = 18;

/**
 * Behind the control, and behind one that serves files by itself, a server runs too, and idles.
 *
 * @param {CellRecord} record of HTTP
 * @returns {boolean} the requests, or most of them, went on to the server behind the proxy
 */
export function reachesServer(record) {
  const { requests, proxy } = record;
  const servers = ofRole(record, "echo");
  if (proxy === CONTROL || servers.length === 0) return false;
  const received = sumOrNull(servers, ({ network }) => network?.rxBytes) ?? NaN;
  // Not counted: take it for a proxy, as most are.
  if (!requests || Number.isNaN(received)) return true;
  return received >= 0.5 * LEAST_REQUEST_BYTES * (goodAnswers(record) ?? 0);
}

/**
 * Containers that share a network have its counters once: the others have null.
 *
 * @param {CellRecord} record
 * @returns {import("../model/container.ts").NetworkReading | null} of all of the proxy's networks; null: none could be read
 */
export function proxyNetwork(record) {
  const readings = ofRole(record, "proxy").flatMap(({ network }) => network ?? []);
  if (readings.length === 0) return null;
  return readings.reduce((a, b) => ({
    rxBytes: a.rxBytes + b.rxBytes,
    txBytes: a.txBytes + b.txBytes,
    rxPackets: a.rxPackets + b.rxPackets,
    txPackets: a.txPackets + b.txPackets,
  }));
}

/** @param {CellRecord} record */
function measuredSeconds({ measured }) {
  return measured && (measured.toMs - measured.fromMs) / 1000;
}

/**
 * @param {CellRecord} record
 * @returns {number | undefined} on all machines together: this program has an agent beside each engine
 */
function benchSeconds({ machine, machines }) {
  if (!machines) return machine?.benchSeconds;
  return Object.values(machines).reduce((sum, each) => sum + each.benchSeconds, 0);
}

/**
 * @param {CellRecord} record
 * @returns {number | undefined} of all machines together
 */
function busySeconds({ machine, machines }) {
  if (!machines) return machine?.busySeconds;
  return usageOnce(machines).reduce((sum, each) => sum + each.busySeconds, 0);
}

/** @param {CellRecord} record */
function machineSeconds(record) {
  return record.machine && record.machine.cores * (measuredSeconds(record) ?? NaN);
}

/** @param {number[] | undefined} counts */
function busiest(counts = []) {
  return percent(
    Math.max(...counts),
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/**
 * @param {number | null | undefined} a
 * @param {number | null | undefined} b
 */
function difference(a, b) {
  return (a ?? NaN) - (b ?? NaN);
}

/**
 * @param {number | null | undefined} part
 * @param {number | null | undefined} whole
 * @returns {number} not finite where one is missing or there is nothing to divide by
 */
function ratio(part, whole) {
  return (part ?? NaN) / (whole ?? NaN);
}

/**
 * @param {number | null | undefined} part
 * @param {number | null | undefined} whole
 */
function percent(part, whole) {
  return 100 * ratio(part, whole);
}

/**
 * Everything that is derived from one cell, flat: the columns of results.csv, and what is compared.
 */
import { isPaced } from "../plan/workload.ts";
import type { Workload } from "../model/plan.ts";
import { takenByOthers } from "../record/disturbance.ts";
import { generatorCores } from "../record/generator-cores.ts";
import { referenceCpuUs } from "../record/machine-index.ts";
import type { CellRecord } from "../model/cell.ts";
import type { MemoryReading } from "../model/container.ts";
import type { LatencySummary } from "../model/load.ts";
import type { Measure, MeasureKind } from "../model/comparison.ts";
import { ALIVE_SECONDS, survivalOf } from "./event-cells.ts";
import type { CellSurvival } from "./event-cells.ts";
import {
  achieved,
  benchSeconds,
  busiest,
  busySeconds,
  difference,
  goodAnswers,
  growth,
  held,
  machineSeconds,
  measuredSeconds,
  memory,
  ofRole,
  openedInPhase,
  percent,
  perStalled,
  proxyCpu,
  proxyNetwork,
  ratio,
  roleCpu,
  socketErrors,
  sumOrNull,
  withNetwork,
} from "./readings.ts";

/** null, undefined or not finite: it is not known. */
type Of = (record: CellRecord, workload: Workload) => number | null | undefined;

export interface Definition extends Measure {
  /** How it is got, for whoever reads the table. */
  description: string;
  /** null: no cell alone tells it (operation-costs). */
  of: Of | null;
}

const cpu = kind("cpu");
const time = kind("time");
const memoryOf = kind("memory");
const share = kind("share");
const count = kind("count");
const rate = kind("rate", "higher");
const more = kind("count", "higher");

function kind(kind: MeasureKind, better: Measure["better"] = "lower") {
  return (
    key: string,
    unit: string,
    title: string,
    description: string,
    of: Of | null,
  ): Definition => ({ key, title, unit, kind, better, description, of });
}

type Statistic = Exclude<keyof LatencySummary, "count">;

const STATISTICS: [Statistic, string][] = [
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
 * `proxy` means every container of the role, together: haproxy-hitch has two. In a cell of the
 * control its container is an echo server: these are the costs of that, not of a proxy.
 */
const DEFINITIONS: Definition[] = [
  more(
    "connections_opened",
    "",
    "Connections opened",
    "WebSockets whose upgrade was answered, as the generator counted.",
    ({ connections }) => connections?.opened,
  ),
  count(
    "connections_failed",
    "",
    "Connections failed",
    "Connections that did not do all they should, as the generator counted.",
    ({ connections }) => connections?.failed,
  ),
  more(
    "messages_echoed",
    "",
    "Messages echoed",
    "Messages that came back as they were sent, as the generator counted.",
    ({ messagesEchoed }) => messagesEchoed,
  ),
  more(
    "connections_held",
    "",
    "Connections held at once",
    "WebSockets that the echo server itself counted as open at both ends of the measured phase; the smaller of the two. Only of scenarios that open them before it.",
    held,
  ),
  rate(
    "messages_per_second",
    "",
    "Messages per second",
    "Messages echoed, divided by the measured phase. Where each is sent when the last has come back, it is what this machine carries with the generator on it, unless the proxy has a CPU budget.",
    (record) => ratio(record.messagesEchoed, measuredSeconds(record)),
  ),
  more(
    "sends_due",
    "",
    "Sends due",
    "Messages or connections that were due in the measured phase; only of an open loop.",
    ({ sends }) => sends?.due,
  ),
  share(
    "sends_late_percent",
    "%",
    "Sends late",
    "Share of the sends due that left more than 10 ms late, as the generator was behind. Their latency still counts from when they were due.",
    ({ sends }) => percent(sends?.late, sends?.due),
  ),
  share(
    "sends_dropped_percent",
    "%",
    "Sends dropped",
    "Share of the sends due that were not sent: the connection still waited for its last echo, had failed, too many were open, or the time was over. Their latency is in no figure.",
    ({ sends }) => percent(sends?.dropped, sends?.due),
  ),
  more(
    "offered_per_second",
    "",
    "Offered per second",
    "What was due per second: messages on held connections, otherwise connections; only of an open loop with a set time.",
    ({ sends }, { phaseSeconds }) => ratio(sends?.due, phaseSeconds),
  ),
  more(
    "achieved_per_second",
    "",
    "Achieved per second",
    "Of what was due, what did all it should, divided by the total. Less than was offered: it was not sent, it failed, or it took longer than the time set.",
    (record) => ratio(achieved(record), record.totalSeconds),
  ),
  time(
    "total_seconds",
    "s",
    "Total",
    "First connection to last close; of connections that are held, first message to last echo. In a closed loop a slow proxy gets less load.",
    ({ totalSeconds }) => totalSeconds,
  ),
  rate(
    "connections_per_second",
    "",
    "Connections per second",
    "Connections opened, divided by the total. In a closed loop that is what this machine carries with the generator on it, not the proxy's own limit.",
    (record) => ratio(openedInPhase(record), record.totalSeconds),
  ),
  rate(
    "requests_per_second",
    "",
    "Requests per second",
    "Successful requests, 2xx or 3xx, whole and in time, divided by the total: error responses are fast. In a closed loop that is what this machine carries with the generator on it, not the proxy's own limit.",
    (record) => ratio(goodAnswers(record), record.totalSeconds),
  ),
  rate(
    "responses_per_second",
    "",
    "Responses per second, errors counted",
    "All answers, errors too, divided by the total: what wrk calls Requests/sec. Only for what was published so.",
    (record) => ratio(record.requests?.completed, record.totalSeconds),
  ),
  share(
    "non_2xx_percent",
    "%",
    "Error answers",
    "Share of all answers whose status was neither 2xx nor 3xx.",
    ({ requests }) => percent(requests?.non2xx, requests?.completed),
  ),
  count(
    "socket_errors_per_1000_requests",
    "",
    "Socket errors per 1,000 requests",
    "Connections that failed, broke or timed out, and answers of a wrong length, as the generator counted, to 1,000 answers.",
    ({ requests }) => 1000 * ratio(requests && socketErrors(requests), requests?.completed),
  ),
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
  cpu(
    "cpu_us_per_connection",
    "µs",
    "CPU per connection",
    "CPU time of the proxy over the measured phase, divided by the connections opened: handshake, messages and close of one connection, together.",
    (record) => ratio(1e6 * proxyCpu(record, "totalSeconds"), openedInPhase(record)),
  ),
  cpu(
    "cpu_us_per_message",
    "µs",
    "CPU per message",
    "CPU time of the proxy for one message, there and back, without handshake and close. Where connections are open before the measured phase: its CPU time divided by the messages echoed. Elsewhere: by how much CPU per connection grows with each message, from the setting with the fewest messages to this one, within a round; results.csv, a line per cell, does not have that.",
    (record, { arrivalsPerSecond }) =>
      record.connectionsHeld && !arrivalsPerSecond
        ? ratio(1e6 * proxyCpu(record, "totalSeconds"), record.messagesEchoed)
        : null,
  ),
  cpu(
    "cpu_us_per_handshake",
    "µs",
    "CPU per handshake and close",
    "CPU time of the proxy for one connection without its messages: CPU per connection less its messages times CPU per message, within a round. It holds TCP, TLS with wss, the upgrade, and the close. Only where the run has settings that differ in messages alone.",
    null,
  ),
  cpu(
    "proxy_cpu_us_per_request",
    "µs",
    "CPU per request",
    "CPU time of the proxy over the measured phase, divided by all answers. Where each request has a connection of its own, that is in it.",
    (record) => ratio(1e6 * proxyCpu(record, "totalSeconds"), record.requests?.completed),
  ),
  ...againstReference("connection", "cpu_us_per_connection", (record) =>
    record.connectionsHeld ? null : referenceCpuUs(record, "connections"),
  ),
  ...againstReference("message", "cpu_us_per_message", (record) =>
    record.connectionsHeld ? referenceCpuUs(record, "messages") : null,
  ),
  ...againstReference("request", "proxy_cpu_us_per_request", (record) =>
    referenceCpuUs(record, "requests"),
  ),
  cpu(
    "servers_cpu_seconds",
    "s",
    "CPU of proxy and server",
    "CPU time of the proxy and of the server behind it, together, over the measured phase: what serving cost in all, wherever it was spent.", // Behind a server that answers by itself there is none.
    (record) => proxyCpu(record, "totalSeconds") + (roleCpu(record, "echo") ?? 0),
  ),
  cpu(
    "proxy_cpu_seconds",
    "s",
    "CPU of the proxy",
    "CPU time of the proxy's cgroups over the measured phase, user and system.",
    (record) => proxyCpu(record, "totalSeconds"),
  ),
  cpu(
    "proxy_cpu_cores",
    "cores",
    "CPU of the proxy in cores",
    "CPU time of the proxy's cgroups, divided by the measured phase: normalised to a single core, whatever the number of cores that it was spread over.",
    (record) => ratio(proxyCpu(record, "totalSeconds"), measuredSeconds(record)),
  ),
  cpu(
    "proxy_cpu_user_seconds",
    "s",
    "User CPU of the proxy",
    "The part in user mode. Under cgroup v1 the kernel counts this split in ticks of 1/100 s.",
    (record) => proxyCpu(record, "userSeconds"),
  ),
  cpu(
    "proxy_cpu_system_seconds",
    "s",
    "System CPU of the proxy",
    "The part in kernel mode. Under cgroup v1 the kernel counts this split in ticks of 1/100 s.",
    (record) => proxyCpu(record, "systemSeconds"),
  ),
  cpu(
    "proxy_throttled_seconds",
    "s",
    "Proxy throttled",
    "Time for which the CPU budget held the proxy back.",
    (record) => proxyCpu(record, "throttledSeconds"),
  ),
  memoryOf(
    "proxy_memory_growth_bytes",
    "bytes",
    "Memory growth under load",
    "Peak less baseline of usage: what the load added, whatever the configuration had reserved before it.",
    growth,
  ),
  memoryOf(
    "proxy_memory_per_connection_bytes",
    "bytes",
    "Memory per open connection",
    "Peak less baseline of usage, divided by the connections open at once: those held, or those at a time in a closed loop. It includes what a process keeps for the next connection and whatever it grows by on its way, so take it for an upper limit. Under cgroup v1 socket buffers are in no container's usage.",
    (record, workload) =>
      ratio(growth(record), held(record) ?? (isPaced(workload) ? null : workload.concurrency)),
  ),
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
  left(count, "sockets", "", "Sockets left", "TCP sockets of the proxy", (record, when) =>
    sumOrNull(withNetwork(record), ({ sockets }) => sockets?.[when]?.tcpInUse),
  ),
  left(
    count,
    "close_wait",
    "",
    "Half closed sockets left",
    "TCP sockets of the proxy that the other side has closed (CLOSE_WAIT)",
    (record, when) =>
      sumOrNull(withNetwork(record), ({ sockets }) => sockets?.[when]?.tcpCloseWait),
  ),
  left(
    count,
    "descriptors",
    "",
    "Descriptors left",
    "Open files of the proxy's processes",
    (record, when) =>
      sumOrNull(ofRole(record, "proxy"), ({ sockets }) => sockets?.[when]?.descriptors),
  ),
  left(memoryOf, "memory", "bytes", "Memory left", "Usage of the proxy's cgroups", (record, when) =>
    sumOrNull(ofRole(record, "proxy"), ({ memory }) => memory?.[when]?.usageBytes),
  ),
  ...memoryDefinitions(),
  memoryOf(
    "proxy_memory_high_water_bytes",
    "bytes",
    "Memory high-water mark",
    "The kernel's own highest usage since the containers started, so warm-up included; summed over the containers.",
    (record) => sumOrNull(ofRole(record, "proxy"), ({ memory }) => memory?.highWaterBytes),
  ),
  count(
    "proxy_packets_per_connection",
    "",
    "Packets per connection",
    "Packets that the proxy's network interface received and sent, on both of its sides, divided by the connections opened. Segmentation offload lets one packet stand for several on a wire.",
    (record) => {
      const network = proxyNetwork(record);
      return network && ratio(network.rxPackets + network.txPackets, openedInPhase(record));
    },
  ),
  count(
    "proxy_bytes_per_connection",
    "bytes",
    "Bytes per connection",
    "Bytes that the proxy's network interface received and sent, on both of its sides, divided by the connections opened.",
    (record) => {
      const network = proxyNetwork(record);
      return network && ratio(network.rxBytes + network.txBytes, openedInPhase(record));
    },
  ),
  cpu(
    "echo_cpu_seconds",
    "s",
    "CPU of the echo server",
    "CPU time of the echo server behind the proxy over the measured phase.",
    (record) => roleCpu(record, "echo"),
  ),
  share(
    "echo_busiest_worker_percent",
    "%",
    "Connections on the busiest echo worker",
    "Share of all connections; evenly spread it is 100 divided by the workers.",
    ({ echoWorkers }) => busiest(echoWorkers?.map(({ connections }) => connections)),
  ),
  share(
    "echo_busiest_worker_messages_percent",
    "%",
    "Messages on the busiest echo worker",
    "Share of all messages; evenly spread it is 100 divided by the workers.",
    ({ echoWorkers }) => busiest(echoWorkers?.map(({ messages }) => messages)),
  ),
  cpu(
    "generator_cpu_seconds",
    "s",
    "CPU of the generator",
    "CPU time of all load containers over the measured phase.",
    (record) => roleCpu(record, "load"),
  ),
  share(
    "generator_cpu_percent",
    "%",
    "Generator busy",
    "CPU time of all load containers, as a share of what the cores that they can use had to give: of a generator with one thread that is one.",
    (record, workload) =>
      percent(
        roleCpu(record, "load"),
        generatorCores(record, workload) * (measuredSeconds(record) ?? NaN),
      ),
  ),
  share(
    "observers_cpu_percent",
    "%",
    "Observers' share of CPU",
    "CPU time of cAdvisor, InfluxDB and this program, as a share of all CPU time used in the measured phase.",
    (record) =>
      percent(
        (roleCpu(record, "observer") ?? 0) + (benchSeconds(record) ?? NaN),
        busySeconds(record),
      ),
  ),
  share(
    "machine_busy_percent",
    "%",
    "Machine busy",
    "CPU time used by anything, as a share of what the machine had to give.",
    (record) => percent(record.machine?.busySeconds, machineSeconds(record)),
  ),
  share(
    "steal_percent",
    "%",
    "Steal",
    "CPU time that the hypervisor gave to others, as a share of the machine's.",
    (record) => takenByOthers(record)?.steal,
  ),
  share(
    "foreign_cpu_percent",
    "%",
    "Foreign load",
    "CPU time used by nothing that this benchmark started, as a share of the machine's. Kernel work that is charged to no container counts here.",
    (record) => takenByOthers(record)?.foreign,
  ),
  ...ALIVE_SECONDS.map((seconds) => ({
    ...ofEvent(
      share,
      `connections_alive_${seconds}_s_percent`,
      "%",
      `Connections alive ${seconds} s after an event`,
      "Of those that were open when it came. One that fell silent, and was given up after a time-out, ended when it fell silent.",
      ({ alive, held }) => (100 * alive[seconds]) / held,
    ),
    better: "higher" as const,
  })),
  ofEvent(
    share,
    "connections_lost_percent",
    "%",
    "Connections lost in an event",
    "Of those that were open when it came, those that had ended by the end of the watch, in whatever way.",
    ({ ended, held }) => (100 * ended) / held,
  ),
  ofEvent(
    count,
    "messages_lost",
    "",
    "Messages lost",
    "Messages on held connections that were not echoed, in the whole phase.",
    ({ lost }) => lost,
  ),
  ofEvent(
    time,
    "longest_silence_ms",
    "ms",
    "Longest silence",
    "The longest that a message waited for its echo on a connection that survived the event.",
    ({ silenceMs }) => silenceMs,
  ),
  ...(
    [
      ["failed", "failed"],
      ["slow", "took longer than the scenario calls slow"],
    ] as const
  ).map(([name, what]) =>
    ofEvent(
      count,
      `new_connections_${name}`,
      "",
      `New connections ${name} in an event`,
      `Of new connections with one message each, from the event on, those that ${what}.`,
      ({ probes }) => probes[name],
    ),
  ),
  ofEvent(
    time,
    "new_connections_again_ms",
    "ms",
    "New connections succeed again after",
    "From the event, or where 20 succeeded before one did not, from that one, to the echo on the first of 20 new connections in a row that were in time; 0 where all were, empty where there were no 20.",
    ({ probes }) => probes.againMs,
  ),
  ofEvent(
    time,
    "new_configuration_ms",
    "ms",
    "New configuration after",
    "From when it was made known to the proxy until it first answered; asked five times per second.",
    ({ newGenerationMs }) => newGenerationMs,
  ),
  ofEvent(
    time,
    "old_processes_gone_ms",
    "ms",
    "Old processes gone after",
    "From the event until the last process that it is to replace had ended; empty where one was there at the end of the watch.",
    ({ old }) => old?.goneMs,
  ),
  ...aroundEvent(count, "processes", "", "Processes", ({ processes }) => processes),
  ...aroundEvent(memoryOf, "memory", "bytes", "Memory", ({ memoryBytes }) => memoryBytes),
  ...([50, 99, 100] as const).map((part) =>
    time(
      `back_${part}_percent_ms`,
      "ms",
      `${part} % back after`,
      `From when all connections were cut until ${part} % were open again with a message echoed; empty where they were not.`,
      ({ storm }) => storm?.backMs[`p${part}`],
    ),
  ),
  count(
    "back_attempts",
    "",
    "Attempts to reconnect",
    "Connections started after all had been cut, including those that failed.",
    ({ storm }) => storm?.attempts,
  ),
  memoryOf(
    "stalled_sent_bytes",
    "bytes",
    "Sent on a stalled connection",
    "By clients that do not read what is echoed, until they were held back or had sent all that they may; the median of the connections.",
    ({ slowReaders }) => slowReaders?.sentBytes.median,
  ),
  ...(
    [
      ["", "usageBytes", "All memory"],
      ["user_", "rssBytes", "Anonymous memory"],
      ["kernel_", "kernelBytes", "Kernel memory"],
    ] as const
  ).map(([name, kind, what]) =>
    memoryOf(
      `stalled_connection_${name}bytes`,
      "bytes",
      `${what} of a stalled connection`,
      `${what} of the proxy's cgroups: highest sample while clients did not read, less the mean before, divided by the clients that did not.`,
      (record, { stalled }) => perStalled(record, stalled, kind),
    ),
  ),
  ...(
    [
      ["quiet", "before others stopped to read"],
      ["stalled", "while others do not read"],
    ] as const
  ).map(([part, when]) =>
    time(
      `healthy_${part}_echo_ms_p99`,
      "ms",
      `Echo of those that read, p99, ${part}`,
      `99th percentile of the echo latency of connections that always read, ${when}.`,
      ({ slowReaders }) => slowReaders?.echoMs[part]?.p99,
    ),
  ),
];

const BY_KEY = new Map(DEFINITIONS.map((one) => [one.key, one]));

/** Those that are derived from several cells among them. */
export const MEASURES: readonly Definition[] = DEFINITIONS;

/** Keys of those that a cell alone can tell: the columns of results.csv. */
export const CELL_MEASURES = DEFINITIONS.flatMap(({ key, of }) => (of ? [key] : []));

/**
 * @param record of a failed cell too
 * @returns by `Measure.key`; without what could not be had
 */
export function measuresOf(record: CellRecord, workload: Workload): Record<string, number> {
  const measures: Record<string, number> = {};
  for (const { key, of } of DEFINITIONS) {
    const value = of?.(record, workload);
    if (typeof value === "number" && Number.isFinite(value)) measures[key] = value;
  }
  return measures;
}

/** What a comparison says of its measure. */
export function measure(key: string): Measure {
  const { of: _, description: __, ...measure } = definition(key);
  return measure;
}

/** How a measure is got. */
export function descriptionOf(key: string): string {
  return definition(key).description;
}

function definition(key: string): Definition {
  const found = BY_KEY.get(key);
  if (!found) throw new Error(`no measure ${key}`);
  return found;
}

function latency(
  prefix: string,
  title: string,
  description: string,
  summaryOf: (record: CellRecord) => Partial<LatencySummary> | null | undefined,
): Definition[] {
  return STATISTICS.map(([statistic, name]) =>
    time(
      `${prefix}_${statistic}`,
      "ms",
      `${title}, ${name}`,
      `${description}; ${name} over all recorded in the cell.`,
      (record) => summaryOf(record)?.[statistic],
    ),
  );
}

/**
 * @param measure key of the proxy's CPU time per operation
 * @param ofReference what it cost the reference proxy, in µs
 */
function againstReference(
  operation: string,
  measure: string,
  ofReference: (record: CellRecord) => number | null,
): Definition[] {
  return [
    cpu(
      `reference_cpu_us_per_${operation}`,
      "µs",
      `Machine index: CPU per ${operation} of the reference proxy`,
      `CPU time of the reference proxy over the measured phase, divided by the ${operation}s that it carried: the same load, in the same loop, to the same server. It shows how fast the machine was in that cell.`,
      ofReference,
    ),
    cpu(
      `cpu_per_${operation}_to_reference`,
      "",
      `CPU per ${operation}, × reference`,
      `CPU time per ${operation} of the proxy, divided by that of the reference proxy in the same cell. It is of that load alone.`,
      (record, workload) => ratio(definition(measure).of?.(record, workload), ofReference(record)),
    ),
  ];
}

function memoryDefinitions(): Definition[] {
  const times = [
    ["peak", "highest sample of the measured phase; summed over containers whose peaks may differ"],
    ["mean", "mean of the samples of the measured phase"],
    ["baseline", "before the load began, warmed up and without a connection"],
  ] as const;
  const kinds: [keyof MemoryReading, string, string, string][] = [
    ["usageBytes", "usage", "Memory", "All that the proxy's cgroups are charged for"],
    ["workingSetBytes", "working_set", "Working set", "Usage without inactive file cache"],
    ["rssBytes", "rss", "Anonymous memory", "Anonymous memory of the proxy's cgroups"],
    ["kernelBytes", "kernel", "Kernel memory", "Memory that the kernel holds for the proxy"],
    ["socketBytes", "socket", "Socket memory", "Socket buffers of the proxy"],
  ];
  return kinds.flatMap(([kind, name, title, description]) =>
    times.map(([when, what]) =>
      memoryOf(
        `proxy_memory_${when}_${name}_bytes`,
        "bytes",
        `${title}, ${when}`,
        `${description}: ${what}.`,
        (record) => memory(record, when, kind),
      ),
    ),
  );
}

function perHeldConnection(
  key: string,
  title: string,
  what: string,
  kind: keyof MemoryReading,
): Definition {
  return memoryOf(
    key,
    "bytes",
    title,
    `Mean over the measured phase less the baseline of ${what}, divided by the connections held.`,
    (record) =>
      ratio(
        difference(memory(record, "mean", kind), memory(record, "baseline", kind)),
        held(record),
      ),
  );
}

/** What is left some seconds after the last client has gone. */
function left(
  of: typeof count,
  name: string,
  unit: string,
  title: string,
  what: string,
  at: (record: CellRecord, when: "baseline" | "after") => number | null,
): Definition {
  return of(
    `proxy_${name}_left${unit && `_${unit}`}`,
    unit,
    title,
    `${what} some seconds after the load had ended, which its scenario sets, less those before it began.`,
    (record) => difference(at(record, "after"), at(record, "baseline")),
  );
}

function ofEvent(
  of: typeof count,
  key: string,
  unit: string,
  title: string,
  description: string,
  value: (seen: CellSurvival) => number | null | undefined,
): Definition {
  return of(key, unit, title, description, (record, { timeoutSeconds = 0 }) => {
    const seen = survivalOf(record, timeoutSeconds);
    return seen && value(seen);
  });
}

function aroundEvent(
  of: typeof count,
  name: string,
  unit: string,
  title: string,
  courseOf: (seen: CellSurvival) => CellSurvival["processes"],
): Definition[] {
  const times = [
    ["before", "before an event", "median before the event"],
    ["peak", "highest after an event", "highest reading after it"],
    ["end", "at the end of a watch", "last reading of the watch"],
  ] as const;
  return times.map(([when, what, description]) =>
    ofEvent(
      of,
      `event_${name}_${when}${unit && `_${unit}`}`,
      unit,
      `${title} ${what}`,
      `All containers of the proxy together, old and new: ${description}.`,
      (seen) => courseOf(seen)?.[when],
    ),
  );
}

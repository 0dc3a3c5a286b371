/**
 * What is derived from a cell in which something happened to its connections: further columns of results.csv. Counts of several such
 * cells are put together in survivals.js, storm.js and slow-readers.js.
 */
import { ALIVE_SECONDS, survivalOf } from "./event-cells.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { MemoryReading } from "../model/container.ts" */
/** @import { CellSurvival } from "./event-cells.js" */
/** @import { Definition } from "./measures.js" */

/** Of connections that were open at the event, those that ended by the end of the watch. */
export const LOST = "connections_lost_percent";

/**
 * @param {Omit<Definition, "of" | "better">} measure
 * @param {(seen: CellSurvival) => number | null | undefined} of
 * @returns {Definition}
 */
function survival(measure, of) {
  return {
    ...measure,
    better: "lower",
    of: (record, { timeoutSeconds = 0 }) => {
      const seen = survivalOf(record, timeoutSeconds);
      return seen && of(seen);
    },
  };
}

/**
 * @param {string} name
 * @param {Pick<Definition, "title" | "unit">} about
 * @param {(seen: CellSurvival) => CellSurvival["processes"]} of
 * @returns {Definition[]}
 */
function course(name, { title, unit }, of) {
  /** @type {[when: keyof NonNullable<CellSurvival["processes"]>, title: string, description: string][]} */
  const times = [
    ["before", "before an event", "median before the event"],
    ["peak", "highest after an event", "highest reading after it"],
    ["end", "at the end of a watch", "last reading of the watch"],
  ];
  return times.map(([when, what, description]) =>
    survival(
      {
        key: `event_${name}_${when}${unit && `_${unit}`}`,
        title: `${title} ${what}`,
        unit,
        description: `All containers of the proxy together, old and new: ${description}.`,
      },
      (seen) => of(seen)?.[when],
    ),
  );
}

/** @type {Definition[]} */
export const EXPERIMENT_DEFINITIONS = [
  ...ALIVE_SECONDS.map(
    (seconds) =>
      /** @type {Definition} */ ({
        ...survival(
          {
            key: `connections_alive_${seconds}_s_percent`,
            title: `Connections alive ${seconds} s after an event`,
            unit: "%",
            description:
              "Of those that were open when it came. One that fell silent, and was given up after a time-out, ended when it fell silent.",
          },
          ({ alive, held }) => (100 * alive[seconds]) / held,
        ),
        better: "higher",
      }),
  ),
  survival(
    {
      key: LOST,
      title: "Connections lost in an event",
      unit: "%",
      description:
        "Of those that were open when it came, those that had ended by the end of the watch, in whatever way.",
    },
    ({ ended, held }) => (100 * ended) / held,
  ),
  survival(
    {
      key: "messages_lost",
      title: "Messages lost",
      unit: "",
      description: "Messages on held connections that were not echoed, in the whole phase.",
    },
    ({ lost }) => lost,
  ),
  survival(
    {
      key: "longest_silence_ms",
      title: "Longest silence",
      unit: "ms",
      description:
        "The longest that a message waited for its echo on a connection that survived the event.",
    },
    ({ silenceMs }) => silenceMs,
  ),
  .../** @type {const} */ ([
    ["failed", "failed"],
    ["slow", "took longer than the scenario calls slow"],
  ]).map(([name, what]) =>
    survival(
      {
        key: `new_connections_${name}_percent`,
        title: `New connections ${name} in an event`,
        unit: "%",
        description: `Of new connections with one message each, from the event on, those that ${what}.`,
      },
      ({ probes }) => (100 * probes[name]) / probes.asked,
    ),
  ),
  survival(
    {
      key: "new_connections_failing_seconds",
      title: "Seconds in which new connections failed",
      unit: "s",
      description: "Seconds from the event on in which at least one new connection failed.",
    },
    ({ probes }) => probes.failingSeconds,
  ),
  survival(
    {
      key: "new_configuration_ms",
      title: "New configuration after",
      unit: "ms",
      description: "From when it was made known to the proxy until it first answered.",
    },
    ({ newGenerationMs }) => newGenerationMs,
  ),
  survival(
    {
      key: "old_processes_gone_ms",
      title: "Old processes gone after",
      unit: "ms",
      description:
        "From the event until the last process that it is to replace had ended; empty where one was there at the end of the watch.",
    },
    ({ old }) => old?.goneMs,
  ),
  ...course("processes", { title: "Processes", unit: "" }, ({ processes }) => processes),
  ...course("memory", { title: "Memory", unit: "bytes" }, ({ memoryBytes }) => memoryBytes),
  ...[50, 99, 100].map(
    (percent) =>
      /** @type {Definition} */ ({
        key: `back_${percent}_percent_ms`,
        title: `${percent} % back after`,
        unit: "ms",
        better: "lower",
        description: `From when all connections were cut until ${percent} % were open again with a message echoed; empty where they were not.`,
        of: ({ storm }) => storm?.backMs[/** @type {"p50" | "p99" | "p100"} */ (`p${percent}`)],
      }),
  ),
  {
    key: "back_attempts",
    title: "Attempts to come back",
    unit: "",
    better: "lower",
    description:
      "Connections that were begun after all had been cut, those that failed among them.",
    of: ({ storm }) => storm?.attempts,
  },
  {
    key: "stalled_sent_bytes",
    title: "Sent on a stalled connection",
    unit: "bytes",
    better: "lower",
    description:
      "By clients that do not read what is echoed, until they were held back or had sent all that they may; the median of the connections.",
    of: ({ slowReaders }) => slowReaders?.sentBytes.median,
  },
  ...[
    { name: "", kind: /** @type {const} */ ("usageBytes"), what: "All memory" },
    { name: "user_", kind: /** @type {const} */ ("rssBytes"), what: "Anonymous memory" },
    { name: "kernel_", kind: /** @type {const} */ ("kernelBytes"), what: "Kernel memory" },
  ].map(
    ({ name, kind, what }) =>
      /** @type {Definition} */ ({
        key: `stalled_connection_${name}bytes`,
        title: `${what} of a stalled connection`,
        unit: "bytes",
        better: "lower",
        description: `${what} of the proxy's cgroups: highest sample while clients did not read, less the mean before, divided by the clients that did not.`,
        of: (record, { stalled }) => perStalled(record, stalled, kind),
      }),
  ),
  ...[
    { part: /** @type {const} */ ("quiet"), when: "before others stopped to read" },
    { part: /** @type {const} */ ("stalled"), when: "while others do not read" },
  ].map(
    ({ part, when }) =>
      /** @type {Definition} */ ({
        key: `healthy_${part}_echo_ms_p99`,
        title: `Echo of those that read, p99, ${part}`,
        unit: "ms",
        better: "lower",
        description: `99th percentile of the echo latency of connections that always read, ${when}.`,
        of: ({ slowReaders }) => slowReaders?.echoMs[part]?.p99,
      }),
  ),
];

/**
 * @param {CellRecord} record
 * @param {number | undefined} stalled connections
 * @param {keyof MemoryReading} kind
 * @returns {number | null} what the proxy grew by for each of them; null: not read, or none was stalled
 */
export function perStalled({ slowReaders }, stalled, kind) {
  const memory = slowReaders?.memory;
  if (!memory || !stalled) return null;
  const [quiet, full] = [memory.quiet[kind], memory.stalled[kind]];
  return quiet === null || full === null ? null : (full - quiet) / stalled;
}

/**
 * The one module that knows k6's output, and what Node clients write alike: its summary, its CSV of
 * raw samples, its REST API.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { UserError } from "../errors.ts";
import { SlowReadersOfLoad, Storm, SurvivalOfLoad } from "../model/load.ts";
import { fits } from "../record/schema.ts";
import { isCount, isCounts, isNumbers, isObject, readSummaryLine } from "./summary-line.ts";
import type { Summary } from "../../../../loadgen/lib/summary.js";
import type { Shape } from "./summary-line.ts";

export type { Summary } from "../../../../loadgen/lib/summary.js";

/** The metrics whose samples are read, by k6's name. loadgen/ defines them. */
const HANDSHAKE = "handshake_ms";
const ECHO_LATENCY = "echo_latency_ms";
const TOTAL = "total_ms";

/**
 * @param stdout of k6, with or without Compose's prefixes
 * @returns of the last line `SUMMARY {…}`; null: k6 ended without one
 * @throws {UserError} when that line is not as loadgen/lib/summary.js writes it
 */
export function readSummary(stdout: string): Summary | null {
  return readSummaryLine(stdout, SHAPE, {
    by: "k6's",
    writer: "summarise() of loadgen/lib/summary.js",
  });
}

/** What one kind of scenario alone tells, and what it is in the record. */
const OWN = [
  ["survival", "SurvivalOfLoad", SurvivalOfLoad],
  ["storm", "Storm", Storm],
  ["slowReaders", "SlowReadersOfLoad", SlowReadersOfLoad],
] as const;

const SHAPE: Shape = [
  ["tags", "an object", isObject],
  ["parameters", "an object", isObject],
  ["connections.opened", "a count", isCount],
  ["connections.failed", "a count", isCount],
  ["connections.failedByCause", "counts", isCounts],
  ["messagesEchoed", "a count", isCount],
  ["reference", "counts or null", (value) => value === null || isReference(value)],
  ["sends", "counts or null", (value) => value === null || isSends(value)],
  ["totalMs", "a number or null", (value) => value === null || Number.isFinite(value)],
  ["handshakeMs", "numbers", isNumbers],
  ["echoLatencyMs", "numbers", isNumbers],
  ...OWN.map(
    ([key, name, shape]) =>
      [
        key,
        `${name} of model/load.ts, or nothing`,
        (value) => value === undefined || fits(shape, value),
      ] as Shape[number],
  ),
];

function isSends(value: any) {
  return isObject(value) && [value.due, value.late, value.dropped].every(isCount);
}

function isReference(value: any) {
  return isObject(value) && [value.opened, value.failed, value.messagesEchoed].every(isCount);
}

/**
 * @param summary of the only load container: what its connections met has no sum with that of
 *   another's
 * @returns what one kind of scenario alone tells; {}: it is another
 */
export function ownOf(summary: Summary): Pick<Summary, "survival" | "storm" | "slowReaders"> {
  return Object.fromEntries(OWN.flatMap(([key]) => (summary[key] ? [[key, summary[key]]] : [])));
}

/**
 * One summary of several load containers that share a cell: counts add up, the cell took as long as
 * the longest of them (they start together; each measures its own time). Percentiles cannot be
 * merged: of the latencies, count, avg, min and max remain. The samples have the rest, see
 * `readLatencies`.
 *
 * @param summaries at least one; a single one stays as it is
 * @returns totalMs null when one was cut short
 */
export function mergeSummaries(summaries: Summary[]): Omit<Summary, "tags" | "parameters"> {
  const [first, ...others] = summaries;
  if (!first) throw new Error("there is no summary to merge");
  if (others.length === 0) return first;
  const sum = (pick: (summary: Summary) => unknown) =>
    summaries.reduce((total, summary) => total + Number(pick(summary) ?? 0), 0);
  const totals = summaries.flatMap(({ totalMs }) => totalMs ?? []);
  const causes = new Set(
    summaries.flatMap(({ connections }) => Object.keys(connections.failedByCause)),
  );
  return {
    connections: {
      opened: sum(({ connections }) => connections.opened),
      failed: sum(({ connections }) => connections.failed),
      failedByCause: Object.fromEntries(
        [...causes].map((cause) => [
          cause,
          sum(({ connections }) => connections.failedByCause[cause]),
        ]),
      ),
    },
    messagesEchoed: sum(({ messagesEchoed }) => messagesEchoed),
    reference: first.reference && {
      opened: sum(({ reference }) => reference?.opened),
      failed: sum(({ reference }) => reference?.failed),
      messagesEchoed: sum(({ reference }) => reference?.messagesEchoed),
      ...(first.reference.held !== undefined && {
        held: sum(({ reference }) => reference?.held),
      }),
    },
    sends: first.sends && {
      due: sum(({ sends }) => sends?.due),
      late: sum(({ sends }) => sends?.late),
      dropped: sum(({ sends }) => sends?.dropped),
    },
    totalMs: totals.length === summaries.length ? Math.max(...totals) : null,
    handshakeMs: mergeValues(summaries.map(({ handshakeMs }) => handshakeMs)),
    echoLatencyMs: mergeValues(summaries.map(({ echoLatencyMs }) => echoLatencyMs)),
  };
}

/** @returns empty when nobody has a value */
function mergeValues(list: Summary["handshakeMs"][]): Summary["handshakeMs"] {
  const known = list.filter(({ count }) => count > 0);
  if (known.length === 0) return {};
  const count = known.reduce((total, values) => total + values.count, 0);
  return {
    count,
    avg: known.reduce((total, values) => total + values.avg * values.count, 0) / count,
    min: Math.min(...known.map(({ min }) => min)),
    max: Math.max(...known.map(({ max }) => max)),
  };
}

/**
 * Every latency that k6 recorded, in the order in which it wrote them.
 *
 * @param csvPaths as k6's CSV output wrote them, one a load container; a last line that k6 did not
 *   end is not counted
 * @returns totalMs: one a container that was not cut short
 * @throws {UserError} when a file is not k6's CSV
 */
export async function readLatencies(
  csvPaths: string | string[],
): Promise<{ handshakeMs: Float64Array; echoLatencyMs: Float64Array; totalMs: number[] }> {
  const {
    [HANDSHAKE]: handshake,
    [ECHO_LATENCY]: echoLatency,
    [TOTAL]: total,
  } = await readSamples(csvPaths, [HANDSHAKE, ECHO_LATENCY, TOTAL]);
  return {
    handshakeMs: Float64Array.from(handshake.values),
    echoLatencyMs: Float64Array.from(echoLatency.values),
    totalMs: total.values,
  };
}

/**
 * Writes the raw samples that a cell's results keep: gzipped CSV with the columns `metric`
 * (handshake or echo), `ms` (whole ones since the earliest of these samples) and `value` (in ms, to
 * the µs), in the order of time. Finer steps would double the file and hold nothing but noise.
 *
 * @param csvPaths as for `readLatencies`
 * @param target file, replaced if it exists
 * @returns samples written
 * @throws {UserError} when a file is not k6's CSV
 */
export async function keepSamples(csvPaths: string | string[], target: string): Promise<number> {
  const { [HANDSHAKE]: handshake, [ECHO_LATENCY]: echo } = await readSamples(csvPaths, [
    HANDSHAKE,
    ECHO_LATENCY,
  ]);
  const times = Float64Array.from(handshake.times.concat(echo.times));
  const values = handshake.values.concat(echo.values);
  const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => times[a] - times[b]);
  const rows = function* () {
    let text = "metric,ms,value\n";
    for (const i of order) {
      const ms = Math.round(times[i] - times[order[0]]);
      text += `${i < handshake.times.length ? "handshake" : "echo"},${ms},${values[i].toFixed(3)}\n`;
      if (text.length < CHUNK_BYTES) continue;
      yield text;
      text = "";
    }
    yield text;
  };
  await pipeline(Readable.from(rows()), createGzip(), createWriteStream(target));
  return order.length;
}

/**
 * @param lines of k6's CSV output, in any order
 * @param fromMs since 1970: what was recorded before is left out
 * @returns what they hold of it; other lines are left out
 */
export function latenciesIn(
  lines: string[],
  fromMs: number,
): { handshakeMs: number[]; echoLatencyMs: number[] } {
  const of = (metric: string) =>
    lines.flatMap((line) => {
      if (!line.startsWith(`${metric},`)) return [];
      const [, time, value] = line.split(",", 3);
      return msOf(time) < fromMs ? [] : [Number(value)];
    });
  return { handshakeMs: of(HANDSHAKE), echoLatencyMs: of(ECHO_LATENCY) };
}

/**
 * @param time as K6_CSV_TIME_FORMAT gives it: seconds since 1970 have 10 digits (from 2001 to
 *   2286), ms 13, µs 16, ns 19
 * @returns ms
 */
function msOf(time: string): number {
  return Number(time) * 10 ** (13 - time.length);
}

/** Read and written at a time. */
const CHUNK_BYTES = 1 << 20;

/**
 * The header of k6's CSV up to where system tags may follow (internal/output/csv/output.go, the
 * same in 1.8 and 2.2). These three columns are never quoted. Read by hand and not by d3-dsv, which
 * makes a text of every field of every line: a million lines took it 3.9 s and 1.3 GB instead of
 * 0.4 s, and the tail of each second of a measured phase 0.49 ms of CPU instead of 0.14.
 */
const HEADER = "metric_name,timestamp,metric_value";

/**
 * @param metrics k6's names
 * @returns times in ms since 1970
 * @throws {UserError} when a file is not k6's CSV
 */
async function readSamples<Metric extends string>(
  csvPaths: string | string[],
  metrics: Metric[],
): Promise<Record<Metric, { times: number[]; values: number[] }>> {
  const samples: any = {};
  for (const metric of metrics) samples[metric] = { times: [], values: [] };
  // Most lines are of other metrics: their first letter tells, without a string being made of them.
  const initials = new Set(metrics.map((metric) => metric.charCodeAt(0)));
  for (const path of [csvPaths].flat()) {
    await eachLine(path, (data, start, end, number) => {
      if (number > 1 && !initials.has(data[start])) return;
      const line = data.toString("latin1", start, end);
      const refuse = (expected: string) =>
        new UserError(
          `${path}, line ${number}, does not have the format of k6's CSV: ${line.slice(0, 200)}`,
          `Expected ${expected}.`,
        );
      if (number === 1) {
        if (!line.startsWith(HEADER)) throw refuse(`${HEADER}…`);
        return;
      }
      const [metric, time, value] = line.split(",", 3);
      if (!Object.hasOwn(samples, metric)) return;
      if (!/^\d{10,19}$/.test(time))
        throw refuse("a time as K6_CSV_TIME_FORMAT=unix_micro gives it");
      if (!value || !Number.isFinite(Number(value))) throw refuse("a number after the time");
      const { times, values } = samples[metric];
      times.push(msOf(time));
      values.push(Number(value));
    });
  }
  return samples;
}

/**
 * @param handle gets where the line lies in data, without its line break, and its number from 1;
 *   what comes after the last line break is not handed over
 */
async function eachLine(
  path: string,
  handle: (data: Buffer, start: number, end: number, number: number) => void,
) {
  let number = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end; (end = data.indexOf(LINE_BREAK, start)) >= 0; start = end + 1) {
      handle(data, start, end, ++number);
    }
    rest = data.subarray(start);
  }
}

const LINE_BREAK = 10;

/**
 * Asks a running k6 how far it is, through its REST API. k6 must run with `--address 0.0.0.0:6565`:
 * 1.8 takes no K6_ADDRESS and listens on localhost only, 2.x does not listen at all without an
 * address. The counters are asked for one by one, as the list of all metrics makes k6 sort every
 * latency that it holds.
 *
 * @param address such as http://load:6565
 * @returns connections so far, and with those to the reference proxy: how many are open, and messages
 *   that came back so far; k6 counts with at most 50 ms delay
 * @throws {Error} when k6 does not answer within 1 s: it has not started yet, or has ended
 */
export async function liveCounts(
  address: string,
): Promise<Record<"opened" | "failed" | "open" | "messages", number>> {
  const [opened, failed, open, messages] = await Promise.all(
    // That of messages is k6's own. Ours is added to when a connection ends, which may be at the end
    // of all.
    ["connections_opened", "connections_failed", "connections_open", "ws_msgs_received"].map(
      (metric) => liveCount(address, metric),
    ),
  );
  return { opened, failed, open, messages };
}

/** @param metric a counter */
async function liveCount(address: string, metric: string) {
  const response = await fetch(new URL(`/v1/metrics/${metric}`, address), {
    headers: { connection: "close" },
    signal: AbortSignal.timeout(1000),
  });
  const { data, errors } = (await response.json()) as any;
  // A counter that nothing was added to yet is not known.
  if (response.status === 404 && errors) return 0;
  const count = data?.attributes?.sample?.count;
  if (!isCount(count))
    throw new Error(`k6 at ${address} answered ${response.status} to ${metric}, without a count`);
  return count;
}

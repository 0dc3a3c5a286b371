/**
 * What the samples of a measured phase say.
 */
import { csvText } from "../record/csv.js";

/** @import { ContainerRecord, MemoryReading } from "../model/container.ts" */
/** @import { Reading } from "../platform/counters.js" */

/** @typedef {{service: string, reading: Reading}} Sample */

/** Columns of the CSV after time and service: counters as they stand, since the container's start. */
const COLUMNS = /** @type {const} */ ([
  ["cpu_seconds", (/** @type {Reading} */ r) => r.cpu.totalSeconds],
  ["usage_bytes", (/** @type {Reading} */ r) => r.memory.usageBytes],
  ["working_set_bytes", (/** @type {Reading} */ r) => r.memory.workingSetBytes],
  ["rss_bytes", (/** @type {Reading} */ r) => r.memory.rssBytes],
  ["kernel_bytes", (/** @type {Reading} */ r) => r.memory.kernelBytes],
  ["socket_bytes", (/** @type {Reading} */ r) => r.memory.socketBytes],
  ["rx_bytes", (/** @type {Reading} */ r) => r.network?.rxBytes],
  ["tx_bytes", (/** @type {Reading} */ r) => r.network?.txBytes],
]);

/**
 * @param {readonly Sample[]} samples
 * @param {string} service
 * @param {{before?: Reading, after?: Reading}} [around] before: with nothing open yet; after: when all is over
 * @returns {ContainerRecord["memory"]} null: it was gone before it could be read
 */
export function memoryOf(samples, service, { before, after } = {}) {
  const readings = samples
    .filter((sample) => sample.service === service)
    .map(({ reading }) => reading.memory);
  const last = readings.at(-1);
  if (!last) return null;
  return {
    baseline: memoryIn(before?.memory ?? readings[0]),
    mean: combine(readings, (values) => values.reduce((sum, v) => sum + v) / values.length),
    peak: combine(readings, (values) => values.reduce((a, b) => Math.max(a, b))),
    after: after ? memoryIn(after.memory) : null,
    highWaterBytes: last.highWaterBytes,
  };
}

/**
 * @param {readonly Sample[]} samples
 * @returns {string} a line a sample; ms: since the first sample; empty: this kernel does not count it
 */
export function samplesCsv(samples) {
  const startMs = samples[0]?.reading.atMs;
  const rows = samples.map(({ service, reading }) => [
    (reading.atMs - startMs).toFixed(1),
    service,
    ...COLUMNS.map(([, value]) => value(reading)),
  ]);
  const header = ["ms", "service", ...COLUMNS.map(([name]) => name)];
  return csvText([header, ...rows]);
}

/**
 * @param {Reading["memory"]} memory
 * @returns {MemoryReading}
 */
function memoryIn({ highWaterBytes, ...reading }) {
  return reading;
}

/**
 * @param {MemoryReading[]} readings
 * @param {(values: number[]) => number} how
 * @returns {MemoryReading}
 */
function combine(readings, how) {
  /** @param {keyof MemoryReading} key */
  const numbers = (key) => readings.map((reading) => reading[key]).filter((v) => v !== null);
  /** @param {keyof MemoryReading} key */
  const orNull = (key) => (numbers(key).length > 0 ? how(numbers(key)) : null);
  return {
    usageBytes: how(numbers("usageBytes")),
    workingSetBytes: how(numbers("workingSetBytes")),
    rssBytes: how(numbers("rssBytes")),
    kernelBytes: orNull("kernelBytes"),
    socketBytes: orNull("socketBytes"),
  };
}

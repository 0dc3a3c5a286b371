/**
 * What the samples of a measured phase say.
 */
import { csvText } from "../record/csv.ts";
import type { ContainerRecord, MemoryReading } from "../model/container.ts";
import type { Reading } from "../platform/counters.ts";

export type Sample = { service: string; reading: Reading };

/**
 * Columns of the CSV after time and service: counters as they stand, since the container's start.
 */
const COLUMNS = [
  ["cpu_seconds", (r: Reading) => r.cpu.totalSeconds],
  ["usage_bytes", (r: Reading) => r.memory.usageBytes],
  ["working_set_bytes", (r: Reading) => r.memory.workingSetBytes],
  ["rss_bytes", (r: Reading) => r.memory.rssBytes],
  ["kernel_bytes", (r: Reading) => r.memory.kernelBytes],
  ["socket_bytes", (r: Reading) => r.memory.socketBytes],
  ["rx_bytes", (r: Reading) => r.network?.rxBytes],
  ["tx_bytes", (r: Reading) => r.network?.txBytes],
] as const;

/**
 * @param around before: with nothing open yet; after: when all is over
 * @returns null: it was gone before it could be read
 */
export function memoryOf(
  samples: readonly Sample[],
  service: string,
  { before, after }: { before?: Reading; after?: Reading } = {},
): ContainerRecord["memory"] {
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

/** @returns a line a sample; ms: since the first sample; empty: this kernel does not count it */
export function samplesCsv(samples: readonly Sample[]): string {
  const startMs = samples[0]?.reading.atMs;
  const rows = samples.map(({ service, reading }) => [
    (reading.atMs - startMs).toFixed(1),
    service,
    ...COLUMNS.map(([, value]) => value(reading)),
  ]);
  const header = ["ms", "service", ...COLUMNS.map(([name]) => name)];
  return csvText([header, ...rows]);
}

function memoryIn({ highWaterBytes, ...reading }: Reading["memory"]): MemoryReading {
  return reading;
}

function combine(readings: MemoryReading[], how: (values: number[]) => number): MemoryReading {
  const numbers = (key: keyof MemoryReading) =>
    readings.map((reading) => reading[key]).filter((v) => v !== null);
  const orNull = (key: keyof MemoryReading) => (numbers(key).length > 0 ? how(numbers(key)) : null);
  return {
    usageBytes: how(numbers("usageBytes")),
    workingSetBytes: how(numbers("workingSetBytes")),
    rssBytes: how(numbers("rssBytes")),
    kernelBytes: orNull("kernelBytes"),
    socketBytes: orNull("socketBytes"),
  };
}

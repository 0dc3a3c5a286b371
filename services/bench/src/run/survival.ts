/**
 * What became of connections that were held through an event, or stalled: from what the load has
 * told and what was read of the proxy to the record. Nothing here touches an engine.
 */
import { EVENTS } from "../plan/events.ts";
import { memoryOf } from "./samples.ts";
import type { ProxyReading, SlowReaders, Survival } from "../model/cell.ts";
import type { MemoryReading } from "../model/container.ts";
import type { SlowReadersOfLoad, SurvivalOfLoad } from "../model/load.ts";
import type { Happened } from "./event-driver.ts";
import type { Sample } from "./samples.ts";

export function survivalOf(
  load: SurvivalOfLoad,
  observed: {
    event: string;
    happened: Happened;
    /** of the proxy */
    readings: readonly ProxyReading[];
    /**
     * processes that the event replaces: whether there are any, and when the last one was gone
     */
    old: { any: boolean; goneMs: number | null };
    /** last edge of the measured phase */
    toMs: number;
    afterwards: ProxyReading | null;
    echoShare?: Survival["echoShare"];
  },
): Survival {
  const { event, happened, readings, old, toMs, afterwards, echoShare } = observed;
  const { eventMs, steps, renewals } = happened;
  const goneInTime = old.goneMs !== null && old.goneMs <= toMs ? old.goneMs - eventMs : null;
  return {
    event,
    eventMs,
    steps,
    ...load,
    newGenerationMs: slowestOf(
      renewals,
      (EVENTS[event].certificate ? load.certificates : load.generations) ?? [],
    ),
    around: readings.filter(({ ms }) => ms <= toMs),
    ...(old.any && { oldProcessesGoneMs: goneInTime }),
    afterwards,
    ...(echoShare && { echoShare }),
  };
}

/** @returns null: one of them never answered, nor a later one in its place; or there are none */
function slowestOf(
  renewals: Happened["renewals"],
  answers: SurvivalOfLoad["generations"],
): number | null {
  const times = renewals.map(({ ms, value }) => {
    const answered = answers.find((one) => Number(one.value) >= Number(value));
    return answered ? answered.ms - ms : null;
  });
  const known = times.filter((time) => time !== null);
  return known.length > 0 && known.length === times.length ? Math.max(...known) : null;
}

/**
 * @param samples of the measured phase
 * @param proxies names of the proxy's containers
 */
export function slowReadersOf(
  load: SlowReadersOfLoad,
  samples: readonly Sample[],
  proxies: string[],
): SlowReaders {
  const { from, to } = load.stalledMs;
  const startMs = samples[0]?.reading.atMs ?? from;
  const quiet = between(samples, (startMs + from) / 2, from);
  const stalled = between(samples, from, to);
  const readings = proxies.map((name) => ({
    quiet: memoryOf(quiet, name)?.mean,
    stalled: memoryOf(stalled, name)?.peak,
  }));
  const [one] = readings;
  if (!one || readings.some((each) => !each.quiet || !each.stalled))
    return { ...load, memory: null };
  const together = (when: "quiet" | "stalled") =>
    readings.map((each) => each[when] as MemoryReading).reduce(sumOf);
  return { ...load, memory: { quiet: together("quiet"), stalled: together("stalled") } };
}

/** @param fromMs since 1970 */
function between(samples: readonly Sample[], fromMs: number, toMs: number) {
  return samples.filter(({ reading: { atMs } }) => atMs >= fromMs && atMs < toMs);
}

function sumOf(a: MemoryReading, b: MemoryReading): MemoryReading {
  const orNull = (key: "kernelBytes" | "socketBytes") => {
    const [first, second] = [a[key], b[key]];
    return first === null || second === null ? null : first + second;
  };
  return {
    usageBytes: a.usageBytes + b.usageBytes,
    workingSetBytes: a.workingSetBytes + b.workingSetBytes,
    rssBytes: a.rssBytes + b.rssBytes,
    kernelBytes: orNull("kernelBytes"),
    socketBytes: orNull("socketBytes"),
  };
}

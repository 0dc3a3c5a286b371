/**
 * What became of connections that were held through an event, or stalled: from what the load has told and what was read of the proxy to the
 * record. Nothing here touches an engine.
 */
import { memoryOf } from "./samples.js";

/** @import { ProxyReading, SlowReaders, Survival } from "../model/cell.ts" */
/** @import { MemoryReading } from "../model/container.ts" */
/** @import { SlowReadersOfLoad, SurvivalOfLoad } from "../model/load.ts" */
/** @import { Happened } from "./event-driver.js" */
/** @import { Sample } from "./samples.js" */

/**
 * @param {SurvivalOfLoad} load
 * @param {object} observed
 * @param {string} observed.event
 * @param {Happened} observed.happened
 * @param {readonly ProxyReading[]} observed.readings of the proxy
 * @param {{any: boolean, goneMs: number | null}} observed.old processes that the event replaces: whether there are any, and when the last one was gone
 * @param {number} observed.toMs last edge of the measured phase
 * @param {ProxyReading | null} observed.afterwards
 * @param {Survival["echoShare"]} [observed.echoShare]
 * @returns {Survival}
 */
export function survivalOf(load, observed) {
  const { event, happened, readings, old, toMs, afterwards, echoShare } = observed;
  const { eventMs, steps, newest } = happened;
  const answered = newest && load.generations.find(({ value }) => value === newest.value);
  const goneInTime = old.goneMs !== null && old.goneMs <= toMs ? old.goneMs - eventMs : null;
  return {
    event,
    eventMs,
    steps,
    ...load,
    newGenerationMs: newest && answered ? answered.ms - newest.ms : null,
    around: readings.filter(({ ms }) => ms <= toMs),
    ...(old.any && { oldProcessesGoneMs: goneInTime }),
    afterwards,
    ...(echoShare && { echoShare }),
  };
}

/**
 * @param {SlowReadersOfLoad} load
 * @param {readonly Sample[]} samples of the measured phase
 * @param {string[]} proxies names of the proxy's containers
 * @returns {SlowReaders}
 */
export function slowReadersOf(load, samples, proxies) {
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
  const together = (/** @type {"quiet" | "stalled"} */ when) =>
    readings.map((each) => /** @type {MemoryReading} */ (each[when])).reduce(sumOf);
  return { ...load, memory: { quiet: together("quiet"), stalled: together("stalled") } };
}

/**
 * @param {readonly Sample[]} samples
 * @param {number} fromMs since 1970
 * @param {number} toMs
 */
function between(samples, fromMs, toMs) {
  return samples.filter(({ reading: { atMs } }) => atMs >= fromMs && atMs < toMs);
}

/**
 * @param {MemoryReading} a
 * @param {MemoryReading} b
 * @returns {MemoryReading}
 */
function sumOf(a, b) {
  const orNull = (/** @type {"kernelBytes" | "socketBytes"} */ key) => {
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

/**
 * What a client costs that stops reading while the server keeps sending to it: bytes in the proxy, whether they are bounded, and what the
 * others feel. The first half of the phase, in which all read, is the control of the second.
 */
import { CONTROL } from "../plan/proxies.js";
import { perStalled } from "./experiment-measures.js";
import { answersOf, settingsComparing } from "./experiments.js";
import { medianOf } from "../statistics/index.js";
import { mostFirst, roundsOf } from "./shares.js";

/** @import { MemoryReading } from "../model/container.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, StallFigures, StallSetting } from "./types.js" */

/** A proxy that has so much of what was sent for a stalled connection is where it went. */
const MOST_OF_IT = 0.5;

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells every attempt at cells of experiments
 * @returns {StallSetting[]} in order; empty: the run has none
 */
export function stallsOf(results, cells) {
  return settingsComparing(results, "stalls").map(({ planned, ...setting }) => {
    const answers = answersOf(results, planned, cells, figuresOf);
    const control = answers.find(({ proxy }) => proxy === CONTROL)?.figures;
    return { ...setting, answers, controlTookAll: control ? control.bound !== "held-back" : null };
  });
}

/**
 * @param {AnalysedCell[]} cells that count
 * @returns {StallFigures | null}
 */
function figuresOf(cells) {
  const seen = cells.flatMap(({ record: { slowReaders } }) => slowReaders ?? []);
  if (seen.length === 0) return null;
  const perConnection = (/** @type {keyof MemoryReading} */ kind) =>
    roundsOf(cells.map(({ record, workload }) => perStalled(record, workload.stalled, kind)));
  const echo = (/** @type {"quiet" | "stalled"} */ part) =>
    roundsOf(seen.map(({ echoMs }) => echoMs[part]?.p99 ?? null));
  const sentBytes = {
    min: Math.min(...seen.map((one) => one.sentBytes.min)),
    median: medianOf(seen.map((one) => one.sentBytes.median)) ?? 0,
    max: Math.max(...seen.map((one) => one.sentBytes.max)),
  };
  const held = seen.filter(({ heldBack }) => heldBack).length;
  const all = perConnection("usageBytes");
  return {
    rounds: seen.length,
    sentBytes,
    bytes: {
      all,
      user: perConnection("rssBytes"),
      kernel: perConnection("kernelBytes"),
      sockets: perConnection("socketBytes"),
    },
    bound:
      held === seen.length
        ? "held-back"
        : (all?.median ?? 0) >= MOST_OF_IT * sentBytes.median
          ? "unbounded"
          : "elsewhere",
    p99Ms: { quiet: echo("quiet"), stalled: echo("stalled") },
    isInOrder: seen.every(({ deliveredInOrder }) => deliveredInOrder),
    lostBytes: seen.reduce((sum, { lostBytes }) => sum + lostBytes, 0),
    ends: mostFirst(seen.map(({ ends }) => ends)),
  };
}

/**
 * How long all take to come back when all were cut at once, and what that costs a proxy. Without a proxy it takes as long as this
 * machine and its generator need: no proxy can be quicker, and what is no slower says nothing about the proxy.
 */
import { CONTROL } from "../plan/proxies.js";
import { answersOf, settingsComparing } from "./experiments.js";
import { LEAST_ROUNDS } from "./ranking.js";
import { medianOf } from "../statistics/index.js";
import { mostFirst, roundsOf, shareOf } from "./shares.js";

/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, CurvePoint, StormAnswer, StormFigures, StormSetting } from "./types.js" */

/** Of the load's counts of those that are back. */
const BUCKET_MS = 100;

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells every attempt at cells of experiments
 * @returns {StormSetting[]} in order; empty: the run has none
 */
export function stormsOf(results, cells) {
  return settingsComparing(results, "storm").map(({ planned, ...setting }) => {
    const answers = answersOf(results, planned, cells, figuresOf);
    const control = answers.find(({ proxy }) => proxy === CONTROL)?.figures ?? null;
    return {
      ...setting,
      answers: answers.map((answer) => ({
        ...answer,
        ...againstControl(answer.proxy === CONTROL ? null : answer.figures, control),
      })),
    };
  });
}

/**
 * @param {AnalysedCell[]} cells that count
 * @returns {StormFigures | null}
 */
function figuresOf(cells) {
  const seen = cells.flatMap(({ record: { storm, connections } }) =>
    storm && connections ? [{ ...storm, cut: connections.opened }] : [],
  );
  if (seen.length === 0) return null;
  const measured = (/** @type {string} */ key) =>
    medianOf(cells.flatMap(({ measures }) => measures[key] ?? []));
  const cut = seen.reduce((sum, one) => sum + one.cut, 0);
  const back = seen.flatMap((one) => one.back);
  return {
    rounds: seen.length,
    back: shareOf(countIn(back), cut),
    ms: {
      p50: roundsOf(seen.map(({ backMs }) => backMs.p50)),
      p99: roundsOf(seen.map(({ backMs }) => backMs.p99)),
      p100: roundsOf(seen.map(({ backMs }) => backMs.p100)),
    },
    attempts: medianOf(seen.map(({ attempts, cut }) => attempts / cut)),
    causes: mostFirst(seen.map(({ failedByCause }) => failedByCause)),
    cpuSeconds: measured("proxy_cpu_seconds"),
    peakBytes: measured("proxy_memory_peak_usage_bytes"),
    growthBytes: measured("proxy_memory_growth_bytes"),
    generatorPercent: measured("generator_cpu_percent"),
    curve: curveOf(back, cut),
  };
}

/** @param {{count: number}[]} counted */
function countIn(counted) {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

/**
 * @param {{ms: number, count: number}[]} back of all rounds
 * @param {number} cut
 * @returns {CurvePoint[]} percent of those cut that were back, at the end of each tenth of a second
 */
function curveOf(back, cut) {
  const buckets = [...Map.groupBy(back, ({ ms }) => ms)].sort(([a], [b]) => a - b);
  let sum = 0;
  // Level where nobody came back.
  const points = buckets.flatMap(([ms, own]) => {
    const before = { seconds: ms / 1000, value: (100 * sum) / cut };
    sum += countIn(own);
    return [before, { seconds: (ms + BUCKET_MS) / 1000, value: (100 * sum) / cut }];
  });
  return points.filter(({ seconds }, i) => points[i + 1]?.seconds !== seconds);
}

/**
 * @param {StormFigures | null} own
 * @param {StormFigures | null} control
 * @returns {Pick<StormAnswer, "toControl" | "isSlower">} by the time until 99 % are back
 */
function againstControl(own, control) {
  const [time, bound] = [own?.ms.p99, control?.ms.p99];
  if (!time || !bound || !(bound.median > 0)) return { toControl: null, isSlower: null };
  // With fewer, two that are equal lie apart too often: of 2 and 2 one time in three.
  const isTold = Math.min(time.values.length, bound.values.length) >= LEAST_ROUNDS;
  return {
    toControl: time.median / bound.median,
    isSlower: isTold ? time.lowest > bound.highest : null,
  };
}

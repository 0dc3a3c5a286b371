/**
 * What repetitions come to together: counts out of a number, with what they say of the true share, and medians.
 */
import { median } from "simple-statistics";
import { binomialInterval } from "../statistics/index.js";
import { CONFIDENCE } from "./settings.js";

/** @import { Rounds, Share } from "./types.js" */

/**
 * @param {number} count
 * @param {number} of
 * @returns {Share | null} null: there are none
 */
export function shareOf(count, of) {
  const interval = binomialInterval(count, of, CONFIDENCE);
  return interval && { count, of, value: count / of, interval };
}

/**
 * @param {Share | null} a
 * @param {Share | null} b
 * @returns {boolean} the first is larger, and not by chance: their intervals do not overlap
 */
export function isMore(a, b) {
  return a !== null && b !== null && a.interval[0] > b.interval[1];
}

/**
 * @param {Record<string, number>[]} counts
 * @returns {{what: string, count: number}[]} together, the most frequent first
 */
export function mostFirst(counts) {
  const pairs = counts.flatMap((one) => Object.entries(one));
  return [...Map.groupBy(pairs, ([what]) => what)]
    .map(([what, own]) => ({ what, count: own.reduce((sum, [, count]) => sum + count, 0) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

/**
 * @param {(number | null)[]} values one a round; null: it has none
 * @returns {Rounds | null} null: no round has one
 */
export function roundsOf(values) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return {
    median: median(known),
    lowest: Math.min(...known),
    highest: Math.max(...known),
    values: known,
  };
}

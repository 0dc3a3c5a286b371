/**
 * Two settings beside each other, proxy by proxy.
 */
import { medianOf } from "../statistics/index.js";
import { ratiosOf, valuesByRound } from "./settings.js";

/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, Ratio, Setting } from "./types.js" */

/**
 * @param {{results: Results, cells: AnalysedCell[]}} analysed
 * @param {[Setting, Setting]} pair
 * @param {string[]} measures keys
 * @returns {{measure: string, rows: {proxy: string, medians: [number, number], ratio: Ratio}[]}[]} medians over the rounds, and the first to the
 *   second; without measures that no proxy has figures for in both
 */
export function pairedRows({ results, cells }, pair, measures) {
  return measures.flatMap((measure) => {
    const median = (/** @type {Setting} */ { key }, /** @type {string} */ proxy) => {
      const own = cells.filter((cell) => cell.setting === key);
      return medianOf([...valuesByRound(own, proxy, measure).values()]) ?? NaN;
    };
    const rows = ratiosOf({ results, cells }, measure, [pair]).map(({ proxy, ratio }) => ({
      proxy,
      medians: /** @type {[number, number]} */ ([median(pair[0], proxy), median(pair[1], proxy)]),
      ratio,
    }));
    return rows.length > 0 ? [{ measure, rows }] : [];
  });
}

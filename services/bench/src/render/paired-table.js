/**
 * Two settings beside each other: a row a proxy, a column a measure.
 *
 * @import { Analysis } from "../analyse/types.js"
 */
import { NONE } from "../numbers.js";
import { measureOf } from "./model.js";
import { amount, titleOfProxy } from "./words.js";

/**
 * @template {{proxy: string}} T
 * @param {Analysis} analysis
 * @param {{measure: string, rows: T[]}[]} measures
 * @param {(row: T, amountOf: (value: number) => string) => string} textOf
 * @returns {{columns: string[], rows: {proxy: string, title: string, isControl: boolean, cells: string[]}[]}} columns: after the proxy's
 */
export function pairedTable(analysis, measures, textOf) {
  const proxies = analysis.results.plan.proxies.filter((name) =>
    measures.some(({ rows }) => rows.some(({ proxy }) => proxy === name)),
  );
  return {
    columns: measures.map(({ measure }) => measureOf(analysis, measure).title),
    rows: proxies.map((proxy) => ({
      proxy,
      title: titleOfProxy(analysis.results, proxy),
      isControl: false,
      cells: measures.map(({ measure, rows }) => {
        const row = rows.find((one) => one.proxy === proxy);
        return row ? textOf(row, (value) => amount(value, measureOf(analysis, measure))) : NONE;
      }),
    })),
  };
}

/**
 * What no run of several can speak to.
 */
import { columnsOf, questionKey } from "./overview.js";

/** @import { PublishedRun } from "./claim-table.js" */
/** @import { OverviewColumn } from "./types.js" */

/**
 * @param {Pick<PublishedRun, "analysis">[]} runs
 * @returns {OverviewColumn[]} what is asked of runs like these, and none of them can speak to, each once
 */
export function unmeasured(runs) {
  const columns = runs.flatMap(({ analysis }) => columnsOf(analysis));
  const measured = new Set(columns.filter(({ at }) => at).map(questionKey));
  const gaps = columns.filter((column) => !measured.has(questionKey(column)));
  return [...new Map(gaps.map((column) => [questionKey(column), column])).values()];
}

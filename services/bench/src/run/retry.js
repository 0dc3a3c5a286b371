/**
 * Whether an attempt at a cell is followed by another: what failed, and a search, at once; what the machine spoiled, when all other cells
 * have been run.
 */
import { ATTEMPTS } from "../plan/estimate.js";
import { cellsToRepeat, isSearch, repeatReason } from "../record/repeats.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { RepeatReason } from "../model/run-event.ts" */

/**
 * @param {number} before attempts of earlier runs, or of earlier in this one
 * @returns {number[]} numbers of those that may follow at once
 */
export function attemptsAfter(before) {
  return Array.from({ length: ATTEMPTS }, (_, i) => before + 1 + i);
}

/**
 * @param {CellRecord} record of the attempt, which the results have
 * @param {PlannedCell} cell
 * @param {Results} results
 * @param {boolean} isLast of those that may follow at once
 * @returns {{why: RepeatReason, isAtOnce: boolean} | null} null: it is over
 */
export function repeatOf(record, cell, results, isLast) {
  const earlier = results.cells.filter((other) => other !== record);
  const why = repeatReason(record, earlier);
  if (!why) return null;
  const isAtOnce = why === "failed" || isSearch(cell);
  const isDue = isAtOnce ? !isLast : cellsToRepeat(results).some(({ id }) => id === cell.id);
  return isDue ? { why, isAtOnce } : null;
}

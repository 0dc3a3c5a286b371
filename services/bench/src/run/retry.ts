/**
 * Whether an attempt at a cell is followed by another: what failed, and a search, at once; what the
 * machine spoiled, when all other cells have been run.
 */
import { ATTEMPTS } from "../plan/estimate.ts";
import { cellsToRepeat, isSearch, repeatReason } from "../record/repeats.ts";
import type { CellRecord } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { RepeatReason } from "../model/run-event.ts";
import type { Store } from "../record/store.ts";

/**
 * @param before attempts of earlier runs, or of earlier in this one
 * @returns numbers of those that may follow at once
 */
export function attemptsAfter(before: number): number[] {
  return Array.from({ length: ATTEMPTS }, (_, i) => before + 1 + i);
}

/**
 * @param record of the attempt, which the store has
 * @param isLast of those that may follow at once
 * @returns null: it is over
 */
export function repeatOf(
  record: CellRecord,
  cell: PlannedCell,
  { results, before }: Pick<Store, "results" | "before">,
  isLast: boolean,
): { why: RepeatReason; isAtOnce: boolean } | null {
  const earlier = results.cells.filter((other) => other !== record);
  const why = repeatReason(record, earlier);
  if (!why) return null;
  const isAtOnce = why === "failed" || isSearch(cell);
  const isDue = isAtOnce
    ? !isLast
    : cellsToRepeat(results, before).some(({ id }) => id === cell.id);
  return isDue ? { why, isAtOnce } : null;
}

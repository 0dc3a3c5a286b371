/**
 * Which attempts are worth another: a cell that failed, and one that the machine spoiled.
 */
import { isSoak, workloadOf } from "../plan/workload.ts";
import { isDisturbed } from "./disturbance.ts";
import { isOffIndex } from "./machine-index.ts";
import type { CellRecord } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import type { RepeatReason } from "../model/run-event.ts";

/**
 * How often a cell that ended well is run again at the end of its run, and each time that the run is
 * resumed; tests that run beside others want none.
 */
export const REPEATS = Number(process.env.BENCH_REPEATS ?? 2);

/**
 * @param record of an attempt
 * @param earlier attempts of the run, at any cell
 * @returns why another may do better: it failed with an engine that still answers, others took too
 *   much of the machine, or that was far from as fast as before; null: it stands
 */
export function repeatReason(
  record: CellRecord,
  earlier: readonly CellRecord[],
): RepeatReason | null {
  const { status, cause } = record;
  if (status === "failed") return cause?.kind === "engine" ? null : "failed";
  if (status === "skipped") return null;
  if (isDisturbed(record)) return "disturbed";
  return isOffIndex(record, earlier) ? "off index" : null;
}

/**
 * Who takes a machine takes it for minutes, so such a cell waits until all others have been run.
 *
 * @param results so far
 * @param before attempts recorded when the run was started or resumed; left out: all, as if it were
 *   resumed now
 * @returns cells that ended well on a machine that was not as it should be, and are to be run again
 */
export function cellsToRepeat(
  { plan, cells }: Pick<Results, "plan" | "cells">,
  before = cells.length,
): PlannedCell[] {
  return plan.cells.filter((cell) => {
    const last = cells.findLastIndex(({ id }) => id === cell.id);
    if (last < 0 || cells[last].status !== "ok" || isSearch(cell)) return false;
    // What grows or is left is each proxy's own, whatever the machine's speed; and the proxies
    // beside it are others already.
    if (plan.sideBySide || isSoak(workloadOf(plan, cell))) return false;
    const ends = cells.flatMap(({ id, status }, i) => (id === cell.id && status === "ok" ? i : []));
    const repeats = ends.slice(1).filter((i) => i >= before).length;
    return repeats < REPEATS && repeatReason(cells[last], cells.slice(0, last)) !== null;
  });
}

/** @returns it searches for a rate, which other cells wait for: it is run again at once */
export function isSearch({ capacity }: PlannedCell): boolean {
  return capacity?.part === "search";
}

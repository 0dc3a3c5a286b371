/**
 * The rate of a fresh cell: what the search of its proxy and setting found, once that has ended.
 */
import { rateName, workloadOf } from "../plan/workload.ts";
import { bracketOf, rounded } from "../statistics/capacity-search.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";

/**
 * @param results so far
 * @returns with its rate, or as it was where it has no part in a search; a text: why there is
 *   nothing to run; null: its search has not ended well
 */
export function withFoundRate(
  cell: PlannedCell,
  { plan, cells }: Pick<Results, "plan" | "cells">,
): PlannedCell | string | null {
  const { capacity } = cell;
  if (capacity?.part !== "fresh") return cell;
  const search = cells.findLast(({ id, status }) => id === capacity.search && status !== "failed");
  if (search?.status === "skipped") return search.cause?.message ?? "its search was skipped";
  if (!search?.probes) return null;
  const { holds, isLimited } = bracketOf(search.probes);
  if (holds === null) return "the search found no rate that keeps the promise";
  if (isLimited && capacity.factor > 1)
    return "generator or machine were at their limit above the rate that the search found";
  const name = rateName(workloadOf(plan, cell)) as string;
  return {
    ...cell,
    parameters: { ...cell.parameters, [name]: rounded(capacity.factor * holds) },
  };
}

/**
 * The rate of a fresh cell: what the search of its proxy and setting found, once that has ended.
 */
import { resolutionOf } from "../plan/plan.ts";
import { probeParameters } from "../plan/probes.ts";
import { operationsOf, workloadOf } from "../plan/workload.ts";
import { referenceCpuUs } from "../record/machine-index.ts";
import { bracketOf, freshRates, RESOLUTION } from "../statistics/capacity-search.ts";
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
  const resolution = plan.promise ? resolutionOf(plan.promise) : RESOLUTION;
  const workload = workloadOf(plan, cell);
  const tries = search.probes.map((probe) => ({
    ...probe,
    referenceUs: referenceCpuUs(probe, operationsOf(workload)),
  }));
  const { at, above } = freshRates(tries, resolution);
  if (at === null) return "the search found no rate that keeps the promise";
  const isAbove = capacity.factor > 1;
  if (isAbove && above === null)
    return bracketOf(tries).isLimited
      ? "generator or machine were at their limit above the rate that the search found"
      : "no rate broke the promise";
  const rate = above !== null && isAbove ? above : at;
  return { ...cell, parameters: probeParameters(workload, cell.parameters, rate) };
}

/**
 * The CPU budget of a proxy of several containers: that of a cgroup around them.
 */
import { NO_QUOTA, quotaEnv, quotaOf } from "../plan/cpu-budget.ts";
import { coresOfBudgetGroup } from "../platform/budget-group.ts";
import { CellFailure } from "./cell-failure.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { RunContext } from "./run-context.ts";

/** @returns the cgroup; null: the proxy is one container, or has no budget */
function groupOf(
  { profile }: Pick<PlannedCell, "profile">,
  { budgetGroup, services }: Pick<RunContext, "budgetGroup" | "services">,
): string | null {
  return services[profile].length > 1 ? budgetGroup : null;
}

/** @returns knobs for Compose */
export function budgetEnv(
  cell: Pick<PlannedCell, "profile">,
  context: Pick<RunContext, "budgetGroup" | "services">,
): Record<string, string> {
  const group = groupOf(cell, context);
  return group === null ? {} : { ...quotaEnv(NO_QUOTA), PROXY_CGROUP_PARENT: group };
}

/**
 * @param containers of the proxy
 * @throws {CellFailure} when the engine did not put them into the cgroup
 */
export function assertOneBudget(
  cell: Pick<PlannedCell, "profile" | "proxy">,
  context: Pick<RunContext, "budgetGroup" | "proxyCpus" | "services">,
  containers: { service: string; pid: number }[],
) {
  const group = groupOf(cell, context);
  if (group === null) return;
  const { proxyCpus } = context;
  const { quotaMicroseconds, periodMicroseconds } = quotaOf(proxyCpus);
  for (const { service, pid } of containers) {
    const cores = coresOfBudgetGroup(pid, { group });
    if (cores === quotaMicroseconds / periodMicroseconds) continue;
    throw new CellFailure(
      "start",
      `${service} should share a CPU budget of ${proxyCpus} cores with the other containers of ${cell.proxy}, and has ${cores === null ? "none" : cores}`,
    );
  }
}

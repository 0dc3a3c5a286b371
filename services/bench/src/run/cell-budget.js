/**
 * The CPU budget of a proxy of several containers: that of a cgroup around them.
 */
import { NO_QUOTA, quotaEnv, quotaOf } from "../plan/cpu-budget.js";
import { coresOfBudgetGroup } from "../platform/budget-group.js";
import { CellFailure } from "./cell-failure.js";

/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { RunContext } from "./run-context.js" */

/**
 * @param {Pick<PlannedCell, "profile">} cell
 * @param {Pick<RunContext, "budgetGroup" | "services">} context
 * @returns {string | null} the cgroup; null: the proxy is one container, or has no budget
 */
function groupOf({ profile }, { budgetGroup, services }) {
  return services[profile].length > 1 ? budgetGroup : null;
}

/**
 * @param {Pick<PlannedCell, "profile">} cell
 * @param {Pick<RunContext, "budgetGroup" | "services">} context
 * @returns {Record<string, string>} knobs for Compose
 */
export function budgetEnv(cell, context) {
  const group = groupOf(cell, context);
  return group === null ? {} : { ...quotaEnv(NO_QUOTA), PROXY_CGROUP_PARENT: group };
}

/**
 * @param {Pick<PlannedCell, "profile" | "proxy">} cell
 * @param {Pick<RunContext, "budgetGroup" | "proxyCpus" | "services">} context
 * @param {{service: string, pid: number}[]} containers of the proxy
 * @throws {CellFailure} when the engine did not put them into the cgroup
 */
export function assertOneBudget(cell, context, containers) {
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

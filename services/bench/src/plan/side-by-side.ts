/**
 * Cells that run at once: all proxies of a setting and round, each in a Compose project of its own.
 */
import { UserError } from "../errors.ts";
import { isOnHostNetwork } from "./network.ts";
import { workloadOf } from "./workload.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";

/**
 * @param cells of it
 * @returns those that run at once, in the order in which they run; each is in one group
 */
export function groupsOf(
  { sideBySide }: Pick<Plan, "sideBySide">,
  cells: readonly PlannedCell[],
): PlannedCell[][] {
  if (!sideBySide) return cells.map((cell) => [cell]);
  const key = ({ round, scenario, scheme, parameters }: PlannedCell) =>
    JSON.stringify([round, scenario, scheme, parameters]);
  return [...Map.groupBy(cells, key).values()];
}

/**
 * @param plan of proxies side by side, with what the command line and the environment have changed
 * @throws {UserError} when they would have to be alone; exit code 2
 */
export function refuseAlone(plan: Plan) {
  const { battle, proxyCpus, cells } = plan;
  const refuse = (what: string, next: string) => {
    throw new UserError(`${what}, and the proxies of ${battle} run side by side`, next, 2);
  };
  if (proxyCpus > 0)
    refuse(
      `--proxy-cpus is ${proxyCpus}`,
      "Leave it out, or take sideBySide out of the battle: a budget is for proxies that run alone.",
    );
  if (cells.some((cell) => isOnHostNetwork(workloadOf(plan, cell))))
    refuse(
      "NETWORK is host",
      "Expected bridge: the machine's own network has each port once. Unset it, or take sideBySide out of the battle.",
    );
}

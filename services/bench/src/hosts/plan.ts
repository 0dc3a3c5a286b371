/**
 * What a battle over several machines cannot do yet, told before anything starts.
 */
import { UserError } from "../errors.ts";
import { isOwn } from "./file.ts";
import { needsOneBudget } from "../plan/cpu-budget.ts";
import { connectionsAtATime, workloadOf } from "../plan/workload.ts";
import type { Plan } from "../model/plan.ts";
import type { Machine } from "./file.ts";

/** @throws {UserError} exit code 2 */
export function refuseOverHosts(plan: Plan, machines: Machine[]) {
  const { battle, cells, scenarios } = plan;
  const observer = machines.find(({ roles }) => roles.includes("observe"));
  if (!observer || !isOwn(observer)) {
    throw new UserError(
      `${observer?.name} has the role observe, and the run observes where ./bench is`,
      "Expected observe on the machine with neither host nor context, or on none: leave the role out. Then ./bench hosts join.",
      2,
    );
  }
  const planned = cells.filter(({ skip }) => skip === null);
  if (plan.sideBySide) {
    throw new UserError(
      `the proxies of ${battle} run side by side, each in its own project, which works only on one machine`,
      "Run it without --hosts, or take sideBySide out of the battle.",
      2,
    );
  }
  const event = planned.find((cell) => cell.event !== undefined);
  if (event) {
    throw new UserError(
      `${battle} has the event ${event.event}, and events work only on one machine`,
      `Run it without --hosts, or another battle, such as quick, with it.`,
      2,
    );
  }
  for (const name of new Set(planned.map(({ scenario }) => scenario))) {
    const { backend, runner } = scenarios[name];
    if (runner === "k6" && backend === "echo") continue;
    const why =
      runner === "k6" ? `has another server than echo, ${backend}` : "is run by Node, not by k6";
    throw new UserError(
      `${battle} has the test ${name}, which ${why}: that does not work over several machines yet`,
      "Run it without --hosts, or another battle, such as quick, with it.",
      2,
    );
  }
}

/**
 * @param services of each profile
 * @throws {UserError} exit code 2
 */
export function refuseBudgetOverHosts(plan: Plan, services: Record<string, string[]>) {
  if (!needsOneBudget(services, plan)) return;
  throw new UserError(
    `--proxy-cpus ${plan.proxyCpus} is one budget for all containers of a proxy, which works only on the machine of ./bench`,
    "Expected a whole number of cores, or proxies of one container (--proxies): leave out those with a separate part for TLS.",
    2,
  );
}

/**
 * @returns in which each machine with the role load has as many load containers as the others; a
 *   cell with fewer connections at a time than that has one for each
 */
export function sharedByLoads(plan: Plan, machines: Machine[]): Plan {
  const count = machines.filter(({ roles }) => roles.includes("load")).length;
  const cells = plan.cells.map((cell) => {
    const most = connectionsAtATime(workloadOf(plan, cell));
    const loads = Math.max(cell.loads, Math.min(most, count * Math.ceil(cell.loads / count)));
    return { ...cell, loads };
  });
  return { ...plan, cells };
}

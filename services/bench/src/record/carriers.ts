/**
 * Which containers of a cell were on one machine, and how many machines there were: several engines
 * of hosts.yaml may run on one.
 */

import type { CellRecord } from "../model/cell.ts";
import type { Role } from "../model/container.ts";
import type { MachineUsage } from "../model/environment.ts";

/** @returns containers with this role ran on the proxy's machine, as on one alone all do */
export function isWithProxy(
  { containers, machines }: Pick<CellRecord, "containers" | "machines">,
  role: Role,
): boolean {
  const carriersOf = (asked: Role) =>
    Object.values(containers).flatMap((container) =>
      container.role === asked ? [realMachine(machines, container.machine)] : [],
    );
  const [carrier] = carriersOf("proxy");
  return carriersOf(role).every((machine) => machine === carrier);
}

/**
 * @param machines by their names in hosts.yaml
 * @param names of them; left out: all
 * @returns of each machine once, be there several engines on it
 */
export function usageOnce(
  machines: NonNullable<CellRecord["machines"]>,
  names: string[] = Object.keys(machines),
): MachineUsage[] {
  const once = new Set(names.map((name) => realMachine(machines, name)));
  return [...once].flatMap((name) => (name === undefined ? [] : (machines[name] ?? [])));
}

/** @returns the same for all names of one machine */
function realMachine(
  machines: CellRecord["machines"],
  name: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  return [name, ...(machines?.[name]?.sameMachineAs ?? [])].sort()[0];
}

/**
 * Which containers of a cell were on one machine, and how many machines there were: several engines of hosts.yaml may run on one.
 */

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Role } from "../model/container.ts" */
/** @import { MachineUsage } from "../model/environment.ts" */

/**
 * @param {Pick<CellRecord, "containers" | "machines">} record
 * @param {Role} role
 * @returns {boolean} containers with this role ran on the proxy's machine, as on one alone all do
 */
export function isWithProxy({ containers, machines }, role) {
  const carriersOf = (/** @type {Role} */ asked) =>
    Object.values(containers).flatMap((container) =>
      container.role === asked ? [realMachine(machines, container.machine)] : [],
    );
  const [carrier] = carriersOf("proxy");
  return carriersOf(role).every((machine) => machine === carrier);
}

/**
 * @param {NonNullable<CellRecord["machines"]>} machines by their names in hosts.yaml
 * @param {string[]} [names] of them; left out: all
 * @returns {MachineUsage[]} of each machine once, be there several engines on it
 */
export function usageOnce(machines, names = Object.keys(machines)) {
  const once = new Set(names.map((name) => realMachine(machines, name)));
  return [...once].flatMap((name) => (name === undefined ? [] : (machines[name] ?? [])));
}

/**
 * @param {CellRecord["machines"]} machines
 * @param {string | undefined} name
 * @returns {string | undefined} the same for all names of one machine
 */
function realMachine(machines, name) {
  if (name === undefined) return undefined;
  return [name, ...(machines?.[name]?.sameMachineAs ?? [])].sort()[0];
}

/**
 * Which containers of a cell were on one machine.
 */

/** @import { CellRecord, Role } from "./types.js" */

/**
 * @param {Pick<CellRecord, "containers">} record
 * @param {Role} role
 * @returns {boolean} containers with this role ran on the proxy's machine, as on one alone all do
 */
export function isWithProxy({ containers }, role) {
  const machinesOf = (/** @type {Role} */ asked) =>
    Object.values(containers).flatMap(({ role, machine }) => (role === asked ? [machine] : []));
  const [carrier] = machinesOf("proxy");
  return machinesOf(role).every((machine) => machine === carrier);
}

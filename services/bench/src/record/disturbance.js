/**
 * What others took from the machine while a cell was measured: the hypervisor, and programs that are none of this benchmark's.
 */

/** @import { CellRecord } from "./types.js" */

/** Shares of the machine's CPU time, in %: a cell with more is weak, or does not count and is repeated once. */
export const STEAL_LIMIT_PERCENT = { invalid: 10, weak: 2 };
export const FOREIGN_LIMIT_PERCENT = { invalid: 20, weak: 10 };

/**
 * @param {Pick<CellRecord, "machine" | "measured">} record
 * @returns {{steal: number, foreign: number} | null} shares of the machine's CPU time over the measured phase, in %; null: not known
 */
export function takenByOthers({ machine, measured }) {
  if (!machine || !measured) return null;
  const seconds = (machine.cores * (measured.toMs - measured.fromMs)) / 1000;
  if (!(seconds > 0)) return null;
  return {
    steal: (100 * machine.stealSeconds) / seconds,
    foreign: (100 * machine.foreignSeconds) / seconds,
  };
}

/**
 * @param {Pick<CellRecord, "machine" | "measured">} record
 * @returns {boolean} others took so much that its figures do not count, and another try may be spared that
 */
export function isDisturbed(record) {
  const taken = takenByOthers(record);
  if (!taken) return false;
  return taken.steal > STEAL_LIMIT_PERCENT.invalid || taken.foreign > FOREIGN_LIMIT_PERCENT.invalid;
}

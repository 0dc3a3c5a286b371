/**
 * What others took from the machine while a cell was measured: the hypervisor, and programs that
 * are none of this benchmark's.
 */

import type { CellRecord } from "../model/cell.ts";

/**
 * Shares of the machine's CPU time, in %: a cell with more is weak, or does not count and is
 * repeated.
 */
export const STEAL_LIMIT_PERCENT = { invalid: 10, weak: 2 };
export const FOREIGN_LIMIT_PERCENT = { invalid: 20, weak: 10 };

/**
 * @returns shares of the machine's CPU time over the measured phase, in %, of several machines the
 *   highest; null: not known
 */
export function takenByOthers({
  machine,
  machines,
  measured,
}: Pick<CellRecord, "machine" | "machines" | "measured">): {
  steal: number;
  foreign: number;
} | null {
  if (!machine || !measured) return null;
  const ms = measured.toMs - measured.fromMs;
  if (!(ms > 0)) return null;
  const used = machines ? Object.values(machines) : [machine];
  const highest = (key: "stealSeconds" | "foreignSeconds") =>
    Math.max(...used.map((each) => (100 * each[key]) / ((each.cores * ms) / 1000)));
  return { steal: highest("stealSeconds"), foreign: highest("foreignSeconds") };
}

/**
 * @returns others took so much that its figures do not count, and another try may be spared that;
 *   of a search: that of a rate which they may have broken, also when it was tried once more
 */
export function isDisturbed(
  record: Pick<CellRecord, "machine" | "machines" | "measured" | "probes">,
): boolean {
  if (record.probes)
    return record.probes.some(
      (probe, i, all) =>
        probe.verdict === "limited" && all[i + 1]?.rate !== probe.rate && isDisturbed(probe),
    );
  const taken = takenByOthers(record);
  if (!taken) return false;
  return taken.steal > STEAL_LIMIT_PERCENT.invalid || taken.foreign > FOREIGN_LIMIT_PERCENT.invalid;
}

/**
 * How fast the machine was in a cell: what an operation cost the reference proxy there.
 */
import { isDeepStrictEqual } from "node:util";
import { median } from "simple-statistics";
import type { CellRecord } from "../model/cell.ts";
import type { ReferenceLoad } from "../model/load.ts";

/** A cell whose index is further from the median is repeated, then marked. */
export const INDEX_LIMIT_PERCENT = 25;
/** Of fewer cells the median is no measure of the rest. */
const LEAST_CELLS = 3;
/**
 * With fewer operations, what the reference proxy does beside them is too much of its CPU time.
 */
const LEAST_OPERATIONS = 50;

/**
 * @returns CPU time of the reference proxy per operation in µs; null: it had too few of them, or no
 *   part in this cell
 */
export function referenceCpuUs(
  { containers, reference }: Pick<CellRecord, "containers" | "reference">,
  operations: keyof ReferenceLoad,
): number | null {
  const count = reference?.[operations] ?? 0;
  if (count < LEAST_OPERATIONS) return null;
  const seconds = Object.values(containers)
    .filter(({ role }) => role === "reference")
    .reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
  return seconds > 0 ? (1e6 * seconds) / count : null;
}

/**
 * @param record of a cell that ended well
 * @param earlier attempts of the run
 * @returns the machine was far from as fast as in the other cells of that setting so far, so
 *   another try may do better
 */
export function isOffIndex(record: CellRecord, earlier: readonly CellRecord[]): boolean {
  const own = indexOf(record);
  if (own === null) return false;
  const others = earlier
    .filter((other) => other.status === "ok" && isSameSetting(other, record))
    .flatMap((other) => indexOf(other) ?? []);
  if (others.length < LEAST_CELLS) return false;
  return Math.abs(own / median(others) - 1) > INDEX_LIMIT_PERCENT / 100;
}

function indexOf(record: CellRecord) {
  return (
    (record.connectionsHeld ? null : referenceCpuUs(record, "connections")) ??
    referenceCpuUs(record, "messages") ??
    referenceCpuUs(record, "requests")
  );
}

function isSameSetting(a: CellRecord, b: CellRecord) {
  return (
    a.scenario === b.scenario &&
    a.scheme === b.scheme &&
    isDeepStrictEqual(a.parameters, b.parameters)
  );
}

/**
 * What a load generator can use.
 */

import type { Workload } from "../model/plan.ts";
import type { CellRecord } from "../model/cell.ts";

/** @returns cores that its generators can use at most, together */
export function generatorCores(
  { containers, loadCores }: Pick<CellRecord, "containers" | "loadCores">,
  workload: Pick<Workload, "generatorThreads" | "threads" | "referenceShare">,
): number {
  const { generatorThreads, threads = Infinity, referenceShare } = workload;
  // A generator with a number of threads has a second one beside it for the reference, of one
  // thread.
  const each = generatorThreads === "one" ? 1 : threads + (referenceShare > 0 ? 1 : 0);
  const generators = Object.values(containers).filter(({ role }) => role === "load").length;
  return generators > 0 ? Math.min(loadCores, each * generators) : loadCores;
}

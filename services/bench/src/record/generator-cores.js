/**
 * What a load generator can use.
 */

/** @import { Workload } from "../model/plan.ts" */
/** @import { CellRecord } from "../model/cell.ts" */

/**
 * @param {Pick<CellRecord, "containers" | "loadCores">} record
 * @param {Pick<Workload, "generatorThreads" | "threads" | "referenceShare">} workload
 * @returns {number} cores that its generators can use at most, together
 */
export function generatorCores({ containers, loadCores }, workload) {
  const { generatorThreads, threads = Infinity, referenceShare } = workload;
  // A generator that is told its threads has a second one beside it for the reference proxy, of one thread.
  const each = generatorThreads === "one" ? 1 : threads + (referenceShare > 0 ? 1 : 0);
  const generators = Object.values(containers).filter(({ role }) => role === "load").length;
  return generators > 0 ? Math.min(loadCores, each * generators) : loadCores;
}

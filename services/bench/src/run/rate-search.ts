/**
 * The search of the highest rate that keeps the plan's promise: one rate after the other, in one
 * life of proxy and server.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { resolutionOf } from "../plan/plan.ts";
import { probeParameters } from "../plan/probes.ts";
import { rateName } from "../plan/workload.ts";
import { generatorCores } from "../record/generator-cores.ts";
import { judge } from "../record/promise.ts";
import { searchCapacity } from "../statistics/capacity-search.ts";
import { newRecord, probed } from "./cell-record.ts";
import { LoadMeasurement } from "./load-measurement.ts";
import { keptLog } from "./log.ts";
import type { CellRecord, Judgement, Probe } from "../model/cell.ts";
import type { CapacityPart, Parameters } from "../model/plan.ts";
import type { CellContainers } from "./cell-containers.ts";
import type { CellSetup } from "./cell-setup.ts";

/**
 * From one rate to the next: after one that was too high, by then a proxy has let go of what it
 * could not carry.
 */
const PAUSE_MS = { holds: 1000, fails: 3000, limited: 3000 };

function promiseOf({ cell, context: { promise } }: CellSetup) {
  if (!promise) throw new Error(`the plan of ${cell.id} has no promise to judge it by`);
  return promise;
}

/** @param record of a load at a rate */
export function judged(setup: CellSetup, record: CellRecord): Judgement {
  const { workload } = setup;
  return judge(record, promiseOf(setup), {
    holdsConnections: workload.holdsConnections,
    generatorCores: generatorCores(record, workload),
  });
}

export class RateSearch {
  #setup: CellSetup;
  #containers: CellContainers;
  #folder: string;

  /**
   * @param containers which have started
   * @param folder of the cell
   */
  constructor(setup: CellSetup, containers: CellContainers, folder: string) {
    this.#setup = setup;
    this.#containers = containers;
    this.#folder = folder;
  }

  /** @param record gets the probes, one by one */
  async into(record: CellRecord, { lowest, highest }: Extract<CapacityPart, { part: "search" }>) {
    const { cell, context, workload } = this.#setup;
    const name = rateName(workload) as string;
    const probes: Probe[] = [];
    record.probes = probes;
    const resolution = resolutionOf(promiseOf(this.#setup));
    const range = { from: cell.parameters[name], lowest, highest, resolution };
    await searchCapacity(async ({ rate, isNear }) => {
      const before = probes.at(-1);
      if (before) await sleep(PAUSE_MS[before.verdict], undefined, { signal: context.signal });
      const number = probes.length + 1;
      const parameters = probeParameters(workload, cell.parameters, rate, { isNear, number });
      const measured = newRecord({ ...cell, parameters }, record.attempt, context.loadCores);
      const probe = await this.#probe(measured, { parameters, rate, number });
      probes.push(probe);
      context.tell({ type: "probe", probe });
      return probe;
    }, range);
  }

  /**
   * @param measured nothing yet
   * @param about number: from 1
   */
  async #probe(
    measured: CellRecord,
    { parameters, rate, number }: { parameters: Parameters; rate: number; number: number },
  ): Promise<Probe> {
    const folder = join(this.#folder, `probe-${String(number).padStart(2, "0")}`);
    mkdirSync(folder);
    const about = { parameters, folder };
    const load = await new LoadMeasurement(this.#setup, this.#containers, about).into(measured);
    for (const [program, log] of await load.outputs())
      writeFileSync(join(folder, `${program}.log`), keptLog(log));
    return { rate, ...judged(this.#setup, measured), ...probed(measured) };
  }
}

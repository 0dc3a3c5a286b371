/**
 * The search of the highest rate that keeps the plan's promise: one rate after the other, in one life of proxy and server.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { resolutionOf } from "../plan/plan.js";
import { rateName } from "../plan/workload.js";
import { generatorCores } from "../record/generator-cores.js";
import { judge } from "../record/promise.js";
import { searchCapacity } from "../statistics/capacity-search.js";
import { newRecord, probed } from "./cell-record.js";
import { LoadMeasurement } from "./load-measurement.js";
import { keptLog } from "./log.js";

/** @import { CellRecord, Judgement, Probe } from "../model/cell.ts" */
/** @import { CapacityPart, Parameters } from "../model/plan.ts" */
/** @import { CellContainers } from "./cell-containers.js" */
/** @import { CellSetup } from "./cell-setup.js" */

/** From one rate to the next: after one that was too high, by then a proxy has let go of what it could not carry. */
const PAUSE_MS = { holds: 1000, fails: 3000, limited: 3000 };

/** @param {CellSetup} setup */
function promiseOf({ cell, context: { promise } }) {
  if (!promise) throw new Error(`the plan of ${cell.id} has no promise to judge it by`);
  return promise;
}

/**
 * @param {CellSetup} setup
 * @param {CellRecord} record of a load at a rate
 * @returns {Judgement}
 */
export function judged(setup, record) {
  const { workload } = setup;
  return judge(record, promiseOf(setup), {
    holdsConnections: workload.holdsConnections,
    generatorCores: generatorCores(record, workload),
  });
}

export class RateSearch {
  #setup;
  #containers;
  #folder;

  /**
   * @param {CellSetup} setup
   * @param {CellContainers} containers which have started
   * @param {string} folder of the cell
   */
  constructor(setup, containers, folder) {
    this.#setup = setup;
    this.#containers = containers;
    this.#folder = folder;
  }

  /**
   * @param {CellRecord} record gets the probes, one by one
   * @param {Extract<CapacityPart, {part: "search"}>} range
   */
  async into(record, { lowest, highest }) {
    const { cell, context, workload } = this.#setup;
    const name = /** @type {string} */ (rateName(workload));
    /** @type {Probe[]} */
    const probes = [];
    record.probes = probes;
    const resolution = resolutionOf(promiseOf(this.#setup));
    const range = { from: cell.parameters[name], lowest, highest, resolution };
    await searchCapacity(async (rate) => {
      const before = probes.at(-1);
      if (before) await sleep(PAUSE_MS[before.verdict], undefined, { signal: context.signal });
      const parameters = { ...cell.parameters, [name]: rate };
      const measured = newRecord({ ...cell, parameters }, record.attempt, context.loadCores);
      const probe = await this.#probe(measured, { parameters, rate, number: probes.length + 1 });
      probes.push(probe);
      context.tell({ type: "probe", probe });
      return probe;
    }, range);
  }

  /**
   * @param {CellRecord} measured nothing yet
   * @param {{parameters: Parameters, rate: number, number: number}} about number: from 1
   * @returns {Promise<Probe>}
   */
  async #probe(measured, { parameters, rate, number }) {
    const folder = join(this.#folder, `probe-${String(number).padStart(2, "0")}`);
    mkdirSync(folder);
    const about = { parameters, folder };
    const load = await new LoadMeasurement(this.#setup, this.#containers, about).into(measured);
    for (const [program, log] of await load.outputs())
      writeFileSync(join(folder, `${program}.log`), keptLog(log));
    return { rate, ...judged(this.#setup, measured), ...probed(measured) };
  }
}

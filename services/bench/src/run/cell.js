/**
 * One cell: start → verify → warm up → measure → stop. Echo server and proxy are fresh for each.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.js";
import { CellContainers, ECHO } from "./cell-containers.js";
import { CellFailure } from "./cell-failure.js";
import { newRecord } from "./cell-record.js";
import { addressOf, setUpCell } from "./cell-setup.js";
import { LoadMeasurement } from "./load-measurement.js";
import { judged, RateSearch } from "./rate-search.js";
import { verify, waitForAnswer } from "./verification.js";

/** @import { Phase } from "../model/run-event.ts" */
/** @import { CellRecord } from "../model/cell.ts" */
/** @import { CapacityPart, Parameters, PlannedCell } from "../model/plan.ts" */
/** @import { RunContext } from "./run-context.js" */

/** How long proxy and echo server may take to answer, in ms. */
const START_LIMIT_MS = 30_000;
/** What runs in the containers of the load before the load itself. */
const WARM_UP = "warm-up";

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @param {RunContext} context
 * @param {string} folder where samples and logs go; it exists
 * @returns {Promise<CellRecord>} of a failure too
 * @throws when the run was aborted, or by a fault of this program
 */
export async function runCell(cell, attempt, context, folder) {
  const cellRun = new CellRun(cell, attempt, context, folder);
  try {
    await cellRun.drive();
  } catch (error) {
    context.signal.throwIfAborted();
    cellRun.record.status = "failed";
    cellRun.record.cause = await cellRun.causeOf(error);
  }
  await cellRun.stop();
  return cellRun.record;
}

class CellRun {
  #setup;
  #containers;
  #folder;

  /**
   * @param {PlannedCell} cell
   * @param {number} attempt
   * @param {RunContext} context
   * @param {string} folder
   */
  constructor(cell, attempt, context, folder) {
    this.#setup = setUpCell(cell, context);
    this.#containers = new CellContainers(this.#setup);
    this.#folder = folder;
    this.record = newRecord(cell, attempt, context.loadCores);
  }

  async drive() {
    const { cell, scratch } = this.#setup;
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true });
    await this.#phase("start", "start", () => this.#start());
    await this.#phase("verify", "verify", () => this.#verify());
    const { warmUp, capacity } = cell;
    if (warmUp) await this.#phase("warm up", "warmUp", () => this.#warmUp(warmUp));
    this.#setup.context.tell({ type: "phase", phase: "measure" });
    if (capacity?.part === "search") await this.#search(capacity);
    else await this.#measure();
  }

  /**
   * @param {Phase} name
   * @param {keyof CellRecord["phases"]} key
   * @param {() => Promise<void>} action
   */
  async #phase(name, key, action) {
    const { signal, tell } = this.#setup.context;
    signal.throwIfAborted();
    tell({ type: "phase", phase: name });
    await this.#timed(key, action);
  }

  /**
   * @param {keyof CellRecord["phases"]} key
   * @param {() => Promise<void>} action
   */
  async #timed(key, action) {
    const startedMs = performance.now();
    try {
      await action();
    } finally {
      this.record.phases[key] = (performance.now() - startedMs) / 1000;
    }
  }

  async #start() {
    Object.assign(this.record, await this.#setup.context.placement.ready());
    await this.#containers.start();
  }

  async #verify() {
    const { cell, context, keyType, watch, workload } = this.#setup;
    const host = addressOf(this.#setup, "proxy");
    const patience = {
      // Two JVMs took 17 s on two cores that had other work.
      limitMs: workload.backend === ECHO ? START_LIMIT_MS : 2 * START_LIMIT_MS,
      signal: context.signal,
      assertAlive: () => watch.assertAlive(),
    };
    // A proxy that meets one of several before it listens leaves it out for some time: nginx for 10 s.
    for (const { address } of this.#containers.severalServers)
      await waitForAnswer({ scheme: "ws" }, { ...patience, host: address });
    await waitForAnswer(cell, { ...patience, host });
    const about = { ...context, host, keyType, limitMs: START_LIMIT_MS };
    this.record.tls = await verify(cell, workload, about);
  }

  /** @param {Parameters} changes */
  async #warmUp(changes) {
    const { cell, loads, watch } = this.#setup;
    const load = loads.start(WARM_UP, { ...cell.parameters, ...changes }, 1, {});
    await watch.within(cell.limitSeconds, load.ended);
    await load.assertSuccess();
  }

  async #measure() {
    const { parameters, capacity } = this.#setup.cell;
    const about = { parameters, folder: this.#folder };
    await new LoadMeasurement(this.#setup, this.#containers, about).into(this.record);
    if (capacity) this.record.judgement = judged(this.#setup, this.record);
  }

  /** @param {Extract<CapacityPart, {part: "search"}>} range */
  async #search(range) {
    const search = new RateSearch(this.#setup, this.#containers, this.#folder);
    await this.#timed("measure", () => search.into(this.record, range));
  }

  /**
   * @param {unknown} error
   * @returns {Promise<NonNullable<CellRecord["cause"]>>}
   * @throws the error, where it is a fault of this program
   */
  async causeOf(error) {
    const { context, watch } = this.#setup;
    const cause = await watch.explain(error);
    if (cause instanceof CellFailure) return { kind: cause.kind, message: cause.message };
    if (cause instanceof UserError) {
      const silence = await context.placement.silence();
      if (silence) return { kind: "engine", message: silence };
      return { kind: "start", message: `${cause.message}\n${cause.next}`.trim() };
    }
    throw cause;
  }

  /** Keeps the logs, then removes everything that belongs to this cell. */
  async stop() {
    const { context, generation, scratch } = this.#setup;
    context.tell({ type: "phase", phase: "stop" });
    await this.#timed("stop", async () => {
      // A machine that was lost keeps what it has until it is back.
      if (this.record.status === "failed") await context.placement.silence();
      await this.#containers.stop(join(this.#folder, "logs"));
      rmSync(scratch, { recursive: true, force: true });
      generation?.remove();
    });
  }
}

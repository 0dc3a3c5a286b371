/**
 * One cell: start → verify → warm up → measure → stop. Echo server and proxy are fresh for each.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { delaySeconds } from "../plan/events.ts";
import { CellContainers, ECHO } from "./cell-containers.ts";
import { CellFailure } from "./cell-failure.ts";
import { newRecord } from "./cell-record.ts";
import { addressOf, setUpCell } from "./cell-setup.ts";
import { LoadMeasurement } from "./load-measurement.ts";
import { judged, RateSearch } from "./rate-search.ts";
import { verify, waitForAnswer } from "./verification.ts";
import type { Phase } from "../model/run-event.ts";
import type { CellRecord } from "../model/cell.ts";
import type { CapacityPart, Parameters, PlannedCell } from "../model/plan.ts";
import type { RunContext } from "./run-context.ts";

/** How long proxy and echo server may take to answer, in ms. */
const START_LIMIT_MS = 30_000;
/** What runs in the containers of the load before the load itself. */
const WARM_UP = "warm-up";

/**
 * @param folder where samples and logs go; it exists
 * @returns of a failure too
 * @throws when the run was aborted, or by a fault of this program
 */
export async function runCell(
  cell: PlannedCell,
  attempt: number,
  context: RunContext,
  folder: string,
): Promise<CellRecord> {
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
  #containers: CellContainers;
  #folder: string;
  record: CellRecord;

  constructor(cell: PlannedCell, attempt: number, context: RunContext, folder: string) {
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
    const { warmUp, capacity, event, round } = cell;
    if (warmUp) await this.#phase("warm up", "warmUp", () => this.#warmUp(warmUp));
    const { signal } = this.#setup.context;
    if (event) await sleep(1000 * delaySeconds(event, round), undefined, { signal });
    this.#setup.context.tell({ type: "phase", phase: "measure" });
    if (capacity?.part === "search") await this.#search(capacity);
    else await this.#measure();
  }

  async #phase(name: Phase, key: keyof CellRecord["phases"], action: () => Promise<void>) {
    const { signal, tell } = this.#setup.context;
    signal.throwIfAborted();
    tell({ type: "phase", phase: name });
    await this.#timed(key, action);
  }

  async #timed(key: keyof CellRecord["phases"], action: () => Promise<void>) {
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
    // A proxy that meets one of several before it listens leaves it out for some time: nginx for 10
    // s.
    for (const { address } of this.#containers.severalServers)
      await waitForAnswer({ scheme: "ws" }, { ...patience, host: address });
    await waitForAnswer(cell, { ...patience, host });
    const about = { ...context, host, keyType, limitMs: START_LIMIT_MS };
    this.record.tls = await verify(cell, workload, about);
  }

  async #warmUp(changes: Parameters) {
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

  async #search(range: Extract<CapacityPart, { part: "search" }>) {
    const search = new RateSearch(this.#setup, this.#containers, this.#folder);
    await this.#timed("measure", () => search.into(this.record, range));
  }

  /** @throws the error, where it is a fault of this program */
  async causeOf(error: unknown): Promise<NonNullable<CellRecord["cause"]>> {
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
    const { context, certificates, generation, scratch } = this.#setup;
    context.tell({ type: "phase", phase: "stop" });
    await this.#timed("stop", async () => {
      // A machine that was lost keeps what it has until it is back.
      if (this.record.status === "failed") await context.placement.silence();
      await this.#containers.stop(join(this.#folder, "logs"));
      rmSync(scratch, { recursive: true, force: true });
      generation?.remove();
      certificates?.remove();
    });
  }
}

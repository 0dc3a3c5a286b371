/**
 * Writes what a battle is doing to InfluxDB while it does it. What is measured comes first: a write
 * is never waited for, one that fails is no failure of a cell, and all of it can be written again
 * from the record.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { endGlance, glanceOf } from "./glance.ts";
import {
  alignedPoints,
  cellPoint,
  eventPoint,
  failurePoints,
  livePoint,
  phasePoint,
} from "./points.ts";
import type { JudgedCell } from "../model/comparison.ts";
import type { Influx, Point } from "../platform/influx.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Glance } from "./glance.ts";
import type { Tell } from "./points.ts";
import type { Phase, RunEvent } from "../model/run-event.ts";

/** The database of services/influxdb/README.md. */
export const DATABASE = "bench";
/** All points of a second are one request: each costs this program and InfluxDB about 1 ms CPU. */
const INTERVAL_MS = 1000;
/** While InfluxDB does not answer, this many points are kept: some minutes of a battle. */
const KEPT_POINTS = 5000;
/**
 * This many writes in a row may go unanswered before a person is warned: InfluxDB may start again
 * beside a cell.
 */
const PATIENCE = 10;

export class Publisher {
  #influx: Pick<Influx, "write">;
  #run: string;
  #cellPath: (id: string, attempt: number) => string;
  #judge: (record: CellRecord) => JudgedCell;
  #tell: Tell;
  #versionOf: (proxy: string) => string;
  #note: (text: string) => void;
  #glance: Glance | undefined;
  #waiting: Point[] = [];
  #current: Extract<RunEvent, { type: "cell" }> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #unanswered = 0;
  #hasNoted = false;

  constructor({
    influx,
    run,
    cellPath,
    judge,
    tell,
    versionOf,
    note,
    intervalMs = INTERVAL_MS,
  }: {
    influx: Pick<Influx, "write">;
    /** its folder */
    run: string;
    /** folder of a cell */
    cellPath: (id: string, attempt: number) => string;
    /** what a record comes to */
    judge: (record: CellRecord) => JudgedCell;
    tell: Tell;
    /** of a proxy; empty: not told */
    versionOf: (proxy: string) => string;
    /** tells a person; once */
    note: (text: string) => void;
    intervalMs?: number;
  }) {
    this.#influx = influx;
    this.#run = run;
    this.#cellPath = cellPath;
    this.#judge = judge;
    this.#tell = tell;
    this.#versionOf = versionOf;
    this.#note = note;
    this.#timer = setInterval(() => this.#write(), intervalMs).unref();
  }

  /** Never throws. */
  listen(event: RunEvent) {
    try {
      this.#waiting.push(...this.#pointsOf(event));
      // The newest matter to those who look on.
      if (this.#waiting.length > KEPT_POINTS) this.#waiting = this.#waiting.slice(-KEPT_POINTS);
    } catch (error) {
      this.#say(error);
    }
  }

  /** Ends it; what waits is written, if InfluxDB answers. */
  async close() {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#write();
  }

  #pointsOf(event: RunEvent): Point[] {
    if (event.type === "cell") this.#current = event;
    const current = this.#current;
    if (!current) return [];
    if (!current.cell.observed) {
      // It is there to tell what observers cost: nothing is written beside it, and InfluxDB is
      // down. The run's end writes what waited.
      this.#waiting = [];
      return [];
    }
    const { cell } = current;
    switch (event.type) {
      case "phase":
        return this.#pointsOfPhase(current, event.phase);
      case "live":
        this.#glance?.add(event.sample);
        return [livePoint(this.#run, cell, event.sample), ...this.#glancePoint()];
      case "event":
        return [eventPoint(this.#run, cell, event)];
      case "cell-end":
        return this.#pointsOfRecord(event.record);
      default:
        return [];
    }
  }

  #pointsOfPhase({ cell, attempt }: Extract<RunEvent, { type: "cell" }>, phase: Phase): Point[] {
    const nowMs = Date.now();
    if (phase === "measure")
      this.#glance = glanceOf(this.#run, cell, nowMs, this.#versionOf(cell.proxy));
    return [phasePoint(this.#run, cell, attempt, phase, nowMs), ...this.#glancePoint()];
  }

  #glancePoint(): Point[] {
    return this.#glance ? [this.#glance.point] : [];
  }

  #pointsOfRecord(record: CellRecord) {
    const judged = this.#judge(record);
    const glance = this.#glance;
    this.#glance = undefined;
    if (glance) endGlance(glance, judged);
    const samples = join(this.#cellPath(record.id, record.attempt), "samples.csv");
    return [
      ...(glance ? [glance.point] : []),
      cellPoint(this.#run, judged, this.#tell),
      ...failurePoints(this.#run, record),
      ...(existsSync(samples)
        ? alignedPoints(this.#run, record, readFileSync(samples, "utf8"))
        : []),
    ];
  }

  /** @returns when the write under way has ended; it never rejects */
  #write(): Promise<void> {
    if (!this.#writing && this.#waiting.length > 0) {
      const points = this.#waiting;
      this.#waiting = [];
      this.#writing = this.#send(points).finally(() => (this.#writing = undefined));
    }
    return this.#writing ?? Promise.resolve();
  }

  async #send(points: Point[]) {
    try {
      await this.#influx.write(DATABASE, points);
      this.#unanswered = 0;
    } catch (error) {
      // What was refused would be refused again; what was not answered may be the next time.
      const isRefused = !(error instanceof UserError);
      if (!isRefused) this.#waiting = [...points, ...this.#waiting].slice(-KEPT_POINTS);
      this.#unanswered += 1;
      if (isRefused || this.#unanswered >= PATIENCE) this.#say(error);
    }
  }

  #say(error: unknown) {
    if (this.#hasNoted) return;
    this.#hasNoted = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#note(`Grafana does not show this run; the record is complete: ${why.slice(0, 300)}`);
  }
}

/**
 * Writes what a battle is doing to InfluxDB while it does it. What is measured comes first: a write is never waited for, one that
 * fails is no failure of a cell, and all of it can be written again from the record.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.js";
import {
  alignedPoints,
  cellPoint,
  eventPoint,
  failurePoints,
  livePoint,
  phasePoint,
} from "./points.js";

/** @import { JudgedCell } from "../model/comparison.ts" */
/** @import { Influx, Point } from "../platform/influx.js" */
/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Tell } from "./points.js" */
/** @import { RunEvent } from "../model/run-event.ts" */

/** The database of services/influxdb/README.md. */
export const DATABASE = "bench";
/** All points of a second are one request: each costs this program and InfluxDB about 1 ms CPU. */
const INTERVAL_MS = 1000;
/** While InfluxDB does not answer, so many points are kept: some minutes of a battle. */
const KEPT_POINTS = 5000;
/** So many writes in a row may go unanswered before a person is told: InfluxDB may start again beside a cell. */
const PATIENCE = 10;

export class Publisher {
  #influx;
  #run;
  #cellPath;
  #judge;
  #tell;
  #note;
  /** @type {Point[]} */
  #waiting = [];
  /** @type {Extract<RunEvent, {type: "cell"}> | undefined} */
  #current;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {Promise<void> | undefined} */
  #writing;
  #unanswered = 0;
  #hasNoted = false;

  /**
   * @param {object} options
   * @param {Pick<Influx, "write">} options.influx
   * @param {string} options.run its folder
   * @param {(id: string, attempt: number) => string} options.cellPath folder of a cell
   * @param {(record: CellRecord) => JudgedCell} options.judge what a record comes to
   * @param {Tell} options.tell
   * @param {(text: string) => void} options.note tells a person; once
   * @param {number} [options.intervalMs]
   */
  constructor({ influx, run, cellPath, judge, tell, note, intervalMs = INTERVAL_MS }) {
    this.#influx = influx;
    this.#run = run;
    this.#cellPath = cellPath;
    this.#judge = judge;
    this.#tell = tell;
    this.#note = note;
    this.#timer = setInterval(() => this.#write(), intervalMs).unref();
  }

  /**
   * Never throws.
   *
   * @param {RunEvent} event
   */
  listen(event) {
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

  /**
   * @param {RunEvent} event
   * @returns {Point[]}
   */
  #pointsOf(event) {
    if (event.type === "cell") this.#current = event;
    const current = this.#current;
    if (!current) return [];
    if (!current.cell.observed) {
      // It is there to tell what observers cost: nothing is written beside it, and InfluxDB is down. The run's end writes what waited.
      this.#waiting = [];
      return [];
    }
    const { cell, attempt } = current;
    switch (event.type) {
      case "phase":
        return [phasePoint(this.#run, cell, attempt, event.phase, Date.now())];
      case "live":
        return [livePoint(this.#run, cell, event.sample)];
      case "event":
        return [eventPoint(this.#run, cell, event)];
      case "cell-end":
        return this.#pointsOfRecord(event.record);
      default:
        return [];
    }
  }

  /** @param {CellRecord} record */
  #pointsOfRecord(record) {
    const samples = join(this.#cellPath(record.id, record.attempt), "samples.csv");
    return [
      cellPoint(this.#run, this.#judge(record), this.#tell),
      ...failurePoints(this.#run, record),
      ...(existsSync(samples)
        ? alignedPoints(this.#run, record, readFileSync(samples, "utf8"))
        : []),
    ];
  }

  /** @returns {Promise<void>} when the write under way has ended; it never rejects */
  #write() {
    if (!this.#writing && this.#waiting.length > 0) {
      const points = this.#waiting;
      this.#waiting = [];
      this.#writing = this.#send(points).finally(() => (this.#writing = undefined));
    }
    return this.#writing ?? Promise.resolve();
  }

  /** @param {Point[]} points */
  async #send(points) {
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

  /** @param {unknown} error */
  #say(error) {
    if (this.#hasNoted) return;
    this.#hasNoted = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#note(`Grafana lacks what this run is doing, the record has it: ${why.slice(0, 300)}`);
  }
}

/**
 * Samples of a Node client in the forms that k6 gives them: its CSV of raw samples, and the values of its summary. So one piece of
 * code reads both.
 */
import { appendFileSync, writeFileSync } from "node:fs";

/** @import { LatencySummary } from "../../services/bench/src/model/load.ts" */
/** @typedef {import("./summary.js").Values} Values */

/** As k6 does: the runner's live view looks at what a second has brought. */
const WRITE_MS = 1000;

export class Samples {
  /** @type {{metric: string, us: number, value: number}[]} */
  #rows = [];
  #file;
  /** Rows that are in the file. */
  #written = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {string} [file] written once a second, as k6's CSV output does; none: it is not */
  constructor(file) {
    this.#file = file;
    if (!file) return;
    writeFileSync(file, "metric_name,timestamp,metric_value\n");
    this.#timer = setInterval(() => this.#write(), WRITE_MS).unref();
  }

  /**
   * @param {string} metric k6's name for it, such as handshake_ms
   * @param {number} value in ms
   */
  add(metric, value) {
    const us = Math.round(1000 * (performance.timeOrigin + performance.now()));
    this.#rows.push({ metric, us, value });
  }

  /**
   * @param {string} metric
   * @returns {Values} what k6's Trend has of it; {}: no sample
   */
  trend(metric) {
    const values = this.#rows.filter((row) => row.metric === metric).map(({ value }) => value);
    if (values.length === 0) return {};
    values.sort((a, b) => a - b);
    return {
      count: values.length,
      avg: values.reduce((sum, value) => sum + value, 0) / values.length,
      min: values[0],
      med: quantile(values, 0.5),
      "p(90)": quantile(values, 0.9),
      "p(95)": quantile(values, 0.95),
      "p(99)": quantile(values, 0.99),
      "p(99.9)": quantile(values, 0.999),
      max: values[values.length - 1],
    };
  }

  /**
   * @param {Record<string, number>} counts by k6's names
   * @returns {import("./summary.js").SummaryData} of these, and of the metrics that every load of WebSockets has
   */
  data(counts) {
    return {
      metrics: Object.fromEntries([
        ...Object.entries(counts).map(([metric, value]) => [metric, { values: { count: value } }]),
        ...["handshake_ms", "echo_latency_ms", "total_ms"].map((metric) => [
          metric,
          { values: this.trend(metric) },
        ]),
      ]),
    };
  }

  /** Writes what is not in the file yet. */
  end() {
    clearInterval(this.#timer);
    this.#write();
  }

  #write() {
    if (!this.#file) return;
    const lines = this.#rows
      .slice(this.#written)
      .map(({ metric, us, value }) => `${metric},${us},${value.toFixed(6)}\n`);
    this.#written = this.#rows.length;
    appendFileSync(this.#file, lines.join(""));
  }
}

/**
 * @param {number[]} values in ms
 * @returns {LatencySummary | null} as a cell's record has it; null: there are none
 */
export function latencySummary(values) {
  const count = values.length;
  if (count === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ q) => quantile(sorted, q);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count);
  const [min, median, p90, p95, p99, p999, max] = [0, 0.5, 0.9, 0.95, 0.99, 0.999, 1].map(at);
  return { count, mean, sd, min, median, p90, p95, p99, p999, max };
}

/**
 * @param {number[]} sorted at least one
 * @param {number} q
 * @returns {number} between the two that are nearest, as k6 has it
 */
export function quantile(sorted, q) {
  const place = q * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place - Math.floor(place));
}

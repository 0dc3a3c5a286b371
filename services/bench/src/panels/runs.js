/**
 * Which run is exported: one of results/, or one of `docker compose up`, which is in InfluxDB alone.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { didYouMean, UserError } from "../errors.js";
import { Store } from "../record/store.js";

/** @import { Influx } from "../platform/influx.js" */

/**
 * @typedef {object} Run
 * @property {string} name
 * @property {Store | null} store its record; null: it has none
 * @property {number} fromMs since 1970
 * @property {number} toMs
 */

/**
 * @param {string} results the folder
 * @returns {string[]} names of the runs in it, the newest first
 */
export function recordedRuns(results) {
  if (!existsSync(results)) return [];
  return readdirSync(results)
    .filter((name) => existsSync(join(results, name, "results.json")))
    .sort()
    .reverse();
}

/**
 * @param {string} results the folder
 * @param {string} operand name of a run, or its folder
 * @returns {Run | null} null: there is no record of it
 */
export function recordedRun(results, operand) {
  const folders = [resolve(operand), join(results, basename(operand))];
  const folder = folders.find((one) => existsSync(join(one, "results.json")));
  if (!folder || !statSync(folder).isDirectory()) return null;
  const store = Store.open(folder);
  const { run, cells } = store.results;
  const ends = cells.map(
    ({ startedAt, phases }) =>
      Date.parse(startedAt) +
      1000 * Object.values(phases).reduce((sum, seconds) => sum + seconds, 0),
  );
  return {
    name: run.name,
    store,
    fromMs: Date.parse(run.startedAt),
    toMs: run.endedAt
      ? Date.parse(run.endedAt)
      : Math.max(Date.parse(run.startedAt) + 1000, ...ends),
  };
}

/**
 * @param {Influx} influx
 * @returns {Promise<string[]>} names of the runs of `docker compose up`, the newest first
 */
export async function liveRuns(influx) {
  const series = await influx.query('SHOW TAG VALUES ON "k6" FROM "vus" WITH KEY = "run"');
  return series
    .flatMap(({ values }) => values.map(([, name]) => name))
    .sort()
    .reverse();
}

/**
 * @param {Influx} influx
 * @param {string} name
 * @returns {Promise<Run>}
 */
export async function liveRun(influx, name) {
  const where = `FROM "k6".."vus" WHERE "run" = '${name.replace(/['\\]/g, "\\$&")}'`;
  const series = await influx.query(
    `SELECT first("value") ${where}; SELECT last("value") ${where}`,
  );
  const [fromMs, toMs] = series.map(({ values }) => values[0][0]);
  // cAdvisor sees the proxy start before the load does, and end after it.
  return { name, store: null, fromMs: fromMs - 10_000, toMs: toMs + 5000 };
}

/**
 * @param {string} name
 * @param {string[]} known
 * @returns {UserError} exit code 2
 */
export function unknownRun(name, known) {
  return new UserError(
    `unknown run: ${name}`,
    `${didYouMean(name, known)}Runs: ${known.join(", ") || "none; ./bench run makes one"}.`,
    2,
  );
}

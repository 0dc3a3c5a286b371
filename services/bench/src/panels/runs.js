/**
 * Which run is exported: one that has a record, or one of `docker compose up`, which is in InfluxDB alone.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { didYouMean, UserError } from "../errors.js";
import { settingLabel } from "../plan/describe.js";
import { folderOf, runNameAt } from "../plan/run-name.js";
import { Store } from "../record/store.js";

/**
 * @import { ScenarioDescription } from "../model/plan.ts"
 * @import { Load } from "./caption.js"
 *
 * @typedef {object} Run
 * @property {string} name
 * @property {Store | null} store its record; null: it has none
 * @property {number} startedMs since 1970
 * @property {number} fromMs of what is shown of it
 * @property {number} toMs
 * @property {Load[]} loads what its proxies were put under
 *
 * @typedef {{name: string, fromMs: number}} Single a run of `docker compose up`; fromMs: since 1970, its start
 */

/** cAdvisor sees the proxy start before the load does, and end after it. */
const BEFORE_MS = 10_000;
const AFTER_MS = 5000;

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
  const { run, cells, plan } = store.results;
  const startedMs = Date.parse(run.startedAt);
  const ends = cells.map(
    ({ startedAt, phases }) =>
      Date.parse(startedAt) +
      1000 * Object.values(phases).reduce((sum, seconds) => sum + seconds, 0),
  );
  return {
    name: run.name,
    store,
    startedMs,
    fromMs: startedMs,
    toMs: run.endedAt ? Date.parse(run.endedAt) : Math.max(startedMs + 1000, ...ends),
    loads: plan.cells.map((cell) => ({
      ...cell,
      description: plan.scenarios[cell.scenario],
      setting: settingLabel(cell),
    })),
  };
}

/**
 * @param {string} name
 * @param {{fromMs: number, toMs: number, loads: Omit<Load, "description">[]}} seen first and last sample of its load
 * @param {Record<string, ScenarioDescription>} scenarios that the project has now
 * @returns {Run} of `docker compose up`
 */
export function singleRun(name, { fromMs, toMs, loads }, scenarios) {
  return {
    name,
    store: null,
    startedMs: fromMs,
    fromMs: fromMs - BEFORE_MS,
    toMs: toMs + AFTER_MS,
    loads: loads.map((load) => ({ ...load, description: scenarios[load.scenario] ?? null })),
  };
}

/**
 * @param {string[]} recorded names of runs in results/, which begin with the time of their start
 * @param {Single[]} singles whose names may be anything
 * @returns {string | undefined} name of the newest; undefined: there is none
 */
export function newestRun(recorded, singles) {
  const runs = [
    ...recorded.map((name) => ({ name, time: name })),
    ...singles.map(({ name, fromMs }) => ({ name, time: runNameAt(new Date(fromMs)) })),
  ];
  return runs.sort((a, b) => b.time.localeCompare(a.time))[0]?.name;
}

/**
 * @param {Single[]} singles
 * @param {string} operand name of a run, or its folder, which is another where the name has what a folder cannot have
 * @returns {string | undefined} its name; undefined: it is none of them
 */
export function singleNamed(singles, operand) {
  const names = singles.map(({ name }) => name);
  return (
    names.find((name) => name === operand) ??
    names.find((name) => folderOf(name) === basename(operand))
  );
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

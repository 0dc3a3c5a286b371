/** Which run is exported: one with a record, or one of `docker compose up`, without. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { didYouMean, UserError } from "../errors.ts";
import { settingLabel } from "../plan/describe.ts";
import { folderOf, runNameAt } from "../plan/run-name.ts";
import { Store } from "../record/store.ts";
import type { ScenarioDescription } from "../model/plan.ts";
import type { Load } from "./caption.ts";
import type { Range } from "./query.ts";

/** The range is what is shown of it. */
export type Run = Range & {
  name: string;
  /** Its record; null: it has none. */
  store: Store | null;
  startedMs: number;
  /** What its proxies were put under. */
  loads: Load[];
};
/** A run of `docker compose up`, and its start. */
export type Single = { name: string; fromMs: number };

/** cAdvisor sees the proxy start before the load does, and end after it. */
const BEFORE_MS = 10_000;
const AFTER_MS = 5000;

/** @returns names of the runs in the folder, the newest first */
export function recordedRuns(results: string): string[] {
  if (!existsSync(results)) return [];
  const isRun = (name: string) => existsSync(join(results, name, "results.json"));
  return readdirSync(results).filter(isRun).sort().reverse();
}

/**
 * @param results the folder
 * @param operand name of a run, or its folder
 * @returns null: there is no record of it
 */
export function recordedRun(results: string, operand: string): Run | null {
  const folders = [resolve(operand), join(results, basename(operand))];
  const folder = folders.find((one) => existsSync(join(one, "results.json")));
  if (!folder) return null;
  const store = Store.open(folder);
  const { run, cells, plan } = store.results;
  const startedMs = Date.parse(run.startedAt);
  const ends = cells.map(({ startedAt, phases }) =>
    Object.values(phases).reduce((ms, seconds) => ms + 1000 * seconds, Date.parse(startedAt)),
  );
  const toMs = run.endedAt ? Date.parse(run.endedAt) : Math.max(startedMs + 1000, ...ends);
  const loads = plan.cells.map((cell) => {
    return { ...cell, description: plan.scenarios[cell.scenario], setting: settingLabel(cell) };
  });
  return { name: run.name, store, startedMs, fromMs: startedMs, toMs, loads };
}

/**
 * @param seen first and last sample of its load
 * @param scenarios that the project has now
 * @returns a run of `docker compose up`
 */
export function singleRun(
  name: string,
  { fromMs, toMs, loads }: Range & { loads: Omit<Load, "description">[] },
  scenarios: Record<string, ScenarioDescription>,
): Run {
  return {
    ...{ name, store: null, startedMs: fromMs },
    ...{ fromMs: fromMs - BEFORE_MS, toMs: toMs + AFTER_MS },
    loads: loads.map((load) => ({ ...load, description: scenarios[load.scenario] ?? null })),
  };
}

/**
 * @param recorded names of runs in results/, which begin with the time of their start
 * @param singles whose names may be anything
 * @returns name of the newest; undefined: there is none
 */
export function newestRun(recorded: string[], singles: Single[]): string | undefined {
  const runs = [
    ...recorded.map((name) => ({ name, time: name })),
    ...singles.map(({ name, fromMs }) => ({ name, time: runNameAt(new Date(fromMs)) })),
  ];
  return runs.sort((a, b) => b.time.localeCompare(a.time))[0]?.name;
}

/**
 * @param operand name of a run, or its folder, which cannot have every character of a name
 * @returns its name; undefined: it is none of them
 */
export function singleNamed(singles: Single[], operand: string): string | undefined {
  const names = singles.map(({ name }) => name);
  const isFolder = (name: string) => folderOf(name) === basename(operand);
  return names.find((name) => name === operand) ?? names.find(isFolder);
}

/** @returns exit code 2 */
export function unknownRun(name: string, known: string[]): UserError {
  const runs = `Runs: ${known.join(", ") || "none; ./bench run makes one"}.`;
  return new UserError(`unknown run: ${name}`, didYouMean(name, known) + runs, 2);
}

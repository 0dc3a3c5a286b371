/**
 * `publish`: puts a run where the repository keeps it: its record, its comparisons, its report's
 * short form, and one archive of all raw files; and updates the pages over all published runs.
 */
import { existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { counted, number } from "../numbers.ts";
import { packCells } from "../record/archive.ts";
import { Store } from "../record/store.ts";
import { writePages } from "./published-pages.ts";
import { PUBLISHED_FILES, writeReport } from "./report.ts";
import type { Results } from "../model/record.ts";
import type { PublishArguments } from "./definitions/publish.ts";

/**
 * A run replaces no other: whoever may choose among runs of a battle chooses what it says.
 *
 * @param directory the project's
 * @param wanted directory: folder of the run; remark: a sentence for its report
 * @throws {UserError} when the run is not complete, published already, or of a part of the proxies
 */
export async function publish(
  directory: string,
  { directory: folder, remark }: PublishArguments,
  say: (line: string) => void,
) {
  const { directory: source, results } = Store.open(resolve(folder));
  const { run, environment } = results;
  const given = relative(directory, source);
  if (results.archive)
    throw new UserError(`${given} is published already`, "Expected a folder of results/.", 2);
  if (!run.endedAt)
    throw new UserError(
      `${given} is not complete: an interrupted run is not published`,
      `Resume it: ./bench run --resume ${given}`,
      2,
    );
  const battle = join(directory, "published", publishedName(results));
  const ofDay = join(battle, run.startedAt.slice(0, 10));
  const target = existsSync(ofDay)
    ? join(battle, run.startedAt.slice(0, 16).replace(":", "-"))
    : ofDay;
  const same = [ofDay, target].find(
    (one) => existsSync(one) && Store.open(one).results.run.name === run.name,
  );
  if (same)
    throw new UserError(
      `${given} is published already: ${relative(directory, same)}`,
      `Another run of the battle stands beside it: ${run.command}`,
      2,
    );
  refusePart(battle, given, results);
  // Nothing is there under its name before all of it is.
  const part = `${target}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const archive = packCells(source, part);
  writeFileSync(
    join(part, "results.json"),
    lineAnAttempt({ ...results, run: { ...run, remark }, archive }),
  );
  writeFileSync(join(part, "environment.json"), `${JSON.stringify(environment, null, 1)}\n`);
  writeReport(directory, Store.open(part), PUBLISHED_FILES);
  renameSync(part, target);
  const pages = await writePages(directory);
  say(
    `${relative(directory, target)}: ${counted(archive.files, "raw file")} in ${archive.file}, ${number(archive.bytes / 1e6)} MB`,
  );
  if (pages.length > 0) say(`updated pages over all runs: ${pages.join(", ")}`);
}

/** The newest run stands for its battle: of a part of the proxies it would hide the others. */
function refusePart(battle: string, given: string, { plan, run }: Results) {
  const newest = globSync("*/results.json", { cwd: battle }).sort().at(-1);
  if (!newest) return;
  const { directory, results } = Store.open(join(battle, dirname(newest)));
  const all = results.plan.proxies;
  const left = all.filter((proxy) => !plan.proxies.includes(proxy));
  const isPart = left.length > 0 && plan.proxies.every((proxy) => all.includes(proxy));
  if (!isPart || results.run.method !== run.method) return;
  throw new UserError(
    `${given} lacks ${left.join(", ")} of published/${basename(battle)}/${basename(directory)}, and would stand for the battle in its place`,
    `Expected all of its proxies: ./bench run ${plan.battle}; or a battle of its own`,
    2,
  );
}

/**
 * A battle over several machines answers another question than the same on one: both may be
 * published.
 *
 * @returns name of its folder in published/
 */
function publishedName({ plan, environment }: Pick<Results, "plan" | "environment">): string {
  const machines = environment.machines ?? [];
  return machines.length > 1 ? `${plan.battle}-machines` : plan.battle;
}

/**
 * @returns JSON with a line for each attempt: indented, hundreds of them take half as much room
 *   again
 */
function lineAnAttempt({ cells, ...rest }: Results): string {
  const about = Object.entries(rest).map(([key, value]) => `"${key}": ${JSON.stringify(value)}`);
  const attempts = cells.map((cell) => JSON.stringify(cell));
  return `{\n${about.join(",\n")},\n"cells": [\n${attempts.join(",\n")}\n]\n}\n`;
}

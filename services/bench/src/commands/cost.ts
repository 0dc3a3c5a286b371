/**
 * `cost`: what a load would cost each proxy, by the model of a run of the battle `cost`; and how
 * right that is, by predictions that are written down before mixed loads are measured.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { checkedMixes, predictionsOf } from "../analyse/cost-check.ts";
import { COST_BATTLE, costModel, loadOf, machineSpeed } from "../analyse/cost-model.ts";
import { settingsOf } from "../analyse/settings.ts";
import { UserError } from "../errors.ts";
import { counted } from "../numbers.ts";
import { readBattle } from "../plan/battle.ts";
import { makePlan } from "../plan/plan.ts";
import { readProxies } from "../plan/proxies.ts";
import { table } from "../report/block.ts";
import { accuracyTable, costTable, mixTable } from "../report/cost-text.ts";
import { markdownOf } from "../report/markdown.ts";
import { tableText } from "../report/terminal.ts";
import type { CostArguments } from "./definitions/cost.ts";
import type { Tools } from "./definitions/command.ts";
import type { Comparisons, Estimate } from "../model/comparison.ts";
import type { CheckedMix, Predictions } from "../analyse/cost-check.ts";
import type { Load } from "../analyse/cost-model.ts";

const CALIBRATION = "calibrate";
const COMPARISONS = "comparisons.json";
const PREDICTIONS = "predictions.json";

/**
 * @param directory the project's
 * @returns exit status
 */
export async function cost(
  directory: string,
  { load: { tls, ...load }, from, predict, check, markdown }: CostArguments,
  { say, print }: Pick<Tools, "say" | "print">,
): Promise<number> {
  const base = from ? runNamed(directory, from) : newestOf(directory, COST_BATTLE);
  if (!base)
    throw new UserError(
      `there is no run of the battle ${COST_BATTLE}`,
      `./bench run ${COST_BATTLE} makes one; --from names any other.`,
    );
  const comparisons = read(base);
  const { battle } = comparisons;
  if (battle !== COST_BATTLE)
    throw new UserError(
      `${relative(directory, base)} is a run of ${battle}`,
      `Expected a run of ${COST_BATTLE}.`,
      2,
    );
  if (predict) return writePredictions(directory, base, predict, say);
  if (check) {
    print(checkText(directory, base, check, markdown));
    return 0;
  }
  const calibration = newestOf(directory, CALIBRATION);
  const speed = calibration === null ? null : machineSpeed(read(calibration), comparisons);
  const wanted: Load = { scheme: tls ? "wss" : "ws", ...load };
  const { note, ...costs } = costTable(costModel(comparisons), wanted, speed?.value);
  if (costs.rows.length === 0)
    throw new UserError(
      `${relative(directory, base)} has measured nothing over ${wanted.scheme}`,
      `Expected a run with --scheme ${wanted.scheme}, or of both.`,
    );
  print(tableText({ ...costs, note: "" }).join("\n"));
  print("");
  if (note) print(note);
  print(`From ${relative(directory, base)}. ${speedText(speed)}`);
  return 0;
}

function speedText(speed: Estimate | null): string {
  return speed
    ? `CPU is scaled to this machine: × ${speed.value.toFixed(2)}, by ./bench calibrate.`
    : "CPU is as on its machine: ./bench calibrate, a minute, scales it to this one.";
}

/** Of the battle's mixed loads, beside the run that they are made from: once, for all to see. */
function writePredictions(
  directory: string,
  base: string,
  battle: string,
  say: (line: string) => void,
): number {
  const file = join(base, PREDICTIONS);
  if (existsSync(file))
    throw new UserError(
      `${relative(directory, file)} exists: a prediction is made once`,
      "Make another run of the battle cost, or name one with --from.",
    );
  const proxies = readProxies(join(directory, "proxies"));
  const plan = makePlan(readBattle(directory, battle, { proxies }), {}, { proxies });
  const mixes = settingsOf({ plan })
    .filter(({ workload }) => workload.arrivalsPerSecond !== undefined)
    .map(({ key, scheme, workload }) => ({ setting: key, load: loadOf(scheme, workload) }));
  if (mixes.length === 0)
    throw new UserError(
      `the battle ${battle} has no mixed loads`,
      "Expected one with tests of the scenario mixed.",
      2,
    );
  const predictions = predictionsOf(costModel(read(base)), mixes, { battle, now: new Date() });
  writeFileSync(file, `${JSON.stringify(predictions, null, 1)}\n`);
  say(`${relative(directory, file)}: ${counted(mixes.length, "mix", "mixes")} of ${battle}`);
  return 0;
}

function checkText(directory: string, base: string, name: string, markdown: boolean): string {
  const folder = runNamed(directory, name);
  const run = read(folder);
  const file = join(base, PREDICTIONS);
  if (!existsSync(file))
    throw new UserError(
      `there are no predictions: ${relative(directory, file)}`,
      `Expected those of ./bench cost --predict ${run.battle}, made before the run.`,
    );
  const predictions: Predictions = JSON.parse(readFileSync(file, "utf8"));
  if (predictions.madeAt >= run.startedAt)
    throw new UserError(
      `${relative(directory, folder)} began before the predictions were made (${predictions.madeAt})`,
      "Expected a run that nobody had seen then.",
    );
  const mixes = checkedMixes(predictions, run);
  if (mixes.length === 0)
    throw new UserError(
      `${relative(directory, folder)} has none of the loads that were predicted`,
      `Expected a run of ${predictions.battle}.`,
      2,
    );
  const tables = [accuracyTable(mixes), ...mixes.map(mixTable)];
  const told = `Predicted from ${basename(base)} at ${predictions.madeAt}; measured by ${basename(folder)}, started at ${run.startedAt}. ${referenceText(mixes)}`;
  return markdown
    ? markdownOf([{ kind: "text", text: told }, ...tables.map(table)])
    : [told, ...tables.map((one) => tableText(one).join("\n"))].join("\n\n");
}

function referenceText(mixes: CheckedMix[]): string {
  const all = mixes.flatMap(({ reference }) => reference ?? []).toSorted((a, b) => a - b);
  if (all.length === 0)
    return "CPU is not checked: the reference, which tells the machine's speed, is not in both.";
  const [least, most] = [all[0], all[all.length - 1]].map((one) => one.toFixed(2));
  return `CPU is checked relative to the reference beside each proxy. The reference itself cost ${least} to ${most} times what was predicted of it: the machine's speed, and errors that all proxies share.`;
}

function read(folder: string): Comparisons {
  return JSON.parse(readFileSync(join(folder, COMPARISONS), "utf8"));
}

function placesOf(directory: string): string[] {
  return [process.env.BENCH_RESULTS || join(directory, "results"), join(directory, "published")];
}

/** A folder with comparisons, in results/ or in published/, or by its path. */
function runNamed(directory: string, name: string): string {
  const folder = [resolve(name), ...placesOf(directory).map((place) => join(place, name))].find(
    (each) => existsSync(join(each, COMPARISONS)),
  );
  if (folder) return folder;
  throw new UserError(
    `there is no run ${name}, or it has no ${COMPARISONS}`,
    "Expected a folder of results/ or published/, by its name or path; ./bench report makes its comparisons again.",
    2,
  );
}

/** In results/ before published/, the complete one that began last; null: there is none. */
function newestOf(directory: string, battle: string): string | null {
  for (const place of placesOf(directory)) {
    // Of published ones each battle has a folder.
    const folders = globSync(`{*,*/*}/${COMPARISONS}`, { cwd: place }).map((file) =>
      join(place, dirname(file)),
    );
    const own = folders
      .map((folder) => ({ folder, run: read(folder) }))
      .filter(({ run }) => run.battle === battle && !run.flags.some(isIncomplete))
      .sort((a, b) => b.run.startedAt.localeCompare(a.run.startedAt));
    if (own.length > 0) return own[0].folder;
  }
  return null;
}

function isIncomplete({ code }: Comparisons["flags"][0]): boolean {
  return code === "incomplete";
}

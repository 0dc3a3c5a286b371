/**
 * `compare`: two runs, measure by measure. What differs in how they were made comes first: it may
 * be the cause of all the rest.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { compareRuns } from "../analyse/compare-runs.ts";
import { didYouMean, UserError } from "../errors.ts";
import { counted, number } from "../numbers.ts";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { Influx, INFLUXDB_URL } from "../platform/influx.ts";
import { Store } from "../record/store.ts";
import { comparisonNotes, comparisonText } from "../report/compare-text.ts";
import { POINT_WORDS } from "../report/point-words.ts";
import { comparisonPoints } from "../series/points.ts";
import { replace } from "../series/republish.ts";
import type { CompareArguments } from "./definitions/compare.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { RunComparison } from "../analyse/compare-runs.ts";
import type { Results } from "../model/record.ts";

/**
 * @param directory the project's
 * @returns exit status
 */
export async function compare(
  directory: string,
  { run, baseline, json, all }: CompareArguments,
  say: (line: string) => void,
): Promise<number> {
  const [store, earlier] = [run, baseline].map((name) => openRun(directory, name));
  const comparison = comparable(store.results, earlier.results, readPolicy(directory));
  console.log(
    json
      ? JSON.stringify({ ...comparison, notes: comparisonNotes(comparison) }, null, 1)
      : comparisonText(comparison, store.results, all),
  );
  await publish(directory, store, comparison, say);
  return 0;
}

/**
 * Compares a run that has ended with the latest complete one before it of the same battle, if there
 * is one.
 *
 * @param directory the project's
 * @param influx gets the points
 * @returns a line that sums it up; null: there is no such run
 */
export async function compareWithLatest(
  directory: string,
  store: Store,
  influx: Influx,
): Promise<string | null> {
  const earlier = latestBefore(store);
  if (!earlier) return null;
  const comparison = compareRuns(store.results, earlier.results, readPolicy(directory));
  // Where something else took the machine no cell counts.
  if (comparison.rows.length === 0)
    return `not compared: no figure in common with ${comparison.baseline}`;
  await publishComparison(influx, store, comparison);
  const { rows, run, baseline, differences } = comparison;
  const differing = rows.filter(({ differs }) => differs === "higher" || differs === "lower");
  const made = differences.length > 0 ? ", made under other conditions" : "";
  return `compared with ${baseline}${made}: ${number(differing.length)} of ${counted(rows.length, "figure")} differ; ./bench compare ${run} ${baseline}`;
}

/** @throws {UserError} when they have nothing in common */
export function comparable(
  run: Results,
  baseline: Results,
  policy: TlsPolicy | null,
): RunComparison {
  const comparison = compareRuns(run, baseline, policy);
  if (comparison.rows.length === 0) throw nothingInCommon(run, baseline);
  return comparison;
}

function nothingInCommon(run: Results, baseline: Results) {
  const described = [run, baseline].map(({ run: { name }, plan, cells }) => {
    const settings = new Set(
      plan.cells.map((cell) => {
        const parameters = Object.entries(cell.parameters).map(([key, value]) => `${key}=${value}`);
        return `    ${cell.scenario} ${cell.scheme} ${parameters.join(" ")}`;
      }),
    );
    const about = `${plan.proxies.join(", ")}; ${counted(cells.length, "cell")} recorded`;
    return [`  ${name}: ${about}`, ...settings].join("\n");
  });
  return new UserError(
    `${run.run.name} and ${baseline.run.name} have no figure in common`,
    `Expected two runs that both measured a proxy in the same scenario, scheme and parameters:\n${described.join("\n")}`,
    2,
  );
}

/** @param directory the project's */
function readPolicy(directory: string): TlsPolicy {
  return JSON.parse(readFileSync(join(directory, "certs/policy.json"), "utf8"));
}

/**
 * @param directory the project's
 * @param name of a folder in results/, or a path
 * @throws {UserError} when it is no run; exit code 2
 */
export function openRun(directory: string, name: string): Store {
  const results = process.env.BENCH_RESULTS || join(directory, "results");
  const folder = [resolve(name), join(results, name)].find((each) =>
    existsSync(join(each, "results.json")),
  );
  if (folder) return Store.open(folder);
  const known = runsIn(results);
  throw new UserError(
    `there is no run ${name}`,
    `${didYouMean(name, known)}Expected a path, or the name of a folder of ${relative(directory, results) || results}/${known.length > 0 ? `, the latest: ${known.at(-1)}` : ", which has none"}.`,
    2,
  );
}

/**
 * @param results folder of all runs
 * @returns names, in the order of time
 */
function runsIn(results: string): string[] {
  if (!existsSync(results)) return [];
  return readdirSync(results)
    .filter((name) => existsSync(join(results, name, "results.json")))
    .sort();
}

/** @returns the latest complete run of the same battle that began before it, beside it */
export function latestBefore(store: Store): Store | null {
  const parent = dirname(resolve(store.directory));
  const { run, plan } = store.results;
  // What stands for a proxy's configuration is another one in each run.
  if (plan.baseline !== undefined) return null;
  for (const name of runsIn(parent).reverse()) {
    if (name === run.name || !isOfBattle(join(parent, name), plan.battle)) continue;
    const earlier = openOrNull(join(parent, name));
    if (earlier?.results.run.endedAt && earlier.results.run.startedAt < run.startedAt)
      return earlier;
  }
  return null;
}

/** @returns null: it was made by a version of another schema, or is not whole */
function openOrNull(folder: string): Store | null {
  try {
    return Store.open(folder);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/**
 * Reads the plan alone: results are some MB.
 *
 * @param folder of a run
 */
function isOfBattle(folder: string, battle: string) {
  const file = join(folder, "plan.json");
  if (!existsSync(file)) return false;
  const plan = JSON.parse(readFileSync(file, "utf8"));
  return plan.battle === battle;
}

/**
 * @param store of the run that is compared
 * @param comparison replaces an earlier one of the same two
 */
async function publishComparison(influx: Influx, store: Store, comparison: RunComparison) {
  const { run, baseline } = comparison;
  const points = comparisonPoints(comparison, store.results.cells, POINT_WORDS);
  await replace(influx, ["comparisons"], { run, baseline }, points);
}

/**
 * For the dashboard Compare, where InfluxDB is up.
 *
 * @param directory the project's
 */
async function publish(
  directory: string,
  store: Store,
  comparison: RunComparison,
  say: (line: string) => void,
) {
  const again = `./bench compare ${comparison.run} ${comparison.baseline}`;
  try {
    const { name, networks } = await new Project(directory, { profile: "*" }).config();
    const isUp = (await OWN_ENGINE.containersOf(name)).some(
      ({ service, running }) => service === "influxdb" && running,
    );
    if (!isUp) {
      say(
        `not in Grafana, as InfluxDB is not up: docker compose up --detach influxdb, then ${again}`,
      );
      return;
    }
    await OWN_ENGINE.joinNetwork(networks.default.name);
    try {
      await publishComparison(new Influx(INFLUXDB_URL), store, comparison);
      say("also in InfluxDB, for Grafana");
    } finally {
      await OWN_ENGINE.leaveNetwork(networks.default.name);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The comparison is printed already: it needs no engine.
    say(`not in Grafana: ${error.message}`);
  }
}

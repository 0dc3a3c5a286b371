/**
 * `compare`: two runs, measure by measure. What differs in how they were made comes first: it may be the cause of all the rest.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { median } from "simple-statistics";
import {
  CONFIDENCE,
  settingKey,
  settingsOf,
  titleOfProxy,
  valuesByRound,
} from "../analyse/settings.js";
import { analyseCells } from "../analyse/index.js";
import { measure } from "../analyse/measures.js";
import { ALPHA, judge } from "../analyse/ranking.js";
import { amount, timesRange } from "../render/words.js";
import { containersOf, joinNetwork, leaveNetwork, Project } from "../platform/docker.js";
import { didYouMean, UserError } from "../errors.js";
import { Influx } from "../platform/influx.js";
import { differences as environmentDifferences } from "../machine/environment.js";
import { counted, number, probability, times } from "../numbers.js";
import { differences as planDifferences } from "../plan/describe.js";
import { Store } from "../record/store.js";
import { comparisonPoints, settingOf } from "../series/points.js";
import { replace } from "../series/republish.js";
import { independentRatioInterval, smallestP } from "../statistics/index.js";

/** @import { Wanted } from "./program.js" */
/** @import { TlsPolicy } from "../conformance/connect.js" */
/** @import { AnalysedCell, Estimate } from "../analyse/types.js" */
/** @import { PlannedCell, Results } from "../record/types.js" */

/** Of a plan, what changes no figure: names, and the order of the cells within a round. */
const NO_CONDITIONS = ["battle", "title", "published", "seed"];

/**
 * @typedef {"higher" | "lower" | "no difference" | "cannot be told"} Outcome of the run, against the baseline; cannot be told: one of
 *   them has a single round, which says nothing about its spread
 *
 * @typedef {object} ComparedRow one proxy, setting and measure
 * @property {PlannedCell} cell one of them in the run
 * @property {string} title of the proxy
 * @property {string} measure its key
 * @property {string} unit
 * @property {"lower" | "higher"} better
 * @property {number} value median of the run's rounds
 * @property {number} baselineValue
 * @property {[run: number, baseline: number]} rounds
 * @property {Estimate | null} ratio of the medians, run to baseline; null: one of them is not above 0
 * @property {number | null} p Mann–Whitney's, corrected by Holm over the proxies of this setting and measure; null: not tested
 * @property {Outcome} differs
 *
 * @typedef {object} RunComparison
 * @property {string} run its folder
 * @property {string} baseline
 * @property {{what: "environment" | "plan", key: string, was: string, is: string}[]} differences was: of the baseline
 * @property {string[]} notes what the reader must know, a sentence each
 * @property {ComparedRow[]} rows in the order of the run's tables
 */

/**
 * @param {string} directory the project's
 * @param {Wanted["compare"]} wanted
 * @param {(line: string) => void} say
 * @returns {Promise<number>} exit status
 */
export async function compare(directory, { run, baseline, json }, say) {
  const [store, earlier] = [run, baseline].map((name) => openRun(directory, name));
  const comparison = compareRuns(store.results, earlier.results, readPolicy(directory));
  console.log(json ? JSON.stringify(comparison, null, 1) : describe(comparison));
  await publish(directory, store, comparison, say);
  return 0;
}

/**
 * Compares a run that has ended with the latest complete one before it of the same battle, if there is one.
 *
 * @param {string} directory the project's
 * @param {Store} store
 * @param {Influx} influx gets the points
 * @returns {Promise<string | null>} a line that sums it up; null: there is no such run
 */
export async function compareWithLatest(directory, store, influx) {
  const earlier = latestBefore(store);
  if (!earlier) return null;
  const comparison = compareRuns(store.results, earlier.results, readPolicy(directory));
  await publishComparison(influx, store, comparison);
  const { rows, run, baseline, differences } = comparison;
  const differing = rows.filter(({ differs }) => differs === "higher" || differs === "lower");
  const made = differences.length > 0 ? ", made under other conditions" : "";
  return `compared with ${baseline}${made}: ${number(differing.length)} of ${counted(rows.length, "figure")} differ; ./bench compare ${run} ${baseline}`;
}

/**
 * The values of two runs are independent: their rounds did not run beside each other. So Mann–Whitney's test, exact, and a bootstrap
 * that draws from each on its own. As in a report, Holm corrects over the proxies of one setting and measure.
 *
 * @param {Results} run
 * @param {Results} baseline
 * @param {TlsPolicy | null} policy
 * @returns {RunComparison}
 * @throws {UserError} when they have nothing in common
 */
export function compareRuns(run, baseline, policy) {
  const now = analyseCells(run, policy);
  const before = analyseCells(baseline, policy);
  const rows = settingsOf(run).flatMap(({ key, compared }) => {
    const own = now.filter((cell) => cell.setting === key);
    const others = before.filter((cell) => cell.setting === key);
    return compared.flatMap((each) => compareMeasure(run, key, each.key, own, others));
  });
  if (rows.length === 0) throw nothingInCommon(run, baseline);
  return {
    run: run.run.name,
    baseline: baseline.run.name,
    differences: [
      ...environmentDifferences(baseline.environment.identity, run.environment.identity).map(
        (difference) => ({ what: /** @type {const} */ ("environment"), ...difference }),
      ),
      ...planDifferences(baseline.plan, run.plan)
        .filter(({ key }) => !NO_CONDITIONS.includes(key))
        .map((difference) => ({ what: /** @type {const} */ ("plan"), ...difference })),
    ],
    notes: notesOf(run, baseline, rows),
    rows,
  };
}

/**
 * @param {Results} run
 * @param {string} setting its key
 * @param {string} key of the measure
 * @param {AnalysedCell[]} own cells of that setting
 * @param {AnalysedCell[]} others the baseline's
 * @returns {ComparedRow[]} a proxy each that has figures in both
 */
function compareMeasure(run, setting, key, own, others) {
  const { unit, better } = measure(key);
  const proxies = run.plan.proxies
    .map((proxy) => ({
      proxy,
      a: [...valuesByRound(own, proxy, key).values()],
      b: [...valuesByRound(others, proxy, key).values()],
    }))
    .filter(({ a, b }) => a.length > 0 && b.length > 0);
  const ratios = new Map(
    proxies.map(({ proxy, a, b }) => [
      proxy,
      independentRatioInterval(a, b, { confidence: CONFIDENCE, seed: run.plan.seed }),
    ]),
  );
  const other = (/** @type {string} */ proxy) => `${proxy} before`;
  const judgement = judge(
    new Map(
      proxies.flatMap(({ proxy, a, b }) => [
        [proxy, a],
        [other(proxy), b],
      ]),
    ),
    proxies.map(({ proxy }) => [proxy, other(proxy)]),
    (proxy) => ratios.get(proxy) ?? null,
  );
  return proxies.map(({ proxy, a, b }) => {
    const [value, baselineValue] = [median(a), median(b)];
    const isTold = a.length > 1 && b.length > 1;
    const isSeen = judgement.differ(proxy, other(proxy));
    return {
      cell: cellOf(run, setting, proxy),
      title: titleOfProxy(run, proxy),
      measure: key,
      unit,
      better,
      value,
      baselineValue,
      rounds: /** @type {[number, number]} */ ([a.length, b.length]),
      ratio: ratios.get(proxy) ?? null,
      p: judgement.p(proxy, other(proxy)),
      differs: isTold ? outcomeOf(isSeen, value - baselineValue) : "cannot be told",
    };
  });
}

/**
 * @param {boolean} isSeen
 * @param {number} difference
 * @returns {Outcome}
 */
function outcomeOf(isSeen, difference) {
  // Two samples may differ in rank and yet have one median.
  if (!isSeen || difference === 0) return "no difference";
  return difference > 0 ? "higher" : "lower";
}

/**
 * @param {Results} run
 * @param {string} setting its key
 * @param {string} proxy
 * @returns {PlannedCell}
 */
function cellOf({ plan }, setting, proxy) {
  const found = plan.cells.find((cell) => cell.proxy === proxy && settingKey(cell) === setting);
  if (!found) throw new Error(`${proxy} has figures in ${setting}, which the plan does not have`);
  return found;
}

/**
 * @param {Results} run
 * @param {Results} baseline
 * @param {ComparedRow[]} rows
 */
function notesOf(run, baseline, rows) {
  const tested = new Set(
    rows.flatMap(({ cell, measure, p }) => (p === null ? [] : [`${settingKey(cell)} ${measure}`])),
  ).size;
  const ranged = rows.filter(({ p, differs }) => p === null && differs !== "cannot be told");
  const notes = [
    "What was otherwise throughout one of the runs, as a busy neighbour of a virtual machine, is in all of its figures: two runs cannot tell it from a change.",
  ];
  if (tested > 0)
    notes.push(
      `${counted(tested, "table")} of one setting and measure, each tested at the ${number(100 * ALPHA)} % level: of two equal runs up to ${number(Math.ceil(ALPHA * tested))} of them would show a difference.`,
    );
  if (ranged.length > 0) {
    const chance = Math.max(...ranged.map(({ rounds }) => smallestP(...rounds)));
    notes.push(
      `Too few rounds to test ${counted(ranged.length, "figure")}: there a difference is seen where all rounds of one run lie below all of the other's, as of two equal runs 1 figure in ${number(Math.round(1 / chance))} does.`,
    );
  }
  for (const { name, endedAt } of [run.run, baseline.run])
    if (!endedAt) notes.push(`${name} is not complete: its medians rest on fewer rounds.`);
  return notes;
}

/**
 * @param {Results} run
 * @param {Results} baseline
 */
function nothingInCommon(run, baseline) {
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

/**
 * @param {RunComparison} comparison
 * @returns {string} lines for a terminal
 */
export function describe({ run, baseline, differences, notes, rows }) {
  const differing = rows.filter(({ differs }) => differs === "higher" || differs === "lower");
  const lines = [`${run} against ${baseline}`, ""];
  if (differences.length > 0) {
    lines.push("NOT MADE UNDER THE SAME CONDITIONS. Any difference below may come from these:");
    for (const { what, key, was, is } of differences)
      lines.push(`  ${what}: ${key} was ${short(was)}, is ${short(is)}`);
    lines.push("");
  }
  lines.push(
    `${number(differing.length)} of ${counted(rows.length, "figure")} differ.`,
    ...notes,
    `Ratio of the medians, ${run} to ${baseline}, with its interval of ${number(100 * CONFIDENCE)} %; in brackets each median over its rounds.`,
  );
  const table = rows.map((row) => ({ row, texts: textsOf(row) }));
  const widths = [0, 1, 2, 3].map((i) => Math.max(...table.map(({ texts }) => texts[i].length)));
  let setting = "";
  let key = "";
  for (const { row, texts } of table) {
    if (settingOf(row.cell) !== setting) {
      lines.push("", (setting = settingOf(row.cell)));
      key = "";
    }
    if (row.measure !== key) lines.push(`  ${measure((key = row.measure)).title}`);
    lines.push(`    ${texts.map((text, i) => text.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
  }
  return lines.join("\n");
}

/** @param {ComparedRow} row */
function textsOf(row) {
  const { title, ratio, value, baselineValue, rounds, p, differs, better } = row;
  const isBetter = differs === better;
  const judged =
    differs === "higher" || differs === "lower"
      ? `${differs}: ${isBetter ? "better" : "WORSE"}`
      : differs;
  const interval = ratio?.interval ? ` (${timesRange(ratio.interval)})` : "";
  return [
    title,
    ratio ? `×${times(ratio.value)}${interval}` : "",
    `[${amount(value, row)} over ${rounds[0]}, was ${amount(baselineValue, row)} over ${rounds[1]}]`,
    judged,
    p === null ? "" : `p ${probability(p)}`,
  ];
}

/**
 * @param {string} value
 * @returns {string} an image's id as the engine's own lists show it
 */
function short(value) {
  return value.replace(/\b(sha256:[0-9a-f]{12})[0-9a-f]+/g, "$1");
}

/**
 * @param {string} directory the project's
 * @returns {TlsPolicy}
 */
function readPolicy(directory) {
  return JSON.parse(readFileSync(join(directory, "certs/policy.json"), "utf8"));
}

/**
 * @param {string} directory the project's
 * @param {string} name of a folder in results/, or a path
 * @returns {Store}
 * @throws {UserError} when it is no run; exit code 2
 */
export function openRun(directory, name) {
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
 * @param {string} results folder of all runs
 * @returns {string[]} names, in the order of time
 */
function runsIn(results) {
  if (!existsSync(results)) return [];
  return readdirSync(results)
    .filter((name) => existsSync(join(results, name, "results.json")))
    .sort();
}

/**
 * @param {Store} store
 * @returns {Store | null} the latest complete run of the same battle that began before it, beside it
 */
export function latestBefore(store) {
  const parent = dirname(resolve(store.directory));
  const { run, plan } = store.results;
  for (const name of runsIn(parent).reverse()) {
    if (name === run.name || !isOfBattle(join(parent, name), plan.battle)) continue;
    const earlier = openOrNull(join(parent, name));
    if (earlier?.results.run.endedAt && earlier.results.run.startedAt < run.startedAt)
      return earlier;
  }
  return null;
}

/**
 * @param {string} folder
 * @returns {Store | null} null: it was made by a version of another schema, or is not whole
 */
function openOrNull(folder) {
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
 * @param {string} folder of a run
 * @param {string} battle
 */
function isOfBattle(folder, battle) {
  const file = join(folder, "plan.json");
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).battle === battle;
}

/**
 * @param {Influx} influx
 * @param {Store} store of the run that is compared
 * @param {RunComparison} comparison replaces an earlier one of the same two
 */
async function publishComparison(influx, store, comparison) {
  const { run, baseline } = comparison;
  const points = comparisonPoints(comparison, store.results.cells);
  await replace(influx, ["comparisons"], { run, baseline }, points);
}

/**
 * For the dashboard Compare, where InfluxDB is up.
 *
 * @param {string} directory the project's
 * @param {Store} store
 * @param {RunComparison} comparison
 * @param {(line: string) => void} say
 */
async function publish(directory, store, comparison, say) {
  const again = `./bench compare ${comparison.run} ${comparison.baseline}`;
  try {
    const { name, networks } = await new Project(directory, { profile: "*" }).config();
    const isUp = (await containersOf(name)).some(
      ({ service, running }) => service === "influxdb" && running,
    );
    if (!isUp) {
      say(
        `not in Grafana, as InfluxDB is not up: docker compose up --detach influxdb, then ${again}`,
      );
      return;
    }
    await joinNetwork(networks.default.name);
    try {
      await publishComparison(new Influx("http://influxdb:8086"), store, comparison);
      say("also in InfluxDB, for Grafana");
    } finally {
      await leaveNetwork(networks.default.name);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The comparison has been told: an engine that is not there takes nothing from it.
    say(`not in Grafana: ${error.message}`);
  }
}

/**
 * Two runs, measure by measure.
 */
import { median } from "simple-statistics";
import { differences as planDifferences } from "../plan/describe.js";
import { identityDifferences } from "../record/identity.js";
import { independentRatioInterval, smallestP } from "../statistics/index.js";
import { askedIn } from "./asked.ts";
import { judge as judgeCells, withoutEvents } from "./index.ts";
import { measure } from "./measures.ts";
import { judge, LEAST_ROUNDS } from "./ranking.js";
import { comparableAcrossRuns } from "./reference.js";
import { CONFIDENCE, settingKey, settingsOf, valuesByRound } from "./settings.ts";

/** @import { TlsPolicy } from "../model/environment.ts" */
/** @import { JudgedCell } from "../model/comparison.ts" */
/** @import { Estimate } from "../statistics/types.js" */
/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */

/** Of a plan, what changes no figure: names, and the order of the cells within a round. */
const NO_CONDITIONS = ["battle", "title", "published", "seed"];

/**
 * @typedef {"higher" | "lower" | "no difference" | "cannot be told"} Outcome of the run, against the baseline; cannot be told: one of
 *   them has a single round, which says nothing about its spread
 *
 * @typedef {object} ComparedRow one proxy, setting and measure
 * @property {PlannedCell} cell one of them in the run
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
 * @property {number} tested tables of one setting and measure that were tested
 * @property {{figures: number, falseAlarms: number} | null} ranged figures of too few rounds to test, told by their range instead, and the
 *   share of them in which two equal runs differ; null: none
 * @property {string[]} incomplete runs that have not ended
 * @property {ComparedRow[]} rows in the order of the run's tables
 */

/**
 * The values of two runs are independent: their rounds did not run beside each other. So Mann–Whitney's test, exact, and a bootstrap
 * that draws from each on its own. As in a report, Holm corrects over the proxies of one setting and measure.
 *
 * @param {Results} run
 * @param {Results} baseline
 * @param {TlsPolicy | null} policy
 * @returns {RunComparison} without rows: they have nothing in common
 */
export function compareRuns(run, baseline, policy) {
  // Of one setting, cells of several events are no rounds.
  const [compared, beside] = [run, baseline].map(withoutEvents);
  const now = judgeCells(compared, policy);
  const before = judgeCells(beside, policy);
  const settings = settingsOf(compared);
  const rows = settings.flatMap((setting) => {
    const { key } = setting;
    const own = now.filter((cell) => cell.setting === key);
    const others = before.filter((cell) => cell.setting === key);
    return askedIn(setting, { settings, plan: run.plan }).flatMap((each) =>
      compareMeasure(run, key, comparableAcrossRuns(each.key, [...own, ...others]), own, others),
    );
  });
  return {
    run: run.run.name,
    baseline: baseline.run.name,
    differences: [
      ...identityDifferences(baseline.environment.identity, run.environment.identity).map(
        (difference) => ({ what: /** @type {const} */ ("environment"), ...difference }),
      ),
      ...planDifferences(baseline.plan, run.plan)
        .filter(({ key }) => !NO_CONDITIONS.includes(key))
        .map((difference) => ({ what: /** @type {const} */ ("plan"), ...difference })),
    ],
    ...certaintyOf(rows),
    incomplete: [run.run, baseline.run].flatMap(({ name, endedAt }) => (endedAt ? [] : [name])),
    rows,
  };
}

/**
 * @param {Results} run
 * @param {string} setting its key
 * @param {string} key of the measure
 * @param {JudgedCell[]} own cells of that setting
 * @param {JudgedCell[]} others the baseline's
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
    const isTold = Math.min(a.length, b.length) >= LEAST_ROUNDS;
    const isSeen = judgement.differ(proxy, other(proxy));
    return {
      cell: cellOf(run, setting, proxy),
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
 * @param {ComparedRow[]} rows
 * @returns {Pick<RunComparison, "tested" | "ranged">}
 */
function certaintyOf(rows) {
  const tables = rows.flatMap(({ cell, measure: key, p }) =>
    p === null ? [] : [`${settingKey(cell)} ${key}`],
  );
  const ranged = rows.filter(({ p, differs }) => p === null && differs !== "cannot be told");
  return {
    tested: new Set(tables).size,
    ranged:
      ranged.length > 0
        ? {
            figures: ranged.length,
            falseAlarms: Math.max(...ranged.map(({ rounds }) => smallestP(...rounds))),
          }
        : null,
  };
}

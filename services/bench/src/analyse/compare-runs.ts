/**
 * Two runs, measure by measure.
 */
import { median } from "simple-statistics";
import { differences as planDifferences } from "../plan/describe.ts";
import { identityDifferences } from "../record/identity.ts";
import { independentRatioInterval, smallestP } from "../statistics/index.ts";
import { askedIn } from "./questions.ts";
import { judge as judgeCells, withoutEvents } from "./index.ts";
import { measure } from "./measures.ts";
import { judge, LEAST_ROUNDS } from "./ranking.ts";
import { comparableAcrossRuns } from "./reference.ts";
import { CONFIDENCE, settingKey, settingsOf, valuesByRound } from "./settings.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { JudgedCell } from "../model/comparison.ts";
import type { Estimate } from "../statistics/types.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";

/** Of a plan, what changes no figure: names, and the order of the cells within a round. */
const NO_CONDITIONS = ["battle", "title", "published", "seed"];

/** of the run, against the baseline; "cannot be told": one has fewer rounds than LEAST_ROUNDS */
type Outcome = "higher" | "lower" | "no difference" | "cannot be told";

/** one proxy, setting and measure */
export interface ComparedRow {
  /** one of them in the run */
  cell: PlannedCell;
  /** its key */
  measure: string;
  unit: string;
  better: "lower" | "higher";
  /** median of the run's rounds */
  value: number;
  baselineValue: number;
  rounds: [run: number, baseline: number];
  /** of the medians, run to baseline; null: one of them is not above 0 */
  ratio: Estimate | null;
  /**
   * Mann–Whitney's, corrected by Holm over the proxies of this setting and measure; null: not
   * tested
   */
  p: number | null;
  differs: Outcome;
}

export interface RunComparison {
  /** its folder */
  run: string;
  baseline: string;
  /** was: of the baseline */
  differences: { what: "environment" | "plan"; key: string; was: string; is: string }[];
  /** tables of one setting and measure that were tested */
  tested: number;
  /**
   * figures of too few rounds to test, told by their range instead, and the share of them in
   * which two equal runs differ; null: none
   */
  ranged: { figures: number; falseAlarms: number } | null;
  /** runs that have not ended */
  incomplete: string[];
  /** in the order of the run's tables */
  rows: ComparedRow[];
}

/**
 * The values of two runs are independent: their rounds did not run beside each other. So
 * Mann–Whitney's test, exact, and a bootstrap that draws from each on its own. As in a report, Holm
 * corrects over the proxies of one setting and measure.
 *
 * @returns without rows: they have nothing in common
 */
export function compareRuns(
  run: Results,
  baseline: Results,
  policy: TlsPolicy | null,
): RunComparison {
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
        (difference) => ({ what: "environment" as const, ...difference }),
      ),
      ...planDifferences(baseline.plan, run.plan)
        .filter(({ key }) => !NO_CONDITIONS.includes(key))
        .map((difference) => ({ what: "plan" as const, ...difference })),
    ],
    ...certaintyOf(rows),
    incomplete: [run.run, baseline.run].flatMap(({ name, endedAt }) => (endedAt ? [] : [name])),
    rows,
  };
}

/**
 * @param setting its key
 * @param key of the measure
 * @param own cells of that setting
 * @param others the baseline's
 * @returns a proxy each that has figures in both
 */
function compareMeasure(
  run: Results,
  setting: string,
  key: string,
  own: JudgedCell[],
  others: JudgedCell[],
): ComparedRow[] {
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
  const other = (proxy: string) => `${proxy} before`;
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
      rounds: [a.length, b.length] as [number, number],
      ratio: ratios.get(proxy) ?? null,
      p: judgement.p(proxy, other(proxy)),
      differs: isTold ? outcomeOf(isSeen, value - baselineValue) : "cannot be told",
    };
  });
}

function outcomeOf(isSeen: boolean, difference: number): Outcome {
  // Two samples may differ in rank and yet have one median.
  if (!isSeen || difference === 0) return "no difference";
  return difference > 0 ? "higher" : "lower";
}

/** @param setting its key */
function cellOf({ plan }: Results, setting: string, proxy: string): PlannedCell {
  const found = plan.cells.find((cell) => cell.proxy === proxy && settingKey(cell) === setting);
  if (!found) throw new Error(`${proxy} has figures in ${setting}, which the plan does not have`);
  return found;
}

function certaintyOf(rows: ComparedRow[]): Pick<RunComparison, "tested" | "ranged"> {
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

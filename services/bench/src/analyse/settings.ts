/**
 * Settings of a run, and the values of its cells in them.
 */
import { median } from "simple-statistics";
import type { JudgedCell, Missing, Setting } from "../model/comparison.ts";
import { CONTROL } from "../plan/proxies.ts";
import { roundsBySetting } from "../plan/rounds.ts";
import { connectionsInAll, sizeNames, without, workloadOf } from "../plan/workload.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { medianInterval, ratioInterval, stratifiedRatio } from "../statistics/index.ts";
import type { Estimate, Interval } from "../statistics/types.ts";

export const CONFIDENCE = 0.95;

/** A run as the estimators see it. */
export interface Run {
  /** Without the cells of searches and of events. */
  results: Results;
  settings: Setting[];
  /** Every attempt; with CPU time relative to the reference, and operation costs. */
  cells: JudgedCell[];
}

/** Of two medians. */
export interface Ratio extends Estimate {
  /** Lowest and highest ratio within a round; null: there is one round, or a value is 0. */
  rounds: Interval | null;
}

type Loaded = Pick<Setting, "scenario" | "scheme" | "parameters">;

/** The same for all proxies and rounds. */
export function settingKey({ scenario, scheme, parameters }: Loaded): string {
  const parts = Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name.toLowerCase().replaceAll("_", "-")}-${value}`);
  return [scenario, scheme, ...parts].join("-");
}

/** By scenario, ws before wss, then by parameters. */
export function settingsOf({ plan }: Pick<Results, "plan">): Setting[] {
  const planned = new Map(plan.cells.map((cell) => [settingKey(cell), cell]));
  return [...planned]
    .map(([key, cell]) => {
      const { scenario, scheme, parameters } = cell;
      return { key, scenario, scheme, parameters, workload: workloadOf(plan, cell) };
    })
    .sort(compareSettings);
}

/** Of a sort. */
export function compareSettings(a: Loaded, b: Loaded): number {
  return (
    compareText(a.scenario, b.scenario) ||
    compareText(a.scheme, b.scheme) ||
    Object.keys(a.parameters)
      .map((name) => a.parameters[name] - (b.parameters[name] ?? 0))
      .find((difference) => difference !== 0) ||
    0
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Settings that ask the same of a proxy with other numbers of connections, and as many rounds. */
export interface Pool {
  rounds: number;
  /** From the fewest connections. */
  settings: Setting[];
}

/** In the order of the settings; each setting is of one. */
export function poolsOf({ plan }: Pick<Results, "plan">, settings: Setting[]): Pool[] {
  const planned = new Map(
    roundsBySetting(plan).map(({ cell, rounds }) => [settingKey(cell), rounds]),
  );
  const roundsOf = ({ key }: Setting) => planned.get(key) ?? 0;
  const families = Map.groupBy(settings, (setting) => `${roundsOf(setting)} ${kindKey(setting)}`);
  return [...families.values()].map((family) => ({
    rounds: roundsOf(family[0]),
    settings: family.toSorted(
      (a, b) => connectionsInAll(a.workload) - connectionsInAll(b.workload),
    ),
  }));
}

/** The same for settings that differ in the number of connections alone. */
function kindKey({ scenario, scheme, parameters, workload }: Setting): string {
  return settingKey({ scenario, scheme, parameters: without(parameters, sizeNames(workload)) });
}

/** What stands in a proxy's place may be the server itself, the control too: it bounds nothing. */
export function comparesServers({ compares }: Pick<Setting["workload"], "compares">): boolean {
  return compares === "servers";
}

/** Connections are open through a phase of a set length. */
export function holdsForSeconds({
  holdsConnections,
  phaseSeconds = 0,
}: Setting["workload"]): boolean {
  return holdsConnections && phaseSeconds > 0;
}

/** Values of counted cells by round, in the order of rounds. */
export function valuesByRound(
  cells: JudgedCell[],
  proxy: string,
  measure: string,
): Map<number, number> {
  return new Map(
    cells
      .filter(
        ({ counted, record, measures }) => counted && record.proxy === proxy && measure in measures,
      )
      .map(({ record, measures }): [number, number] => [record.round, measures[measure]])
      .sort(([a], [b]) => a - b),
  );
}

/** Those of one setting. */
export function roundsIn({ cells }: Run, { key }: Setting, proxy: string, measure: string) {
  return valuesByRound(
    cells.filter(({ setting }) => setting === key),
    proxy,
    measure,
  );
}

/** Of the medians over the rounds that both have. */
export function ratioOf(
  a: Map<number, number>,
  b: Map<number, number>,
  seed: number,
): Ratio | null {
  const common = [...a.keys()].filter((round) => b.has(round));
  const of = (values: Map<number, number>) => common.map((round) => values.get(round) as number);
  const [dividends, divisors] = [of(a), of(b)];
  const ratio = ratioInterval(dividends, divisors, { confidence: CONFIDENCE, seed });
  return ratio && { ...ratio, rounds: rangeOf(dividends.map((value, i) => value / divisors[i])) };
}

/** That all strata share: each the values of two by round. */
export function stratifiedRatioOf(
  strata: [Map<number, number>, Map<number, number>][],
): Ratio | null {
  const ratio = stratifiedRatio(
    strata.map(([a, b]) => [[...a.values()], [...b.values()]]),
    { confidence: CONFIDENCE },
  );
  const each = strata.flatMap(([a, b]) =>
    [...a].flatMap(([round, value]) => {
      const other = b.get(round);
      return other === undefined ? [] : [value / other];
    }),
  );
  return (
    ratio && { ...ratio, rounds: each.length > 1 ? [Math.min(...each), Math.max(...each)] : null }
  );
}

/** null: of one alone, or one is no number. */
export function rangeOf(values: number[]): Interval | null {
  const isRange = values.length > 1 && values.every(Number.isFinite);
  return isRange ? [Math.min(...values), Math.max(...values)] : null;
}

/** null: there are none. */
export function medianEstimate(values: number[]): Estimate | null {
  if (values.length === 0) return null;
  return { value: median(values), interval: medianInterval(values, CONFIDENCE) };
}

/** Why a cell does not count. */
export function reasonsOf({
  record: { cause },
  flags,
}: Pick<JudgedCell, "record" | "flags">): Missing[] {
  const invalid = flags.filter(({ severity }) => severity === "invalid");
  return [
    ...(cause ? [{ kind: "failed" as const, cause }] : []),
    ...invalid.map((flag) => ({ kind: "invalid" as const, flag })),
  ];
}

/** Each reason once. */
export function once(reasons: Missing[]): Missing[] {
  return [...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values()];
}

/** The last attempt at each cell. */
export function lastAttempts(cells: JudgedCell[]): JudgedCell[] {
  return [...new Map(cells.map((cell) => [cell.record.id, cell])).values()];
}

export function plannedIn({ plan }: Results, key: string): PlannedCell[] {
  return plan.cells.filter((cell) => settingKey(cell) === key);
}

/** Parameters but for the named one are the same. */
export function isSameBut(name: string | undefined, a: Setting, b: Setting): boolean {
  const rest = ({ scenario, parameters }: Setting) =>
    settingKey({ scenario, scheme: "ws", parameters: without(parameters, [name]) });
  return rest(a) === rest(b);
}

/**
 * Variants that are compared with their originals: those that are not tuned; without one all, where
 * a run has nothing else.
 *
 * @returns pairs: a variant and its original
 */
export function variantsIn({ proxies }: Pick<Results, "proxies">): {
  question: "defaults" | "variants";
  pairs: [string, string][];
} {
  const names = new Set(proxies.map(({ name }) => name));
  const all = proxies.flatMap(({ name, tuned, variantOf }) =>
    variantOf && names.has(variantOf.proxy)
      ? [{ pair: [name, variantOf.proxy] as [string, string], tuned }]
      : [],
  );
  const untuned = all.filter(({ tuned }) => tuned === false).map(({ pair }) => pair);
  if (untuned.length > 0) return { question: "defaults", pairs: untuned };
  const pairs = all.map(({ pair }) => pair);
  const told = new Set([CONTROL, ...pairs.flat()]);
  return { question: "variants", pairs: [...names].every((name) => told.has(name)) ? pairs : [] };
}

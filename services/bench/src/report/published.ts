/**
 * All published battles, and what the pages over them ask: which comparison answers a question,
 * who leads in it, and its figures as text.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pool } from "../analyse/pool.ts";
import type { FlagFigures } from "../model/flag.ts";
import { NONE, number, shownUnit, times } from "../numbers.ts";
import { connectionsInAll } from "../plan/workload.ts";
import {
  bothEnds,
  isSkipped,
  isSpan,
  isUnplaced,
  MISSING_SHORT,
  mostAdded,
  proxiesIn,
  titleOfProxy,
} from "./text.ts";
import type {
  Comparison,
  Comparisons,
  Figure,
  Measure,
  Missing,
  Setting,
} from "../model/comparison.ts";
import type { Scheme } from "../model/plan.ts";

export interface PublishedRun {
  /** Its folder in published/: `latency/2026-11-23`. */
  folder: string;
  comparisons: Comparisons;
  /** As the machine calls it: `AMD EPYC`. */
  cpu: string;
  /** `2 cores, 23.5 GiB` */
  size: string;
  /** Its proxies are builds of offline/, not official images. */
  built: boolean;
}

export interface PublishedBattle {
  /** Its folder in published/. */
  name: string;
  /** Those that its comparisons rest on, the newest first: the newest alone, or all that are pooled. */
  runs: PublishedRun[];
  /** Earlier ones, of other programs or another method. */
  earlier: PublishedRun[];
  /** Of all runs that are pooled. */
  comparisons: Comparisons;
}

/** Which comparison: what is left out matches all. */
export interface Reference {
  battle?: string;
  question: string;
  measure?: string;
  scheme?: Scheme;
  event?: string;
  scenario?: string;
  /** A value, or the lowest and highest. */
  parameters?: Record<string, number | [number, number]>;
}

export interface Answer {
  battle: PublishedBattle;
  comparison: Comparison;
}

/** The newest first. */
export function readBattles(folder: string): PublishedBattle[] {
  if (!existsSync(folder)) return [];
  const runs = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("comparisons.json"))
    .map((file) => readRun(folder, dirname(file)))
    .sort((a, b) => startOf(b).localeCompare(startOf(a)));
  return [...Map.groupBy(runs, ({ folder: own }) => dirname(own))].map(([name, own]) =>
    battleOf(name, own),
  );
}

/** @param all runs of a battle, the newest first */
export function battleOf(name: string, all: PublishedRun[]): PublishedBattle {
  const { comparisons, pooled } = pool(all.map((run) => run.comparisons));
  const isIn = (run: PublishedRun) => pooled.includes(run.comparisons);
  return {
    name,
    comparisons,
    runs: all.filter(isIn),
    earlier: all.filter((run) => !isIn(run)),
  };
}

/** Those that answers rest on, and earlier ones: of a battle the newest first. */
export function runsOf(battles: PublishedBattle[]): PublishedRun[] {
  return battles.flatMap(({ runs, earlier }) => [...runs, ...earlier]);
}

function readRun(folder: string, name: string): PublishedRun {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, name, file), "utf8"));
  const { identity, details } = read("environment.json");
  const images = Object.values<string>(details.Images ?? {});
  return {
    folder: name,
    comparisons: read("comparisons.json"),
    cpu: identity.CPU,
    size: `${identity.cores} cores, ${identity["memory GiB"]} GiB`,
    built: images.some((image) => /^ws-proxy-bench\/[^,]+:/.test(image)),
  };
}

/** Of several runs the newest. */
export function startOf({ comparisons }: Pick<PublishedRun, "comparisons">): string {
  return comparisons.startedAt;
}

export function dayOf(of: Pick<PublishedRun, "comparisons">): string {
  return startOf(of).slice(0, 10);
}

/** In published/: of a pooled battle its own; of another that of its newest run. */
export function reportOf({ name, runs }: PublishedBattle): string {
  return `${runs.length > 1 ? name : runs[0].folder}/report.md`;
}

/** `2026-11-23`; `3 runs until 2026-11-29` */
export function whenOf(battle: PublishedBattle): string {
  const { length } = battle.runs;
  return length > 1 ? `${length} runs until ${dayOf(battle)}` : dayOf(battle);
}

/** `AMD EPYC, 2 cores, 23.5 GiB` */
export function machineOf({ cpu, size }: Pick<PublishedRun, "cpu" | "size">): string {
  return `${cpu}, ${size}`;
}

/** Each once, those of one size together: `AMD EPYC; Intel Xeon; each 2 cores, 23.5 GiB` */
export function machinesOf(battles: Pick<PublishedBattle, "runs">[]): string {
  const bySize = Map.groupBy(
    battles.flatMap(({ runs }) => runs),
    ({ size }) => size,
  );
  return [...bySize]
    .map(([size, runs]) => {
      const cpus = [...new Set(runs.map(({ cpu }) => cpu))];
      return cpus.length > 1 ? `${cpus.join("; ")}; each ${size}` : machineOf(runs[0]);
    })
    .join("; ");
}

/** All that match, the one that says most first. */
export function answersTo(battles: PublishedBattle[], reference: Reference): Answer[] {
  return battles
    .filter(({ name }) => name === (reference.battle ?? name))
    .flatMap((battle) =>
      battle.comparisons.comparisons
        .filter((comparison) => matches(battle, comparison, reference))
        .map((comparison) => ({ battle, comparison })),
    )
    .filter(({ comparison }) => proxiesIn(comparison).length > 0)
    .sort(sayingMore);
}

function matches(
  { comparisons: { settings } }: PublishedBattle,
  one: Comparison,
  wanted: Reference,
) {
  const isWithin = ({ parameters }: Setting) =>
    Object.entries(wanted.parameters ?? {}).every(([name, value]) => {
      const [least, most] = Array.isArray(value) ? value : [value, value];
      return parameters[name] >= least && parameters[name] <= most;
    });
  return (
    one.question === wanted.question &&
    one.measure.key === (wanted.measure ?? one.measure.key) &&
    one.scheme === (wanted.scheme ?? one.scheme) &&
    one.event === (wanted.event ?? one.event) &&
    one.settings
      .map((key) => settings[key])
      .every((own) => own.scenario === (wanted.scenario ?? own.scenario) && isWithin(own))
  );
}

/** Ranked, then at a set rate, then of more runs, of more proxies, over more settings, the newer. */
function sayingMore(a: Answer, b: Answer): number {
  const [first, second] = [a, b].map(({ battle, comparison }) => [
    Number(comparison.figures.some(({ rank }) => rank)),
    Number(settingsOf(battle, comparison).every(({ workload }) => workload.loop === "open")),
    battle.runs.length,
    proxiesIn(comparison).length,
    comparison.settings.length,
    Date.parse(startOf(battle)),
  ]);
  const differing = first.findIndex((value, i) => value !== second[i]);
  return differing < 0 ? 0 : second[differing] - first[differing];
}

export function settingsOf({ comparisons }: PublishedBattle, { settings }: Comparison): Setting[] {
  return settings.map((key) => comparisons.settings[key]);
}

/** `1,000 to 9,000`: connections of its settings; of slopes those at which all are compared. */
export function countsIn({ battle, comparison }: Answer): string {
  const common = comparison.flags.find(({ code }) => code === "common-counts");
  const { least, most } = (common?.figures ?? {}) as Partial<FlagFigures["common-counts"]>;
  const all = settingsOf(battle, comparison).map(({ workload }) => connectionsInAll(workload));
  const ends = [least ?? Math.min(...all), most ?? Math.max(...all)];
  return [...new Set(ends)].map(number).join(" to ");
}

export function figureOf({ comparison }: Answer, proxy: string): Figure | undefined {
  return comparison.figures.find((figure) => figure.proxy === proxy);
}

export function titleOf({ battle }: Answer, proxy: string): string {
  return titleOfProxy(battle.comparisons, proxy);
}

/**
 * The best of some proxies, and those that tie with it: of one rank; where nobody is
 * ranked, those whose interval meets that of the best. Empty: nobody can be ranked, as in a search
 * that fresh cells did not confirm, or in a few events whose connections had one fate.
 */
export function leadersOf(answer: Answer, among: string[]): string[] {
  const figures = proxiesIn(answer.comparison).filter(({ proxy }) => among.includes(proxy));
  if (figures.length < 2) return [];
  if (figures.some(({ estimate }) => estimate?.basis === "events")) return [];
  if (figures.some(({ extra }) => extra.grows !== undefined))
    return figures.filter(({ extra }) => !extra.grows).map(({ proxy }) => proxy);
  // A proxy's ratio to itself says which is cheaper to change, and ranks nobody.
  if (answer.comparison.measure.unit === "times") return [];
  const [best] = figures.toSorted(
    (a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || costOf(answer, a) - costOf(answer, b),
  );
  if (best.extra.search && best.rank === null) return [];
  const isTied = (one: Figure) =>
    best.rank
      ? one.rank === best.rank && !isUnplaced(one, answer.comparison.figures)
      : meets(one, best);
  return meets(best, best) || best.rank
    ? figures.filter((one) => one === best || isTied(one)).map(({ proxy }) => proxy)
    : [];
}

/** To compare with: less is better. */
function costOf({ comparison: { measure } }: Answer, { estimate }: Figure): number {
  return (estimate?.value ?? Infinity) * (measure.better === "lower" ? 1 : -1);
}

function meets({ estimate: a }: Figure, { estimate: b }: Figure): boolean {
  if (!a || !b || a.low === null || a.high === null || b.low === null || b.high === null)
    return false;
  return a.low <= b.high && b.low <= a.high;
}

/** Of one proxy to another in one comparison; null: one has no figure, or the other none above 0. */
export function ratioIn(answer: Answer, proxy: string, to: string): number | null {
  const [one, other] = [proxy, to].map((name) => figureOf(answer, name));
  if (!one?.estimate || !other?.estimate || other.estimate.value <= 0) return null;
  if (one.toBest && other.toBest) return one.toBest.value / other.toBest.value;
  return one.estimate.value / other.estimate.value;
}

/** `1.06×`, `12×` */
export function timesText(ratio: number): string {
  return `${times(ratio)}×`;
}

/** `34 kB`, `0.47 ms`, `51 %` */
export function amountText(value: number, measure: Pick<Measure, "unit">, most = 3): string {
  return spanText(value, value, measure, most);
}

/** Both in one unit: `330–399 µs`, `1.46–4.70×`; `34 kB`, where they read the same. */
export function spanText(
  low: number | null,
  high: number | null,
  measure: Pick<Measure, "unit">,
  most = 3,
): string {
  const isTimes = measure.unit === "times";
  const { unit, divisor } = shownUnit(measure.unit, [low ?? 0, high ?? 0]);
  const text = (end: number) => (isTimes ? times(end) : digits(end / divisor, most));
  const isOne = low !== null && high !== null && text(low) === text(high);
  const shown = isOne ? text(low) : bothEnds(low, high, text);
  return isTimes ? `${shown}×` : [shown, unit].filter(Boolean).join(" ");
}

/** `34 kB`; of a span its ends: `336–400`, `from 917`, `50–52 %`; of events `10 of 10` */
export function estimateText(
  { estimate, extra }: Pick<Figure, "estimate" | "extra">,
  measure: Pick<Measure, "unit">,
  most = 3,
): string {
  if (!estimate) return NONE;
  if (estimate.basis === "exact") return `${extra.count} of ${extra.of}`;
  return isSpan(estimate)
    ? spanText(estimate.low, estimate.high, measure, most)
    : amountText(estimate.value, measure, most);
}

/** Ends of a span, or the value; none: there is no figure. */
export function endsOf({ estimate }: Pick<Figure, "estimate">): number[] {
  if (!estimate) return [];
  return isSpan(estimate)
    ? [estimate.low, estimate.high].flatMap((end) => end ?? [])
    : [estimate.value];
}

/** `2.44×`; `≈ 1×`, where both share a rank; empty: there is no ratio. */
export function ratioText(answer: Answer, proxy: string, base: string): string {
  const [own, other] = [proxy, base].map((name) => figureOf(answer, name));
  const ratio = ratioIn(answer, proxy, base);
  if (ratio === null) return "";
  if (own === other) return "1×";
  const isTied = own?.rank && own.rank === other?.rank;
  return isTied && !isUnplaced(own, answer.comparison.figures) ? "≈ 1×" : timesText(ratio);
}

/** What it adds to the control: `0.49 ms`; `≤ 1.1 ms`, where it may be nothing. */
export function addedText({ comparison }: Answer, { extra: { added } }: Figure): string {
  const most = added ? mostAdded(added) : null;
  const shown = most ?? added?.value ?? NaN;
  return `${most === null ? "" : "≤ "}${amountText(shown, comparison.measure, shown < 1 ? 1 : 2)}`;
}

/** `0.012`, `105,000` */
export function digits(value: number, most: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: most, signDisplay: "negative" });
}

/** Why a figure is missing, in a word or two. */
export function missingText([reason]: Missing[]): string {
  if (reason?.kind === "unsupported") return reason.why.replace(/^has none: /, "");
  return reason ? MISSING_SHORT[isSkipped(reason) ? "skipped" : reason.kind] : NONE;
}

/** `ws`, `wss`; `http` and `https` of servers. */
export function schemeText({ battle, comparison }: Answer): string {
  const [{ workload }] = settingsOf(battle, comparison);
  const isTls = comparison.scheme === "wss";
  if (workload.protocol === "http") return isTls ? "HTTPS" : "HTTP";
  return isTls ? "TLS" : "plain";
}

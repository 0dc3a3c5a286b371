/**
 * What estimators make comparisons of.
 */
import { median } from "simple-statistics";
import type {
  Comparison,
  Estimate,
  Extra,
  Figure,
  Measure,
  MeasureKind,
  Setting,
} from "../model/comparison.ts";
import type { Flag } from "../model/flag.ts";
import { CONTROL } from "../plan/proxies.ts";
import { binomialInterval } from "../statistics/index.ts";
import type { Estimate as Interval } from "../statistics/types.ts";
import { CONFIDENCE } from "./settings.ts";
import type { Ratio } from "./settings.ts";

interface About {
  question: string;
  measure: Measure;
  settings: Pick<Setting, "key" | "scheme">[];
  beside?: Pick<Setting, "key">[];
  event?: string;
  figures: Figure[];
  flags?: Flag[];
  detectable?: number | null;
}

export function comparison({
  question,
  measure,
  settings,
  beside,
  event,
  figures,
  flags = [],
  detectable = null,
}: About): Comparison {
  const keys = settings.map(({ key }) => key);
  return {
    id: [question, measure.key, event, ...keys].filter(Boolean).join("/"),
    question,
    measure,
    scheme: settings[0].scheme,
    settings: keys,
    beside: beside?.map(({ key }) => key) ?? null,
    event: event ?? null,
    figures,
    flags,
    detectable,
  };
}

/** Without anything that is known of it. */
export function figure(proxy: string): Figure {
  return {
    proxy,
    role: proxy === CONTROL ? "control" : "proxy",
    estimate: null,
    toBest: null,
    toControl: null,
    rounds: [],
    rank: null,
    tied: [],
    missing: [],
    extra: {},
  };
}

export function ratioFigure(proxy: string, ratio: Ratio, extra: Extra = {}): Figure {
  return { ...figure(proxy), estimate: estimateOf(ratio), extra };
}

/** Of one without an interval, the range of its rounds where it has one. */
export function estimateOf(
  of: (Interval & { rounds?: [number, number] | null }) | null,
): Estimate | null {
  if (!of) return null;
  const { value, interval, rounds } = of;
  if (interval) return { value, low: interval[0], high: interval[1], basis: "ci95" };
  return { value, low: rounds?.[0] ?? null, high: rounds?.[1] ?? null, basis: "range" };
}

/** Without an interval. */
export function valueOf(value: number): Estimate;
export function valueOf(value: number | null): Estimate | null;
export function valueOf(value: number | null): Estimate | null {
  return value === null ? null : { value, low: null, high: null, basis: "range" };
}

/** Median and range of those rounds that have a value. */
export function medianAndRange(
  values: (number | null)[],
  basis: Estimate["basis"] = "range",
): Pick<Figure, "estimate" | "rounds"> {
  const rounds = values.filter((value) => value !== null);
  if (rounds.length === 0) return { estimate: null, rounds };
  const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
  return { estimate: { value: median(rounds), low, high, basis }, rounds };
}

/** This many of all, in %, with the exact interval. */
export function shareOf(count: number, of: number): Pick<Figure, "estimate" | "extra"> {
  const interval = binomialInterval(count, of, CONFIDENCE);
  if (!interval) return { estimate: null, extra: {} };
  const [low, high] = interval;
  return {
    estimate: { value: (100 * count) / of, low: 100 * low, high: 100 * high, basis: "exact" },
    extra: { count, of },
  };
}

/** Counts of several, together, the most frequent first. */
export function mostFirst(counts: Record<string, number>[]): { what: string; count: number }[] {
  const pairs = counts.flatMap((one) => Object.entries(one));
  return [...Map.groupBy(pairs, ([what]) => what)]
    .map(([what, own]) => ({ what, count: own.reduce((sum, [, count]) => sum + count, 0) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

/** One of which less is better, and that no single cell tells. */
export function ownMeasure(key: string, title: string, unit: string, kind: MeasureKind): Measure {
  return { key, title, unit, kind, better: "lower" };
}

/** That of a ratio of it. */
export function inTimes(measure: Measure): Measure {
  return { ...measure, unit: "times" };
}

/**
 * The ratio that stands beside a rank, and does not contradict it. The interval of a tie holds 1:
 * the test, corrected for all pairs, does not leave it out, and a wider interval covers no less.
 */
export function toBestOf(
  ratio: Ratio | null,
  { isBest, isTied }: { isBest: boolean; isTied: boolean },
): Estimate | null {
  if (isBest) return valueOf(1);
  const estimate = estimateOf(ratio);
  if (!estimate || !ratio?.interval || !isTied) return estimate;
  const [low, high] = ratio.interval;
  return { ...estimate, low: Math.min(low, 1), high: Math.max(high, 1) };
}

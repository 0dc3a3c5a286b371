/**
 * Several runs of a battle as one. Rounds within a run share an hour and a machine, so an interval
 * over them says nothing of another day: a run counts as one value, and the interval is Student's
 * over the values of all runs. With as many rounds in each that is a random-effects analysis: what
 * differs between runs and within them is in it.
 */
import { mean, median, sampleStandardDeviation } from "simple-statistics";
import type { Comparison, Comparisons, Estimate, Figure } from "../model/comparison.ts";
import { blockRatios, holm, meanRatio, randomEffects } from "../statistics/index.ts";
import type { Estimate as Interval } from "../statistics/types.ts";
import { estimateOf, shareOf, toBestOf } from "./figures.ts";
import { allPairs, ALPHA, rank } from "./ranking.ts";
import { CONFIDENCE } from "./settings.ts";

/** With fewer nothing is pooled: the newest run stands for itself. */
export const LEAST_RUNS = 3;

/**
 * @param all runs of a battle, the newest first
 * @returns comparisons: the newest run's, of which each is pooled that at least LEAST_RUNS have;
 *   pooled: those that they rest on, the newest among them
 */
export function pool(all: Comparisons[]): { comparisons: Comparisons; pooled: Comparisons[] } {
  const [newest] = all;
  const alike = all.filter((run) => isAlike(newest, run));
  if (alike.length < LEAST_RUNS) return { comparisons: newest, pooled: [newest] };
  const comparisons = newest.comparisons.map((own) => {
    const same = alike.flatMap((run) => run.comparisons.find(({ id }) => id === own.id) ?? []);
    return same.length < LEAST_RUNS ? own : pooled(same);
  });
  return { comparisons: { ...newest, comparisons }, pooled: alike };
}

/**
 * Of the same method, and of the same versions of the proxies that the newest has a figure of:
 * another version is another proxy.
 */
function isAlike(newest: Comparisons, { method, proxies }: Comparisons): boolean {
  const versions = new Map(proxies.map(({ name, version }) => [name, version]));
  const figures = newest.comparisons.flatMap((comparison) => comparison.figures);
  const told = new Set(figures.flatMap(({ proxy, estimate }) => (estimate ? proxy : [])));
  return (
    method === newest.method &&
    newest.proxies.every(({ name, version }) => !told.has(name) || versions.get(name) === version)
  );
}

/** @param same comparison of each run, the newest first */
function pooled(same: Comparison[]): Comparison {
  const [newest] = same;
  const figures = newest.figures.map((figure) =>
    pooledFigure(
      newest,
      figure,
      same.flatMap((one) => one.figures.find(({ proxy }) => proxy === figure.proxy) ?? []),
    ),
  );
  const codes = new Set<string>();
  const flags = same
    .flatMap((one) => one.flags)
    .filter(({ code }) => !codes.has(code) && codes.add(code));
  return { ...newest, flags, figures: ranked(newest, figures, same.length), detectable: null };
}

/** @param own that of each run, the newest first */
function pooledFigure({ settings, measure }: Comparison, newest: Figure, own: Figure[]): Figure {
  const told = own.filter(({ estimate }) => estimate);
  if (told.length < LEAST_RUNS) return newest;
  const estimates = told.flatMap(({ estimate }) => estimate ?? []);
  const values = estimates.map(({ value }) => value);
  const isCount = measure.kind === "count" && estimates.every(({ basis }) => basis === "range");
  const over = isCount ? medianOver : estimateOver;
  const added = told.flatMap(({ extra }) => {
    const { value = NaN, low = null, high = null } = extra.added ?? {};
    return low !== null && high !== null && low < high ? { value, low, high } : [];
  });
  const toControl = told.flatMap((one) => one.toControl ?? []);
  return {
    ...newest,
    estimate: newest.estimate?.basis === "exact" ? sharesOf(told) : over(estimates),
    toControl: toControl.length === told.length ? estimateOver(toControl) : null,
    rounds: told.flatMap(({ rounds }) => rounds),
    missing: [],
    extra: {
      ...newest.extra,
      ...countsOf(told),
      // A difference may be 0, which has no logarithm; and on a noisy day it is far less certain.
      ...(added.length === told.length && {
        added: estimateOf(randomEffects(added, CONFIDENCE)),
      }),
      runs: {
        values,
        betweenPercent: spreadOfLogs(values),
        // Rounds of several settings differ by their loads.
        withinPercent: settings.length === 1 ? withinOf(told) : null,
      },
    },
  };
}

/**
 * Of values that lie above 0 in each run the geometric mean and Student's interval. Of others, and
 * of ends that are no interval, the mean, and the lowest and highest end.
 */
export function estimateOver(estimates: Estimate[]): Estimate {
  const values = estimates.map(({ value }) => value);
  const isInterval = estimates.every(({ basis }) => basis === "ci95" || basis === "range");
  const arePositive = estimates.every(({ value, low }) => (low ?? value) > 0);
  const geometric = arePositive ? estimateOf(meanRatio(values, CONFIDENCE)) : null;
  if (isInterval && geometric) return geometric;
  return {
    value: geometric?.value ?? mean(values),
    ...endsOf(estimates),
    basis: isInterval ? "range" : estimates[0].basis,
  };
}

/** Of a few that were counted a mean would be none that any run has. */
function medianOver(estimates: Estimate[]): Estimate {
  const value = median(estimates.map((one) => one.value));
  return { value, ...endsOf(estimates), basis: "range" };
}

function endsOf(estimates: Estimate[]): { low: number; high: number } {
  return {
    low: Math.min(...estimates.map(({ low, value }) => low ?? value)),
    high: Math.max(...estimates.map(({ high, value }) => high ?? value)),
  };
}

function countsOf(told: Figure[]): Figure["extra"] {
  const sum = (key: "count" | "of") =>
    told.reduce((all, { extra }) => all + (extra[key] ?? NaN), 0);
  const [count, of] = [sum("count"), sum("of")];
  return Number.isFinite(count) && Number.isFinite(of) ? { count, of } : {};
}

function sharesOf(told: Figure[]): Estimate | null {
  const { count = 0, of = 0 } = countsOf(told);
  return shareOf(count, of).estimate;
}

/** Standard deviation in %; null: one is not above 0. */
function spreadOfLogs(values: number[]): number | null {
  if (values.length < 2 || values.some((value) => value <= 0)) return null;
  return 100 * sampleStandardDeviation(values.map(Math.log));
}

/** What the runs would differ by if nothing but their rounds did. */
function withinOf(told: Figure[]): number | null {
  const errors = told.map(({ rounds }) => {
    const spread = spreadOfLogs(rounds);
    return spread === null ? null : spread ** 2 / rounds.length;
  });
  const known = errors.filter((error) => error !== null);
  return known.length === told.length ? Math.sqrt(mean(known)) : null;
}

/**
 * Of those that the newest run ranks two differ when Student's test over the runs says so, with the
 * spread of all of them, corrected by Holm over all pairs. One that a run has no positive value of
 * ties with all.
 *
 * @param runs how many are pooled
 */
function ranked({ measure }: Comparison, figures: Figure[], runs: number): Figure[] {
  const told = figures.flatMap(({ proxy, rank, estimate, extra }) =>
    rank !== null && extra.runs ? [{ proxy, value: estimate?.value ?? 0 }] : [],
  );
  const names = told.toSorted((a, b) => a.value - b.value).map(({ proxy }) => proxy);
  if (measure.better === "higher") names.reverse();
  const ratioOf = ratiosOver(figures, runs);
  const pairs = allPairs(names);
  const corrected = holm(pairs.map(([a, b]) => ratioOf(a, b)?.p ?? 1));
  const ps = new Map(pairs.map((pair, i) => [pair.toSorted().join(" "), corrected[i]]));
  const p = (...pair: [string, string]) => ps.get(pair.toSorted().join(" ")) ?? 1;
  const ranks = rank(names, (a, b) => p(a, b) <= ALPHA);
  const [best] = names;
  return figures.map((figure) => {
    const own = ranks.get(figure.proxy);
    if (!own) return { ...figure, rank: null, tied: [], toBest: null };
    const isBest = figure.proxy === best;
    const ratio = ratioOf(figure.proxy, best);
    return {
      ...figure,
      rank: own.rank,
      tied: own.ties,
      toBest: toBestOf(ratio && { ...ratio, rounds: null }, { isBest, isTied: own.rank === 1 }),
      extra: { ...figure.extra, ...(!isBest && { p: p(best, figure.proxy) }) },
    };
  });
}

/**
 * @param figures of a pooled comparison
 * @param runs how many are pooled
 * @returns of two that are ranked the ratio, and its interval with the spread of all of them; null:
 *   a run has no value of one, or none above 0
 */
export function ratiosOver(
  figures: Figure[],
  runs: number,
): (one: string, other: string) => (Interval & { p: number }) | null {
  const tested = figures.flatMap(({ proxy, rank, extra }) => {
    const values = extra.runs?.values ?? [];
    const isTested = rank !== null && values.length === runs && values.every((value) => value > 0);
    return isTested ? [{ proxy, values }] : [];
  });
  if (tested.length < 2) return () => null;
  const ratios = blockRatios(
    tested.map(({ values }) => values),
    CONFIDENCE,
  );
  return (...pair) => {
    const [a, b] = pair.map((name) => tested.findIndex(({ proxy }) => proxy === name));
    return a >= 0 && b >= 0 ? ratios(a, b) : null;
  };
}

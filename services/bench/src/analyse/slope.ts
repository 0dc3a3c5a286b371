/** Memory that grows with each connection that is held. */
import type {
  Comparison,
  Estimate,
  Figure,
  JudgedCell,
  Missing,
  Setting,
} from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import type { Flag } from "../model/flag.ts";
import { CONTROL } from "../plan/proxies.ts";
import { connectionsInAll, without, workloadOf } from "../plan/workload.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { simultaneousIntervals, slopeRatio, theilSen } from "../statistics/index.ts";
import type { Estimate as Interval } from "../statistics/types.ts";
import { comparison, estimateOf, figure, inTimes, ratioFigure, toBestOf } from "./figures.ts";
import { countsForMemory, invalidates } from "./flags.ts";
import { measure as measureOf } from "./measures.ts";
import { rank } from "./ranking.ts";
import { held } from "./readings.ts";
import {
  compareText,
  CONFIDENCE,
  holdsForSeconds,
  lastAttempts,
  medianEstimate,
  reasonsOf,
  settingKey,
  variantsIn,
} from "./settings.ts";
import type { Ratio, Run } from "./settings.ts";

/** A line through fewer says nothing about whether it is one. */
const LEAST_COUNTS = 4;

/** The mean over the hold, as a peak is one sample; and what it is before the load. */
const PARTS = [
  ["proxy_memory_mean_usage_bytes", "proxy_memory_baseline_usage_bytes"],
  ["proxy_memory_mean_rss_bytes", "proxy_memory_baseline_rss_bytes"],
  ["proxy_memory_mean_kernel_bytes", "proxy_memory_baseline_kernel_bytes"],
];

/** Slopes of settings that differ in the connections they hold alone. */
interface Family {
  settings: Setting[];
  planned: PlannedCell[];
  cells: JudgedCell[];
}

/** Of a cell: connections as planned and as held, memory, and its growth over the baseline. */
interface Point {
  round: number;
  count: number;
  x: number;
  y: number;
  growth: number;
}

interface Slope {
  proxy: string;
  /** At the counts that are compared. */
  points: Point[];
  /** At all counts. */
  all: Point[];
  counts: number;
  slope: Interval | null;
  baseline: Estimate | null;
}

/** Memory over held connections: what one more costs, without what a proxy needs anyway. */
export function slopes({ results, settings, cells }: Run): Comparison[] {
  return families(results, settings)
    .map(({ settings: own, planned }) => {
      const ids = new Set(planned.map(({ id }) => id));
      const attempts = lastAttempts(cells.filter(({ record }) => ids.has(record.id)));
      return { settings: own, planned, cells: attempts };
    })
    .flatMap((family) => PARTS.flatMap((part, i) => slope(results, family, part, i === 0)));
}

function families({ plan }: Results, settings: Setting[]): Omit<Family, "cells">[] {
  const key = ({ scenario, scheme, parameters, workload }: Omit<Setting, "key">) =>
    settingKey({
      scenario,
      scheme,
      parameters: without(parameters, [workload.parameterNames.connections]),
    });
  const held = settings.filter(({ workload }) => holdsForSeconds(workload));
  return [...Map.groupBy(held, key)]
    .map(([name, own]) => ({
      settings: own,
      planned: plan.cells.filter(
        (cell) => key({ ...cell, workload: workloadOf(plan, cell) }) === name,
      ),
    }))
    .filter(({ settings: own }) => countsOf(own) >= LEAST_COUNTS)
    .sort(({ settings: [a] }, { settings: [b] }) => {
      const rest = ({ parameters, workload }: Setting) =>
        JSON.stringify(without(parameters, [workload.parameterNames.connections]));
      return (
        compareText(a.scenario, b.scenario) ||
        compareText(rest(a), rest(b)) ||
        compareText(a.scheme, b.scheme)
      );
    });
}

function countsOf(settings: Setting[]): number {
  return new Set(settings.map(({ workload }) => connectionsInAll(workload))).size;
}

function slope(
  results: Results,
  family: Family,
  [mean, baseline]: string[],
  isRanked: boolean,
): Comparison[] {
  const { plan } = results;
  const counted = family.cells.filter(countsForMemory);
  const each = plan.proxies.map((proxy) => {
    const own = counted.filter(({ record }) => record.proxy === proxy);
    return { proxy, own, all: pointsOf(own, mean, baseline) };
  });
  const common = commonCounts(each.flatMap(({ proxy, all }) => (proxy === CONTROL ? [] : [all])));
  const rows = each.map(({ proxy, own, all }) =>
    slopeOf(proxy, all, common, baselineOf(own, baseline)),
  );
  const ended = new Map(plan.proxies.map((proxy) => [proxy, endOf(plan, family, proxy)] as const));
  const contenders = rows.filter(({ proxy }) => proxy !== CONTROL);
  const lacking = contenders.filter((row) => !row.slope).map(({ proxy }) => proxy);
  const { ranks, flags } =
    isRanked && common
      ? ranked(contenders, ended)
      : { ranks: new Map<string, { rank: number; ties: string[] }>(), flags: [] };
  const [best] = contenders
    .filter(({ proxy }) => ranks.get(proxy)?.rank === 1)
    .sort((a, b) => Number(a.slope?.value) - Number(b.slope?.value));
  const measure = measureOf(mean);
  const memory = comparison({
    question: "memory-per-connection",
    measure,
    settings: family.settings,
    figures: rows.map((row): Figure => {
      const { proxy, points, all, counts } = row;
      const place = ranks.get(proxy);
      const end = ended.get(proxy) ?? null;
      const few: Missing =
        points.length === 0 && counted.some(({ record }) => record.proxy === proxy)
          ? { kind: "uncounted" }
          : { kind: "few-counts", counts, least: LEAST_COUNTS };
      return {
        ...figure(proxy),
        estimate: estimateOf(row.slope),
        toBest: place
          ? toBestOf(ratioOf(row, best), { isBest: row === best, isTied: place.rank === 1 })
          : null,
        rank: place?.rank ?? null,
        tied: place?.ties ?? [],
        missing: row.slope ? [] : [end ? end.why : few],
        extra: {
          baseline: row.baseline,
          ended: end,
          ...(all.length > 0 && { upTo: Math.max(...all.map(({ count }) => count)) }),
          curve: all.map(({ x, growth }): [number, number] => [x, growth]),
        },
      };
    }),
    flags: [
      ...(common && rows.some(({ points, all }) => points.length < all.length)
        ? [
            flag("common-counts", "note", {
              least: Math.min(...common),
              most: Math.max(...common),
            }),
          ]
        : []),
      ...(isRanked && lacking.length > 0 ? [flag("no-slope", "weak", { proxies: lacking })] : []),
      ...flags,
    ],
  });
  if (!isRanked) return [memory];
  const { question, pairs } = variantsIn(results);
  const figures = besideOriginals(rows, pairs);
  if (figures.length === 0) return [memory];
  const { settings } = family;
  return [memory, comparison({ question, measure: inTimes(measure), settings, figures })];
}

function besideOriginals(rows: Slope[], pairs: [string, string][]): Figure[] {
  return pairs.flatMap((pair) => {
    const both = pair.flatMap((name) => rows.find(({ proxy }) => proxy === name) ?? []);
    const medians = both.flatMap(({ slope }) => slope?.value ?? []);
    const ratio = medians.length === 2 ? ratioOf(both[0], both[1]) : null;
    return ratio ? [ratioFigure(pair[0], ratio, { medians: [medians[0], medians[1]] })] : [];
  });
}

function pointsOf(cells: JudgedCell[], mean: string, baseline: string): Point[] {
  return cells
    .filter(({ measures }) => mean in measures)
    .map(({ record, workload, measures }) => ({
      round: record.round,
      count: connectionsInAll(workload),
      x: held(record) as number,
      y: measures[mean],
      growth: measures[mean] - measures[baseline],
    }))
    .sort((a, b) => a.x - b.x);
}

/**
 * What all carry who have counts enough for a slope: a slope beyond them would be another's
 * extrapolated. null: these are too few, and nobody can be compared.
 */
function commonCounts(each: Point[][]): Set<number> | null {
  const counts = each.map((points) => new Set(points.map(({ count }) => count)));
  const [first, ...others] = counts.filter(({ size }) => size >= LEAST_COUNTS);
  const common = [...(first ?? [])].filter((count) => others.every((one) => one.has(count)));
  return common.length < LEAST_COUNTS ? null : new Set(common);
}

/** @param common null: its own counts */
function slopeOf(
  proxy: string,
  all: Point[],
  common: Set<number> | null,
  baseline: Estimate | null,
): Slope {
  const points = all.filter(({ count }) => !common || common.has(count));
  const counts = new Set(points.map(({ count }) => count)).size;
  const slope = counts < LEAST_COUNTS ? null : theilSen(points, CONFIDENCE);
  return { proxy, points, all, counts, slope, baseline };
}

function baselineOf(cells: JudgedCell[], baseline: string): Estimate | null {
  return estimateOf(medianEstimate(cells.flatMap(({ measures }) => measures[baseline] ?? [])));
}

/** Over the cells of the same count and round. */
function ratioOf(one: Slope, other: Slope): Ratio | null {
  const shared = one.points.flatMap(({ round, count, y }) => {
    const beside = other.points.find((point) => point.round === round && point.count === count);
    return beside ? [{ x: count, a: y, b: beside.y }] : [];
  });
  const ratio = slopeRatio(shared, CONFIDENCE);
  return ratio && { ...ratio, rounds: null };
}

type End = NonNullable<Figure["extra"]["ended"]>;

/**
 * A slope rests on connection counts, so that it needs no rounds to be ranked. Two differ where
 * their intervals do not overlap, and that of their ratio leaves out 1; the former all hold
 * together, so that the chance of even one false difference is that of any other comparison.
 */
function ranked(
  contenders: Slope[],
  ended: Map<string, End | null>,
): { ranks: Map<string, { rank: number; ties: string[] }>; flags: Flag[] } {
  const measured = contenders.filter(({ slope }) => slope);
  const voided = contenders
    .filter(({ proxy, slope }) => {
      const kind = ended.get(proxy)?.why.kind;
      return !slope && (kind === "invalid" || kind === "voided");
    })
    .map(({ proxy }) => proxy);
  const none = new Map();
  if (voided.length > 0 && measured.length > 0)
    return { ranks: none, flags: [flag("survivors", "weak", { proxies: voided })] };
  if (measured.length < 2) return { ranks: none, flags: [] };
  const intervals = simultaneousIntervals(
    measured.map(({ points }) => points),
    CONFIDENCE,
  );
  if (!intervals) {
    const points = Math.min(...measured.map((row) => row.points.length));
    const few = flag("few-points", "weak", { proxies: measured.length, points });
    return { ranks: none, flags: [few] };
  }
  const of = new Map(measured.map(({ proxy }, i) => [proxy, intervals[i]]));
  const order = measured
    .toSorted((a, b) => Number(a.slope?.value) - Number(b.slope?.value))
    .map(({ proxy }) => proxy);
  const differ = (a: string, b: string) => {
    const [[low, high], [otherLow, otherHigh]] = [of.get(a), of.get(b)] as [number, number][];
    if (low <= otherHigh && otherLow <= high) return false;
    const [one, other] = [a, b].map((name) => measured.find(({ proxy }) => proxy === name));
    const ratio = one && other ? ratioOf(one, other)?.interval : null;
    return !ratio || ratio[0] > 1 || ratio[1] < 1;
  };
  return { ranks: rank(order, differ), flags: [] };
}

/** Where a proxy ended before the most that was planned, and why; null: it did not. */
function endOf(plan: Results["plan"], { planned, cells }: Family, proxy: string): End | null {
  const connections = (cell: PlannedCell) => connectionsInAll(workloadOf(plan, cell));
  const own = planned.filter((cell) => cell.proxy === proxy);
  const last = new Map(cells.map((cell) => [cell.record.id, cell]));
  const whole = own.filter(({ id }) => {
    const cell = last.get(id);
    return cell && countsForMemory(cell);
  });
  const most = Math.max(0, ...whole.map(connections));
  const [next] = own
    .filter((cell) => connections(cell) > most)
    .sort((a, b) => connections(a) - connections(b));
  if (!next) return null;
  const cell = last.get(next.id);
  const reasons: Missing[] = next.skip
    ? [{ kind: "skipped", why: next.skip }]
    : cell
      ? reasonsOf(cell)
      : [];
  const ofMemory = reasons.find(
    (reason) => reason.kind !== "invalid" || invalidates(reason.flag, "memory"),
  );
  return {
    connections: most,
    next: connections(next),
    why: ofMemory ?? { kind: "not-run" },
  };
}

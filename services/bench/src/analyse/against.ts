/**
 * One proxy of a run against another, comparison by comparison: whether it is worse, where
 * the run shows it. It reads comparisons alone.
 */
import type { Comparison, Comparisons, Estimate, Figure } from "../model/comparison.ts";
import { valueOf } from "./figures.ts";
import { measure } from "./measures.ts";
import { QUESTIONS } from "./questions.ts";

/** Question whose figures are ratios to what has the reference's place. */
const BASELINE = "baseline";
/** Equal configurations differ by less (docs/own-config.md). */
const INDIFFERENT = 0.02;

/**
 * seen: of the two, as the comparison tests it; unknown: it has no figure of both, or too few
 * rounds
 */
export type Seen = "better" | "worse" | "none" | "unknown";

/** Whether it is worse by more than was tolerated. */
export type Judged = "worse" | "not-worse" | "open";

export interface Against {
  comparison: Comparison;
  own: Figure;
  baseline: Figure;
  /** own to baseline; null: there is none */
  ratio: Estimate | null;
  seen: Seen;
  judged: Judged;
}

/**
 * @param questions that are asked
 * @param tolerance share by which it may be worse: 0.1
 */
export function against(
  { comparisons }: Comparisons,
  { own, baseline }: { own: string; baseline: string },
  { questions, tolerance }: { questions: string[]; tolerance: number },
): Against[] {
  const asked = comparisons.filter(({ question }) => questions.includes(question));
  const places = Map.groupBy(asked, ({ question, settings, event }) =>
    JSON.stringify([question, settings, event]),
  );
  return [...places.values()]
    .map((same) => same.find(isRankedBy) ?? same[0])
    .flatMap((comparison): Against[] => {
      if (comparison.question === BASELINE) return inTurns(comparison, own, tolerance);
      const [ours, theirs] = [own, baseline].map((name) =>
        comparison.figures.find(({ proxy }) => proxy === name),
      );
      if (!ours || !theirs) return [];
      const ratio = ratioOf(ours, theirs);
      return [
        {
          comparison,
          own: ours,
          baseline: theirs,
          ratio,
          seen: seenIn(comparison, ours, theirs),
          judged: ratio
            ? judgeRatio(comparison, ratio, tolerance)
            : judgeFigures(comparison, ours, theirs),
        },
      ];
    });
}

/** Turn by turn in each cell: the comparison is the ratio itself. */
function inTurns(comparison: Comparison, own: string, tolerance: number): Against[] {
  const figure = comparison.figures.find(({ proxy }) => proxy === own);
  if (!figure) return [];
  const { estimate: ratio, extra } = figure;
  const [ours = null, theirs = null] = (extra.medians ?? []).map((value) => valueOf(value));
  const measured = { ...comparison, measure: measure(comparison.measure.key) };
  return [
    {
      comparison: measured,
      own: { ...figure, estimate: ours },
      baseline: { ...figure, estimate: theirs, missing: [] },
      ratio,
      seen: ratio ? seenInRatio(measured, ratio) : "unknown",
      judged: ratio ? judgeRatio(measured, ratio, tolerance) : "open",
    },
  ];
}

/** A difference of which the whole interval lies beyond what equal ones show. */
function seenInRatio(comparison: Comparison, { low, high }: Estimate): Seen {
  if (low === null || high === null) return "unknown";
  const [least, most] = asCosts(comparison, low, high);
  if (least > 1 + INDIFFERENT) return "worse";
  return most < 1 / (1 + INDIFFERENT) ? "better" : "none";
}

/** @returns of all: worse where one is */
export function judgeAll(rows: Pick<Against, "judged">[]): Judged {
  if (rows.some(({ judged }) => judged === "worse")) return "worse";
  return rows.length === 0 || rows.some(({ judged }) => judged === "open") ? "open" : "not-worse";
}

/** Of several measures of a question the one that it ranks by. */
function isRankedBy({ question, measure }: Comparison): boolean {
  return QUESTIONS.find(({ id }) => id === question)?.rankBy === measure.key;
}

/** Of a comparison of two: the other to the best. */
function ratioOf(own: Figure, baseline: Figure): Estimate | null {
  if (!own.toBest || !baseline.toBest) return null;
  if (baseline.toBest.value === 1 && baseline.toBest.low === null) return own.toBest;
  const { value, low, high, basis } = baseline.toBest;
  return { value: 1 / value, low: high && 1 / high, high: low && 1 / low, basis };
}

function seenIn({ measure }: Comparison, own: Figure, baseline: Figure): Seen {
  if (own.rank !== null && baseline.rank !== null) {
    if (own.rank === baseline.rank) return "none";
    return own.rank < baseline.rank ? "better" : "worse";
  }
  const apart = apartness(measure, own.estimate, baseline.estimate);
  return apart === null ? "unknown" : apart;
}

/** Where nobody is ranked: what intervals that do not overlap show. */
function apartness(
  { better }: Comparison["measure"],
  own: Estimate | null,
  baseline: Estimate | null,
): Seen | null {
  if (!own || !baseline) return null;
  if (own.value === baseline.value) return "none";
  const [a, b] = [own, baseline].map(({ low, high }) => ({ low, high }));
  if (a.low === null || a.high === null || b.low === null || b.high === null) return null;
  if (a.low > b.high) return better === "lower" ? "worse" : "better";
  if (a.high < b.low) return better === "lower" ? "better" : "worse";
  return null;
}

function judgeRatio(comparison: Comparison, { low, high }: Estimate, tolerance: number): Judged {
  if (low === null || high === null) return "open";
  const [least, most] = asCosts(comparison, low, high);
  if (least > 1 + tolerance) return "worse";
  return most <= 1 + tolerance ? "not-worse" : "open";
}

/** So many times as expensive, whichever way is better. */
function asCosts(
  { measure }: Comparison,
  low: number,
  high: number,
): [least: number, most: number] {
  return measure.better === "lower" ? [low, high] : [1 / high, 1 / low];
}

function judgeFigures(comparison: Comparison, own: Figure, baseline: Figure): Judged {
  const hasFailed = own.missing.some(({ kind }) => kind === "failed");
  if (baseline.estimate && !own.estimate && hasFailed) return "worse";
  const apart = apartness(comparison.measure, own.estimate, baseline.estimate);
  if (apart === null) return "open";
  return apart === "worse" ? "worse" : "not-worse";
}

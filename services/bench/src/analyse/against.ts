/**
 * One proxy of a run against another, comparison by comparison: whether it is worse, where
 * the run shows it. It reads comparisons alone.
 */
import type { Comparison, Comparisons, Estimate, Figure } from "../model/comparison.ts";
import { QUESTIONS } from "./questions.ts";

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
    .flatMap((comparison) => {
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

function judgeRatio({ measure }: Comparison, { low, high }: Estimate, tolerance: number): Judged {
  if (low === null || high === null) return "open";
  // So many times as expensive, whichever way is better.
  const [least, most] = measure.better === "lower" ? [low, high] : [1 / high, 1 / low];
  if (least > 1 + tolerance) return "worse";
  return most <= 1 + tolerance ? "not-worse" : "open";
}

function judgeFigures(comparison: Comparison, own: Figure, baseline: Figure): Judged {
  const hasFailed = own.missing.some(({ kind }) => kind === "failed");
  if (baseline.estimate && !own.estimate && hasFailed) return "worse";
  const apart = apartness(comparison.measure, own.estimate, baseline.estimate);
  if (apart === null) return "open";
  return apart === "worse" ? "worse" : "not-worse";
}

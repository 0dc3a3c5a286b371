/**
 * What the published runs found: differences that are seen, the largest first, each from the run that says most about it.
 */
import { contestsOf } from "./contests.js";
import { sayingMore } from "./merged-overview.js";
import { ENOUGH_ROUNDS } from "./ranking.js";

/** @import { Interval } from "../statistics/types.js" */
/** @import { PublishedRun } from "./claim-table.js" */
/** @import { Contest, OverviewCell } from "./types.js" */

/** @typedef {Contest & {run: PublishedRun}} RunContest */

/** Less than a tenth is seen by many rounds, and matters to few. */
const LEAST_STRENGTH = Math.log(1.1);

/**
 * @typedef {object} Found
 * @property {RunContest} contest
 * @property {OverviewCell} low what has the lowest figure
 * @property {OverviewCell} high what has the highest
 * @property {number} strength how far they are apart, or of ratios how far from 1 the farther is: the natural logarithm of their quotient
 */

/** Where nobody is ranked, each figure may speak for itself: it is a ratio. @type {Contest["question"][]} */
const RATIOS = ["tls", "handshake"];

/** Of what may be 0, what is nothing to speak of, by unit: half a percent of all connections, one that is kept. @type {Record<string, number>} */
const LEAST = { "%": 0.5, "": 1 };

/**
 * @param {PublishedRun[]} runs
 * @param {(contest: Contest) => string} titleOf the same for what is asked alike, over both schemes
 * @returns {Found[][]} by question, its schemes in the order of strength; the strongest question first
 */
export function foundIn(runs, titleOf) {
  const all = runs.flatMap((run) =>
    contestsOf(run.analysis).map((contest) => ({ ...contest, run })),
  );
  const questions = Map.groupBy(all, titleOf);
  const found = [...questions.values()].map((own) =>
    [...Map.groupBy(own, ({ scheme }) => scheme).values()]
      .map((rivals) => rivals.toSorted(sayingMore)[0])
      .flatMap((contest) => differenceIn(contest) ?? [])
      .filter(({ strength }) => strength >= LEAST_STRENGTH)
      .toSorted((a, b) => b.strength - a.strength),
  );
  return found.filter((own) => own.length > 0).toSorted(([a], [b]) => b.strength - a.strength);
}

/**
 * @param {RunContest} contest
 * @returns {Found | null} null: no difference is seen, or by too few rounds
 */
export function differenceIn(contest) {
  const { question, cells, isFirstLook } = contest;
  if (isFirstLook) return null;
  const told = cells.filter(({ value }) => value);
  const [low, high] = endsOf(contest, told);
  if (!low || !high) return null;
  if (RATIOS.includes(question)) {
    const strengths = [low, high]
      .filter(isSeenRatio)
      .map((cell) => Math.abs(Math.log(valueOf(cell))));
    return strengths.length === 2 ? { contest, low, high, strength: Math.max(...strengths) } : null;
  }
  return (SEEN[question]?.(contest, high) ?? areApart(contest, low, high))
    ? { contest, low, high, strength: strengthOf(contest, low, high) }
    : null;
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell[]} told
 * @returns {OverviewCell[]} what is lowest and what is highest: by the ratios to the best where there are some, which are by all settings
 *   together or against the reference proxy; else by the figures
 */
function endsOf({ measure }, told) {
  const best = told.find(({ isBest }) => isBest);
  const by = (/** @type {OverviewCell} */ cell) =>
    best ? (cell === best ? 1 : (cell.ratio?.value ?? NaN)) : valueOf(cell);
  const sorted = told.filter((cell) => !Number.isNaN(by(cell))).toSorted((a, b) => by(a) - by(b));
  if (!best) return [sorted[0], sorted[sorted.length - 1]];
  // Another may tie with it, on its other side.
  return measure.better === "lower" ? [best, sorted[sorted.length - 1]] : [sorted[0], best];
}

/**
 * What is seen of the worst alone: that it grows, that it keeps connections.
 *
 * @type {Partial<Record<Contest["question"], (contest: RunContest, high: OverviewCell) => boolean>>}
 */
const SEEN = {
  course: (_, { value }) => Boolean(value?.interval && value.interval[0] > 0),
  leak: ({ run }, { proxy }) =>
    run.analysis.verdicts.some(
      (verdict) =>
        verdict.question === "leak" &&
        verdict.answers.some(({ left }) => left.some((one) => one.proxy === proxy && one.isLeak)),
    ),
};

/** @param {OverviewCell} cell */
function valueOf({ value }) {
  return value?.value ?? NaN;
}

/** @param {OverviewCell} cell a ratio, told from 1 */
function isSeenRatio({ value }) {
  return Boolean(value?.interval && (value.interval[0] > 1 || value.interval[1] < 1));
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell} low
 * @param {OverviewCell} high
 * @returns {boolean} by ranks, which are by tests; where there are none by what is known of each
 */
function areApart({ run, measure }, low, high) {
  const [best, worst] = measure.better === "lower" ? [low, high] : [high, low];
  if (best.rank !== null && worst.rank !== null)
    // A ratio has an interval where there were rounds enough; of what has no ratio the ranks are by intervals.
    return (
      best.rank === 1 && worst.rank > 1 && (worst.ratio === null || worst.ratio.interval !== null)
    );
  const [lower, upper] = [low, high].map((cell) => spanOf(cell, run.analysis.results.plan.rounds));
  return lower !== null && upper !== null && lower[1] < upper[0];
}

/**
 * @param {OverviewCell} cell
 * @param {number} rounds of its run
 * @returns {Interval | null} of so many rounds the lowest and the highest hold the median with more than 95 %
 */
function spanOf({ value, values }, rounds) {
  if (value?.interval) return value.interval;
  if (rounds < ENOUGH_ROUNDS || values.length < 2) return null;
  return [Math.min(...values), Math.max(...values)];
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell} low
 * @param {OverviewCell} high
 */
function strengthOf({ measure }, low, high) {
  const told = high.ratio ?? low.ratio;
  if (told) return Math.abs(Math.log(told.value));
  const least = LEAST[measure.unit] ?? 0;
  const ratio = (valueOf(high) + least) / (valueOf(low) + least);
  // What shrank has none.
  return ratio > 1 ? Math.log(ratio) : 0;
}

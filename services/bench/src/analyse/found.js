/**
 * What the published runs found: differences that are seen, each from the run that says most about it.
 */
import { contestsOf } from "./contests.js";
import { sayingMore } from "./merged-overview.js";
import { ENOUGH_ROUNDS } from "./ranking.js";
import { isPerOperation } from "./reference.js";
import { withoutVariants } from "./variants.js";

/** @import { Interval } from "../statistics/types.js" */
/** @import { PublishedRun } from "./claim-table.js" */
/** @import { Contest, OverviewCell, StormAnswer } from "./types.js" */

/** @typedef {Contest & {run: PublishedRun}} RunContest */

/** Less than a tenth is seen by many rounds, and matters to few. */
const LEAST_STRENGTH = Math.log(1.1);

/**
 * apart: the lowest and the highest of all; variant: a proxy and a variant of it; same-work: two that do the same work over the other scheme;
 * turned: behind over one scheme, and among the first over the other; storm: back later than without a proxy.
 *
 * @typedef {"apart" | "variant" | "same-work" | "turned" | "storm"} FoundKind
 *
 * @typedef {object} Found
 * @property {FoundKind} kind
 * @property {RunContest} contest
 * @property {OverviewCell} low what has the lowest figure, of a pair the lower one
 * @property {OverviewCell} high what has the highest
 * @property {number} strength how far they are apart, or of ratios how far from 1 the farther is: the natural logarithm of their quotient
 */

/** Where nobody is ranked, each figure may speak for itself: it is a ratio. @type {Contest["question"][]} */
const RATIOS = ["tls", "handshake"];

/** What no table of costs tells, though two are simply apart in it. @type {Contest["question"][]} */
const UNLIKE_COSTS = ["lost", "failed", "newcomers", "leak", "course"];

/** In which a variant may be told from its original. @type {Contest["question"][]} */
const OF_VARIANTS = ["best", "delay", "memory", "footprint", "capacity", "lost", "failed"];

/** Of what may be 0, what is nothing to speak of, by unit: half a percent of all connections, one that is kept. @type {Record<string, number>} */
const LEAST = { "%": 0.5, "": 1 };

/**
 * @param {PublishedRun[]} runs
 * @param {(contest: Contest) => string} titleOf the same for what is asked alike, over both schemes
 * @returns {Found[][]} each of one question, its schemes in the order of strength; first what no table of costs tells, then the strongest
 */
export function foundIn(runs, titleOf) {
  const all = runs.flatMap((run) =>
    contestsOf(run.analysis).map((contest) => ({ ...contest, run })),
  );
  const questions = [...Map.groupBy(all, titleOf).values()].map((own) =>
    [...Map.groupBy(own, ({ scheme }) => scheme).values()].map(
      (rivals) => rivals.toSorted(sayingMore)[0],
    ),
  );
  const pairs = questions.flatMap((own) => {
    const found = own.flatMap(pairsIn);
    const groups = Map.groupBy(
      found,
      ({ kind, low, high }) => `${kind} ${low.proxy} ${high.proxy}`,
    );
    return [...groups.values()];
  });
  return [
    ...questions.map((own) => own.flatMap((contest) => differenceIn(contest) ?? [])),
    ...pairs,
    ...questions.map(turnedIn),
    stormsIn(all.filter(({ question }) => question === "storm")),
  ]
    .map((own) =>
      own
        .filter(({ strength }) => strength >= LEAST_STRENGTH)
        .toSorted((a, b) => b.strength - a.strength),
    )
    .filter((own) => own.length > 0)
    .toSorted(
      ([a], [b]) => Number(isSurprising(b)) - Number(isSurprising(a)) || b.strength - a.strength,
    );
}

/**
 * @param {Found} found
 * @returns {boolean} no table of costs would lead one to expect it
 */
export function isSurprising({ kind, contest }) {
  return kind !== "apart" || UNLIKE_COSTS.includes(contest.question);
}

/**
 * @param {Found} found
 * @returns {number} the higher figure to the lower one
 */
export function quotientIn({ contest, low, high }) {
  return relative(contest, high) / relative(contest, low);
}

/**
 * @param {RunContest} contest
 * @returns {string[]} proxies with a figure, without each variant that ties with its original
 */
export function namedIn(contest) {
  return nameable(contest).map(({ proxy }) => proxy);
}

/**
 * @param {RunContest} contest
 * @returns {Found | null} null: no difference is seen, or by too few rounds
 */
export function differenceIn(contest) {
  const { question, isFirstLook } = contest;
  // Of storms each is told from the control.
  if (isFirstLook || question === "storm") return null;
  const [low, high] = endsOf(contest, nameable(contest));
  if (!low || !high) return null;
  const found = { kind: /** @type {const} */ ("apart"), contest, low, high };
  if (RATIOS.includes(question)) {
    const strengths = [low, high]
      .filter(isSeenRatio)
      .map((cell) => Math.abs(Math.log(valueOf(cell))));
    return strengths.length === 2 ? { ...found, strength: Math.max(...strengths) } : null;
  }
  return (SEEN[question]?.(contest, high) ?? areApart(contest, low, high)) &&
    isOfEvent(contest, high)
    ? { ...found, strength: strengthOf(contest, low, high) }
    : null;
}

/**
 * @param {RunContest} contest
 * @returns {Found[]} variants that are told from their original, the most, and those that do the same work over the other scheme
 */
function pairsIn(contest) {
  const { question, scheme, cells, isFirstLook, run } = contest;
  if (isFirstLook) return [];
  const { proxies } = run.analysis.results;
  const seen = (/** @type {FoundKind} */ kind, /** @type {string[]} */ names) => {
    const [a, b] = names.map((name) => cells.find(({ proxy, value }) => proxy === name && value));
    if (!a || !b || tie(contest, a, b) || !lieApart(contest, a, b)) return [];
    const [low, high] = relative(contest, a) < relative(contest, b) ? [a, b] : [b, a];
    if (!isOfEvent(contest, high)) return [];
    return [{ kind, contest, low, high, strength: strengthOf(contest, low, high) }];
  };
  return proxies.flatMap(({ name, variantOf, sameWorkAs }) => [
    ...(variantOf && OF_VARIANTS.includes(question)
      ? seen("variant", [variantOf.proxy, name])
      : []),
    ...(sameWorkAs && sameWorkAs.scheme !== scheme && isOfCosts(contest)
      ? seen("same-work", [sameWorkAs.proxy, name])
      : []),
  ]);
}

/**
 * @param {RunContest[]} contests of one question, one a scheme
 * @returns {Found[]} who is behind over one scheme, and then the same over the other, among the first there; empty: nobody is
 */
function turnedIn(contests) {
  const [plain, secured] = ["ws", "wss"].map((scheme) =>
    contests.find((one) => one.scheme === scheme && isOfCosts(one) && !one.isFirstLook),
  );
  if (!plain || !secured) return [];
  const found = [
    { behind: plain, ahead: secured },
    { behind: secured, ahead: plain },
  ].flatMap(({ behind, ahead }) => {
    const [low] = endsOf(behind, nameable(behind));
    const { proxies } = behind.run.analysis.results;
    const turned = behind.cells.flatMap((high) => {
      const other = ahead.cells.find(({ proxy }) => proxy === high.proxy);
      const isFirst = other?.rank === 1 && distanceOf(ahead, other) < LEAST_STRENGTH;
      return low && isFirst && areApart(behind, low, high) ? [{ low, high, other }] : [];
    });
    const names = withoutVariants(
      turned.map(({ high }) => high.proxy),
      proxies,
    );
    return turned
      .filter(({ high }) => names.includes(high.proxy))
      .map(({ low, high, other }) => ({
        strength: strengthOf(behind, low, high),
        of: [
          { contest: behind, low, high },
          { contest: ahead, low: other, high: other },
        ],
      }));
  });
  const [most] = found.toSorted((a, b) => b.strength - a.strength);
  if (!most) return [];
  return most.of.map((one) => ({ kind: "turned", ...one, strength: most.strength }));
}

/**
 * @param {RunContest[]} contests of storms
 * @returns {Found[]} one a scheme: the storm after which one proxy took longest, in times of what it took without a proxy
 */
function stormsIn(contests) {
  const found = contests.flatMap((contest) => {
    const [low] = endsOf(contest, nameable(contest));
    const names = namedIn(contest);
    return stormAnswers(contest)
      .filter(({ proxy, isSlower }) => isSlower && names.includes(proxy))
      .flatMap(({ proxy, toControl }) => {
        const high = contest.cells.find((cell) => cell.proxy === proxy);
        if (!low || !high || toControl === null) return [];
        return [
          {
            kind: /** @type {const} */ ("storm"),
            contest,
            low,
            high,
            strength: Math.log(toControl),
          },
        ];
      });
  });
  const strongest = found.toSorted((a, b) => b.strength - a.strength);
  return [...Map.groupBy(strongest, ({ contest }) => contest.scheme).values()].map(([one]) => one);
}

/**
 * @param {RunContest} contest of a storm
 * @returns {StormAnswer[]} of the control as well
 */
export function stormAnswers({ at, run }) {
  const key = Array.isArray(at) ? at[0].key : null;
  return run.analysis.storms.find((storm) => storm.key === key)?.answers ?? [];
}

/** @param {RunContest} contest */
function isOfCosts({ question, measure }) {
  return question === "best" && isPerOperation(measure.key);
}

/**
 * What an event did, and not what is lost without one.
 *
 * @param {RunContest} contest
 * @param {OverviewCell} cell
 * @returns {boolean} true as well where it is about no event
 */
function isOfEvent({ question, detail, at, run }, { proxy }) {
  if (question !== "lost" && question !== "failed") return true;
  const key = Array.isArray(at) ? at[0].key : null;
  const setting = run.analysis.survivals.find((one) => one.key === key);
  const event = setting?.events.find((one) => one.event === detail);
  const answer = event?.answers.find((one) => one.proxy === proxy);
  return answer?.beyondControl?.[question] ?? true;
}

/**
 * @param {RunContest} contest
 * @returns {OverviewCell[]} with a figure, but no variant that ties with its original
 */
function nameable(contest) {
  const told = contest.cells.filter(({ value }) => value);
  const { proxies } = contest.run.analysis.results;
  return told.filter((cell) => {
    const tying = told.filter((other) => other === cell || tie(contest, cell, other));
    const names = withoutVariants(
      tying.map(({ proxy }) => proxy),
      proxies,
    );
    return names.includes(cell.proxy);
  });
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell} a
 * @param {OverviewCell} b
 * @returns {boolean} of one rank; where there are none, no difference is seen
 */
function tie(contest, a, b) {
  return a.rank !== null && b.rank !== null ? a.rank === b.rank : !lieApart(contest, a, b);
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell[]} told
 * @returns {OverviewCell[]} what is lowest and what is highest: by the ratios to the best where there are some, which are by all settings
 *   together or against the reference proxy; else by the figures
 */
function endsOf(contest, told) {
  const by = (/** @type {OverviewCell} */ cell) => relative(contest, cell);
  const sorted = told.filter((cell) => !Number.isNaN(by(cell))).toSorted((a, b) => by(a) - by(b));
  const [lowest, highest] = [sorted[0], sorted[sorted.length - 1]];
  if (!contest.cells.some(({ isBest }) => isBest)) return [lowest, highest];
  // Another may tie with it, on its other side. Where it is a variant of one that ties with it, that one stands for it.
  const isLower = contest.measure.better === "lower";
  const first = sorted.filter(({ rank }) => rank === 1);
  const best = sorted.find(({ isBest }) => isBest) ?? (isLower ? first[0] : first.at(-1));
  if (!best) return [];
  return isLower ? [best, highest] : [lowest, best];
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell} cell
 * @returns {number} its ratio to the best, NaN where it has none; its figure where nothing is held against a best
 */
function relative({ cells }, cell) {
  if (!cells.some(({ isBest }) => isBest)) return valueOf(cell);
  return cell.isBest ? 1 : (cell.ratio?.value ?? NaN);
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell} cell
 * @returns {number} from the best: the natural logarithm of their quotient
 */
function distanceOf(contest, cell) {
  return Math.abs(Math.log(relative(contest, cell)));
}

/**
 * What is seen of the worst alone: that it grows, that it keeps connections.
 *
 * @type {Partial<Record<Contest["question"], (contest: RunContest, high: OverviewCell) => boolean>>}
 */
const SEEN = {
  // As its report says it: of all figures together, not of each by itself.
  course: ({ run, detail }, { proxy }) =>
    run.analysis.courses.some(({ rows }) =>
      rows.some(
        (row) =>
          row.proxy === proxy && row.parts.some(({ what, grows }) => what === detail && grows),
      ),
    ),
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
function areApart(contest, low, high) {
  const [best, worst] = contest.measure.better === "lower" ? [low, high] : [high, low];
  if (best.rank === null || worst.rank === null) return lieApart(contest, low, high);
  if (best.rank !== 1 || worst.rank === 1) return false;
  // Of what has no ratio the ranks are by intervals.
  if (worst.ratio === null) return true;
  // A ratio has an interval where there were rounds enough; it was tested against the best, not against another of the first rank.
  return best.isBest ? worst.ratio.interval !== null : lieApart(contest, best, worst);
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell} a
 * @param {OverviewCell} b
 * @returns {boolean} the intervals of both are known, and do not overlap: those of their ratios to the best where there are some
 */
function lieApart({ cells }, a, b) {
  const hasBest = cells.some(({ isBest }) => isBest);
  const [first, second] = [a, b].map(hasBest ? ratioSpan : spanOf);
  return first !== null && second !== null && (first[1] < second[0] || second[1] < first[0]);
}

/**
 * @param {OverviewCell} cell
 * @returns {Interval | null}
 */
function ratioSpan({ isBest, ratio }) {
  return isBest ? [1, 1] : (ratio?.interval ?? null);
}

/**
 * @param {OverviewCell} cell
 * @returns {Interval | null} of so many rounds the lowest and the highest hold the median with more than 95 %
 */
function spanOf({ value, values }) {
  if (value?.interval) return value.interval;
  if (values.length < ENOUGH_ROUNDS) return null;
  return [Math.min(...values), Math.max(...values)];
}

/**
 * @param {RunContest} contest
 * @param {OverviewCell} low
 * @param {OverviewCell} high
 */
function strengthOf(contest, low, high) {
  const { cells, measure } = contest;
  if (cells.some(({ isBest }) => isBest)) {
    const [best, worst] = measure.better === "lower" ? [low, high] : [high, low];
    return Math.abs(Math.log(relative(contest, worst) / relative(contest, best)));
  }
  const least = LEAST[measure.unit] ?? 0;
  const ratio = (valueOf(high) + least) / (valueOf(low) + least);
  // What shrank has none.
  return ratio > 1 ? Math.log(ratio) : 0;
}

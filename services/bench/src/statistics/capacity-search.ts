/**
 * The highest rate that keeps a promise. A coarse search as of nighthawk's adaptive load controller
 * (envoyproxy/nighthawk, docs/root/adaptive_load_controller.md): doubling until a rate fails, then
 * bisection. Then tries near the limit, up a step after one that held and down after one that
 * failed (Dixon & Mood, Journal of the American Statistical Association 43 (1948) 109-126), so that
 * they lie where the curve is steep. What is found is read off a curve through all of them.
 * Nothing here knows what the promise is.
 */
import { geometricMean } from "simple-statistics";
import { meanRatio } from "./student.ts";
import { thresholdOf } from "./threshold.ts";
import type { Threshold } from "./threshold.ts";
import type { Estimate } from "./types.ts";

/**
 * holds: the promise was kept; fails: what is measured broke it; limited: it was broken, but what
 * measures was at its limit first, so it says nothing about what is measured
 */
export type Verdict = "holds" | "fails" | "limited";

export interface Try {
  /** a second */
  rate: number;
  verdict: Verdict;
}

export interface SearchRange {
  /** the first rate */
  from: number;
  /** below this nothing is tried */
  lowest: number;
  /** above this nothing is tried */
  highest: number;
  /** a step near the limit; default: `RESOLUTION` */
  resolution?: number;
}

/** what to try next */
interface Next {
  rate: number;
  /** near the limit, where a try has to be a long one */
  isNear: boolean;
}

/** where the search stands */
interface Bracket {
  /** the highest rate that held; null: none did */
  holds: number | null;
  /** the lowest rate above it that did not hold; null: all that were tried held */
  above: number | null;
  /** the rate above did not fail, it was `limited` */
  isLimited: boolean;
}

/** A try, and how fast the machine was then. */
export interface TimedTry extends Try {
  /** of an operation of the reference beside it, in µs; null: it had too few to tell */
  referenceUs: number | null;
}

interface Capacity {
  /** through all tries, at the machine's mean speed; null: all held, or none did */
  threshold: Threshold | null;
  /** ends of its interval; without it, of what was tried: the highest that held, the lowest that failed */
  low: number | null;
  high: number | null;
  /** of the fresh tries outside of the interval that the search leaves by itself */
  agreeing: number;
  contradicting: number;
  isConfirmed: boolean;
}

export const RESOLUTION = 0.05;
/** Down to this the coarse search divides what is left. */
const COARSE = 0.25;
/** Tries near the limit. */
const NEAR = 5;
/** Fresh tries outside of the search's interval that have to agree with it, on both sides of it. */
const LEAST_AGREEING = 3;
/** Simulated on a machine whose speed moves by 15 %, 88 of 100 searches are confirmed; with 0.05, 55. */
const FRESH_STEP = 0.25;
const CONFIDENCE = 0.95;

/**
 * @param resolution of a search
 * @returns the rate that has to fail, over the one that has to hold, at least
 */
export function aboveOf(resolution: number): number {
  return 1 + 2 * resolution;
}

/**
 * @param before tries of an earlier part of the same search
 * @returns all tries, in their order
 */
export async function searchCapacity<T extends Try>(
  probe: (next: Next) => Promise<T>,
  range: SearchRange,
  before: readonly T[] = [],
): Promise<T[]> {
  const tries = [...before];
  for (let next; (next = nextTry(tries, range)) !== null;) tries.push(await probe(next));
  return tries;
}

/**
 * @param tries so far, in their order
 * @returns null: the search has ended
 */
export function nextTry(tries: readonly Try[], range: SearchRange): Next | null {
  for (let coarse = 0; coarse <= tries.length; coarse++) {
    const rate = coarseRate(tries.slice(0, coarse), range);
    if (rate === null) return nearTry(tries.slice(0, coarse), tries.slice(coarse), range);
    if (coarse === tries.length) return { rate, isNear: false };
  }
  return null;
}

/** @returns null: there have been enough, or the coarse search has no two ends to try between */
function nearTry(
  coarse: readonly Try[],
  near: readonly Try[],
  { lowest, highest, resolution = RESOLUTION }: SearchRange,
): Next | null {
  const { holds, above } = bracketOf(coarse);
  if (holds === null || above === null || near.length >= NEAR) return null;
  const last = near.at(-1);
  if (!last) return { rate: rounded(Math.sqrt(holds * above)), isNear: true };
  if (isToRepeat(near)) return { rate: last.rate, isNear: true };
  const step = 1 + resolution;
  const rate = last.verdict === "holds" ? last.rate * step : last.rate / step;
  return { rate: rounded(Math.min(highest, Math.max(lowest, rate))), isNear: true };
}

/** @returns what disturbed the last one may be gone */
function isToRepeat(tries: readonly Try[]): boolean {
  const last = tries.at(-1);
  return last?.verdict === "limited" && tries.at(-2)?.rate !== last.rate;
}

/**
 * A failure that ends the doubling is tried once more: a disturbance there would halve the answer.
 * Later ones have other tries around them. What measures being at its limit is tried once more
 * anywhere.
 *
 * @returns null: the coarse search has ended
 */
function coarseRate(
  tries: readonly Try[],
  { from, lowest, highest, resolution = RESOLUTION }: SearchRange,
): number | null {
  const last = tries.at(-1);
  if (!last) return rounded(from);
  if (isToRepeat(tries)) return last.rate;
  const { holds, above } = bracketOf(tries);
  if (above === null)
    return last.rate >= highest ? null : Math.min(highest, rounded(2 * last.rate));
  const isDoubling = !tries.some(
    ({ rate, verdict }, i) => verdict !== "holds" && tries[i - 1]?.rate === rate,
  );
  if (isDoubling) return last.rate;
  if (holds === null) return above <= lowest ? null : Math.max(lowest, rounded(above / 2));
  const middle = rounded(Math.sqrt(holds * above));
  // With rates of a few per second, the next one may be further away.
  return above / holds <= 1 + Math.max(COARSE, resolution) || middle <= holds || middle >= above
    ? null
    : middle;
}

/** @param tries in their order */
export function bracketOf(tries: readonly Try[]): Bracket {
  const last = standing(tries);
  const lowestBroken = lowest(last.filter(({ verdict }) => verdict !== "holds"));
  const held = last.filter(
    ({ rate, verdict }) => verdict === "holds" && rate < (lowestBroken?.rate ?? Infinity),
  );
  return {
    holds: held.length > 0 ? Math.max(...held.map(({ rate }) => rate)) : null,
    above: lowestBroken?.rate ?? null,
    isLimited: lowestBroken?.verdict === "limited",
  };
}

/** @returns without what was tried once more at once: the last one counts */
function standing<T extends Try>(tries: readonly T[]): T[] {
  return tries.filter(({ rate }, i) => tries[i + 1]?.rate !== rate);
}

/** @returns of tries that hold or fail */
function fitted(tries: readonly Try[]) {
  const told = tries.filter(({ verdict }) => verdict !== "limited");
  return thresholdOf(told.map(({ rate, verdict }) => ({ rate, kept: verdict === "holds" })));
}

/**
 * The rates of fresh cells, so far outside of the interval that the search leaves that most are
 * outside on a machine of another speed, too.
 *
 * @param searched in their order
 * @returns at: to be kept; above: to be broken; null: there is none
 */
export function freshRates(
  searched: readonly TimedTry[],
  resolution: number,
): { at: number | null; above: number | null } {
  const { holds } = bracketOf(searched);
  const once = standing(searched);
  const [usualUs] = costsOf(once);
  const found = holds === null ? null : fitted(atSpeed(once, usualUs));
  if (!found) return { at: holds, above: null };
  const { rate, low, high } = found;
  const step = 1 + Math.max(FRESH_STEP, resolution);
  return {
    at: rounded((low ?? rate / (1 + COARSE)) / step),
    above: rounded((high ?? rate * (1 + COARSE)) * step),
  };
}

/**
 * A machine's speed moves from minute to minute, so each try counts as at the rate that would have
 * been as much work at the mean speed of all cells; how well a few cells know that is a part of the
 * interval. In the run of 2026-11-28, on which this was found, the logarithm of the likelihood of 18
 * curves through all tries rose from -110 to -68 with it.
 *
 * @param searched in their order, all in one cell
 * @param fresh each in a cell of its own
 */
export function capacityOf(searched: readonly TimedTry[], fresh: readonly TimedTry[]): Capacity {
  const once = standing(searched);
  const usual = meanRatio(costsOf(once, fresh), CONFIDENCE);
  const search = atSpeed(once, usual?.value);
  const later = atSpeed(fresh, usual?.value);
  const own = fitted(search);
  const isBelow = ({ rate }: Try) => rate < (own?.low ?? 0);
  const isAbove = ({ rate }: Try) => rate > (own?.high ?? Infinity);
  const outside = later.filter(
    (each) => each.verdict !== "limited" && (isBelow(each) || isAbove(each)),
  );
  const kept = outside.filter((each) => isBelow(each) && each.verdict === "holds").length;
  const broke = outside.filter((each) => isAbove(each) && each.verdict === "fails").length;
  const agreeing = kept + broke;
  const contradicting = outside.length - agreeing;
  const all = [...search, ...later];
  const rates = (verdict: Verdict) =>
    all.filter((each) => each.verdict === verdict).map(({ rate }) => rate);
  const found = fitted(all);
  const threshold = found && widened(found, usual);
  const low = threshold ? threshold.low : finite(Math.max(...rates("holds")));
  const high = threshold ? threshold.high : finite(Math.min(...rates("fails")));
  const isClosed = threshold !== null && low !== null && high !== null;
  const isAgreed = agreeing >= LEAST_AGREEING && kept > 0 && broke > 0 && contradicting === 0;
  return { threshold, low, high, agreeing, contradicting, isConfirmed: isClosed && isAgreed };
}

/** @returns of an operation of the reference in each cell: of the search near its limit */
function costsOf(searched: readonly TimedTry[], fresh: readonly TimedTry[] = []): number[] {
  const told = (tries: readonly TimedTry[]) =>
    tries.flatMap(({ referenceUs }) => referenceUs ?? []);
  const held = searched.filter(({ verdict }) => verdict === "holds").map(({ rate }) => rate);
  // At a far lower rate an operation costs more, on any machine.
  const near = told(searched.filter(({ rate }) => rate >= Math.max(...held) / 2));
  return [...(near.length > 0 ? [geometricMean(near)] : []), ...told(fresh)];
}

function atSpeed(tries: readonly TimedTry[], usualUs: number | undefined): Try[] {
  return tries.map(({ rate, verdict, referenceUs }) => ({
    rate: referenceUs === null || usualUs === undefined ? rate : (rate * referenceUs) / usualUs,
    verdict,
  }));
}

/** Both are uncertain, and neither knows of the other: their widths add up as squares do. */
function widened(found: Threshold, usual: Estimate | null): Threshold {
  if (!usual?.interval) return found;
  const away = (end: number | null, to: number) =>
    end && Math.hypot(Math.log(end / found.rate), Math.log(to / usual.value));
  const [low, high] = [away(found.low, usual.interval[0]), away(found.high, usual.interval[1])];
  return {
    ...found,
    low: low === null ? null : found.rate * Math.exp(-low),
    high: high === null ? null : found.rate * Math.exp(high),
  };
}

function lowest(tries: Try[]) {
  return tries.reduce(
    (least: Try | undefined, each) =>
      least === undefined || each.rate < least.rate ? each : least,
    undefined,
  );
}

/** @returns to three significant digits: finer ones are below the resolution */
export function rounded(rate: number): number {
  return Number(rate.toPrecision(3));
}

function finite(value: number) {
  return Number.isFinite(value) ? value : null;
}

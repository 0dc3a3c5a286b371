/**
 * Which proxies differ, and the ranks that follow.
 */
import { holm, smallestStratifiedP, vanElteren } from "../statistics/index.ts";
import type { Stratum } from "../statistics/van-elteren.ts";
import type { Estimate } from "../statistics/types.ts";

/** Chance of even one false difference in a comparison. */
export const ALPHA = 0.05;

/**
 * With fewer nothing is ranked: of two equal proxies 1 pair in 10 comes apart with 3 rounds, 1 in 3
 * with 2.
 */
export const LEAST_ROUNDS = 4;

/**
 * With fewer there is no interval of 95 %, and no test of several pairs: ranks are preliminary.
 */
export const ENOUGH_ROUNDS = 6;

type Pair = [string, string];

export interface Judgement {
  /** none: with so few rounds nothing is told apart */
  method: "test" | "range" | "none";
  /** whether the two of a pair differ measurably */
  differ: (a: string, b: string) => boolean;
  /** corrected; null: not tested */
  p: (a: string, b: string) => number | null;
}

/**
 * Of samples in a single stratum.
 *
 * @param values by proxy
 * @param ratioOf of the medians of two
 */
export function judge(
  values: Map<string, number[]>,
  pairs: Pair[],
  ratioOf: (a: string, b: string) => Estimate | null,
): Judgement {
  const of = (name: string) => values.get(name) ?? [];
  const isMeasured = (pair: Pair) => pair.every((name) => of(name).length > 0);
  return judgeStrata(
    pairs,
    (...pair) => (isMeasured(pair) ? [[of(pair[0]), of(pair[1])]] : []),
    ratioOf,
  );
}

/**
 * With rounds enough: van Elteren's test of each pair, which with a single stratum is
 * Mann-Whitney's, corrected by Holm over all of them, so that it does not matter which proxy
 * happened to come out best. The test takes the rounds as independent; that a round slows all alike
 * makes it miss differences rather than invent them. And the interval of their ratio must leave out
 * 1, lest a report claim a difference beside an interval that denies it.
 *
 * With so few rounds that the test could never reject: two differ only when all values of one lie
 * below all of the other's. Of two equal proxies that happens in 1 of 35 cases with 4 rounds each.
 * Strata with fewer rounds tell no difference.
 *
 * @param strataOf the values of two in each stratum that both have
 * @param ratioOf of two
 */
export function judgeStrata(
  pairs: Pair[],
  strataOf: (a: string, b: string) => Stratum[],
  ratioOf: (a: string, b: string) => Estimate | null,
): Judgement {
  const compared = pairs
    .map(([a, b]) => ({ a, b, strata: strataOf(a, b).filter((one) => one.every(isEnough)) }))
    .filter(({ strata }) => strata.length > 0);
  const canReject = compared.some(
    ({ strata }) => smallestStratifiedP(strata) * compared.length <= ALPHA,
  );
  if (!canReject) {
    const isApart = new Set(
      compared
        .filter(({ strata }) => areApart(strata))
        .flatMap(({ a, b }) => [key(a, b), key(b, a)]),
    );
    return {
      method: compared.length > 0 ? "range" : "none",
      p: () => null,
      differ: (a, b) => isApart.has(key(a, b)),
    };
  }
  const corrected = holm(compared.map(({ strata }) => vanElteren(strata)));
  const ps = new Map(
    compared.flatMap(({ a, b }, i) => [
      [key(a, b), corrected[i]],
      [key(b, a), corrected[i]],
    ]),
  );
  const p = (a: string, b: string) => ps.get(key(a, b)) ?? null;
  return {
    method: "test",
    p,
    differ: (a, b) => (p(a, b) ?? 1) <= ALPHA && leavesOutOne(ratioOf(a, b)),
  };
}

function isEnough({ length }: readonly number[]) {
  return length >= LEAST_ROUNDS;
}

/** @returns true as well where there is no interval */
function leavesOutOne(ratio: Estimate | null): boolean {
  return !ratio?.interval || ratio.interval[0] > 1 || ratio.interval[1] < 1;
}

function key(a: string, b: string) {
  return `${a} ${b}`;
}

/** @param strata in each of which one lies below the other, the same in all */
function areApart(strata: Stratum[]) {
  return (
    strata.every(([a, b]) => Math.max(...a) < Math.min(...b)) ||
    strata.every(([a, b]) => Math.max(...b) < Math.min(...a))
  );
}

export function allPairs(names: string[]): Pair[] {
  return names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b] as Pair));
}

/**
 * From the best to the worst, each joins the first group whose best it does not differ from, and
 * otherwise begins a new one. So a proxy of wide spread shares the rank of the best that it ties
 * with, even where a steadier one before it does not. A rank is one more than the number of
 * proxies in the groups before.
 *
 * Ties are not transitive: two of a group that tie with its best may differ from each other.
 * Only those of the rank that a proxy ties with are its
 * ties.
 *
 * @param names from the best to the worst
 */
export function rank(
  names: string[],
  differ: (a: string, b: string) => boolean,
): Map<string, { rank: number; ties: string[] }> {
  const groups: string[][] = [];
  for (const name of names) {
    const group = groups.find(([best]) => !differ(best, name));
    if (group) group.push(name);
    else groups.push([name]);
  }
  const ranks = new Map();
  let before = 0;
  for (const group of groups) {
    for (const name of group) {
      const ties = group.filter((other) => other !== name && !differ(other, name));
      ranks.set(name, { rank: before + 1, ties });
    }
    before += group.length;
  }
  return ranks;
}

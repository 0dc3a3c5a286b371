import { errorFunction, wilcoxonRankSum } from "simple-statistics";

/**
 * Up to this many values in all, every arrangement is counted: there are fewer than 2^53 of them.
 */
const EXACT_VALUES = 50;

/**
 * Mann-Whitney's test (Wilcoxon's rank sum test) of whether values of one sample tend to be larger
 * than those of the other: Mann & Whitney, Annals of Mathematical Statistics 18 (1947) 50-60; with
 * mid-ranks for ties and the exact distribution given those ties, Lehmann, Nonparametrics (1975),
 * 1.4. Two-sided: arrangements whose rank sum lies at least as far from its mean as the one seen.
 *
 * Above 50 values: the normal approximation with corrections for ties and continuity (Conover,
 * Practical Nonparametric Statistics, 3rd ed., 5.1).
 *
 * @param options exact: other than by the number of values
 * @returns u: how many pairs have the larger value in a, ties counted half; p: two-sided
 * @throws {Error} when a sample is empty
 */
export function mannWhitney(
  a: readonly number[],
  b: readonly number[],
  { exact = a.length + b.length <= EXACT_VALUES }: { exact?: boolean } = {},
): { u: number; p: number } {
  const rankSum = wilcoxonRankSum(a, b);
  const u = rankSum - (a.length * (a.length + 1)) / 2;
  const ties = tieSizes([...a, ...b]);
  const p = exact
    ? exactP(ties, a.length, rankSum)
    : normalP(ties, a.length, b.length, Math.abs(u - (a.length * b.length) / 2));
  return { u, p };
}

/** @returns how many values are equal, from the smallest value to the largest */
export function tieSizes(values: number[]): number[] {
  const sizes: Map<number, number> = new Map();
  for (const value of values.sort((x, y) => x - y)) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  return [...sizes.values()];
}

/** @param n size of the sample whose rank sum it is */
function exactP(ties: number[], n: number, rankSum: number) {
  const counts = rankSumCounts(ties, n);
  const total = ties.reduce((sum, size) => sum + size, 0);
  const mean = n * (total + 1);
  const distance = Math.abs(2 * rankSum - mean);
  let all = 0;
  let extreme = 0;
  counts.forEach((count, doubledSum) => {
    all += count;
    if (Math.abs(doubledSum - mean) >= distance) extreme += count;
  });
  return extreme / all;
}

/**
 * In how many ways n of the ranks add up to each sum, by adding one rank after the other.
 *
 * @returns by twice the sum, as a mid-rank may be a half
 */
export function rankSumCounts(ties: number[], n: number): Float64Array {
  const doubledRanks: number[] = [];
  for (const size of ties) {
    const midRank = 2 * doubledRanks.length + size + 1;
    for (let i = 0; i < size; i++) doubledRanks.push(midRank);
  }
  const largest = doubledRanks.reduce((sum, rank) => sum + rank, 0);
  /** By how many ranks were taken. */
  const ways = Array.from({ length: n + 1 }, () => new Float64Array(largest + 1));
  ways[0][0] = 1;
  for (const rank of doubledRanks) {
    for (let taken = n; taken > 0; taken--) {
      for (let sum = largest; sum >= rank; sum--) ways[taken][sum] += ways[taken - 1][sum - rank];
    }
  }
  return ways[n];
}

/** @param distance of U from its mean */
function normalP(ties: number[], n: number, m: number, distance: number) {
  const total = n + m;
  const tied = ties.reduce((sum, size) => sum + size ** 3 - size, 0);
  const variance = ((n * m) / 12) * (total + 1 - tied / (total * (total - 1)));
  if (variance === 0) return 1;
  const z = Math.max(0, distance - 0.5) / Math.sqrt(variance);
  // The library's table of the normal distribution has two decimals of z; its error function seven
  // of p.
  return Math.min(1, 1 - errorFunction(z / Math.SQRT2));
}

/**
 * @returns p when all of one sample lie below all of the other: no data of this size gives a
 *   smaller one
 */
export function smallestP(n: number, m: number): number {
  let arrangements = 1;
  for (let i = 1; i <= n; i++) arrangements *= (m + i) / i;
  return Math.min(1, 2 / Math.round(arrangements));
}

/**
 * Corrects for the number of tests, so that the chance of even one false difference among them
 * stays at the level: Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
 * Journal of Statistics 6 (1979) 65-70.
 *
 * @returns corrected, in the same order
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, i) => i).sort((i, j) => ps[i] - ps[j]);
  const corrected = new Array(ps.length);
  let largest = 0;
  order.forEach((index, step) => {
    largest = Math.max(largest, Math.min(1, ps[index] * (ps.length - step)));
    corrected[index] = largest;
  });
  return corrected;
}

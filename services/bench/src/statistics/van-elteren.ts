import { errorFunction, probit } from "simple-statistics";
import { mannWhitney, rankSumCounts, smallestP, tieSizes } from "./significance.ts";
import type { Estimate } from "./types.ts";

/** Two samples of one stratum, such as the rounds of two proxies in one setting. */
export type Stratum = readonly [a: readonly number[], b: readonly number[]];

/** what the distribution of a stratum's rank sum follows from */
interface Block {
  /** size of a */
  n: number;
  /** size of b */
  m: number;
  /** how many values are equal, from the smallest to the largest */
  ties: number[];
}

/**
 * With more possible outcomes than these the distribution is taken as normal: it is no longer told
 * from it.
 */
const EXACT_OUTCOMES = 100_000;

/**
 * Van Elteren's test of whether values of one sample tend to be larger than those of the other
 * within strata that differ in level: "On the Combination of Independent Two Sample Tests of
 * Wilcoxon", Bulletin of the International Statistical Institute 37 (1960) 351-361; Lehmann,
 * Nonparametrics (1975), 3.3. Each stratum's rank sum, less its mean, counts with weight 1 / (N +
 * 1), N its number of values: no other weights find a shift that all strata share with a higher
 * probability. Two-sided, with mid-ranks for ties.
 *
 * The distribution is exact, of all arrangements within the strata given their ties; with very many
 * outcomes it is normal with the variance corrected for ties. With one stratum it is Mann-Whitney's
 * test.
 *
 * A difference in one direction in one stratum and in the other in another cancel: see whether the
 * strata agree.
 *
 * @param options exact: other than by the number of outcomes
 * @returns p, two-sided
 * @throws {Error} when there is no stratum, or a sample is empty
 */
export function vanElteren(
  strata: readonly Stratum[],
  { exact }: { exact?: boolean } = {},
): number {
  if (strata.length === 0) throw new Error("no stratum");
  if (strata.length === 1) return mannWhitney(...strata[0], { exact }).p;
  const blocks = strata.map(([a, b]) => blockOf(a.length, b.length, tieSizes([...a, ...b])));
  const weights = weightsOf(blocks);
  // Twice the statistic: a mid-rank may be a half.
  const distance = Math.abs(
    sum(strata.map(([a, b], i) => weights[i] * (2 * pairsAbove(a, b) - a.length * b.length))),
  );
  const isExact = exact ?? outcomes(blocks) <= EXACT_OUTCOMES;
  if (!isExact) {
    const sd = deviation(blocks, weights);
    return sd === 0 ? 1 : 1 - errorFunction(distance / sd / Math.SQRT2);
  }
  let extreme = 0;
  for (const [value, probability] of distribution(blocks, weights))
    if (Math.abs(value) >= distance) extreme += probability;
  return Math.min(1, extreme);
}

/**
 * What van Elteren's test is about.
 *
 * @param strata at least one
 * @returns weighted share of pairs within a stratum that have the larger value in a, ties counted
 *   half
 */
export function superiority(strata: readonly Stratum[]): number {
  const weights = weightsOf(strata.map(([a, b]) => blockOf(a.length, b.length)));
  const above = sum(strata.map(([a, b], i) => weights[i] * pairsAbove(a, b)));
  return above / sum(strata.map(([a, b], i) => weights[i] * a.length * b.length));
}

/** @returns Mann and Whitney's U: pairs with the larger value in a, ties counted half */
function pairsAbove(a: readonly number[], b: readonly number[]): number {
  return sum(a.map((x) => sum(b.map((y) => (x > y ? 1 : x === y ? 0.5 : 0)))));
}

/**
 * @returns p when all of one sample lie below all of the other in each: no data of these sizes give
 *   a smaller one
 */
export function smallestStratifiedP(strata: readonly Stratum[]): number {
  return strata.reduce((p, [a, b]) => (p * smallestP(a.length, b.length)) / 2, 2);
}

/**
 * The ratio of two samples that is the same in all strata: Hodges & Lehmann's estimate for van
 * Elteren's test, "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics 34
 * (1963) 598-611. It is the factor by which b is to be multiplied for the test to find no tendency
 * at all: the median of the ratios of all pairs within a stratum, each with its stratum's weight.
 *
 * Its interval holds the factors that the test, exact and without ties, does not reject (Lehmann,
 * Nonparametrics, 2.6 and 3.3). So it covers the true factor as often as asked or a little more
 * often, whatever the distribution is, if the two differ by a factor alone; and it leaves out 1
 * where the test rejects. It takes the samples as independent: that a round slows both makes it too
 * wide.
 *
 * @param strata all values above 0
 * @param options such as 0.95
 * @returns interval null: too few values for that confidence; null: no strata, or a value is not
 *   above 0
 */
export function stratifiedRatio(
  strata: readonly Stratum[],
  { confidence }: { confidence: number },
): Estimate | null {
  if (strata.length === 0 || strata.flat(2).some((value) => !(value > 0))) return null;
  const blocks = strata.map(([a, b]) => blockOf(a.length, b.length));
  const weights = weightsOf(blocks);
  const ratios = strata
    .flatMap(([a, b], i) => a.flatMap((x) => b.map((y) => ({ ratio: x / y, weight: weights[i] }))))
    .sort((x, y) => x.ratio - y.ratio);
  if (ratios.length === 0) return null;
  const critical = criticalValue(blocks, weights, (1 - confidence) / 2);
  const half = sum(ratios.map(({ weight }) => weight)) / 2;
  // Between two ratios when as much weight lies below as above.
  const value = Math.sqrt(beyond(ratios, half) * beyond(ratios.toReversed(), half));
  return {
    value,
    interval:
      critical === null ? null : [beyond(ratios, critical), beyond(ratios.toReversed(), critical)],
  };
}

/**
 * @param ratios from one end
 * @returns the first ratio at which more than this weight has been passed
 */
function beyond(ratios: { ratio: number; weight: number }[], weight: number): number {
  let passed = 0;
  for (const one of ratios) {
    passed += one.weight;
    if (passed > weight) return one.ratio;
  }
  return ratios[ratios.length - 1].ratio;
}

/**
 * @param blocks without ties
 * @returns the largest weight of pairs with the larger value in a that has at most that probability
 *   to be reached from below; null: none
 */
export function criticalValue(blocks: Block[], weights: number[], tail: number): number | null {
  const mean = sum(blocks.map(({ n, m }, i) => weights[i] * n * m)) / 2;
  if (outcomes(blocks) > EXACT_OUTCOMES) {
    const critical = mean + (probit(tail) * deviation(blocks, weights)) / 2;
    return critical >= 0 ? critical : null;
  }
  const sorted = [...distribution(blocks, weights)].sort(([x], [y]) => x - y);
  let below = 0;
  let critical = null;
  for (const [value, probability] of sorted) {
    below += probability;
    if (below > tail) break;
    critical = mean + value / 2;
  }
  return critical;
}

/** @param ties left out: there are none */
export function blockOf(n: number, m: number, ties: number[] = new Array(n + m).fill(1)): Block {
  return { n, m, ties };
}

/**
 * @returns in proportion to 1 / (N + 1), and whole numbers, so that sums of them can be compared
 */
export function weightsOf(blocks: Block[]): number[] {
  const sizes = blocks.map(({ n, m }) => n + m + 1);
  const multiple = sizes.reduce((all, size) => (all / divisor(all, size)) * size, 1);
  return sizes.map((size) => multiple / size);
}

/** @returns greatest common */
function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

/**
 * @returns the probability of each value of twice the statistic, all arrangements being as likely
 */
function distribution(blocks: Block[], weights: number[]): Map<number, number> {
  let all = new Map([[0, 1]]);
  blocks.forEach(({ n, m, ties }, i) => {
    const own = rankSumCounts(ties, n);
    const count = sum([...own]);
    const next = new Map();
    own.forEach((ways, doubledSum) => {
      if (ways === 0) return;
      const step = weights[i] * (doubledSum - n * (n + m + 1));
      for (const [value, probability] of all)
        next.set(value + step, (next.get(value + step) ?? 0) + (probability * ways) / count);
    });
    all = next;
  });
  return all;
}

/** @returns standard deviation of twice the statistic */
function deviation(blocks: Block[], weights: number[]): number {
  const variances = blocks.map(({ n, m, ties }, i) => {
    const total = n + m;
    const tied = sum(ties.map((size) => size ** 3 - size));
    return weights[i] ** 2 * ((n * m) / 3) * (total + 1 - tied / (total * (total - 1)));
  });
  return Math.sqrt(sum(variances));
}

/** @returns of the statistic, at most: those of equal strata fall together */
function outcomes(blocks: Block[]): number {
  const bySize = Map.groupBy(blocks, ({ n, m }) => n + m);
  return [...bySize.values()].reduce(
    (product, equal) => product * (1 + sum(equal.map(({ n, m }) => 2 * n * m))),
    1,
  );
}

function sum(values: number[]) {
  return values.reduce((all, value) => all + value, 0);
}

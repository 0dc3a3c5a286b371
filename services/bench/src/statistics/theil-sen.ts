import { median } from "simple-statistics";

import type { Estimate, Interval } from "./types.ts";

/**
 * The slope of y over x: the median of the slopes between all pairs of points of different x
 * (Theil, Proc. Kon. Ned. Akad. v. Wetensch. A 53 (1950) 386-392; Sen, Journal of the American
 * Statistical Association 63 (1968) 1379-1389, where values of x may be equal). A quarter of the
 * points may be anything.
 *
 * The interval is Sen's, which assumes no distribution: a slope b is left out when y - b x is so
 * far from unrelated to x, by Kendall's count of pairs in order, that unrelated values come out so
 * in less than the rest of the confidence. The distribution of that count is exact, given equal
 * values of x. It covers the true slope at least as often as asked.
 *
 * @param confidence such as 0.95
 * @returns null: all points have the same x; its interval is null where so few points never leave
 *   out any slope: with one y for each x, 5 are the fewest for 95 %
 */
export function theilSen(
  points: readonly { x: number; y: number }[],
  confidence: number,
): Estimate | null {
  const slopes = slopesBetween(points);
  if (slopes.length === 0) return null;
  const value = median(slopes);
  return { value, interval: intervalOf(slopes, depthOf(points, confidence)) };
}

/**
 * Sen's intervals of several slopes that hold together: where two of them do not overlap, the
 * slopes differ, and the chance of even one false difference is at most the rest of the confidence,
 * however many are equal.
 *
 * The sets are independent, so that the chance that all intervals hold is the product of theirs
 * (Šidák, Journal of the American Statistical Association 62 (1967) 626-633), and each is exact.
 * All may miss equally often, but for a set of so few points that even its widest interval misses
 * more often: that has its widest, and the others are widened for it.
 *
 * @param sets each with two different x or more
 * @param confidence that all hold, such as 0.95
 * @returns one a set; null: the sets are too many for so few points
 */
export function simultaneousIntervals(
  sets: readonly (readonly { x: number; y: number }[])[],
  confidence: number,
): Interval[] | null {
  const errors = sets.map(errorsOf);
  const limits = [0, ...errors.flat()].sort((a, b) => b - a);
  for (const limit of limits) {
    const depths = errors.map((own) =>
      Math.max(1, own.findLastIndex((error) => error <= limit) + 1),
    );
    const chance = depths.reduce((all, depth, i) => all * (1 - (errors[i][depth - 1] ?? 1)), 1);
    if (chance >= confidence)
      return depths.map((depth, i) => intervalOf(slopesBetween(sets[i]), depth) as Interval);
  }
  return null;
}

/**
 * How many times one slope is another, of two that were measured at the same x. A ratio is left out
 * when what remains of a after this many times b is so far from unrelated to x, by the same count of
 * pairs as in `theilSen`: Fieller's way (Journal of the Royal Statistical Society B 16 (1954)
 * 175-185) with Kendall's test, exact for any distribution. What raises both at one x cancels.
 *
 * @returns null: there is no slope, or b has none above 0; its interval is null where b does not
 *   grow from each x to the next
 */
export function slopeRatio(
  points: readonly { x: number; a: number; b: number }[],
  confidence: number,
): Estimate | null {
  const [own, other] = (["a", "b"] as const).map((key) =>
    theilSen(
      points.map((point) => ({ x: point.x, y: point[key] })),
      confidence,
    ),
  );
  if (!own || !other || !(other.value > 0)) return null;
  const value = own.value / other.value;
  const sorted = points.toSorted((one, next) => one.x - next.x);
  const pairs = sorted.flatMap((from, i) =>
    sorted.slice(i + 1).flatMap((to) => (to.x > from.x ? [[to.a - from.a, to.b - from.b]] : [])),
  );
  if (pairs.some(([, grown]) => !(grown > 0))) return { value, interval: null };
  const ratios = pairs.map(([a, b]) => a / b).sort((a, b) => a - b);
  const depth = depthOf(sorted, confidence);
  if (depth === 0) return { value, interval: null };
  const [low, high] = intervalOf(ratios, depth) as Interval;
  // The ratio of two medians may lie beside the median of ratios.
  return { value, interval: [Math.min(low, value), Math.max(high, value)] };
}

/** @returns the slopes between all pairs of different x, sorted */
function slopesBetween(points: readonly { x: number; y: number }[]): number[] {
  const slopes: number[] = [];
  points.forEach((a, i) => {
    for (const b of points.slice(i + 1)) if (a.x !== b.x) slopes.push((b.y - a.y) / (b.x - a.x));
  });
  return slopes.sort((a, b) => a - b);
}

/** @returns of that confidence; 0: even the widest interval has less */
function depthOf(points: readonly { x: number }[], confidence: number): number {
  return errorsOf(points).findLastIndex((error) => error <= 1 - confidence) + 1;
}

/**
 * @param slopes sorted
 * @param depth it ends at the slopes that are so far from either end; 0: there is none
 */
function intervalOf(slopes: number[], depth: number): Interval | null {
  return depth === 0 ? null : [slopes[depth - 1], slopes[slopes.length - depth]];
}

/**
 * @returns how often the interval misses the slope, from that which ends at the first and last of
 *   all slopes inwards: as often as no more pairs are out of order, or in order, than are left out
 *   at an end
 */
function errorsOf(points: readonly { x: number }[]): number[] {
  const groups = Map.groupBy(points, ({ x }) => x);
  const ways = pairsOutOfOrder([...groups.values()].map(({ length }) => length));
  const all = ways.reduce((sum, count) => sum + count, 0);
  const errors: number[] = [];
  let below = 0;
  for (const count of ways) {
    below += count;
    if (2 * below >= all) break;
    errors.push((2 * below) / all);
  }
  return errors;
}

/**
 * In how many of the arrangements of y, all different, over x this many pairs of different x are out
 * of order: the coefficients of a Gaussian multinomial (Kendall & Gibbons, Rank Correlation
 * Methods, 5th ed., chapter 5; MacMahon 1916), as the product of Gaussian binomials, adding one
 * group of equal x after the other.
 *
 * @param groups how many points have the same x
 * @returns by the number of pairs
 */
function pairsOutOfOrder(groups: number[]): number[] {
  let ways = [1];
  let before = 0;
  for (const size of groups) {
    ways = times(ways, gaussianBinomial(before + size, size));
    before += size;
  }
  return ways;
}

/**
 * @returns coefficients of the polynomial: of all ways to choose k of n in a row, those that so
 *   many pairs of chosen and not chosen are out of order in
 */
function gaussianBinomial(n: number, k: number): number[] {
  /** of [m over j] for j from 0 to k, for the m so far */
  let row: number[][] = [[1]];
  for (let m = 1; m <= n; m++) {
    const next = [[1]];
    for (let j = 1; j <= Math.min(m, k); j++)
      next.push(plus(row[j - 1], j < m ? shifted(row[j], j) : []));
    row = next;
  }
  return row[k];
}

function shifted(a: number[], by: number) {
  return [...new Array(by).fill(0), ...a];
}

function plus(a: number[], b: number[]) {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? 0) + (b[i] ?? 0));
}

function times(a: number[], b: number[]) {
  const product = new Array(a.length + b.length - 1).fill(0);
  a.forEach((x, i) => b.forEach((y, j) => (product[i + j] += x * y)));
  return product;
}

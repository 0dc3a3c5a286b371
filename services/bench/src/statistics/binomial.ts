/**
 * Shares of what happened, and how far the true one may be from the counted one.
 */
import { gammaln } from "simple-statistics";
import type { Interval } from "./types.ts";

/** Steps of a bisection: the 53 bits of a double, and some for shares near 0. */
const STEPS = 100;
/** Where a further term of the continued fraction changes nothing that is asked. */
const PRECISION = 1e-14;
/** Of the continued fraction; it takes in the order of the square root of the larger parameter. */
const MOST_TERMS = 100_000;

/**
 * The exact interval of a share: Clopper & Pearson, "The use of confidence or fiducial limits
 * illustrated in the case of the binomial", Biometrika 26 (1934) 404-413. It holds the true share
 * at least as often as asked, whatever that is and however few were counted; each end leaves out
 * half of the rest. The ends are quantiles of beta distributions (Brown, Cai & DasGupta, "Interval
 * Estimation for a Binomial Proportion", Statistical Science 16 (2001) 101-133, 4.2.1).
 *
 * It takes what is counted as independent. Connections that share a worker are not: then it is too
 * narrow.
 *
 * @param count of those that it happened to
 * @param of all
 * @param confidence such as 0.95
 * @returns shares from 0 to 1; null: there are none
 */
export function binomialInterval(count: number, of: number, confidence: number): Interval | null {
  if (of === 0) return null;
  const tail = (1 - confidence) / 2;
  return [
    count === 0 ? 0 : betaQuantile(tail, count, of - count + 1),
    count === of ? 1 : betaQuantile(1 - tail, count + 1, of - count),
  ];
}

/**
 * @param p a probability
 * @returns x below which a beta (a, b) variable lies with that probability: by bisection, as its
 *   distribution only grows
 */
function betaQuantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < STEPS; i++) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The regularised incomplete beta function by its continued fraction, DLMF 8.17.22
 * (https://dlmf.nist.gov/8.17.v), evaluated as Lentz does. It converges quickly below the mean;
 * above it the other tail is taken, DLMF 8.17.4.
 *
 * @param x from 0 to 1
 * @param a above 0
 * @param b above 0
 * @returns probability of a beta (a, b) variable to be below x
 */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(
    a * Math.log(x) + b * Math.log1p(-x) + gammaln(a + b) - gammaln(a) - gammaln(b),
  );
  return (front / a) * continuedFraction(x, a, b);
}

function continuedFraction(x: number, a: number, b: number) {
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MOST_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d);
      c = nonZero(1 + term / c);
      change = c * d;
      value *= change;
    }
    if (Math.abs(change - 1) < PRECISION) return value;
  }
  throw new Error(`no convergence at x ${x}, a ${a}, b ${b}`);
}

function nonZero(value: number) {
  return value === 0 ? Number.MIN_VALUE : value;
}

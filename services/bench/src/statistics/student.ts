import { mean, sampleStandardDeviation, sum } from "simple-statistics";
import type { Estimate } from "./types.ts";

/**
 * The mean ratio of pairs: geometric, with Student's t over their logarithms. It assumes that those
 * are normal, which makes an interval of 3 values possible; a median needs 6.
 *
 * @param ratios of pairs that were measured at once, each above 0
 * @param confidence such as 0.95
 * @returns null: there are none; interval null: there are fewer than 3
 */
export function meanRatio(ratios: readonly number[], confidence: number): Estimate | null {
  if (ratios.length === 0) return null;
  const logs = ratios.map(Math.log);
  const centre = mean(logs);
  if (logs.length < 3) return { value: Math.exp(centre), interval: null };
  const t = studentQuantile((1 + confidence) / 2, logs.length - 1);
  const half = (t * sampleStandardDeviation(logs)) / Math.sqrt(logs.length);
  return {
    value: Math.exp(centre),
    interval: [Math.exp(centre - half), Math.exp(centre + half)],
  };
}

/**
 * Mean ratios between several that were each measured once in every block, such as proxies in runs:
 * geometric, with Student's t over the logarithms. What is left of a value without its own mean and
 * that of its block is taken to spread alike for all (randomized complete blocks; Montgomery, Design
 * and Analysis of Experiments, chapter 4), so that three blocks of six values have 10 degrees of
 * freedom, where each pair for itself has 2.
 *
 * @param values those of each, above 0, in the order of the blocks; of two or more, in as many blocks
 * @returns of two, by their places in `values`; p: two-tailed, that the true ratio is 1
 */
export function blockRatios(
  values: readonly (readonly number[])[],
  confidence: number,
): (a: number, b: number) => Estimate & { p: number } {
  const logs = values.map((own) => own.map(Math.log));
  const means = logs.map((own) => mean(own));
  const blocks = logs[0].map((_, j) => mean(logs.map((own) => own[j])));
  const all = mean(means);
  const residuals = logs.flatMap((own, i) =>
    own.map((one, j) => (one - means[i] - blocks[j] + all) ** 2),
  );
  const degrees = (values.length - 1) * (blocks.length - 1);
  const error = Math.sqrt((2 * sum(residuals)) / degrees / blocks.length);
  const half = studentQuantile((1 + confidence) / 2, degrees) * error;
  return (a, b) => {
    const centre = means[a] - means[b];
    const theta = Math.atan2(Math.abs(centre) / error, Math.sqrt(degrees));
    return {
      value: Math.exp(centre),
      interval: [Math.exp(centre - half), Math.exp(centre + half)],
      p: centre === 0 ? 1 : twoTailed(theta, degrees),
    };
  };
}

/** @param p from 0.5 on */
export function studentQuantile(p: number, degrees: number): number {
  let [low, high] = [0, Math.PI / 2];
  while (high - low > 1e-12) {
    const middle = (low + high) / 2;
    if (twoTailed(middle, degrees) > 2 * (1 - p)) low = middle;
    else high = middle;
  }
  return Math.tan(low) * Math.sqrt(degrees);
}

/**
 * Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4: exact.
 *
 * @param theta whose tangent is t / √degrees
 * @param degrees whole
 */
function twoTailed(theta: number, degrees: number): number {
  const isOdd = degrees % 2;
  const cosine = Math.cos(theta);
  let term = isOdd ? cosine : 1;
  let sum = 0;
  for (let power = isOdd; power <= degrees - 2; power += 2) {
    sum += term;
    term *= ((power + 1) / (power + 2)) * cosine ** 2;
  }
  const within = Math.sin(theta) * sum;
  return 1 - (isOdd ? (2 / Math.PI) * (theta + within) : within);
}

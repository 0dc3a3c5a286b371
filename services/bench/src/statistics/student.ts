import { mean, sampleStandardDeviation } from "simple-statistics";
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
 * Whether the true mean ratio is 1, by Student's t over the logarithms.
 *
 * @param ratios each above 0
 * @returns two-tailed; 1: there are fewer than 3
 */
export function meanRatioP(ratios: readonly number[]): number {
  if (ratios.length < 3) return 1;
  const logs = ratios.map(Math.log);
  const error = sampleStandardDeviation(logs) / Math.sqrt(logs.length);
  const centre = Math.abs(mean(logs));
  if (centre === 0) return 1;
  return twoTailed(Math.atan2(centre / error, Math.sqrt(logs.length - 1)), logs.length - 1);
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

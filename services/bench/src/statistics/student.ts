import { mean, probit, sampleStandardDeviation } from "simple-statistics";
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
 * Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.5: to 0.01 from 4 degrees on, and
 * to 2 % with 2.
 */
export function studentQuantile(p: number, degrees: number): number {
  const z = probit(p);
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160,
  ];
  return terms.reduce((sum, term, i) => sum + term / degrees ** i, 0);
}

import { mean, quantileSorted, standardDeviation } from "simple-statistics";

import type { LatencySummary } from "../model/load.ts";

/**
 * Quantiles are of type 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The
 * American Statistician 50 (1996) 361-365: linear between the two nearest values, as in R, in numpy
 * and in k6's own summary. The standard deviation is that of the values themselves (divided by n).
 *
 * @param values in any order, in ms; up to some million
 * @returns null: there are none
 */
export function summarise(values: Float64Array | readonly number[]): LatencySummary | null {
  if (values.length === 0) return null;
  // A typed array is sorted as numbers, and many times faster. The library reads it as it reads an
  // array.
  const sorted = Float64Array.from(values).sort() as unknown as number[];
  const quantile = (p: number) => quantileSorted(sorted, p);
  return {
    count: sorted.length,
    mean: mean(sorted),
    sd: standardDeviation(sorted),
    min: sorted[0],
    median: quantile(0.5),
    p90: quantile(0.9),
    p95: quantile(0.95),
    p99: quantile(0.99),
    p999: quantile(0.999),
    max: sorted[sorted.length - 1],
  };
}

/**
 * The fewest values that can tell a quantile: with all of them at or under a limit, the quantile is
 * at or under it with that confidence (Wilks, Annals of Mathematical Statistics 12 (1941) 91-96).
 *
 * @param p share of all values, such as 0.99
 * @param confidence such as 0.95
 */
export function leastSamples(p: number, confidence: number): number {
  return Math.ceil(Math.log(1 - confidence) / Math.log(p));
}

import { mean, median, sampleStandardDeviation } from "simple-statistics";

/** @returns sample standard deviation in % of the mean; null: fewer than two */
export function spreadPercent(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  return (100 * sampleStandardDeviation([...values])) / mean([...values]);
}

/**
 * @param values null: not known
 * @returns median of those that are known; null: none is
 */
export function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? median(known) : null;
}

import { mean, sampleStandardDeviation } from "simple-statistics";

/**
 * @param {readonly number[]} values
 * @returns {number | null} sample standard deviation in % of the mean; null: fewer than two
 */
export function spreadPercent(values) {
  if (values.length < 2) return null;
  return (100 * sampleStandardDeviation([...values])) / mean([...values]);
}

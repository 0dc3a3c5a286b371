import { mean, median, sampleStandardDeviation } from "simple-statistics";

/**
 * @param {readonly number[]} values
 * @returns {number | null} sample standard deviation in % of the mean; null: fewer than two
 */
export function spreadPercent(values) {
  if (values.length < 2) return null;
  return (100 * sampleStandardDeviation([...values])) / mean([...values]);
}

/**
 * @param {readonly (number | null)[]} values null: not known
 * @returns {number | null} median of those that are known; null: none is
 */
export function medianOf(values) {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? median(known) : null;
}

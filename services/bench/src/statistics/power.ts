import { median, quantile } from "simple-statistics";
import { randomNumbers } from "./random.ts";
import { blockOf, criticalValue, weightsOf } from "./van-elteren.ts";

/**
 * The smallest ratio between two proxies that a comparison like this one would have seen in 4 of 5
 * runs.
 *
 * By simulation: the deviations of all values from their group's median, on the log scale and
 * together, stand for the spread (widened by the root of n / (n - 1), as deviations from an
 * estimated centre are too small: Efron & Tibshirani, An Introduction to the Bootstrap, 1993). Two
 * samples are drawn from them, and the least factor is taken by which one has to be multiplied for
 * the exact test to reject: Mann-Whitney's, or van Elteren's where there are several strata. The
 * result is the quantile of those factors at the power. Rejecting means at alpha / tests, the
 * strictest step of Holm's correction: a difference is found more easily when others are found as
 * well.
 *
 * It takes the spread of all groups to be the same, and knows it from few values: an order of
 * magnitude, not a promise.
 *
 * @param groups the values of each proxy in each stratum, all above 0
 * @param options tests: of the family that Holm's correction is over; strata: that two proxies are
 *   compared in
 * @returns at least 1; null: samples of the smallest group's size can never be told apart at that
 *   level, or a value is not above 0
 */
export function detectableRatio(
  groups: readonly (readonly number[])[],
  {
    alpha,
    tests,
    seed,
    strata = 1,
    power = 0.8,
    draws = 2000,
  }: {
    alpha: number;
    tests: number;
    seed: number;
    strata?: number;
    power?: number;
    draws?: number;
  },
): number | null {
  const n = Math.min(...groups.map((values) => values.length));
  if (groups.length < 2 || n < 2 || groups.flat().some((value) => !(value > 0))) return null;
  const blocks = Array.from({ length: strata }, () => blockOf(n, n));
  const critical = criticalValue(blocks, weightsOf(blocks), alpha / tests / 2);
  if (critical === null) return null;

  const deviations = groups.flatMap((values) => {
    const logs = values.map(Math.log);
    const centre = median(logs);
    return logs.map((log) => (log - centre) * Math.sqrt(values.length / (values.length - 1)));
  });
  const random = randomNumbers(seed);
  const draw = () => deviations[Math.floor(random() * deviations.length)];
  const differences = new Float64Array(strata * n * n);
  const shifts = Array.from({ length: draws }, () => {
    let pair = 0;
    for (let stratum = 0; stratum < strata; stratum++) {
      const a = Array.from({ length: n }, draw);
      const b = Array.from({ length: n }, draw);
      for (const x of a) for (const y of b) differences[pair++] = y - x;
    }
    // The test rejects once all but `critical` pairs have the larger value in a: that many
    // differences must be passed.
    return differences.sort()[Math.ceil(differences.length - critical) - 1];
  });
  return Math.max(1, Math.exp(quantile(shifts, power)));
}

import { sum } from "simple-statistics";
import { studentQuantile } from "./student.ts";
import type { Estimate } from "./types.ts";

/** Standard deviations from the middle of a 95 % interval to its ends. */
const Z = 1.96;

/**
 * The mean of several measurements of one thing, of which some are less certain than others: each
 * weighs by its own variance and that between them (DerSimonian and Laird 1986, Controlled Clinical
 * Trials 7:177). The interval is Student's, as Hartung and Knapp have it, and never narrower than
 * those of the measurements allow (modified as in Röver, Knapp and Friede 2015, BMC Medical Research
 * Methodology 15:99).
 *
 * @param measured value and 95 % interval of each, with low < high; of three or more
 * @param confidence such as 0.95
 */
export function randomEffects(
  measured: { value: number; low: number; high: number }[],
  confidence: number,
): Estimate {
  const values = measured.map(({ value }) => value);
  const own = measured.map(({ low, high }) => ((high - low) / 2 / Z) ** 2);
  const degrees = values.length - 1;
  const within = weighted(
    values,
    own.map((variance) => 1 / variance),
  );
  const between = Math.max(0, (within.spread - degrees) / within.scale);
  const all = weighted(
    values,
    own.map((variance) => 1 / (variance + between)),
  );
  const variance = Math.max(1, all.spread / degrees) / all.weight;
  const half = studentQuantile((1 + confidence) / 2, degrees) * Math.sqrt(variance);
  return { value: all.value, interval: [all.value - half, all.value + half] };
}

function weighted(values: number[], weights: number[]) {
  const weight = sum(weights);
  const value = sum(values.map((one, i) => one * weights[i])) / weight;
  return {
    value,
    weight,
    spread: sum(values.map((one, i) => weights[i] * (one - value) ** 2)),
    scale: weight - sum(weights.map((one) => one ** 2)) / weight,
  };
}

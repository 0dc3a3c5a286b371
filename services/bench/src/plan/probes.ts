/**
 * How long a rate of a search is tried. A p99 takes samples, and a queue takes time to build up.
 */
import { rateName } from "./workload.ts";
import { leastSamples } from "../statistics/quantiles.ts";
import type { Parameters, Workload } from "../model/plan.ts";

/** Fewer latencies tell no p99. */
export const LEAST_SAMPLES = leastSamples(0.99, 0.95);
/** As many as are due on average, so that random arrivals are no fewer than those. */
const DUE = 400;
/** Near the limit: this many samples, or so long. */
const NEAR = { samples: 1000, seconds: 60 };
/** A search does not go below this, a second: the samples that a p99 takes would last too long. */
export const LEAST_RATE = 5;
/** Of the seconds that the battle gives: a coarse probe has only to tell twice the rate apart. */
const COARSE_SHARE = 0.4;

/** @returns whole seconds */
function secondsAt(rate: number, ownSeconds: number, isNear: boolean): number {
  const least = isNear
    ? Math.max(ownSeconds, Math.min(NEAR.seconds, NEAR.samples / rate))
    : COARSE_SHARE * ownSeconds;
  return Math.ceil(Math.max(1, least, DUE / rate));
}

/**
 * @param parameters of the battle: their seconds are those of a probe near the limit, at least
 * @param about number: of the probe, so that one at the same rate has other arrivals
 * @returns of a probe or a fresh cell at a rate
 */
export function probeParameters(
  workload: Workload,
  parameters: Parameters,
  rate: number,
  { isNear = true, number }: { isNear?: boolean; number?: number } = {},
): Parameters {
  const { parameterNames, phaseSeconds, seed = 0 } = workload;
  return {
    ...parameters,
    [String(rateName(workload))]: rate,
    ...(parameterNames.phaseSeconds !== undefined &&
      phaseSeconds !== undefined && {
        [parameterNames.phaseSeconds]: secondsAt(rate, phaseSeconds, isNear),
      }),
    ...(number !== undefined &&
      parameterNames.seed !== undefined && { [parameterNames.seed]: seed + number }),
  };
}

/** @returns of the longest probe that a search may come to */
export function longest(workload: Workload): Workload {
  const { phaseSeconds } = workload;
  if (phaseSeconds === undefined) return workload;
  return { ...workload, phaseSeconds: secondsAt(LEAST_RATE, phaseSeconds, true) };
}

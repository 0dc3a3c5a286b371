/**
 * The cost model against mixed loads that it has not seen: what it said before them, and what they
 * came to.
 */
import { median } from "simple-statistics";
import type { Comparisons, Estimate } from "../model/comparison.ts";
import { costsOf, measuredIn } from "./cost-model.ts";
import type { CostModel, Load, ProxyCost } from "./cost-model.ts";

/** A prediction is right within so much. */
export const GOAL_PERCENT = 10;

/** predictions.json beside the run that it is made from. */
export interface Predictions {
  schema: 1;
  /** As ISO 8601 has it. */
  madeAt: string;
  battle: string;
  mixes: { setting: string; load: Load; costs: ProxyCost[] }[];
}

export interface Checked {
  predicted: Estimate;
  /** Median of the rounds. */
  measured: number;
  /** Of the prediction, to what was measured. */
  errorPercent: number;
}

export interface CheckedMix {
  setting: string;
  load: Load;
  proxies: { proxy: string; title: string; cores: Checked | null; bytes: Checked | null }[];
}

/** @param mixes keys and loads of settings */
export function predictionsOf(
  model: CostModel,
  mixes: { setting: string; load: Load }[],
  { battle, now }: { battle: string; now: Date },
): Predictions {
  return {
    ...{ schema: 1, madeAt: now.toISOString(), battle },
    mixes: mixes.map((mix) => ({ ...mix, costs: costsOf(model, mix.load) })),
  };
}

/**
 * Every mix that both have, and every proxy: misses too.
 *
 * @param speed of the run's machine, as `machineSpeed` has it
 */
export function checkedMixes(
  { mixes }: Pick<Predictions, "mixes">,
  run: Comparisons,
  speed = 1,
): CheckedMix[] {
  const measured = measuredIn(run);
  return mixes.flatMap(({ setting, load, costs }) => {
    const own = measured.find((one) => one.setting === setting);
    if (!own) return [];
    const proxies = costs.map(({ proxy, title, cores, bytes }) => ({
      ...{ proxy, title },
      cores: checked(cores && times(cores, speed), own.cores.get(proxy)),
      bytes: checked(bytes, own.bytes.get(proxy)),
    }));
    return [{ setting, load, proxies }];
  });
}

function checked(predicted: Estimate | null, values: number[] = []): Checked | null {
  if (!predicted || values.length === 0) return null;
  const measured = median(values);
  return { predicted, measured, errorPercent: 100 * (predicted.value / measured - 1) };
}

function times({ value, low, high, basis }: Estimate, factor: number): Estimate {
  return { value: factor * value, low: low && factor * low, high: high && factor * high, basis };
}

export interface Accuracy {
  proxy: string;
  title: string;
  cores: Hits;
  bytes: Hits;
}

/** Of so many mixes, those within the goal, and the median of all errors without their sign. */
interface Hits {
  within: number;
  of: number;
  medianPercent: number | null;
}

/** Of each proxy over all mixes. */
export function accuracyOf(mixes: CheckedMix[]): Accuracy[] {
  const all = mixes.flatMap(({ proxies }) => proxies);
  return [...Map.groupBy(all, ({ proxy }) => proxy)].map(([proxy, own]) => ({
    ...{ proxy, title: own[0].title },
    cores: hitsOf(own.map(({ cores }) => cores)),
    bytes: hitsOf(own.map(({ bytes }) => bytes)),
  }));
}

function hitsOf(checks: (Checked | null)[]): Hits {
  const errors = checks.flatMap((one) => (one ? [Math.abs(one.errorPercent)] : []));
  return {
    within: errors.filter((error) => error <= GOAL_PERCENT).length,
    of: errors.length,
    medianPercent: errors.length > 0 ? median(errors) : null,
  };
}

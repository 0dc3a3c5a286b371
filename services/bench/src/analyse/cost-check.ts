/**
 * The cost model against mixed loads that it has not seen: what it said before them, and what they
 * came to.
 *
 * CPU is checked relative to the reference beside the proxy, of which the model predicts the cost,
 * too: in published/mixed/2026-11-27 a cell cost up to 1.5 times what the same cell cost 15 minutes
 * later, so that even the median of twelve cells tells a mix's cost no better than to 6 %.
 */
import { median } from "simple-statistics";
import type { Comparisons, Estimate } from "../model/comparison.ts";
import { costsOf, measuredIn, referenceCoresOf } from "./cost-model.ts";
import type { CostModel, Load, ProxyCost } from "./cost-model.ts";

/** A prediction is right within so much. */
export const GOAL_PERCENT = 10;

/** predictions.json beside the run that it is made from. */
export interface Predictions {
  schema: 1;
  /** As ISO 8601 has it. */
  madeAt: string;
  battle: string;
  mixes: Prediction[];
}

interface Prediction {
  setting: string;
  load: Load;
  /** Of the reference; null: the model does not know it */
  referenceCores: number | null;
  costs: ProxyCost[];
}

export interface Checked {
  predicted: Estimate;
  /** Median of the rounds; cores on a machine as fast as that of the prediction, by the reference. */
  measured: number;
  /** Of the prediction, to what was measured. */
  errorPercent: number;
}

export interface CheckedMix {
  setting: string;
  load: Load;
  /** What the reference cost, to what was predicted of it; null: one of both is not known */
  reference: number | null;
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
    mixes: mixes.map(({ setting, load }) => ({
      ...{ setting, load },
      referenceCores: referenceCoresOf(model, load),
      costs: costsOf(model, load),
    })),
  };
}

/** Every mix that both have, and every proxy: misses too. */
export function checkedMixes(
  { mixes }: Pick<Predictions, "mixes">,
  run: Comparisons,
): CheckedMix[] {
  const measured = measuredIn(run);
  return mixes.flatMap(({ setting, load, referenceCores, costs }) => {
    const own = measured.find((one) => one.setting === setting);
    if (!own) return [];
    const reference =
      own.referenceCores && referenceCores ? own.referenceCores / referenceCores : null;
    const proxies = costs.map(({ proxy, title, cores, bytes }) => ({
      ...{ proxy, title },
      cores: reference ? checked(cores, own.cores.get(proxy), reference) : null,
      bytes: checked(bytes, own.bytes.get(proxy)),
    }));
    return [{ setting, load, reference, proxies }];
  });
}

/** @param unit of the values, to that of the prediction */
function checked(predicted: Estimate | null, values: number[] = [], unit = 1): Checked | null {
  if (!predicted || values.length === 0) return null;
  const measured = median(values) / unit;
  return { predicted, measured, errorPercent: 100 * (predicted.value / measured - 1) };
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

/**
 * CPU time relative to the reference, which got a share of the same load in the same cell
 * (services/reference). The machine's speed varies within minutes and hits all containers of a cell
 * alike, so the ratio of the two is steadier than either. What the reference costs depends on the
 * proxy beside it, though (docs/fairness.md): the ratio is ranked where it had turns of its own.
 */
import { median } from "simple-statistics";
import { CONTROL } from "../plan/proxies.ts";
import { INDEX_LIMIT_PERCENT } from "../record/machine-index.ts";
import { spreadPercent } from "../statistics/index.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Extra, JudgedCell } from "../model/comparison.ts";
import type { Flag } from "../model/flag.ts";

/** One setting's figures of CPU time beside those of the reference proxy. */
interface MachineIndex {
  /** its key */
  setting: string;
  /** key of what is relative to it */
  measure: string;
  /** key of the reference proxy's own */
  index: string;
  /** CPU time of the reference proxy per operation, over the cells that count */
  medianUs: number;
  proxies: {
    proxy: string;
    extra: Pick<Extra, "toReference" | "spread" | "referenceUs" | "held">;
  }[];
  /** The ratio is ranked, and not what was measured. */
  isRanked: boolean;
}

/**
 * Measures of CPU time per operation, what the same cost the reference proxy, and the ratio of the
 * two. Cores have none: the reference carries another load.
 */
const HELD: { measure: string; index: string; ratio: string | null }[] = [
  {
    measure: "cpu_us_per_connection",
    index: "reference_cpu_us_per_connection",
    ratio: "cpu_per_connection_to_reference",
  },
  {
    measure: "cpu_us_per_message",
    index: "reference_cpu_us_per_message",
    ratio: "cpu_per_message_to_reference",
  },
  {
    measure: "proxy_cpu_us_per_request",
    index: "reference_cpu_us_per_request",
    ratio: "cpu_per_request_to_reference",
  },
  { measure: "proxy_cpu_cores", index: "reference_cpu_us_per_message", ratio: null },
];

/**
 * In each setting where every cell that counts has an index of turns of its own, a figure becomes
 * its ratio to the index times the median index of the setting: µs on this machine at its usual
 * speed in this run.
 *
 * @param cells with figures as they were measured
 * @param hasTurns whether the reference had turns of its own in a cell
 * @returns the same cells, with figures relative to the reference where possible, and a flag
 *   where the machine's speed was another than in the rest of the setting
 */
export function heldAgainstReference(
  cells: JudgedCell[],
  hasTurns: (cell: CellRecord) => boolean,
): {
  cells: JudgedCell[];
  machineIndices: MachineIndex[];
} {
  const machineIndices = [...Map.groupBy(cells, ({ setting }) => setting)].flatMap(
    ([setting, own]) => HELD.flatMap((held) => indexOf(setting, own, held, hasTurns) ?? []),
  );
  const held = cells.map((cell) => {
    const own = machineIndices.filter(({ setting }) => setting === cell.setting);
    const measures = { ...cell.measures };
    for (const { measure, index, medianUs, isRanked } of own)
      if (isRanked && measure in measures && index in measures)
        measures[measure] *= medianUs / measures[index];
    return { ...cell, measures, flags: [...cell.flags, ...offIndex(cell, own)] };
  });
  return { cells: held, machineIndices };
}

/**
 * @param measure key
 * @returns key of its ratio to the reference; null: it is no CPU time per operation
 */
export function ratioToReference(measure: string): string | null {
  return HELD.find((held) => held.measure === measure)?.ratio ?? null;
}

/** @returns key of the reference proxy's own; undefined: it is relative to none */
export function measureOfReference(measure: string): string | undefined {
  return HELD.find((held) => held.measure === measure)?.index;
}

/**
 * Between runs µs tell how fast the machine was; the ratio to the reference does not.
 *
 * @param measure key
 * @param cells as they were measured, of one setting and all runs that are compared
 * @returns key of the measure to compare: the ratio where every cell that counts has it
 */
export function comparableAcrossRuns(measure: string, cells: JudgedCell[]): string {
  const ratio = ratioToReference(measure);
  const counted = cells.filter(({ counted, measures }) => counted && measure in measures);
  return ratio && counted.every(({ measures }) => ratio in measures) ? ratio : measure;
}

/**
 * @param cells of it
 * @returns null: a cell that counts has none
 */
function indexOf(
  setting: string,
  cells: JudgedCell[],
  { measure, index, ratio }: (typeof HELD)[number],
  hasTurns: (cell: CellRecord) => boolean,
): MachineIndex | null {
  const counted = cells.filter(
    ({ counted, record, measures }) => counted && record.proxy !== CONTROL && measure in measures,
  );
  if (counted.length === 0 || !counted.every(({ measures }) => index in measures)) return null;
  const indices = counted.map(({ measures }) => measures[index]);
  const medianUs = median(indices);
  const isRanked = counted.every(({ record }) => hasTurns(record));
  const proxies = [...Map.groupBy(counted, ({ record }) => record.proxy)].map(([proxy, own]) => {
    const raw = own.map(({ measures }) => measures[measure]);
    const ratios = own.map(({ measures }) => measures[measure] / measures[index]);
    const spread = {
      rawUs: median(raw),
      rawPercent: spreadPercent(raw),
      heldPercent: spreadPercent(ratios),
    };
    return {
      proxy,
      extra: {
        referenceUs: medianUs,
        ...(ratio !== null && { toReference: median(ratios), spread }),
        ...(!isRanked && { held: ratios.map((one) => one * medianUs) }),
      },
    };
  });
  return { setting, measure, index, medianUs, proxies, isRanked };
}

/**
 * @param indices of its setting
 * @returns once, of the first that is off
 */
function offIndex({ counted, measures }: JudgedCell, indices: MachineIndex[]): Flag[] {
  if (!counted) return [];
  return indices
    .flatMap(({ index, medianUs }) => {
      const percent = 100 * (measures[index] / medianUs - 1);
      return Math.abs(percent) > INDEX_LIMIT_PERCENT ? [{ percent, medianUs }] : [];
    })
    .slice(0, 1)
    .map(({ percent, medianUs }) => ({
      code: "machine-index",
      severity: "weak",
      figures: { percent, medianUs, limit: INDEX_LIMIT_PERCENT },
    }));
}

/**
 * How clients come back that were cut all at once.
 */
import type { Comparison, JudgedCell } from "../model/comparison.ts";
import type { Results } from "../model/record.ts";
import { medianOf } from "../statistics/index.ts";
import { medianAndRange, mostFirst, ownMeasure, valueOf } from "./figures.ts";
import { compare, settingsComparing, shareByEvent, sum } from "./happenings.ts";
import type { Row } from "./happenings.ts";
import { LEAST_ROUNDS } from "./ranking.ts";

/** Of the load's counts of those that are back. */
const BUCKET_MS = 100;

/**
 * How long all take to come back when all were cut at once. Without a proxy it takes as long as
 * this machine and its generator need: what is no slower says nothing about the proxy.
 */
export function storms(results: Results, cells: JudgedCell[]): Comparison[] {
  return settingsComparing(results, "storm").flatMap((setting) =>
    compare(STORM_ROWS, {
      results,
      cells,
      setting,
      seenIn: (cell) =>
        cell.record.storm && cell.record.connections
          ? [{ cell, ...cell.record.storm, cut: cell.record.connections.opened }]
          : [],
    }),
  );
}

type Storm = NonNullable<JudgedCell["record"]["storm"]> & { cell: JudgedCell; cut: number };

const STORM_ROWS: Row<Storm>[] = [
  {
    question: "storm",
    measure: ownMeasure("back_ms_p99", "Until 99 % are back", "ms", "time"),
    of: (all, control) => {
      const own = medianAndRange(all.map(({ backMs }) => backMs.p99));
      const bound = medianAndRange(control.map(({ backMs }) => backMs.p99));
      const toControl =
        own.estimate && bound.estimate && bound.estimate.value > 0
          ? own.estimate.value / bound.estimate.value
          : null;
      // With fewer, two that are equal lie apart too often: of 2 and 2 one time in three.
      const isTold = Math.min(own.rounds.length, bound.rounds.length) >= LEAST_ROUNDS;
      const isSlower = Number(own.estimate?.low) > Number(bound.estimate?.high);
      return {
        ...own,
        toControl: valueOf(toControl),
        extra: {
          causes: mostFirst(all.map(({ failedByCause }) => failedByCause)),
          around: { back: backOver(all) },
          ...(toControl !== null && isTold && { relation: isSlower ? "worse" : "same" }),
        },
      };
    },
  },
  ...(["p50", "p100"] as const).map((part): Row<Storm> => ({
    question: "storm",
    measure: ownMeasure(
      `back_ms_${part}`,
      part === "p50" ? "Until half are back" : "Until all are back",
      "ms",
      "time",
    ),
    of: (all) => medianAndRange(all.map(({ backMs }) => backMs[part])),
  })),
  {
    question: "storm",
    measure: { ...ownMeasure("back", "Connections back", "%", "share"), better: "higher" },
    of: (all) =>
      shareByEvent(
        all,
        ({ back }) => sum(back, ({ count }) => count),
        ({ cut }) => cut,
      ),
  },
  {
    question: "storm",
    measure: ownMeasure("back_attempts", "Attempts per connection", "", "count"),
    of: (all) => ({ estimate: valueOf(medianOf(all.map(({ attempts, cut }) => attempts / cut))) }),
  },
  {
    question: "storm",
    measure: ownMeasure("storm_cpu_seconds", "CPU of the storm", "s", "cpu"),
    of: (all) => ({ estimate: valueOf(measured(all, "proxy_cpu_seconds")) }),
  },
  {
    question: "storm",
    measure: ownMeasure("storm_memory_bytes", "Memory growth in the storm", "bytes", "memory"),
    of: (all) => ({ estimate: valueOf(measured(all, "proxy_memory_growth_bytes")) }),
  },
];

function measured(all: Storm[], key: string): number | null {
  return medianOf(all.flatMap(({ cell }) => cell.measures[key] ?? []));
}

/** Percent of those cut that were back, at the end of each tenth of a second. */
function backOver(all: Storm[]): [seconds: number, percent: number][] {
  const cut = sum(all, (one) => one.cut);
  const buckets = [
    ...Map.groupBy(
      all.flatMap(({ back }) => back),
      ({ ms }) => ms,
    ),
  ].sort(([a], [b]) => a - b);
  let count = 0;
  // Level where nobody came back.
  const points = buckets.flatMap(([ms, own]): [number, number][] => {
    const before: [number, number] = [ms / 1000, (100 * count) / cut];
    count += sum(own, (one) => one.count);
    return [before, [(ms + BUCKET_MS) / 1000, (100 * count) / cut]];
  });
  return points.filter(([seconds], i) => points[i + 1]?.[0] !== seconds);
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { against, judgeAll } from "./against.ts";
import { comparison, figure } from "./figures.ts";
import { measure } from "./measures.ts";
import type { Judged, Seen } from "./against.ts";
import type { Comparisons, Estimate, Figure } from "../model/comparison.ts";

const BEST: Estimate = { value: 1, low: null, high: null, basis: "range" };

function estimate(value: number, low: number | null, high: number | null): Estimate {
  return { value, low, high, basis: "ci95" };
}

/** [to the best, rank] of each */
type Place = [Estimate | null, number | null];

function judgedOf(own: Place, baseline: Place, key = "cpu_us_per_connection") {
  const of = (proxy: string, [toBest, rank]: Place): Figure => ({ ...figure(proxy), toBest, rank });
  const file = {
    comparisons: [
      comparison({
        question: key,
        measure: measure(key),
        settings: [{ key: "s", scheme: "ws" }],
        figures: [of("yours", own), of("nginx", baseline)],
      }),
    ],
  } as Comparisons;
  const names = { own: "yours", baseline: "nginx" };
  const [row] = against(file, names, { questions: [key], tolerance: 0.1 });
  return row;
}

test("its ratio to the baseline, and whether that is worse by more than 10 %", () => {
  const rows: [string, Place, Place, [Seen, Judged, number | null]][] = [
    ["costs more, surely", [estimate(1.3, 1.2, 1.4), 2], [BEST, 1], ["worse", "worse", 1.3]],
    [
      "costs more, perhaps by less",
      [estimate(1.2, 1.05, 1.3), 2],
      [BEST, 1],
      ["worse", "open", 1.2],
    ],
    [
      "costs more, by less",
      [estimate(1.04, 1.02, 1.06), 2],
      [BEST, 1],
      ["worse", "not-worse", 1.04],
    ],
    ["a tie", [estimate(1.01, 0.98, 1.05), 1], [BEST, 1], ["none", "not-worse", 1.01]],
    ["a wide tie", [estimate(1.01, 0.8, 1.4), 1], [BEST, 1], ["none", "open", 1.01]],
    ["cheaper", [BEST, 1], [estimate(2, 1.6, 2.5), 2], ["better", "not-worse", 0.5]],
    ["the best of a wide tie", [BEST, 1], [estimate(1.1, 0.8, 1.3), 1], ["none", "open", 1 / 1.1]],
    ["no interval", [estimate(1.3, null, null), 1], [BEST, 1], ["none", "open", 1.3]],
    ["nobody is ranked", [null, null], [null, null], ["unknown", "open", null]],
  ];
  for (const [title, own, baseline, [seen, judged, ratio]] of rows) {
    const row = judgedOf(own, baseline);
    assert.deepEqual(
      [row.seen, row.judged, row.ratio?.value ?? null],
      [seen, judged, ratio],
      title,
    );
  }
});

test("in turns: the ratio itself, which equal ones leave by up to 2 %", () => {
  const rows: [Estimate | null, [Seen, Judged]][] = [
    [estimate(1.3, 1.2, 1.4), ["worse", "worse"]],
    [estimate(1.07, 1.04, 1.11), ["worse", "open"]],
    [estimate(1.02, 1.01, 1.03), ["none", "not-worse"]],
    [estimate(0.98, 0.97, 0.99), ["none", "not-worse"]],
    [estimate(0.9, 0.88, 0.92), ["better", "not-worse"]],
    [estimate(1.3, null, null), ["unknown", "open"]],
    [null, ["unknown", "open"]],
  ];
  for (const [ratio, expected] of rows) {
    const extra = ratio ? { medians: [300, 250] as [number, number] } : {};
    const missing = ratio ? [] : [{ kind: "not-run" as const }];
    const one = comparison({
      question: "baseline",
      measure: { ...measure("cpu_us_per_connection"), unit: "times" },
      settings: [{ key: "s", scheme: "ws" }],
      figures: [{ ...figure("yours"), estimate: ratio, extra, missing }],
    });
    const names = { own: "yours", baseline: "nginx" };
    const file = { comparisons: [one] } as Comparisons;
    const [row] = against(file, names, { questions: ["baseline"], tolerance: 0.1 });
    assert.deepEqual([row.seen, row.judged], expected);
    assert.deepEqual(
      [row.own.estimate?.value, row.baseline.estimate?.value],
      ratio ? [300, 250] : [undefined, undefined],
    );
    // Why it is missing stands beside the one that was measured, once.
    assert.deepEqual([row.own.missing, row.baseline.missing], [missing, []]);
  }
});

test("of a rate, a lower one is worse", () => {
  const row = judgedOf([estimate(0.5, 0.4, 0.6), 2], [BEST, 1], "connections_per_second");
  assert.deepEqual([row.seen, row.judged], ["worse", "worse"]);
});

test("where nobody is ranked, intervals that do not overlap decide; so does a failure of it alone", () => {
  const share = (value: number, low: number, high: number): Estimate => ({
    value,
    low,
    high,
    basis: "exact",
  });
  const rows: [Partial<Figure>, Partial<Figure>, [Seen, Judged]][] = [
    [{ estimate: share(90, 80, 95) }, { estimate: share(0, 0, 2) }, ["worse", "worse"]],
    [{ estimate: share(0, 0, 2) }, { estimate: share(0, 0, 3) }, ["none", "not-worse"]],
    [{ estimate: share(2, 0, 5) }, { estimate: share(0, 0, 3) }, ["unknown", "open"]],
    [
      { missing: [{ kind: "failed", cause: { phase: "load", message: "x" } as never }] },
      { estimate: share(0, 0, 3) },
      ["unknown", "worse"],
    ],
  ];
  for (const [own, baseline, expected] of rows) {
    const one = comparison({
      question: "lost",
      measure: { key: "lost", title: "lost", unit: "%", kind: "share", better: "lower" },
      settings: [{ key: "s", scheme: "ws" }],
      figures: [
        { ...figure("yours"), ...own },
        { ...figure("nginx"), ...baseline },
      ],
    });
    const names = { own: "yours", baseline: "nginx" };
    const file = { comparisons: [one] } as Comparisons;
    const [row] = against(file, names, { questions: ["lost"], tolerance: 0.1 });
    assert.deepEqual([row.seen, row.judged], expected);
  }
});

test("of several: worse where one is, open where none is and one cannot tell", () => {
  const rows: [Judged[], Judged][] = [
    [["not-worse", "open", "worse"], "worse"],
    [["not-worse", "open"], "open"],
    [["not-worse"], "not-worse"],
    [[], "open"],
  ];
  for (const [all, expected] of rows)
    assert.equal(judgeAll(all.map((judged) => ({ judged }))), expected);
});

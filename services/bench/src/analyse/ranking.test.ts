import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "../statistics/random.ts";
import { allPairs, judge, rank } from "./ranking.ts";

const noRatio = () => null;

const judged = (values: Record<string, number[]>) =>
  judge(new Map(Object.entries(values)), allPairs(Object.keys(values)), noRatio);

test("six rounds are tested, each pair of all, corrected for their number", () => {
  const { method, p, differ } = judged({
    a: [1, 2, 3, 4, 5, 6],
    b: [7, 8, 9, 10, 11, 12],
    c: [6.5, 8.5, 9.5, 10.5, 11.5, 12.5],
  });
  assert.equal(method, "test");
  assert.equal(p("a", "b"), (3 * 2) / 924);
  assert.equal(p("b", "a"), p("a", "b"));
  assert.ok(differ("a", "b") && differ("a", "c") && !differ("b", "c"));
});

test("a difference whose interval holds 1 is none", () => {
  const values = new Map([
    ["a", [1, 2, 3, 4, 5, 6]],
    ["b", [7, 8, 9, 10, 11, 12]],
  ]);
  const differs = (low: number, high: number) =>
    judge(values, [["a", "b"]], () => ({ value: 0.4, interval: [low, high] })).differ("a", "b");
  assert.ok(differs(0.3, 0.9));
  assert.ok(differs(1.1, 1.2));
  assert.ok(!differs(0.3, 1.01));
});

test("with too few rounds for the test, only ranges that do not touch differ", () => {
  const { method, p, differ } = judged({ a: [1, 2, 3, 3], b: [4, 5, 6, 6], c: [3, 7, 8, 8] });
  assert.equal(method, "range");
  assert.equal(p("a", "b"), null);
  assert.ok(differ("a", "b") && !differ("a", "c") && !differ("b", "c"));
  // Two proxies alone need no correction: four rounds are enough.
  assert.equal(judged({ a: [1, 2, 3, 4], b: [5, 6, 7, 8] }).method, "test");
  assert.equal(judged({ a: [1, 2, 3, 4], b: [5, 6, 7, 8], c: [9, 9, 9, 9] }).method, "range");
});

test("fewer than four rounds tell nothing apart", () => {
  const three = judged({ a: [1, 2, 3], b: [4, 5, 6] });
  assert.equal(three.method, "none");
  assert.ok(!three.differ("a", "b"));
  const { method, differ } = judged({ a: [1], b: [100] });
  assert.equal(method, "none");
  assert.ok(!differ("a", "b"));
  // Nor does a single value among others' many.
  assert.ok(!judged({ a: [1, 1.1, 1.2, 1.3], b: [100] }).differ("a", "b"));
});

test("a proxy against a copy of itself is a tie", () => {
  const random = randomNumbers(11);
  const run = () => Array.from({ length: 6 }, () => 100 * (1 + 0.05 * random()));
  const apart = Array.from({ length: 2000 }, () =>
    judged({ a: run(), b: run() }).differ("a", "b"),
  ).filter(Boolean).length;
  assert.ok(apart > 0 && apart < 0.05 * 2000, `${apart / 20} % of A/A comparisons differ`);
});

test("ranks count the proxies before, and are shared where no difference is measurable", () => {
  const far = (a: string, b: string) => Math.abs(Number(a) - Number(b)) > 10;
  assert.deepEqual(Object.fromEntries(rank(["10", "15", "30", "33", "60"], far)), {
    10: { rank: 1, ties: ["15"] },
    15: { rank: 1, ties: ["10"] },
    30: { rank: 3, ties: ["33"] },
    33: { rank: 3, ties: ["30"] },
    60: { rank: 5, ties: [] },
  });
});

test("one that ties with the best shares its rank, even behind one that does not", () => {
  const ranks = rank(["steady", "slower", "wild"], (a, b) => `${a} ${b}` === "steady slower");
  assert.deepEqual(
    [...ranks].map(([name, { rank }]) => `${name} ${rank}`),
    ["steady 1", "wild 1", "slower 3"],
  );
});

test("two of a rank that differ from each other are no ties", () => {
  const values = {
    wild: [90, 91, 92, 110, 120, 130],
    first: [102, 102.2, 102.4, 102.6, 102.8, 103],
    second: [106, 106.2, 106.4, 106.6, 106.8, 107],
  };
  const { differ } = judged(values);
  assert.ok(!differ("wild", "first") && !differ("wild", "second") && differ("first", "second"));
  assert.deepEqual(Object.fromEntries(rank(Object.keys(values), differ)), {
    wild: { rank: 1, ties: ["first", "second"] },
    first: { rank: 1, ties: ["wild"] },
    second: { rank: 1, ties: ["wild"] },
  });
});

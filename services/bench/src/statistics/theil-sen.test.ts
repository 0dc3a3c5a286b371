import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "./random.ts";
import { normalNumbers } from "./testing/normal.ts";
import { simultaneousIntervals, slopeRatio, theilSen } from "./theil-sen.ts";

const points = (x: number[], y: number[]) => x.map((value, i) => ({ x: value, y: y[i] }));

test("Sen's data: slope 4, and the interval as deep as Kendall's table says", () => {
  // The data of Sen (1968), as scipy/stats/tests/test_mstats_basic.py has them, with slope 4 and
  // 3.71 to 4.38 for 93 %. By Kendall's table for n = 7 (S of 13: 0.035, of 15: 0.015) those ends,
  // the 4th of 21 slopes from either side, have 97 %; the 5th have 93 %.
  const data = points([1, 2, 3, 4, 10, 12, 18], [9, 15, 19, 20, 45, 55, 78]);
  const ends = (confidence: number) =>
    theilSen(data, confidence)?.interval?.map((end) => end.toFixed(2));
  assert.equal(theilSen(data, 0.95)?.value, 4);
  assert.deepEqual(ends(0.969), ["3.71", "4.38"]);
  assert.deepEqual(ends(0.95), ["3.71", "4.38"]);
  assert.deepEqual(ends(0.93), ["3.75", "4.18"]);
});

test("an example with equal values of x and of y", () => {
  // Documentation of ci.theil in the R package statpsych, after Hollander & Wolfe (1999): 0.5, from
  // 0.3243243 to 0.75.
  const y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19];
  const x = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51];
  const found = theilSen(points(x, y), 0.95);
  assert.equal(found?.value, 0.5);
  const [low, high] = found?.interval ?? [];
  assert.ok(Math.abs((low ?? 0) - 0.3243243) < 1e-7, `${low}`);
  assert.equal(high, 0.75);
});

test("the distribution behind the interval is that of all arrangements", () => {
  // With equal x, brute force: how many of the pairs of different x are out of order.
  const x = [1, 1, 2, 3, 3, 3];
  const counts = new Map();
  permute([0, 1, 2, 3, 4, 5], (y) => {
    let out = 0;
    x.forEach((a, i) => {
      for (let j = i + 1; j < x.length; j++) if (a < x[j] && y[i] > y[j]) out += 1;
    });
    counts.set(out, (counts.get(out) ?? 0) + 1);
  });
  const all = 720;
  const rarely = counts.get(0) / all;
  const alsoRarely = rarely + counts.get(1) / all;
  const y = [0.11, 0.9, 2.05, 2.96, 3.2, 2.7];
  const slopes = x
    .flatMap((a, i) => x.flatMap((b, j) => (j > i && a !== b ? [(y[j] - y[i]) / (b - a)] : [])))
    .sort((a, b) => a - b);
  // Confidence just below and just above what leaving out one more slope at each end comes to.
  assert.deepEqual(theilSen(points(x, y), 1 - 2 * alsoRarely - 1e-9)?.interval, [
    slopes[1],
    slopes.at(-2),
  ]);
  assert.deepEqual(theilSen(points(x, y), 1 - 2 * alsoRarely + 1e-9)?.interval, [
    slopes[0],
    slopes.at(-1),
  ]);
  assert.equal(theilSen(points(x, y), 1 - 2 * rarely + 1e-9)?.interval, null);
});

function permute(items: number[], each: (order: number[]) => void, taken: number[] = []) {
  if (items.length === 0) return each(taken);
  items.forEach((item, i) => permute(items.toSpliced(i, 1), each, [...taken, item]));
}

test("a line is found whatever one point does", () => {
  const x = [1000, 2000, 3000, 4000, 5000, 6000];
  const y = x.map((value) => 5e6 + 25_000 * value);
  y[3] = 1e9;
  const found = theilSen(points(x, y), 0.95);
  assert.equal(found?.value, 25_000);
});

test("four points have no interval of 95 %, five have; one x has no slope", () => {
  const line = (n: number) =>
    points(
      Array.from({ length: n }, (_, i) => i),
      Array.from({ length: n }, (_, i) => 2 * i),
    );
  assert.deepEqual(theilSen(line(4), 0.95), { value: 2, interval: null });
  assert.deepEqual(theilSen(line(5), 0.95)?.interval, [2, 2]);
  assert.equal(theilSen(points([3, 3], [1, 2]), 0.95), null);
  assert.equal(theilSen([], 0.95), null);
});

const line = (n: number, y: (i: number) => number) =>
  Array.from({ length: n }, (_, i) => ({ x: i, y: y(i) }));

test("intervals that hold together: of one set Sen's own, of several wider, of few points the widest or none", () => {
  const uneven = (n: number) => line(n, (i) => 2 * i + ((i * i * 5) % 11) / 10);
  assert.deepEqual(simultaneousIntervals([uneven(8)], 0.95), [theilSen(uneven(8), 0.95)?.interval]);
  // 1 - 2 (1 + 7 + 27) / 8! and 1 - 2 (1 + 7 + 27 + 76) / 8!: 0.9983 and 0.9945. Six of the latter
  // are 0.967, and of the next, 0.9859, 0.918.
  const six = simultaneousIntervals(new Array(6).fill(uneven(8)), 0.95);
  assert.deepEqual(six?.[5], theilSen(uneven(8), 0.9944)?.interval);
  assert.notDeepEqual(six?.[5], theilSen(uneven(8), 0.98)?.interval);
  // With five points the widest interval has 1 - 2 / 5!: three of them 0.9508, four 0.9350; beside
  // two of eight points there is room.
  assert.equal(simultaneousIntervals(new Array(3).fill(uneven(5)), 0.95)?.length, 3);
  assert.equal(simultaneousIntervals(new Array(4).fill(uneven(5)), 0.95), null);
  const mixed = [uneven(5), uneven(8), uneven(5), uneven(8)];
  assert.deepEqual(simultaneousIntervals(mixed, 0.95)?.[0], theilSen(uneven(5), 0.95)?.interval);
  assert.equal(simultaneousIntervals([uneven(4), uneven(8)], 0.95), null);
});

test("of equal slopes all intervals hold together as often as asked", () => {
  const random = randomNumbers(1);
  const runs = 2000;
  let missed = 0;
  let apart = 0;
  for (let run = 0; run < runs; run++) {
    // As unlike as proxies are: one a hundred times as noisy as another.
    const sets = [1, 10, 100].map((noise) => line(6, (i) => 3 * i + noise * (random() - 0.5)));
    const intervals = simultaneousIntervals(sets, 0.95) ?? [];
    if (intervals.some(([low, high]) => low > 3 || high < 3)) missed += 1;
    const lows = intervals.map(([low]) => low);
    if (Math.max(...lows) > Math.min(...intervals.map(([, high]) => high))) apart += 1;
  }
  assert.ok(missed / runs <= 0.06 && missed / runs > 0.02, `${missed}`);
  assert.ok(apart <= missed, `${apart}`);
});

test("the ratio of two slopes: what both have in common at an x cancels", () => {
  const noise = [0.3, -0.2, 0.4, -0.5, 0.1, 0.2];
  const made = [1, 2, 3, 5, 7, 9].map((x, i) => {
    const b = 4 * x + noise[i];
    return { x, a: 2 * b, b };
  });
  assert.deepEqual(slopeRatio(made, 0.95), { value: 2, interval: [2, 2] });
  assert.deepEqual(slopeRatio(made.slice(0, 4), 0.95), { value: 2, interval: null });
  const falling = made.map((point, i) => (i === 3 ? { ...point, b: 1 } : point));
  assert.equal(slopeRatio(falling, 0.95)?.interval, null);
  assert.equal(slopeRatio(made.slice(0, 1), 0.95), null);
});

test("the interval of a ratio of slopes covers the true one in 95 cases of 100 or more", () => {
  const random = randomNumbers(3);
  const normal = normalNumbers(random);
  const runs = 400;
  let covered = 0;
  for (let run = 0; run < runs; run++) {
    const made = [1, 2, 3, 5, 7, 9].map((x) => {
      const common = 0.2 * normal();
      const a = 3 * x + 5 + common + 0.15 * normal();
      return { x, a, b: 2 * x + 1 + common + 0.1 * normal() };
    });
    const [low, high] = slopeRatio(made, 0.95)?.interval ?? [NaN, NaN];
    if (low <= 1.5 && 1.5 <= high) covered++;
  }
  assert.ok(covered / runs >= 0.94, `${covered} of ${runs}`);
});

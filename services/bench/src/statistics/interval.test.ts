import assert from "node:assert/strict";
import { test } from "node:test";
import { binomialDistribution } from "simple-statistics";
import { independentRatioInterval, medianInterval, ratioInterval } from "./interval.ts";

const options = { confidence: 0.95, seed: 1 };

test("the interval of the median has the ranks of the published table", () => {
  // Table A.7 "Confidence Intervals for the Population Median" of a textbook
  // (coursehero.com/file/5646626): n, confidence in per cent, and the ranks of both ends.
  const table = [
    [6, 96.9, 1, 6],
    [6, 78.1, 2, 5],
    [8, 99.2, 1, 8],
    [8, 93.0, 2, 7],
    [9, 96.1, 2, 8],
    [10, 97.9, 2, 9],
    [12, 96.1, 3, 10],
    [15, 96.5, 4, 12],
    [17, 95.1, 5, 13],
    [20, 95.9, 6, 15],
  ];
  for (const [n, percent, low, high] of table) {
    const values = Array.from({ length: n }, (_, i) => n - i);
    // The table rounds to a tenth, so ask for a little less; a little more must give other ranks.
    assert.deepEqual(medianInterval(values, percent / 100 - 0.0005), [low, high], `n = ${n}`);
    assert.notDeepEqual(medianInterval(values, percent / 100 + 0.0005), [low, high], `n = ${n}`);
  }
});

test("five values are too few for an interval of 95 %: the same table has 93.8 %", () => {
  assert.equal(medianInterval([1, 2, 3, 4, 5], 0.95), null);
  assert.equal(medianInterval([], 0.95), null);
  assert.deepEqual(medianInterval([1, 2, 3, 4, 5, 60], 0.95), [1, 60]);
});

test("against a constant the bootstrap is that of the median, which has a closed form", () => {
  // Efron & Tibshirani (1993), table 2.1: survival of 7 treated mice, median 94. The resampled
  // median is at most the k-th smallest value when at least 4 of 7 draws are among the k smallest:
  // binomial (7, k/7).
  const mice = [94, 197, 16, 38, 99, 141, 23];
  const sorted = mice.toSorted((x, y) => x - y);
  const atMost = sorted.map((_, i) =>
    i === 6 ? 1 : binomial(7, (i + 1) / 7).reduce((sum, p, drawn) => sum + (drawn >= 4 ? p : 0), 0),
  );
  const exact = (p: number) => sorted[atMost.findIndex((share) => share >= p)];
  const estimate = ratioInterval(
    mice,
    mice.map(() => 1),
    options,
  );
  assert.deepEqual(estimate, { value: 94, interval: [exact(0.025), exact(0.975)] });
  assert.deepEqual(estimate.interval, [23, 141]);
});

/** The library stops once it has nearly all of the probability. */
function binomial(n: number, p: number) {
  return binomialDistribution(n, p) ?? [];
}

test("what slows a whole round does not widen the ratio", () => {
  const rounds = [1, 4, 2, 8, 3, 5];
  const estimate = ratioInterval(
    rounds.map((value) => 3 * value),
    rounds,
    options,
  );
  assert.ok(Math.abs((estimate?.value ?? 0) - 3) < 1e-12);
  assert.ok(estimate?.interval?.every((end) => Math.abs(end - 3) < 1e-12));
});

test("the same seed gives the same interval", () => {
  const a = [10.2, 11.9, 9.7, 10.8, 12.4, 10.1];
  const b = [7.7, 8.1, 9.3, 7.2, 8.8, 8.4];
  assert.deepEqual(ratioInterval(a, b, options), ratioInterval(a, b, options));
});

test("too few rounds leave the ratio without an interval, no value leaves nothing", () => {
  assert.deepEqual(ratioInterval([2, 4, 6, 8, 10], [1, 2, 3, 4, 5], options), {
    value: 2,
    interval: null,
  });
  assert.equal(ratioInterval([], [], options), null);
  assert.equal(ratioInterval([1, 2], [0, 0], options), null);
  const often0 = ratioInterval([1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 1, 1], options);
  assert.deepEqual(often0, { value: 3.5, interval: null });
  assert.throws(() => ratioInterval([1, 2], [1], options), /2 rounds against 1/);
});

test("two samples without common rounds: each is drawn from on its own, their order does not matter, nor do sizes", () => {
  const rounds = [1, 4, 2, 8, 3, 5];
  const paired = ratioInterval(rounds, rounds, options);
  const independent = independentRatioInterval(rounds, rounds, options);
  assert.deepEqual(paired, { value: 1, interval: [1, 1] });
  assert.equal(independent?.value, 1);
  const [low, high] = independent?.interval ?? [1, 1];
  assert.ok(low < 0.6 && high > 1.6, `${low} to ${high}`);
  // A constant sample adds nothing: what remains is the bootstrap of one median.
  const ones = new Array(9).fill(1);
  const alone = independentRatioInterval(rounds, ones, options);
  assert.equal(alone?.value, 3.5);
  assert.ok(alone.interval?.every((end) => end >= 1 && end <= 8));
  assert.deepEqual(independentRatioInterval(rounds.slice(0, 5), ones, options), {
    value: 3,
    interval: null,
  });
  assert.equal(independentRatioInterval([], ones, options), null);
  assert.equal(independentRatioInterval(rounds, [0, 0, 0, 0, 0, 0], options), null);
});

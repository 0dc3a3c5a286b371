import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "./random.ts";
import { normalNumbers } from "./testing/normal.ts";
import { blockRatios, meanRatio, studentQuantile } from "./student.ts";

test("Student's quantiles, as tables have them", () => {
  const rows = [
    [0.975, 1, 12.706],
    [0.975, 2, 4.303],
    [0.975, 3, 3.182],
    [0.975, 5, 2.571],
    [0.975, 11, 2.201],
    [0.995, 5, 4.032],
    [0.9995, 2, 31.599],
    [0.975, 120, 1.98],
  ];
  for (const [p, degrees, expected] of rows)
    assert.ok(Math.abs(studentQuantile(p, degrees) / expected - 1) < 0.0005, `${p} of ${degrees}`);
});

test("ratios in blocks, of two: as of pairs, and differ from 1 where the interval leaves 1 out", () => {
  const pairs = [
    [2.36, 1.22, 1.25],
    [2, 1, 1],
  ];
  const { p, value, interval } = blockRatios(pairs, 0.95)(0, 1);
  const paired = meanRatio([1.18, 1.22, 1.25], 0.95) ?? assert.fail();
  for (const [one, other] of [
    [value, paired.value],
    ...(interval ?? assert.fail()).map((end, i) => [end, paired.interval?.[i] ?? 0]),
  ])
    assert.ok(Math.abs(one / other - 1) < 1e-9, `${one}, ${other}`);
  const edge = (confidence: number) =>
    blockRatios(pairs, confidence)(0, 1).interval?.[0] ?? assert.fail();
  assert.ok(edge(1 - 1.01 * p) > 1 && edge(1 - 0.99 * p) < 1, `${p}`);
});

test("ratios in blocks, of three: with the spread of all, each by its own mean and its block's", () => {
  // Residuals are 0 and four times ±0.3: a variance of 0.09 with 4 degrees of freedom.
  const logs = [
    [1, 2, 3],
    [2, 3.3, 3.7],
    [3, 3.7, 5.3],
  ];
  const ratioOf = blockRatios(
    logs.map((own) => own.map(Math.exp)),
    0.95,
  );
  const { p, value, interval } = ratioOf(1, 0);
  const [low, high] = interval ?? assert.fail();
  // t(0.975; 4) = 2.776; t = 4.082 of 4 degrees has p = 0.01507.
  for (const [one, expected] of [
    [Math.log(value), 1],
    [Math.log(high), 1 + 2.776 * Math.sqrt(0.06)],
    [Math.log(low), 1 - 2.776 * Math.sqrt(0.06)],
    [p, 0.01507],
  ])
    assert.ok(Math.abs(one / expected - 1) < 0.002, `${one}, expected ${expected}`);
  assert.equal(ratioOf(0, 0).p, 1);
});

test("the mean of ratios is geometric: what is twice and half as much is as much", () => {
  const { value, interval } = meanRatio([2, 0.5, 1], 0.95) ?? assert.fail();
  assert.ok(Math.abs(value - 1) < 1e-12);
  const [low, high] = interval ?? assert.fail();
  assert.ok(Math.abs(low * high - 1) < 1e-9);
  assert.deepEqual(meanRatio([2, 2], 0.95)?.interval, null);
  assert.equal(meanRatio([], 0.95), null);
});

for (const rounds of [3, 6]) {
  test(`95 % intervals of ${rounds} log-normal ratios hold the true one in 95 of 100 cases`, () => {
    const random = randomNumbers(rounds);
    const normal = normalNumbers(random);
    const cases = 4000;
    let held = 0;
    for (let i = 0; i < cases; i++) {
      const ratios = Array.from({ length: rounds }, () => 1.1 * Math.exp(0.03 * normal()));
      const [low, high] = meanRatio(ratios, 0.95)?.interval ?? assert.fail();
      if (low <= 1.1 && 1.1 <= high) held += 1;
    }
    assert.ok(Math.abs(held / cases - 0.95) < 0.012, `${held} of ${cases}`);
  });
}

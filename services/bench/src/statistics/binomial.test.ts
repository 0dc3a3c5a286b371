import assert from "node:assert/strict";
import { test } from "node:test";
import { binomialInterval } from "./binomial.ts";

/** @returns ends to four decimals */
function ends(count: number, of: number, confidence = 0.95): string[] {
  return (binomialInterval(count, of, confidence) ?? []).map((end) => end.toFixed(4));
}

test("the ends are those that were published", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17
  // (1998) 857-872, table I, method 5.
  assert.deepEqual(ends(81, 263), ["0.2527", "0.3676"]);
  assert.deepEqual(ends(15, 148), ["0.0578", "0.1617"]);
  assert.deepEqual(ends(0, 20), ["0.0000", "0.1684"]);
  assert.deepEqual(ends(1, 29), ["0.0009", "0.1776"]);
});

test("of none there is a bound in closed form, and of all its mirror image", () => {
  for (const n of [1, 10, 10_000, 1_000_000]) {
    const bound = -Math.expm1(Math.log(0.025) / n);
    const [low, high] = binomialInterval(0, n, 0.95) ?? [];
    assert.equal(low, 0);
    assert.ok(Math.abs(Number(high) / bound - 1) < 1e-9, `${n}: ${high}, not ${bound}`);
    const [other, one] = binomialInterval(n, n, 0.95) ?? [];
    assert.equal(one, 1);
    assert.ok(Math.abs(1 - Number(other) - Number(high)) < 1e-9);
  }
  assert.ok((binomialInterval(0, 10_000, 0.95) ?? [0, 1])[1] < 0.0004);
});

test("each end leaves out half of the rest, by the sum of the binomial probabilities", () => {
  const [n, count] = [40, 7];
  const [low, high] = binomialInterval(count, n, 0.9) ?? [NaN, NaN];
  assert.ok(Math.abs(atMost(count, n, high) - 0.05) < 1e-9);
  assert.ok(Math.abs(1 - atMost(count - 1, n, low) - 0.05) < 1e-9);
});

test("many are as quick as few", () => {
  const [low, high] = binomialInterval(5_000_000, 10_000_000, 0.95) ?? [NaN, NaN];
  // There it is the normal distribution's.
  const half = 1.96 * Math.sqrt(0.25 / 10_000_000);
  assert.ok(Math.abs(low - (0.5 - half)) < 1e-6 && Math.abs(high - (0.5 + half)) < 1e-6);
});

test("of nothing there is no share", () => {
  assert.equal(binomialInterval(0, 0, 0.95), null);
});

/** @returns probability of this many, or fewer */
function atMost(count: number, n: number, p: number): number {
  let term = (1 - p) ** n;
  let sum = term;
  for (let k = 1; k <= count; k++) {
    term *= ((n - k + 1) / k) * (p / (1 - p));
    sum += term;
  }
  return sum;
}

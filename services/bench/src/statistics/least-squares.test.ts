import assert from "node:assert/strict";
import { test } from "node:test";
import { fittedAt, leastSquares } from "./least-squares.ts";
import { randomNumbers } from "./random.ts";
import { normalNumbers } from "./testing/normal.ts";

const at = (y: (x: number) => number, places: number[]) =>
  places.map((x) => ({ x: [1, x], y: y(x), scale: 1 }));
const PLACES = [0, 1, 2, 3, 5, 8];

test("a line is found, and any place of it, without an error", () => {
  const fit = leastSquares(at((x) => 3 + 2 * x, PLACES));
  assert.ok(fit);
  assert.deepEqual(
    fit.coefficients.map((each) => Number(each.toFixed(9))),
    [3, 2],
  );
  assert.equal(fit.degrees, 4);
  const { value, interval } = fittedAt(fit, [1, 100], 0.95);
  assert.ok(Math.abs(value - 203) < 1e-6);
  assert.ok(interval && interval[1] - interval[0] < 1e-6);
});

/** Squares of residuals sum up to 0.107, with 3 degrees: s √(1/5 + 9/10) and s / √10. */
test("coefficients and their standard errors are those of the textbook's formulas", () => {
  const ys = [2.1, 3.9, 6.2, 7.8, 10.1];
  const fit = leastSquares(at((x) => ys[x - 1], [1, 2, 3, 4, 5]));
  const rounded = (values: number[]) => values.map((value) => Number(value.toFixed(4)));
  assert.deepEqual(rounded(fit?.coefficients ?? []), [0.05, 1.99]);
  assert.deepEqual(
    rounded([0, 1].map((i) => Math.sqrt(fit?.covariance[i][i] ?? 0))),
    [0.1981, 0.0597],
  );
});

test("terms of very different sizes keep their digits", () => {
  const truth = [0.002, 4e-4, 3e-9];
  const fit = leastSquares(
    PLACES.flatMap((a) =>
      PLACES.map((b) => {
        const x = [1, 20 * a, 1e6 * b];
        return { x, y: x.reduce((sum, each, i) => sum + truth[i] * each, 0), scale: 1e-3 };
      }),
    ),
  );
  for (const [i, value] of (fit?.coefficients ?? []).entries())
    assert.ok(Math.abs(value / truth[i] - 1) < 1e-6, `${i}: ${value}`);
});

test("no coefficient is below 0: such a term is left out, and a term of nothing but 0", () => {
  const falling = leastSquares(at((x) => 10 - x, PLACES));
  assert.equal(falling?.coefficients[1], 0);
  assert.ok(Math.abs(Number(falling?.coefficients[0]) - 10 + 19 / 6) < 1e-9);
  assert.deepEqual([falling?.covariance[1], falling?.degrees], [[0, 0], 5]);
  const silent = leastSquares(PLACES.map((x) => ({ x: [x, 0], y: 2 * x, scale: 1 })));
  assert.ok(Math.abs(Number(silent?.coefficients[0]) - 2) < 1e-9);
  assert.equal(silent?.coefficients[1], 0);
});

test("too few observations, none, or terms that are one another's sum tell nothing", () => {
  const line = (x: number) => 1 + x;
  assert.equal(leastSquares(at(line, [1])), null);
  assert.equal(leastSquares([]), null);
  assert.equal(leastSquares(at(line, [2, 2, 2])), null);
  // As many as there are terms tell no error.
  const exact = leastSquares(at(line, [1, 2]));
  assert.equal(exact && fittedAt(exact, [1, 3], 0.95).interval, null);
});

test("where a larger value has a larger error, small ones count as much", () => {
  const ys = [1, 2, 3, 400];
  const of = (scaleOf: (y: number) => number) =>
    leastSquares(ys.map((y, i) => ({ x: [1, i], y, scale: scaleOf(y) })));
  const own = of((y) => y);
  const alike = of(() => 1);
  assert.ok(Math.abs(Number(own?.coefficients[0]) - 1) < 0.2);
  assert.ok(Math.abs(Number(alike?.coefficients[0]) - 1) > 0.2 || alike?.coefficients[0] === 0);
});

test("an interval of 95 % holds the truth about so often", () => {
  const random = randomNumbers(3);
  const normal = normalNumbers(random);
  const runs = 400;
  let inside = 0;
  for (let run = 0; run < runs; run++) {
    const fit = leastSquares(at((x) => 30 + 5 * x + normal(), PLACES));
    const interval = fit && fittedAt(fit, [1, 4], 0.95).interval;
    if (interval && interval[0] <= 50 && 50 <= interval[1]) inside += 1;
  }
  assert.ok(inside >= 0.92 * runs && inside <= 0.98 * runs, `${inside} of ${runs}`);
});

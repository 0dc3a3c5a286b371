import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, figure, number, probability, range, ratio, shownUnit, times } from "./numbers.ts";

test("three significant digits", () => {
  const values = [0.012345, 0.9996, 1, 42.96, 199.5, 999.6, 1234.5, 12345.6, 0, -3.14159];
  const shown = ["0.0123", "1.00", "1.00", "43.0", "200", "1,000", "1,230", "12,300", "0", "-3.14"];
  assert.deepEqual(values.map(figure), shown);
});

test("of a limit, no digit that says nothing", () => {
  const values = [25, 0.05, 1.5, 39.26, 1000, 12345.6];
  assert.deepEqual(values.map(number), ["25", "0.05", "1.5", "39.3", "1,000", "12,346"]);
});

test("what is no figure is a dash", () => {
  for (const value of [null, undefined, NaN, Infinity]) {
    assert.equal(figure(value), "–");
    assert.equal(number(value), "–");
    assert.equal(ratio(value), "–");
  }
  assert.equal(range(null, 1), "–");
  assert.equal(range([NaN, 2], 1), "–");
  assert.equal(probability(null), "–");
});

test("both ends of an interval are rounded where the figure is", () => {
  assert.equal(range([9.876, 10.123], 9.99), "9.88–10.12");
  assert.equal(range([98.76, 101.2], 99.5), "98.8–101.2");
  assert.equal(range([990.4, 1012.3], 1001), "990–1,010");
  assert.equal(range([98_765, 123_456], 105_357), "99,000–123,000");
  assert.equal(range([90.4, 130.2], 101), "90–130");
  assert.equal(range([0, 0], 0), "0–0");
  assert.equal(range([19.86, 20.2], 20, " to "), "19.9 to 20.2");
});

test("ratios, probabilities and counts", () => {
  assert.deepEqual([1.0449, 0.5, 12.34].map(ratio), ["×1.04", "×0.50", "×12.3"]);
  assert.deepEqual([1.0449, 0.5, 12.34, 1.0034].map(times), ["1.04", "0.50", "12.3", "1.00"]);
  assert.deepEqual([0.0004, 0.0412].map(probability), ["< 0.001", "0.041"]);
  assert.equal(counted(1, "cell"), "1 cell");
  assert.equal(counted(1200, "entry", "entries"), "1,200 entries");
  assert.equal(counted(0.5, "core"), "0.5 cores");
});

test("bytes are shown as MB where the largest reaches one, and kB below", () => {
  assert.deepEqual(shownUnit("bytes", [5e5, 2e6]), { unit: "MB", divisor: 1e6 });
  assert.deepEqual(shownUnit("bytes", [5e3]), { unit: "kB", divisor: 1e3 });
  assert.deepEqual(shownUnit("bytes", [-2e6]), { unit: "MB", divisor: 1e6 });
  assert.deepEqual(shownUnit("ms", [5e9]), { unit: "ms", divisor: 1 });
});

test("what is rounded to zero has no sign", () => {
  assert.equal(range([-0.04, 0.7], 1.2, " to "), "-0.04 to 0.70");
  assert.equal(range([-0.04, 0.7], 12.5, " to "), "0.0 to 0.7");
});

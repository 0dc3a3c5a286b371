import assert from "node:assert/strict";
import { test } from "node:test";
import { summarise } from "./quantiles.ts";

test("quantiles are as NIST works them out", () => {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.6.2 "Percentiles": 12 gauge studies; its
  // variant 1 + p (N - 1) (R's and Excel's) gives 95.1957 for the 90th percentile, its own p (N +
  // 1) 95.1981.
  const gauge = [
    95.1772, 95.1567, 95.1937, 95.1959, 95.1442, 95.061, 95.1591, 95.1195, 95.1065, 95.0925, 95.199,
    95.1682,
  ];
  const summary = summarise(gauge);
  assert.equal(summary?.p90.toFixed(4), "95.1957");
  assert.equal(summary.count, 12);
  assert.equal(summary.min, 95.061);
  assert.equal(summary.max, 95.199);
});

test("mean and standard deviation are as in Wikipedia's worked example", () => {
  // Wikipedia, "Standard deviation": the grades 2, 4, 4, 4, 5, 5, 7, 9 have mean 5 and standard
  // deviation 2.
  const summary = summarise([9, 2, 4, 5, 4, 5, 4, 7]);
  assert.equal(summary?.mean, 5);
  assert.equal(summary.sd, 2);
  assert.equal(summary.median, 4.5);
});

test("of one value everything but the deviation is that value; of none there is nothing", () => {
  const one = { mean: 3, sd: 0, min: 3, median: 3, p90: 3, p95: 3, p99: 3, p999: 3, max: 3 };
  assert.deepEqual(summarise([3]), { count: 1, ...one });
  assert.equal(summarise([]), null);
});

test("a million values take well under a second each, and stay as they were", () => {
  const values = Float64Array.from({ length: 1e6 }, (_, i) => (i * 7919) % 1e6);
  const before = values.slice(0, 5);
  const startedMs = performance.now();
  const summary = summarise(values);
  const elapsedMs = performance.now() - startedMs;
  assert.equal(summary?.median, 499_999.5);
  assert.ok(Math.abs(summary.p999 - 998_999.001) < 1e-6);
  assert.deepEqual(values.slice(0, 5), before);
  assert.ok(elapsedMs < 2000, `${elapsedMs} ms`);
});

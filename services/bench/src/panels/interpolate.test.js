import assert from "node:assert/strict";
import { test } from "node:test";
import { interpolate, stepOf } from "./interpolate.js";

const RANGE = { fromMs: 1_000_500, toMs: 1_060_999, intervalMs: 2000 };

/** @param {Record<string, import("./interpolate.js").Chosen>} variables */
function context(variables) {
  return { ...RANGE, variables };
}

test("macros are what Grafana puts in", () => {
  const text = "$timeFilter GROUP BY time($__interval) < ${__to:date:seconds}s $__interval_ms";
  assert.equal(
    interpolate(text, context({})),
    "time >= 1000500ms and time <= 1060999ms GROUP BY time(2s) < 1060s 2000",
  );
});

test("a value in a regular expression stands for itself", () => {
  const variables = { run: { values: ["2026-01-01T00-00-00Z-a.b (1)"], several: false } };
  const text = interpolate("=~ /^${run:regex}$/", context(variables));
  const [, pattern] = /\/(.*)\//.exec(text) ?? [];
  assert.ok(new RegExp(pattern).test(variables.run.values[0]));
  assert.ok(!new RegExp(pattern).test("2026-01-01T00-00-00Z-aXb (1)"));
});

test("several values are any of them, All is the variable's own expression", () => {
  const several = { proxy: { values: ["nginx", "haproxy"], several: true } };
  assert.equal(interpolate("/^$proxy$/", context(several)), "/^(nginx|haproxy)$/");
  const all = { proxy: { values: [], all: ".*", several: true } };
  assert.equal(interpolate("/^${proxy:regex}$/ [[proxy]]", context(all)), "/^.*$/ .*");
});

test("a variable of one value is that value, and the empty text when it has none", () => {
  const variables = {
    setting: { values: ["short-lived ws"], several: false },
    baseline: { values: [""], several: false },
  };
  assert.equal(interpolate("'$setting' '$baseline'", context(variables)), "'short-lived ws' ''");
});

test("what nothing is known about is named", () => {
  assert.throws(
    () => interpolate("$prox", context({ proxy: { values: [], several: true } })),
    /\$prox\b.*proxy/,
  );
  assert.throws(
    () => interpolate("${proxy:glob}", context({ proxy: { values: [], several: true } })),
    /proxy:glob/,
  );
});

test("a step is one that people read, no finer than the panel's", () => {
  assert.equal(stepOf(60_000, { points: 100, finest: "1s" }), 1000);
  assert.equal(stepOf(1_342_000, { points: 900, finest: "1s" }), 2000);
  assert.equal(stepOf(60_000, { points: 900 }), 100);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { newestRun, singleNamed, singleRun } from "./runs.js";

const RECORDED = ["2026-11-21T00-00-09Z-balancerbattle", "2026-11-20T10-00-00Z-quick"];

test("the newest run is the one that started last, whatever a single load is called", () => {
  const single = (/** @type {string} */ name, /** @type {string} */ time) => ({
    name,
    fromMs: Date.parse(time),
  });
  const [newest] = RECORDED;
  assert.equal(newestRun(RECORDED, []), newest);
  assert.equal(newestRun(RECORDED, [single("mine", "2026-11-20T23:00:00Z")]), newest);
  assert.equal(newestRun(RECORDED, [single("mine", "2026-11-21T23:00:00Z")]), "mine");
  const old = single("2026-11-21T23:00:00Z", "2026-11-21T23:00:01Z");
  assert.equal(newestRun(RECORDED, [old]), old.name);
  assert.equal(newestRun([], []), undefined);
});

test("an old run with colons is found by its name and by its folder", () => {
  const name = "2026-11-21T23:00:00Z";
  const singles = [
    { name, fromMs: 0 },
    { name: "mine", fromMs: 0 },
  ];
  for (const operand of [name, "2026-11-21T23-00-00Z", "results/2026-11-21T23-00-00Z"])
    assert.equal(singleNamed(singles, operand), name, operand);
  assert.equal(singleNamed(singles, "mine"), "mine");
  assert.equal(singleNamed(singles, "other"), undefined);
});

test("of a single load some seconds before and after are shown, and the date is its own", () => {
  const run = singleRun("mine", { fromMs: 100_000, toMs: 120_000, loads: [] }, {});
  assert.deepEqual(
    [run.startedMs, run.fromMs, run.toMs, run.store],
    [100_000, 90_000, 125_000, null],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { capacitiesOf, withoutCapacity } from "./capacities.js";
import { capacityResults } from "./testing/capacities.js";
import { results } from "./testing/results.js";

const policy = null;

/** @param {Parameters<typeof capacityResults>[0]} [changes] */
function answer(changes) {
  const [{ answers }] = capacitiesOf(capacityResults(changes));
  const found = answers.find(({ proxy }) => proxy === "nginx");
  assert.ok(found);
  return found;
}

test("three cells that hold and three above that fail confirm the rate; what broke first is that of the lowest failing one", () => {
  const found = answer();
  assert.deepEqual([found.kind, found.low, found.high], ["confirmed", 322, 336]);
  assert.deepEqual(found.perCore, { low: 322 / 0.5, high: 336 / 0.5 });
  assert.deepEqual(found.brokeFirst, ["p99"]);
  assert.deepEqual(found.fresh, { at: 3, above: 3 });
  assert.equal(found.points.length, 7 + 6);
  assert.equal(found.points.filter(({ isFresh }) => isFresh).length, 6);
});

test("the budget used where it broke, the generator's part of the machine, and work by the reference", () => {
  const found = answer();
  // 2 CPU s of the proxy in 5 s, of half a core.
  assert.ok(Math.abs(/** @type {number} */ (found.budgetPercent) - 80) < 1e-9);
  // 1 CPU s of the generator in 5 s, of two cores.
  assert.ok(Math.abs(/** @type {number} */ (found.generatorPercent) - 10) < 1e-9);
  assert.deepEqual(found.atRate, { rate: 322, p99Ms: 10, throttled: 0 });
  // 644 a second and core, each worth 250 µs of the reference.
  assert.ok(Math.abs(/** @type {number} */ (found.againstReference) - 0.161) < 1e-9);
});

test("one fresh cell that goes the other way makes a range", () => {
  assert.deepEqual(
    (({ kind, low, high }) => [kind, low, high])(answer({ at: ["holds", "fails", "holds"] })),
    ["range", 308, 336],
  );
  assert.deepEqual(
    (({ kind, low, high }) => [kind, low, high])(answer({ above: ["fails", "holds", "fails"] })),
    ["range", 322, 400],
  );
});

test("a generator at its limit gives no more than at least", () => {
  const found = answer({
    search: [
      [200, "holds"],
      [400, "limited"],
    ],
    at: ["holds", "holds", "holds"],
    above: [],
  });
  assert.deepEqual([found.kind, found.low, found.isLimited], ["at-least", 200, true]);
});

test("two equal proxies tie, whichever the search went further for; one that carries less does not", () => {
  /** @type {[number, "holds" | "fails"][]} a step of the search lower, as the knee is not sharp */
  const lower = [
    [200, "holds"],
    [400, "fails"],
    [400, "fails"],
    [283, "holds"],
    [336, "fails"],
    [308, "holds"],
    [322, "fails"],
  ];
  /** @type {[number, "holds" | "fails"][]} */
  const half = [
    [100, "holds"],
    [200, "fails"],
    [200, "fails"],
    [141, "holds"],
    [168, "fails"],
    [154, "holds"],
    [161, "holds"],
  ];
  const others = { "nginx-copy": { search: lower }, relay: { search: half } };
  const [{ answers }] = capacitiesOf(capacityResults({ others }));
  assert.deepEqual(
    answers.map(({ proxy, kind, rank, ties }) => [proxy, kind, rank, ties]),
    [
      ["none", "unknown", null, []],
      ["nginx", "confirmed", 1, ["nginx-copy"]],
      ["nginx-copy", "confirmed", 1, ["nginx"]],
      ["relay", "confirmed", 3, []],
    ],
  );
});

test("known to carry no more than at least little: no rank, and no tie; at least what the best carries: ranked", () => {
  /** @param {number} rate @returns {{search: [number, "holds" | "limited"][], at: "holds"[], above: []}} */
  const atLeast = (rate) => ({
    search: [
      [rate, "holds"],
      [2 * rate, "limited"],
    ],
    at: ["holds", "holds", "holds"],
    above: [],
  });
  const others = { little: atLeast(20), much: atLeast(800) };
  const [{ answers }] = capacitiesOf(capacityResults({ others }));
  assert.deepEqual(
    answers.slice(1).map(({ proxy, kind, rank, ties }) => [proxy, kind, rank, ties]),
    [
      ["nginx", "confirmed", 2, []],
      ["little", "at-least", null, []],
      ["much", "at-least", 1, []],
    ],
  );
});

test("a search that failed says why", () => {
  const run = capacityResults();
  const search = run.cells.find(({ proxy }) => proxy === "nginx");
  assert.ok(search);
  run.cells = [
    { ...search, probes: undefined, status: "failed", cause: { kind: "start", message: "no" } },
  ];
  const [{ answers }] = capacitiesOf(run);
  assert.deepEqual(
    answers.map(({ kind, why }) => [kind, why]),
    [
      ["unknown", "it has not run"],
      ["unknown", "no"],
    ],
  );
});

test("cells of a search are in no other part of an analysis, and other runs have none", () => {
  const run = capacityResults();
  const { cells, settings, capacities } = analyse(run, { policy });
  assert.deepEqual([cells.length, settings.length, capacities.length], [0, 0, 1]);
  const other = results();
  assert.equal(withoutCapacity(other), other);
  assert.deepEqual(analyse(other, { policy }).capacities, []);
});

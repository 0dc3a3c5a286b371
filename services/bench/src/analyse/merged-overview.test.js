import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { mergedOverview, unmeasured } from "./merged-overview.js";
import { survivalResults } from "./testing/experiments.js";
import { rateResults } from "./testing/rates.js";
import { recorded } from "./testing/recorded.js";
import { idleResults, POLICY, results } from "./testing/results.js";

/** @type {(name: string, made: import("../model/record.ts").Results) => import("./claim-table.js").PublishedRun} */
const run = (name, made) => ({
  name,
  analysis: analyse(made, { policy: /** @type {any} */ (POLICY) }),
});

const NAMES = ["http-proxy", "haproxy", "nginx"];
const SIX = run("six", results());
const FOUR = run("four", results({ rounds: 4 }));
const IDLE = run("idle", idleResults());

/** @param {ReturnType<typeof mergedOverview>} overview */
function told({ columns }) {
  return columns.map(({ key, scheme, run: { name } }) => `${key} ${scheme}: ${name}`);
}

test("each question is answered by the run that says most about it, in the order of an overview", () => {
  const merged = mergedOverview([IDLE, FOUR, SIX], NAMES);
  assert.deepEqual(told(merged).slice(0, 2), ["connection ws: six", "connection wss: six"]);
  assert.ok(told(merged).includes("held ws: idle"), told(merged).join(", "));
  assert.deepEqual(told(mergedOverview([FOUR], NAMES)), [
    "connection ws: four",
    "connection wss: four",
  ]);
  assert.equal(merged.proxies.at(-1), "http-proxy");
});

test("of runs that say as much the newer is taken", () => {
  const newer = results();
  newer.run.startedAt = new Date(
    Date.parse(SIX.analysis.results.run.startedAt) + 1000,
  ).toISOString();
  const merged = mergedOverview([SIX, run("newer", newer)], NAMES);
  assert.deepEqual(told(merged), ["connection ws: newer", "connection wss: newer"]);
});

test("over several settings it says more than over one, whatever is newer", () => {
  const sizes = run("sizes", results({ connections: [1000, 2000, 5000] }));
  const newer = results();
  newer.run.startedAt = "2099-01-01T00:00:00.000Z";
  const merged = mergedOverview([run("newer", newer), sizes], NAMES);
  assert.deepEqual(told(merged), ["connection ws: sizes", "connection wss: sizes"]);
});

test("at a set rate it says more than over several settings in a closed loop", () => {
  const sizes = run("sizes", results({ schemes: ["ws"], connections: [1000, 2000, 5000] }));
  const paced = run("paced", rateResults({ scenarios: ["arrivals"] }));
  paced.analysis.machineIndices = [];
  const named = ["nginx", "haproxy"];
  assert.deepEqual(told(mergedOverview([sizes], named)), ["connection ws: sizes"]);
  const [connection] = told(mergedOverview([sizes, paced], named));
  assert.equal(connection, "connection ws: paced");
});

test("held against the reference proxy says more", () => {
  const reference = { name: "reference", analysis: recorded("reference") };
  const [column] = mergedOverview([reference], NAMES).columns;
  assert.ok(column.cells.some(({ toReference }) => toReference !== null));
  const newer = structuredClone(reference.analysis);
  newer.machineIndices = [];
  newer.results.run.startedAt = "2099-01-01T00:00:00.000Z";
  const [first] = mergedOverview([{ name: "newer", analysis: newer }, reference], NAMES).columns;
  assert.equal(first.run.name, "reference");
});

test("ratios to a proxy that is not named are not shown", () => {
  const [{ cells }] = mergedOverview([SIX], NAMES).columns;
  const best = cells.find(({ isBest }) => isBest)?.proxy;
  const others = NAMES.filter((name) => name !== best);
  const merged = mergedOverview([SIX], others);
  assert.ok(merged.columns.every((column) => column.cells.some(({ isBest }) => isBest)));
  assert.deepEqual(mergedOverview([SIX], []), { proxies: [], columns: [] });
});

test("what is lost in a reload comes from a run of events alone, and is then no gap", () => {
  const proxies = { none: { reload: {} }, nginx: { reload: {} } };
  const survival = run("survival", survivalResults({ proxies }));
  const merged = mergedOverview([SIX, survival], NAMES);
  assert.ok(told(merged).includes("lost ws: survival"), told(merged).join(", "));
  const gaps = (/** @type {typeof SIX[]} */ runs) => unmeasured(runs).map(({ key }) => key);
  assert.ok(gaps([SIX]).includes("lost"));
  assert.ok(!gaps([SIX, survival]).includes("lost"));
  assert.ok(!gaps([SIX, IDLE]).includes("per-gib"));
});

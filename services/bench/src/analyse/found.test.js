import assert from "node:assert/strict";
import { test } from "node:test";
import { contestsOf } from "./contests.js";
import { differenceIn, foundIn } from "./found.js";
import { analyse } from "./index.js";
import { survivalResults } from "./testing/experiments.js";
import { POLICY, results } from "./testing/results.js";

/** @import { Contest } from "./types.js" */

/** @type {(name: string, made: import("../record/types.js").Results) => import("./claim-table.js").PublishedRun} */
const run = (name, made) => ({
  name,
  analysis: analyse(made, { policy: /** @type {any} */ (POLICY) }),
});

const SIX = run("six", results());
const SURVIVAL = run(
  "survival",
  survivalResults({
    proxies: {
      none: { none: {}, reload: {} },
      haproxy: { none: {}, reload: {} },
      nginx: { none: {}, reload: { ends: [{ afterMs: 100, how: "reset", count: 2000 }] } },
    },
  }),
);

/** @type {(contest: Contest) => string} */
const titleOf = ({ question, measure, detail }) => `${question} ${measure.key} ${detail}`;

test("what differs is found, the larger difference first, each scheme once", () => {
  const found = foundIn([SIX, SURVIVAL], titleOf);
  const [[first]] = found;
  assert.equal(first.contest.question, "lost");
  assert.deepEqual([first.low.proxy, first.high.proxy], ["haproxy", "nginx"]);
  const strengths = found.map(([{ strength }]) => strength);
  assert.deepEqual(
    strengths,
    strengths.toSorted((a, b) => b - a),
  );
  const cpu = found.find(([{ contest }]) => contest.measure.key === "cpu_us_per_connection");
  assert.deepEqual(cpu?.map(({ contest }) => contest.scheme).sort(), ["ws", "wss"]);
  for (const { high } of cpu ?? []) assert.equal(high.proxy, "http-proxy");
});

test("too few rounds find nothing, and neither do equals", () => {
  const few = run("few", results({ rounds: 4 }));
  assert.equal(foundIn([few], titleOf).length, 0);
  const equals = run("equals", results({ proxies: { nginx: {}, haproxy: {} }, schemes: ["ws"] }));
  assert.equal(foundIn([equals], titleOf).length, 0);
});

test("the best is held against the worst by their ratio, not by figures that tie", () => {
  const [contest] = contestsOf(SIX.analysis).filter(
    ({ measure }) => measure.key === "connections_per_second",
  );
  const best = contest.cells.find(({ isBest }) => isBest);
  const cells = contest.cells.map((cell) =>
    cell.proxy === "http-proxy" || cell === best
      ? cell
      : { ...cell, value: { value: 1e6, interval: null } },
  );
  const found = differenceIn({ ...contest, cells, run: SIX });
  assert.deepEqual([found?.low.proxy, found?.high.proxy], ["http-proxy", best?.proxy]);
  assert.equal(found?.strength, Math.abs(Math.log(Number(found?.low.ratio?.value))));
});

test("where nobody is ranked the intervals lie apart", () => {
  const [contest] = contestsOf(SURVIVAL.analysis).filter(({ question }) => question === "lost");
  const changed = { ...contest, run: SURVIVAL };
  assert.ok(differenceIn(changed));
  const cells = contest.cells.map((cell) => ({
    ...cell,
    value: cell.value && { ...cell.value, interval: /** @type {[number, number]} */ ([0, 100]) },
  }));
  assert.equal(differenceIn({ ...changed, cells }), null);
  const unknown = contest.cells.map((cell) => ({
    ...cell,
    value: cell.value && { ...cell.value, interval: null },
  }));
  assert.equal(differenceIn({ ...changed, cells: unknown }), null);
});

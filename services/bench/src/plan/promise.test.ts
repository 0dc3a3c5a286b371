/** Battles that search the highest rate that keeps a promise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBattle } from "./battle.ts";
import { planText } from "../report/plan-text.ts";
import { estimateSeconds } from "./estimate.ts";
import { readCapacityKnobs } from "./knobs.ts";
import { makePlan } from "./plan.ts";
import { BATTLE, battleOf, proxies, root } from "./testing/project.ts";
import type { Overrides } from "./plan.ts";

const OF_TWO = { proxies: ["none", "nginx"] };

function planned(overrides: Overrides = OF_TWO) {
  return makePlan(readBattle(root, "capacity", { proxies }), overrides, { proxies });
}

test("a round of searches, then rounds with a fresh cell at the rate found and one above it", () => {
  const { cells, rounds, promise, proxyCpus } = planned();
  assert.equal(rounds, 4);
  assert.deepEqual(promise, {
    ...{ sloMs: 50, failedPercent: 0.1, sentPercent: 99, resolutionPercent: 5 },
  });
  assert.equal(proxyCpus, 0.25);
  const searches = cells.filter(({ capacity }) => capacity?.part === "search");
  // 2 proxies, handshakes ws and wss, messages ws.
  assert.equal(searches.length, 6);
  assert.ok(searches.every(({ round }) => round === 1));
  // Of nginx: the control ranks nowhere.
  assert.equal(cells.length, 6 + 3 * 6);
  for (const { id, scenario, scheme, proxy } of searches) {
    const own = cells.filter(
      ({ capacity }) => capacity?.part === "fresh" && capacity.search === id,
    );
    assert.deepEqual(
      own
        .map(({ round, capacity }) => [round, capacity?.part === "fresh" && capacity.factor])
        .sort(),
      (proxy === "none" ? [] : [2, 3, 4]).flatMap((round) => [
        [round, 1],
        [round, 1.1],
      ]),
    );
    assert.ok(
      own.every(
        (cell) => cell.scenario === scenario && cell.scheme === scheme && cell.proxy === proxy,
      ),
    );
  }
  assert.equal(new Set(cells.map(({ id }) => id)).size, cells.length);
});

test("a test of fewer rounds has its search and this many with fresh cells", (t) => {
  const text = `title: Test
proxies: [nginx]
rounds: 3
seed: 1
promise: { sloMs: 50 }
tests:
  - scenario: arrivals
    schemes: [ws]
    rounds: 2
    parameters: { CONNECTIONS_PER_SECOND: 25 }
`;
  const { cells, rounds } = makePlan(battleOf(t, text), { proxies: ["nginx"] }, { proxies });
  assert.equal(rounds, 4);
  const own = cells.filter(({ proxy }) => proxy === "nginx");
  assert.deepEqual(
    own.map(({ round }) => round),
    [1, 2, 2, 3, 3],
  );
});

test("a coarse search has to fail further above", (t) => {
  const text = `title: Test
proxies: [nginx]
rounds: 1
seed: 1
promise: { sloMs: 50, resolutionPercent: 50 }
tests:
  - scenario: arrivals
    schemes: [ws]
`;
  const { cells, promise } = makePlan(battleOf(t, text), {}, { proxies });
  assert.equal(promise?.resolutionPercent, 50);
  const factors = cells.flatMap(({ capacity }) =>
    capacity?.part === "fresh" ? capacity.factor : [],
  );
  assert.deepEqual(new Set(factors), new Set([1, 2]));
});

test("a search does not leave the range of its scenario's rate", () => {
  const [{ capacity }] = planned().cells.filter(({ scenario }) => scenario === "arrivals");
  assert.deepEqual(capacity, { part: "search", lowest: 5, highest: 100_000 });
});

test("promise, budget and rounds may be others on the command line", () => {
  const plan = planned({ ...OF_TWO, sloMs: 20, proxyCpus: 0.5, rounds: 1 });
  assert.deepEqual([plan.promise?.sloMs, plan.proxyCpus, plan.rounds], [20, 0.5, 2]);
  assert.match(planText(plan), /promise {2}p99 at most 20 ms, at most 0.1 % failed, at least 99 %/);
});

test("a battle without a promise has none, and no cell of it a part in a search", (t) => {
  const plan = makePlan(battleOf(t), { sloMs: 20 }, { proxies });
  assert.ok(!("promise" in plan) && plan.cells.every((cell) => !("capacity" in cell)));
});

test("a search takes as long as its probes", () => {
  const plan = planned();
  const [search, fresh] = ["search", "fresh"].map((part) =>
    plan.cells.filter(
      ({ capacity, scenario }) => capacity?.part === part && scenario === "arrivals",
    ),
  );
  assert.ok(estimateSeconds(plan, [search[0]]) > 5 * estimateSeconds(plan, [fresh[0]]));
  // One proxy and the control.
  assert.ok(estimateSeconds(plan) < 25 * 60, `${estimateSeconds(plan)} s`);
});

test("a scenario without a rate cannot be searched", (t) => {
  assert.throws(() => battleOf(t, `${BATTLE}promise: { sloMs: 50 }\n`), {
    message: /battles\/test\.yaml, line \d+: short-lived has no rate/,
    next: /^Expected an open loop over WebSockets/,
    exitCode: 2,
  });
  assert.throws(() => battleOf(t, `${BATTLE}promise: { sloMs: 0 }\n`), /"sloMs" is 0/);
});

test("SLO_MS and PROXY_CPUS are those of ./bench capacity where they are set", () => {
  assert.deepEqual(readCapacityKnobs(root, {}), {});
  assert.deepEqual(readCapacityKnobs(root, { SLO_MS: "20", PROXY_CPUS: "0.25" }), {
    ...{ sloMs: 20, proxyCpus: 0.25 },
  });
  for (const [name, text] of [
    ["SLO_MS", "x"],
    ["SLO_MS", "0.5"],
    ["PROXY_CPUS", "-1"],
    ["PROXY_CPUS", "9999"],
  ])
    assert.throws(() => readCapacityKnobs(root, { [name]: text }), {
      message: `${name} is ${text}`,
      next: /^Expected a number .*battles\/capacity\.yaml/,
      exitCode: 2,
    });
});

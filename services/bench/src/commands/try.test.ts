import assert from "node:assert/strict";
import { test } from "node:test";
import { battleOf, turnsWith } from "./try.ts";
import { MEASURES } from "./definitions/try.ts";
import type { Plan } from "../model/plan.ts";

const NAMES = { own: "yours", baseline: "nginx" };

test("--connections is for the loads that have a number of connections, and lowers how many open at once", () => {
  const { tests } = battleOf(
    { measures: [...MEASURES], connections: [20, 30] },
    { ...NAMES, inTurns: true },
    ["ws"],
  );
  const seen = tests.map(({ scenario, parameters: { CONNECTIONS, CONCURRENCY } }) => ({
    scenario,
    CONNECTIONS,
    ...(CONCURRENCY !== undefined && { CONCURRENCY }),
  }));
  assert.deepEqual(seen, [
    { scenario: "short-lived", CONNECTIONS: [20, 30], CONCURRENCY: 20 },
    { scenario: "short-lived", CONNECTIONS: [20, 30], CONCURRENCY: 20 },
    { scenario: "arrivals", CONNECTIONS: undefined },
    { scenario: "steady", CONNECTIONS: [20, 30] },
    { scenario: "idle", CONNECTIONS: [20, 30] },
    { scenario: "survive", CONNECTIONS: [20, 30] },
  ]);
});

test("the baseline has cells of its own, and CPU more rounds, where there are no turns", () => {
  const rows = [
    [["cpu"], true, false, 4],
    [["cpu"], false, true, 6],
    [["cpu", "memory"], true, true, 4],
  ] as const;
  for (const [measures, inTurns, expected, most] of rows) {
    const wanted = { measures: [...measures] };
    const { proxies, rounds } = battleOf(wanted, { ...NAMES, inTurns }, ["ws"]);
    assert.deepEqual([proxies.includes("nginx"), rounds], [expected, most], measures.join());
  }
});

test("turns: the baseline gets half of the short connections, and nothing of other loads", () => {
  const cell = (proxy: string, scenario: string) => ({ proxy, scenario });
  const plan = {
    scenarios: {
      "short-lived": { usesReference: true, referenceTurns: true },
      arrivals: { usesReference: true },
    },
    cells: [
      cell("yours", "short-lived"),
      cell("nginx", "short-lived"),
      cell("yours", "arrivals"),
      cell("nginx", "arrivals"),
    ],
  } as unknown as Plan;
  const { baseline, scenarios, cells } = turnsWith(plan, { name: "nginx", title: "NGINX" });
  assert.equal(baseline, "NGINX");
  assert.deepEqual(
    Object.values(scenarios).map(({ usesReference }) => usesReference),
    [true, false],
  );
  assert.deepEqual(
    cells.map(({ proxy, scenario }) => `${proxy} ${scenario}`),
    ["yours short-lived", "yours arrivals", "nginx arrivals"],
  );
});

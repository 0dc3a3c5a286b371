import assert from "node:assert/strict";
import { test } from "node:test";
import { battleOf } from "./try.ts";
import { MEASURES } from "./definitions/try.ts";

test("--connections is for the loads that have a number of connections, and lowers how many open at once", () => {
  const { tests } = battleOf(
    { measures: [...MEASURES], connections: [20, 30] },
    ["yours", "nginx"],
    ["ws"],
  );
  const seen = tests.map(({ scenario, parameters: { CONNECTIONS, CONCURRENCY } }) => ({
    scenario,
    CONNECTIONS,
    ...(CONCURRENCY !== undefined && { CONCURRENCY }),
  }));
  assert.deepEqual(seen, [
    { scenario: "short-lived", CONNECTIONS: [20, 30], CONCURRENCY: 20 },
    { scenario: "hot", CONNECTIONS: [20, 30] },
    { scenario: "arrivals", CONNECTIONS: undefined },
    { scenario: "steady", CONNECTIONS: [20, 30] },
    { scenario: "idle", CONNECTIONS: [20, 30] },
    { scenario: "survive", CONNECTIONS: [20, 30] },
  ]);
});

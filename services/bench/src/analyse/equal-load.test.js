import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { rateResults } from "./testing/rates.js";

test("CPU per operation at a set rate, in µs and against the reference, and the closed loop's beside it", () => {
  const { equalLoads } = analyse(
    rateResults({
      scenarios: ["arrivals", "steady", "short-lived"],
      // Burns 400 µs a connection more.
      proxies: { nginx: { addedMs: 0, cpuUs: 200 }, relay: { addedMs: 0, cpuUs: 600 } },
    }),
    { policy: null },
  );
  assert.deepEqual(
    equalLoads.map(({ measure, setting, closed }) => [
      measure,
      setting.scenario,
      closed.map((one) => one.setting.scenario),
    ]),
    [
      ["cpu_us_per_connection", "arrivals", ["short-lived"]],
      ["cpu_us_per_message", "steady", []],
    ],
  );
  const [{ rows }] = equalLoads;
  const [nginx, relay] = ["nginx", "relay"].map((name) =>
    rows.find(({ row }) => row.proxy === name),
  );
  const difference = (relay?.row.median?.value ?? 0) - (nginx?.row.median?.value ?? 0);
  assert.ok(Math.abs(difference - 400) < 10, `${difference} µs`);
  assert.ok(Math.abs((nginx?.toReference?.value ?? 0) - 1) < 0.01);
  assert.ok(Math.abs((relay?.toReference?.value ?? 0) - 3) < 0.03);
  assert.deepEqual([nginx?.row.rank, relay?.row.rank], [1, 2]);
  assert.ok(rows.every(({ row }) => row.proxy !== "none"));
});

test("a closed loop with other messages is no such work, and without a reference proxy there are µs alone", () => {
  const run = rateResults({ scenarios: ["arrivals", "short-lived"] });
  for (const { scenario, parameters } of [...run.plan.cells, ...run.cells])
    if (scenario === "short-lived") parameters.MESSAGE_BYTES = 1025;
  for (const { containers } of run.cells) delete containers.reference;
  const [{ closed, rows }] = analyse(run, { policy: null }).equalLoads;
  assert.deepEqual(closed, []);
  assert.ok(rows.every(({ row, toReference }) => row.median && toReference === null));
});

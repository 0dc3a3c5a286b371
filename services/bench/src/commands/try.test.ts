import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { root } from "../plan/testing/project.ts";
import { battleOf, tryConfig } from "./try.ts";
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

test("--markdown says why a configuration cannot be tried; the terminal has the error alone", async () => {
  const wanted = { proxy: "nginx", config: "no.conf", set: {}, tolerance: 0.1, json: false };
  for (const markdown of [true, false]) {
    const lines: string[] = [];
    const out = { say: () => {}, print: (line: string) => void lines.push(line) };
    const all = { ...wanted, markdown, measures: [MEASURES[0]] };
    await assert.rejects(tryConfig(root, all, out, ["try"]), UserError);
    if (markdown) assert.match(lines.join("\n"), /^### .*no\.conf.*\n\n- \w/);
    else assert.deepEqual(lines, []);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { differences } from "./describe.ts";
import { makePlan } from "./plan.ts";
import { BATTLE, battleOf, proxies } from "./testing/project.ts";
import type { Plan } from "../model/plan.ts";

test("a plan with another number of rounds in a test differs", (t) => {
  const text = `${BATTLE}  - scenario: hot
    schemes: [ws]
    rounds: 1
    parameters: { MESSAGE_BYTES: [64, 1024] }
`;
  const plan = makePlan(battleOf(t, text), {}, { proxies });
  const all = makePlan(battleOf(t, text.replace("    rounds: 1\n", "")), {}, { proxies });
  assert.deepEqual(differences(plan, all), [{ key: "rounds of hot", was: "1", is: "2" }]);
});

test("the same plan does not differ, whatever the preflight made of it", (t) => {
  const plan = makePlan(battleOf(t), {}, { proxies });
  const fitted = structuredClone(plan);
  fitted.cells[0].skip = "no memory";
  fitted.cells[1].loads = 3;
  assert.deepEqual(differences(plan, fitted), []);
});

for (const [title, from, to, expected] of [
  [
    "rounds",
    "rounds: 2",
    "rounds: 3",
    [
      { key: "rounds", was: "2", is: "3" },
      { key: "rounds of short-lived", was: "2", is: "3" },
    ],
  ],
  ["the seed", "seed: 1", "seed: 2", [{ key: "seed", was: "1", is: "2" }]],
  [
    "proxies",
    "[nginx, haproxy]",
    "[nginx]",
    [{ key: "proxies", was: "haproxy, nginx, none", is: "nginx, none" }],
  ],
  [
    "the schemes",
    "[ws, wss]",
    "[ws]",
    [{ key: "schemes of short-lived", was: "ws, wss", is: "ws" }],
  ],
  [
    "a list",
    "[100, 200]",
    "[100, 1000]",
    [{ key: "CONNECTIONS of short-lived", was: "100, 200", is: "100, 1000" }],
  ],
  [
    "the warm-up",
    "    warmUp: { CONNECTIONS: 100 }\n",
    "",
    [{ key: "warm-up of short-lived", was: "CONNECTIONS=100", is: "none" }],
  ],
  ["the title", "Test", "Best", [{ key: "title", was: "Test", is: "Best" }]],
  ["the key", "seed: 1", "seed: 1\nkeyType: rsa", [{ key: "keyType", was: "ecdsa", is: "rsa" }]],
] as const) {
  test(`${title} changed: it is named`, (t) => {
    const plan = makePlan(battleOf(t), {}, { proxies });
    const now = makePlan(battleOf(t, BATTLE.replace(from, to)), {}, { proxies });
    assert.deepEqual(differences(plan, now), expected);
  });
}

for (const [title, change, key] of [
  ["another order", ({ cells }) => cells.push(...cells.splice(5, 1)), "cell 6"],
  ["a cell less", ({ cells }) => cells.pop(), "cell 24"],
  ["another profile", ({ cells }) => (cells[2].profile = "none-copy"), "cell 3"],
  ["another limit", ({ cells }) => (cells[0].limitSeconds += 1), "cell 1"],
] as [string, (plan: Plan) => void, string][]) {
  test(`${title}: the first cell that differs is named`, (t) => {
    const plan = makePlan(battleOf(t), {}, { proxies });
    const now = structuredClone(plan);
    change(now);
    const found = differences(plan, now);
    assert.deepEqual(
      found.map((difference) => difference.key),
      [key],
    );
    assert.notEqual(found[0].was, found[0].is);
  });
}

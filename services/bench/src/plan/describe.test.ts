import assert from "node:assert/strict";
import { test } from "node:test";
import { describePlan, differences } from "./describe.ts";
import { makePlan } from "./plan.ts";
import { BATTLE, battleOf, proxies } from "./testing/project.ts";
import type { Plan } from "../model/plan.ts";

test("a plan in words: what is shared, every cell in its order, reasons, the time", (t) => {
  const plan = makePlan(battleOf(t), { proxies: ["none"], schemes: ["ws"] }, { proxies });
  plan.cells[0].skip = "needs 40,000 descriptors, the engine grants 20,000";
  plan.cells[1].loads = 2;
  const first = plan.cells.map(({ id }) => id);
  assert.equal(
    describePlan(plan),
    `Test (test)

  proxies    none
  rounds     2, order by seed 1
  proxy CPU  no limit
  workers    as in .env
  TLS key    ecdsa
  short-lived: CONCURRENCY=100 MESSAGES=1 MESSAGE_BYTES=1024 TIMEOUT_SECONDS=30 LATENCY_SAMPLES=10; warm-up CONNECTIONS=100

round 1
  1  ${first[0]}  skipped: needs 40,000 descriptors, the engine grants 20,000
  2  ${first[1]}  about 2 s, 2 load containers

round 2
  3  ${first[2]}  about 2 s
  4  ${first[3]}  about 2 s

4 cells, 1 of them skipped: about 7 s on 2 cores`,
  );
});

test("it says which settings have fewer rounds, and that their number changed", (t) => {
  const text = `${BATTLE}  - scenario: hot
    schemes: [ws]
    rounds: 1
    parameters: { MESSAGE_BYTES: [64, 1024] }
`;
  const plan = makePlan(battleOf(t, text), {}, { proxies });
  assert.match(
    describePlan(plan),
    /^ {2}rounds {5}2 \(1 of hot ws messagebytes1024, hot ws messagebytes64\), order by seed 1$/m,
  );
  const all = makePlan(battleOf(t, text.replace("    rounds: 1\n", "")), {}, { proxies });
  assert.deepEqual(differences(plan, all), [{ key: "rounds of hot", was: "1", is: "2" }]);
});

test("a plan without warm-up and with a budget says so", (t) => {
  const battle = battleOf(t, BATTLE.replace(/ {4}warmUp.*\n/, ""));
  const text = describePlan(makePlan(battle, { proxyCpus: 0.5 }, { proxies }));
  assert.match(text, /; no warm-up$/m);
  assert.match(text, /proxy CPU {2}0\.5 cores each/);
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

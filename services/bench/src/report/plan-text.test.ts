import assert from "node:assert/strict";
import { test } from "node:test";
import { makePlan } from "../plan/plan.ts";
import { BATTLE, battleOf, proxies } from "../plan/testing/project.ts";
import { planText } from "./plan-text.ts";

test("the sum, a row a load, and why cells are skipped; --verbose adds what all share and every cell", (t) => {
  const plan = makePlan(battleOf(t), { proxies: ["none"], schemes: ["ws"] }, { proxies });
  plan.cells[0].skip = "needs 40,000 descriptors, the engine grants 20,000";
  plan.cells[1].loads = 2;
  const first = plan.cells.map(({ id }) => id);
  const short = `test: 3 measurements, ~7 s, 2 rounds

  LOAD         SCHEME  CELLS  TIME  EACH
  short-lived  ws      3      ~7 s  100 and 200 connections, 100 at a time, 1
                                    message per connection, 1,024-byte messages
`;
  assert.equal(
    planText(plan),
    `${short}
  proxies  none
  skipped  1 cell of none: needs 40,000 descriptors, the engine grants 20,000

Every cell in its order: --verbose`,
  );
  assert.equal(
    planText(plan, { verbose: true }),
    `${short}
  proxies      none
  skipped      1 cell of none: needs 40,000 descriptors, the engine grants
               20,000
  title        Test
  order        by seed 1
  proxy CPU    no limit
  workers      as in .env
  TLS key      ecdsa
  short-lived  CONCURRENCY=100 MESSAGES=1 MESSAGE_BYTES=1024 TIMEOUT_SECONDS=30
               LATENCY_SAMPLES=10; warm-up CONNECTIONS=100

round 1
  1  ${first[0]}  skipped: needs 40,000 descriptors, the engine grants 20,000
  2  ${first[1]}  ~2 s, 2 load containers
round 2
  3  ${first[2]}  ~2 s
  4  ${first[3]}  ~2 s`,
  );
});

test("it names settings that have fewer rounds", (t) => {
  const text = `${BATTLE}  - scenario: hot
    schemes: [ws]
    rounds: 1
    parameters: { MESSAGE_BYTES: [64, 1024] }
`;
  const plan = makePlan(battleOf(t, text), {}, { proxies });
  assert.match(
    planText(plan, { verbose: true }).replace(/\s+/g, " "),
    / order by seed 1; 1 round of hot ws messagebytes1024, hot ws messagebytes64 /,
  );
});

test("a plan without warm-up and with a budget says so", (t) => {
  const battle = battleOf(t, BATTLE.replace(/ {4}warmUp.*\n/, ""));
  const plan = makePlan(battle, { proxyCpus: 0.5 }, { proxies });
  const text = planText(plan, { verbose: true });
  assert.match(text, /; no warm-up$/m);
  assert.match(text, /proxy CPU +0\.5 cores each/);
});

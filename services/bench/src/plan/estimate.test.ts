import assert from "node:assert/strict";
import { test } from "node:test";
import { battleNames, readBattle } from "./battle.ts";
import { estimateRemaining, estimateSeconds, formatDuration, limitSeconds } from "./estimate.ts";
import { makePlan } from "./plan.ts";
import { BATTLE, battleOf, proxies, root } from "./testing/project.ts";
import { SCENARIOS } from "./testing/scenarios.ts";
import { workloadOf } from "./workload.ts";
import type { CellRecord } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { TestContext } from "node:test";

const parameters = { CONNECTIONS: 1000, MESSAGES: 1, TIMEOUT_SECONDS: 30 };
const cell: PlannedCell = {
  id: "r1-nginx-short-lived-ws",
  round: 1,
  proxy: "nginx",
  profile: "nginx",
  scenario: "short-lived",
  scheme: "ws",
  parameters,
  warmUp: null,
  loads: 1,
  observed: true,
  limitSeconds: 100,
  skip: null,
};

const PLAN = { scenarios: SCENARIOS, proxyCpus: 0 };

/** @param changes of the cell */
function seconds(changes: Partial<PlannedCell> = {}, proxyCpus = 0) {
  return estimateSeconds({ ...PLAN, proxyCpus, cells: [{ ...cell, ...changes }] });
}

test("a cell: its overhead, its warm-up, its connections and messages", () => {
  assert.equal(seconds(), 2 + 0.8);
  assert.equal(seconds({ scheme: "wss" }), 2 + 1.6);
  assert.equal(seconds({ warmUp: { CONNECTIONS: 500 } }), 2 + 0.4 + 0.8);
  assert.equal(seconds({ parameters: { ...parameters, MESSAGES: 101 } }), 2 + 0.8 + 20);
  assert.equal(seconds({ skip: "too few descriptors" }), 0);
});

test("a budget below one core slows a cell down", () => {
  assert.equal(seconds({}, 0.1), 2 + 8);
  assert.equal(seconds({}, 2), 2 + 0.8);
});

test("a fixed rate takes its time, unless the machine is slower", () => {
  const paced = (rate: number) =>
    seconds({
      scenario: "tls-handshake",
      scheme: "wss",
      parameters: { CONNECTIONS: 1000, CONNECTIONS_PER_SECOND: rate },
    });
  assert.equal(paced(200), 2 + 5);
  assert.equal(paced(5000), 2 + 1.6);
});

test("the limit is far above the estimate, and finite", () => {
  const workload = workloadOf(PLAN, cell);
  assert.equal(limitSeconds(workload, "ws", 0), 8 + 30 + 60);
  assert.equal(limitSeconds(workload, "ws", 0.1), 80 + 30 + 60);
});

test("a scenario that lasts as long as its parameters say", () => {
  const idle = {
    scenario: "idle",
    parameters: {
      CONNECTIONS: 1000,
      CONNECTIONS_PER_SECOND: 500,
      HOLD_SECONDS: 30,
      INTERVAL_SECONDS: 0.1,
      TIMEOUT_SECONDS: 20,
    },
  };
  assert.equal(seconds(idle), 2 + 2 + 30);
  assert.equal(limitSeconds(workloadOf(PLAN, idle), "ws", 0), 8 + 30 + 20 + 60);
  const churn = {
    CONNECTIONS_PER_SECOND: 100,
    CHURN_SECONDS: 60,
    CONCURRENCY: 100,
    SETTLE_SECONDS: 5,
  };
  assert.equal(seconds({ scenario: "churn", parameters: churn }), 2 + 60 + 5);
  const hot = { CONNECTIONS: 500, CONNECTIONS_PER_SECOND: 500, MESSAGES: 51 };
  assert.equal(seconds({ scenario: "hot", parameters: hot }), 2 + 1 + 0.4 + 5);
});

/** Minutes on 2 cores, of battles that take longer than the 30 of those that README rests on. */
const LONGER: Record<string, number> = {
  // Each of its three settings takes under 30.
  capacity: 90,
  // Ten minutes each.
  gauntlet: 100,
  soak: 70,
  // Every folder; each default beside its tuned one.
  proxies: 60,
  defaults: 60,
  // The calculator's, not README's.
  cost: 40,
  mixed: 40,
  // 17 versions.
  releases: 90,
  // Re-runs of old studies, in their sizes.
  balancerbattle: 90,
  "balancerbattle-large": 60,
  "balancerbattle-messages": 120,
  "nginx-idle": 60,
};

for (const name of battleNames(root)) {
  const most = name === "quick" ? 4 : (LONGER[name] ?? 31);
  test(`the battle ${name} ends within ${most} min on 2 cores`, () => {
    const battle = readBattle(root, name, { proxies });
    const known = { proxies, referenceShare: 0.2 };
    const minutes = estimateSeconds(makePlan(battle, {}, known)) / 60;
    assert.ok(minutes < most, `${minutes} min`);
  });
}

const record = ({ id }: PlannedCell, changes: Partial<CellRecord> = {}) =>
  ({
    id,
    attempt: 1,
    status: "ok",
    phases: { start: 4, measure: 10 },
    ...changes,
  }) as CellRecord;

function twoRounds(t: TestContext) {
  const battle = battleOf(t, BATTLE.replace("[ws, wss]", "[ws]").replace("[100, 200]", "100"));
  const plan = makePlan(battle, { proxies: ["nginx"] }, { proxies });
  const of = (proxy: string, round: number) =>
    plan.cells.find((c) => c.proxy === proxy && c.round === round) as PlannedCell;
  return { plan, of };
}

/** Estimate of each of its four cells. */
const EACH = 2 + 0.08 + 0.08;

test("before anything ran, all of the estimate remains", (t) => {
  const { plan } = twoRounds(t);
  assert.ok(Math.abs(estimateRemaining(plan, []) - 4 * EACH) < 1e-9);
});

test("cells that ran tell how long the same cell takes, and correct the estimate of others", (t) => {
  const { plan, of } = twoRounds(t);
  const records = [record(of("nginx", 1), { phases: { measure: 2 * EACH } })];
  // nginx as measured, none twice at twice the estimate.
  assert.ok(Math.abs(estimateRemaining(plan, records) - 6 * EACH) < 1e-9);
  records.push(record(of("none", 1), { phases: { start: 1, measure: 2 } }));
  assert.ok(Math.abs(estimateRemaining(plan, records) - (2 * EACH + 3)) < 1e-9);
});

test("a failed cell remains until its second attempt; skipped ones do not", (t) => {
  const { plan, of } = twoRounds(t);
  const failed = record(of("nginx", 1), { status: "failed" });
  assert.ok(Math.abs(estimateRemaining(plan, [failed]) - 4 * EACH) < 1e-9);
  const again = { ...failed, attempt: 2 };
  assert.ok(Math.abs(estimateRemaining(plan, [failed, again]) - 3 * EACH) < 1e-9);
  of("none", 2).skip = "no memory";
  assert.ok(Math.abs(estimateRemaining(plan, [failed, again]) - 2 * EACH) < 1e-9);
});

test("a cell that is run once more remains, though it ended well", (t) => {
  const { plan, of } = twoRounds(t);
  const records = [record(of("nginx", 1), { phases: { measure: EACH } })];
  assert.ok(Math.abs(estimateRemaining(plan, records) - 3 * EACH) < 1e-9);
  const left = estimateRemaining(plan, records, [of("nginx", 1)]);
  assert.ok(Math.abs(left - 4 * EACH) < 1e-9);
});

for (const [seconds, text] of [
  [0, "0 s"],
  [59.4, "59 s"],
  [99.4, "99 s"],
  [99.6, "2 min"],
  [165, "3 min"],
  [2880, "48 min"],
  [3599, "1 h"],
  [4800, "1 h 20 min"],
] as const)
  test(`${seconds} s is ${text}`, () => assert.equal(formatDuration(seconds), text));

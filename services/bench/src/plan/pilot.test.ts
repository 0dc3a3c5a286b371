import assert from "node:assert/strict";
import { test } from "node:test";
import { rateResults } from "../analyse/testing/rates.ts";
import { planText } from "../report/plan-text.ts";
import { pilotOf, ratesFrom } from "./pilot.ts";
import { makePlan } from "./plan.ts";
import { BATTLE, battleOf, proxies } from "./testing/project.ts";
import type { PilotedRate } from "../model/plan.ts";

const PILOTED = `title: Test
proxies: [nginx, haproxy]
rounds: 2
seed: 1
pilot: { busyPercent: 60 }
tests:
  - scenario: arrivals
    schemes: [ws, wss]
    parameters: { ARRIVE_SECONDS: 30, MESSAGE_BYTES: [64, 4096] }
    warmUp: { ARRIVE_SECONDS: 1 }
  - scenario: steady
    schemes: [ws]
    parameters: { MESSAGES_PER_SECOND: 700 }
`;

test("the slowest proxy decides: at its rate the load takes what the battle leaves it, less a margin", () => {
  const results = rateResults({
    scenarios: ["arrivals"],
    rounds: 1,
    proxies: { nginx: { addedMs: 0, cpuUs: 200 }, slow: { addedMs: 0, cpuUs: 2000 } },
  });
  const [rate, ...others] = ratesFrom(results, 60);
  assert.equal(others.length, 0);
  assert.deepEqual(
    rate.proxies.map(({ proxy, offered }) => [proxy, offered]),
    [
      ["none", 200],
      ["nginx", 200],
      ["slow", 200],
    ],
  );
  const slow = rate.proxies[2];
  // Of 2 cores for 10 s: 8 s and 2 ms for each of 2,000 connections; of these 0.3 s observe, at any
  // rate.
  assert.ok(Math.abs(slow.busyPercent - 60) < 0.5, `${slow.busyPercent}`);
  assert.ok(Math.abs(slow.observingPercent - 1.5) < 0.01);
  const expected = (2 * 0.85 * 0.6 - 0.03) / ((12 - 0.3) / 2000);
  assert.ok(Math.abs(slow.rate - expected) < 3, `${slow.rate}`);
  assert.ok(rate.proxies.every((one) => one.rate >= slow.rate));
  assert.deepEqual([rate.name, rate.rate], ["CONNECTIONS_PER_SECOND", 160]);
});

test("a proxy that failed is not suited, and where none came through there is no rate", () => {
  const fail = (names: string[]) =>
    rateResults({
      scenarios: ["steady"],
      rounds: 1,
      change: (record) => {
        if (names.includes(record.proxy)) record.status = "failed";
      },
    });
  assert.deepEqual(
    ratesFrom(fail(["haproxy"]), 60)[0].proxies.map(({ proxy }) => proxy),
    ["none", "nginx"],
  );
  assert.throws(
    () => ratesFrom(fail(["none", "nginx", "haproxy"]), 60),
    /no MESSAGES_PER_SECOND for steady, ws: no proxy finished undisturbed/,
  );
  assert.throws(() => ratesFrom(fail([]), 1), /what observes alone takes 1 %/);
});

test("the pilot of a battle: what says no rate, once, for some seconds", (t) => {
  const pilot = pilotOf(battleOf(t, PILOTED));
  assert.ok(pilot);
  const plan = makePlan(pilot, {}, { proxies });
  assert.equal(plan.pilot, undefined);
  assert.equal(plan.cells.length, 3 * 2 * 2);
  for (const { scenario, round, parameters } of plan.cells)
    assert.deepEqual(
      [scenario, round, parameters.CONNECTIONS_PER_SECOND, parameters.ARRIVE_SECONDS],
      ["arrivals", 1, 100, 4],
    );
  assert.equal(pilotOf(battleOf(t)), null);
  const fixed = PILOTED.replace("pilot: { busyPercent: 60 }\n", "");
  assert.equal(pilotOf(battleOf(t, fixed)), null);
});

test("the plan has the rates that were computed, the same for all proxies, and what the pilot showed", (t) => {
  const battle = battleOf(t, PILOTED);
  const pilot = pilotOf(battle);
  assert.ok(pilot);
  const loads = new Map(
    makePlan(pilot, {}, { proxies }).cells.map((cell) => [
      JSON.stringify([cell.scheme, cell.parameters.MESSAGE_BYTES]),
      cell,
    ]),
  );
  const rates: PilotedRate[] = [...loads.values()].map(({ scenario, scheme, parameters }) => ({
    ...{ scenario, scheme, parameters, name: "CONNECTIONS_PER_SECOND" },
    rate: (scheme === "ws" ? 300 : 100) + parameters.MESSAGE_BYTES / 64,
    proxies: [
      { proxy: "nginx", offered: 100, busyPercent: 20, observingPercent: 2, rate: 310 },
      { proxy: "haproxy", offered: 100, busyPercent: 22, observingPercent: 2, rate: 305 },
    ],
  }));
  const plan = makePlan(battle, {}, { proxies, piloted: { run: "the-pilot", rates } });
  assert.deepEqual(plan.pilot, { busyPercent: 60, run: "the-pilot", rates });
  const found = new Set(
    plan.cells.map(({ scenario, scheme, parameters: all }) =>
      [scenario, scheme, all.MESSAGE_BYTES, all.CONNECTIONS_PER_SECOND, all.ARRIVE_SECONDS].join(),
    ),
  );
  assert.deepEqual(
    [...found].sort(),
    [
      "arrivals,ws,4096,364,30",
      "arrivals,ws,64,301,30",
      "arrivals,wss,4096,164,30",
      "arrivals,wss,64,101,30",
      "steady,ws,1024,500,",
    ].sort(),
  );
  assert.ok(
    plan.cells.every(
      ({ scenario, parameters }) => scenario !== "steady" || parameters.MESSAGES_PER_SECOND === 700,
    ),
  );
  assert.match(
    planText(plan, { verbose: true }).replace(/\s+/g, " "),
    / rate arrivals ws: CONNECTIONS_PER_SECOND=301; through haproxy the pilot's 100 left the machine 22 % busy/,
  );
});

test("--dry-run says that rates are computed at the start, and what that takes", (t) => {
  const battle = battleOf(t, PILOTED);
  const pilot = pilotOf(battle);
  const text = planText(makePlan(battle, {}, { proxies }), {
    pilot: pilot && makePlan(pilot, {}, { proxies }),
    verbose: true,
  });
  assert.match(text, /rates +computed by the pilot, .* below 60\s+% busy/);
  assert.match(text, /first +a pilot that computes the rates: 12 measurements, ~\d+/);
  assert.doesNotMatch(planText(makePlan(battleOf(t), {}, { proxies })), /pilot/);
});

test("a pilot without a rate to compute is refused", (t) => {
  assert.throws(
    () => battleOf(t, BATTLE.replace("seed: 1", "seed: 1\npilot: { busyPercent: 60 }")),
    {
      message: /test\.yaml, line 5: there is no rate to compute/,
      next: /leaves its rate out/,
    },
  );
});

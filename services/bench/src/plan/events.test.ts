import assert from "node:assert/strict";
import { test } from "node:test";
import { battleNames, readBattle } from "./battle.ts";
import schema from "./battle.schema.json" with { type: "json" };
import { planText } from "../report/plan-text.ts";
import { estimateSeconds } from "./estimate.ts";
import { delaySeconds, EVENTS, lackFor, secondsOf } from "./events.ts";
import { makePlan } from "./plan.ts";
import { battleOf, proxies, root } from "./testing/project.ts";
import type { Overrides } from "./plan.ts";
import type { Proxy } from "./proxies.ts";
import type { TestContext } from "node:test";

const BATTLE = `title: Test
proxies: [nginx, http-proxy]
rounds: 3
seed: 1
tests:
  - scenario: survive
    schemes: [ws]
    parameters: { QUIET_SECONDS: 2, WATCH_SECONDS: 8 }
    events: [kill, none]
  - scenario: survive
    schemes: [ws]
    rounds: 1
    parameters: { QUIET_SECONDS: 2, WATCH_SECONDS: 30 }
    events: [reload, drain]
`;

const planOf = (t: TestContext, overrides: Overrides = {}) =>
  makePlan(battleOf(t, BATTLE), overrides, { proxies });

const proxy = (name: string) => proxies.find((one) => one.name === name) as Proxy;

test("a battle can name each event of the table, and no other", () => {
  assert.deepEqual(schema.properties.tests.items.properties.events.items.enum, Object.keys(EVENTS));
});

test("an event takes as long as its steps say", () => {
  assert.equal(secondsOf("none"), 0);
  assert.equal(secondsOf("drain"), 10);
  assert.equal(secondsOf("reload-10"), 9);
});

test("a server ends at another moment between two lookups in each round, evenly", () => {
  const delays = Array.from({ length: 6 }, (_, i) => delaySeconds("backend-kill", i + 1));
  delays.sort((a, b) => a - b);
  const gaps = [...delays, delays[0] + 5].slice(1).map((delay, i) => delay - delays[i]);
  assert.ok(delays[0] >= 0 && delays[5] < 5 && Math.max(...gaps) < 1.5, `${delays}`);
  assert.equal(delaySeconds("reload", 1), 0);
});

test("what a proxy has not, its proxy.json says", () => {
  assert.equal(lackFor(proxy("nginx"), "reload"), null);
  assert.equal(lackFor(proxy("http-proxy"), "reload"), "it cannot reload");
  assert.equal(lackFor(proxy("http-proxy"), "stop"), null);
  assert.equal(lackFor(proxy("none"), "backend-stop"), "nothing stands behind it");
  assert.equal(lackFor(proxy("hitch"), "backend-kill"), "it uses one server alone");
  const plain = { ...proxy("nginx"), terminatesTls: false };
  assert.equal(lackFor(plain, "reload-certificate"), "it has no certificate");
});

test("a cell of each event, in as many rounds as its test says; what a proxy lacks is skipped", (t) => {
  const { cells, events } = planOf(t);
  assert.deepEqual(events, {
    kill: EVENTS.kill.what,
    none: "nothing",
    reload: EVENTS.reload.what,
    drain: EVENTS.drain.what,
  });
  const ids = cells.map(({ id }) => id);
  assert.equal(ids.filter((id) => id.endsWith("-nginx-survive-ws-kill")).length, 3);
  assert.deepEqual(
    ids.filter((id) => id.endsWith("-nginx-survive-ws-reload")),
    ["r1-nginx-survive-ws-reload"],
  );
  const reload = cells.find(({ id }) => id === "r1-http-proxy-survive-ws-reload");
  assert.equal(reload?.event, "reload");
  assert.equal(reload?.skip, "has none: it cannot reload");
  assert.equal(cells.find(({ id }) => id === "r1-http-proxy-survive-ws-kill")?.skip, null);
});

test("the phase lasts as long as its quiet part and the watch, and the estimate counts both", (t) => {
  const plan = planOf(t, { events: ["reload"], proxies: ["nginx"] });
  const [cell] = plan.cells.filter(({ skip }) => skip === null);
  assert.ok(cell.limitSeconds > 32);
  const seconds = estimateSeconds(plan, [cell]);
  // 2,000 connections at 500 per second before it.
  assert.ok(seconds > 2 + 30 + 4 && seconds < 60, `${seconds} s`);
  assert.match(planText(plan), /skipped {2}1 cell of none: it cannot reload/);
});

test("--event leaves those alone, --rounds does not repeat what runs fewer times", (t) => {
  const { cells } = planOf(t, { events: ["none", "reload"], rounds: 2, proxies: ["nginx"] });
  assert.deepEqual(cells.map(({ id }) => id).sort(), [
    "r1-nginx-survive-ws-none",
    "r1-nginx-survive-ws-reload",
    "r1-none-survive-ws-none",
    "r1-none-survive-ws-reload",
    "r2-nginx-survive-ws-none",
    "r2-none-survive-ws-none",
  ]);
});

test("all proxies: that one has none of an event is an answer, one that can do nothing is left out", (t) => {
  const { cells } = planOf(t, { proxies: "all", events: ["reload", "kill"] });
  const of = (name: string) => cells.filter((cell) => cell.proxy === name);
  assert.ok(of("http-proxy").some(({ skipKind }) => skipKind === "has-none"));
  assert.deepEqual(of("nginx-files"), []);
});

for (const [title, overrides, fact, next] of [
  ["an unknown event", { events: ["reloat"] }, /unknown event: reloat/, /^Did you mean reload\?/],
  [
    "an event that this battle has not",
    { events: ["stop"] },
    /the battle test has no event stop/,
    /^Its events are: kill, none, reload, drain\./,
  ],
  [
    "a proxy without what its event needs, both named",
    { events: ["reload"], proxies: ["nginx", "http-proxy"] },
    /http-proxy does not support reload: it cannot reload/,
    /Leave http-proxy out.*these can: .*haproxy.*nginx/,
  ],
] as const) {
  test(`${title} is refused, with the next step`, (t) => {
    assert.throws(() => planOf(t, overrides as any), {
      message: fact,
      next,
      exitCode: 2,
    });
  });
}

test("a battle without events says so", (t) => {
  assert.throws(() => makePlan(battleOf(t), { events: ["reload"] }, { proxies }), {
    message: /the battle test has no event reload/,
    next: /has no events\./,
  });
});

for (const [title, from, to, fact] of [
  ["an unknown event", "drain]", "drian]", /line 14: .*"drian"/],
  [
    "events of a scenario that knows none",
    "scenario: survive\n    schemes: [ws]\n    parameters: { QUIET_SECONDS: 2, WATCH_SECONDS: 8 }",
    "scenario: idle\n    schemes: [ws]",
    /line 8: idle cannot be put through events/,
  ],
  [
    "a watch that ends before the event",
    "WATCH_SECONDS: 30",
    "WATCH_SECONDS: 9",
    /line 14: drain takes 10 s, and WATCH_SECONDS is 9/,
  ],
  [
    "a new certificate over ws",
    "[reload, drain]",
    "[reload, reload-certificate]",
    /line 14: reload-certificate renews a certificate, which ws has not/,
  ],
  [
    "the same event twice",
    "WATCH_SECONDS: 8 }\n    events: [kill, none]",
    "WATCH_SECONDS: 30 }\n    events: [reload]",
    /survive, ws, reload, with the same parameters is in an earlier test too/,
  ],
] as const) {
  test(`a battle is refused: ${title}`, (t) => {
    assert.ok(BATTLE.includes(from));
    assert.throws(() => battleOf(t, BATTLE.replace(from, to)), { message: fact, exitCode: 2 });
  });
}

test("a test without events has that in which nothing happens", (t) => {
  const [one] = battleOf(t, BATTLE.replace("    events: [kill, none]\n", "")).tests;
  assert.deepEqual(one.events, ["none"]);
});

test("battles have all events", () => {
  const asked = battleNames(root).flatMap((name) =>
    readBattle(root, name, { proxies }).tests.flatMap(({ events }) => events ?? []),
  );
  assert.deepEqual([...new Set(asked)].sort(), Object.keys(EVENTS).sort());
});

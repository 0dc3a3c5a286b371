import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAaPlan, makePlan } from "./plan.ts";
import { isOnHostNetwork, isOnOverlay } from "./network.ts";
import { BATTLE, battleOf, proxies } from "./testing/project.ts";
import { workloadOf } from "./workload.ts";
import type { Plan } from "../model/plan.ts";

const NAMED = BATTLE.replace("schemes: [ws, wss]", "schemes: [ws]\n    network: [bridge, host]");

/** @returns of each cell, whether it is on the machine's own network; each once */
function networks(plan: Plan): (boolean | undefined)[] {
  return [...new Set(plan.cells.map((cell) => isOnHostNetwork(workloadOf(plan, cell))))].sort();
}

const refusal = (message: RegExp, next: RegExp = /./) => ({ message, next, exitCode: 2 });

test("a plan that asks for no network is the one that it always was", (t) => {
  const plan = makePlan(battleOf(t), {}, { proxies });
  assert.deepEqual(plan, makePlan(battleOf(t), {}, { proxies, network: "bridge" }));
  assert.ok(plan.cells.every(({ parameters }) => !("HOST_NETWORK" in parameters)));
  assert.deepEqual(networks(plan), [false]);
});

test("NETWORK=host is that of each cell, and in its parameters", (t) => {
  const known = { proxies, network: "host" as const };
  for (const plan of [
    makePlan(battleOf(t), {}, known),
    makeAaPlan(battleOf(t), { proxy: "nginx", overrides: {} }, known),
  ]) {
    assert.deepEqual(networks(plan), [true]);
    assert.ok(plan.cells.every(({ parameters }) => parameters.HOST_NETWORK === 1));
    assert.equal(plan.scenarios["short-lived"].parameterNames.hostNetwork, "HOST_NETWORK");
  }
});

test("a test may have a cell on each, whatever NETWORK says; the others are on that", (t) => {
  const both = makePlan(battleOf(t, NAMED), { connections: [100] }, { proxies, network: "host" });
  assert.deepEqual(
    both.cells
      .filter(({ round, proxy }) => round === 1 && proxy === "nginx")
      .map(({ id }) => id)
      .sort(),
    ["r1-nginx-short-lived-ws-hostnetwork0", "r1-nginx-short-lived-ws-hostnetwork1"],
  );
  const more = `${NAMED}  - scenario: short-lived\n    schemes: [wss]\n`;
  const plan = makePlan(battleOf(t, more), {}, { proxies });
  assert.deepEqual(networks(plan), [false, true]);
  for (const cell of plan.cells.filter(({ scheme }) => scheme === "wss"))
    assert.equal(cell.parameters.HOST_NETWORK, 0);
});

test("over several machines the overlay stands in the bridge's place; what says no network stays as it is", (t) => {
  const known = { proxies, isSpread: true };
  const both = makePlan(battleOf(t, NAMED), { connections: [100] }, known);
  assert.deepEqual(
    [...new Set(both.cells.map(({ parameters }) => parameters.HOST_NETWORK))].sort(),
    [1, 2],
  );
  for (const cell of both.cells) {
    const workload = workloadOf(both, cell);
    assert.notEqual(isOnOverlay(workload), isOnHostNetwork(workload));
  }
  assert.deepEqual(makePlan(battleOf(t), {}, known), makePlan(battleOf(t), {}, { proxies }));
});

test("an unknown network is a mistake with its line, and HOST_NETWORK is no parameter of a scenario", (t) => {
  assert.throws(
    () => battleOf(t, NAMED.replace("[bridge, host]", "[overlay]")),
    refusal(/^battles\/test\.yaml, line 8: /),
  );
  assert.throws(
    () => battleOf(t, BATTLE.replace("CONCURRENCY", "HOST_NETWORK")),
    refusal(/unknown key "HOST_NETWORK"/),
  );
});

test("a proxy that cannot is refused by its name, and left out of a group", (t) => {
  const known = { proxies, network: "host" as const };
  assert.throws(
    () => makePlan(battleOf(t), { proxies: ["nginx", "envoy"] }, known),
    refusal(/^envoy cannot run on the machine's own network/, /these can: .*haproxy, .*nginx, /),
  );
  assert.throws(
    () => makeAaPlan(battleOf(t), { proxy: "envoy", overrides: {} }, known),
    refusal(/^envoy cannot run/),
  );
  const classic = makePlan(battleOf(t), { proxies: "classic" }, known);
  assert.ok(classic.proxies.includes("nginx") && !classic.proxies.includes("haproxy-hitch"));
  assert.ok(classic.cells.every(({ skip }) => skip === null));
});

test("events, and what is not k6 before echo, are refused before anything starts", (t) => {
  const known = { proxies, network: "host" as const };
  for (const [scenario, scheme, message] of [
    ["survive", "ws", /^test has the event none/],
    ["tls-handshake", "wss", /^test has the test tls-handshake, which is run by Node/],
  ] as const) {
    const text = `title: T\nproxies: [nginx]\nrounds: 1\nseed: 1\ntests:\n  - scenario: ${scenario}\n    schemes: [${scheme}]\n`;
    assert.throws(() => makePlan(battleOf(t, text), {}, known), refusal(message));
    makePlan(battleOf(t, text), {}, { proxies });
  }
});

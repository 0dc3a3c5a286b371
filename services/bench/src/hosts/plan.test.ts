import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readHosts } from "./file.ts";
import { refuseBudgetOverHosts, refuseOverHosts, sharedByLoads } from "./plan.ts";
import type { Plan, PlannedCell, ScenarioDescription } from "../model/plan.ts";
import type { Machine } from "./file.ts";

const MACHINES: Machine[] = [
  { name: "middle", host: "ssh://middle", roles: ["proxy"] },
  { name: "back", host: "ssh://back", roles: ["servers"] },
  { name: "front", host: "ssh://front", roles: ["load"] },
  { name: "runner", roles: ["observe"] },
];

function planOf(
  cell: Partial<PlannedCell> = {},
  scenario: Partial<ScenarioDescription> = {},
  plan: Partial<Plan> = {},
) {
  return {
    battle: "own",
    proxyCpus: 0,
    cells: [{ scenario: "idle", profile: "nginx", parameters: {}, skip: null, ...cell }],
    scenarios: { idle: { runner: "k6", backend: "echo", parameterNames: {}, ...scenario } },
    ...plan,
  } as Plan;
}

const refusal = (message: RegExp) => ({ message, exitCode: 2 });

test("a battle of k6 and the echo server runs over machines", () => {
  refuseOverHosts(planOf(), MACHINES);
  refuseOverHosts(planOf({ event: "restart", skip: "has none" }), MACHINES);
  const onHost = { parameterNames: { hostNetwork: "HOST_NETWORK" } };
  refuseOverHosts(planOf({ parameters: { HOST_NETWORK: 1 } }, onHost), MACHINES);
  refuseBudgetOverHosts(planOf({}, {}, { proxyCpus: 0.5 }), { nginx: ["nginx"] });
});

test("a copy of the example is no mistake", () => {
  refuseOverHosts(planOf(), readHosts(join(import.meta.dirname, "../../../../hosts.example.yaml")));
});

test("what needs one machine is refused by its name", () => {
  assert.throws(
    () => refuseOverHosts(planOf({ event: "restart" }), MACHINES),
    refusal(/event restart/),
  );
  assert.throws(
    () => refuseOverHosts(planOf({}, { runner: "node" }), MACHINES),
    refusal(/test idle, which is run by Node/),
  );
  assert.throws(
    () => refuseOverHosts(planOf({}, { backend: "node-web" }), MACHINES),
    refusal(/another server than echo, node-web/),
  );
  assert.throws(
    () => refuseOverHosts(planOf({}, {}, { sideBySide: true }), MACHINES),
    refusal(/side by side, each in its own project/),
  );
  const twoParts = { nginx: ["nginx", "nginx-tls"] };
  const half = planOf({}, {}, { proxyCpus: 0.5 });
  assert.throws(() => refuseBudgetOverHosts(half, twoParts), refusal(/--proxy-cpus 0\.5/));
});

const TWO_LOADS: Machine[] = [
  ...MACHINES,
  { name: "front-2", host: "ssh://front-2", roles: ["load"] },
];

test("./bench's own machine observes", () => {
  refuseOverHosts(planOf(), TWO_LOADS);
  const elsewhere: Machine[] = [
    { name: "all", host: "ssh://all", roles: ["proxy", "servers", "load", "observe"] },
  ];
  assert.throws(() => refuseOverHosts(planOf(), elsewhere), refusal(/^all has the role observe/));
});

test("each load machine has as many load containers as the others, and none of them without a connection", () => {
  const loadsOf = (loads: number, connections: number) => {
    const parameterNames = { connections: "CONNECTIONS" };
    const cell = { loads, parameters: { CONNECTIONS: connections } };
    const plan = planOf(cell, { parameterNames, loop: "closed" });
    return [MACHINES, TWO_LOADS].map((machines) => sharedByLoads(plan, machines).cells[0].loads);
  };
  assert.deepEqual(loadsOf(1, 100), [1, 2]);
  assert.deepEqual(loadsOf(3, 100), [3, 4]);
  assert.deepEqual(loadsOf(4, 100), [4, 4]);
  assert.deepEqual(loadsOf(1, 1), [1, 1]);
});

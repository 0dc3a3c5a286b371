import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readHosts } from "./file.js";
import { refuseBudgetOverHosts, refuseOverHosts, sharedByLoads } from "./plan.js";

/** @import { Plan, PlannedCell, ScenarioDescription } from "../model/plan.ts" */
/** @import { Machine } from "./file.js" */

/** @type {Machine[]} */
const MACHINES = [
  { name: "middle", host: "ssh://middle", roles: ["proxy"] },
  { name: "back", host: "ssh://back", roles: ["servers"] },
  { name: "front", host: "ssh://front", roles: ["load"] },
  { name: "runner", roles: ["observe"] },
];

/**
 * @param {Partial<PlannedCell>} [cell]
 * @param {Partial<ScenarioDescription>} [scenario]
 * @param {Partial<Plan>} [plan]
 */
function planOf(cell = {}, scenario = {}, plan = {}) {
  return /** @type {Plan} */ ({
    battle: "own",
    proxyCpus: 0,
    cells: [{ scenario: "idle", profile: "nginx", parameters: {}, skip: null, ...cell }],
    scenarios: { idle: { runner: "k6", backend: "echo", parameterNames: {}, ...scenario } },
    ...plan,
  });
}

/** @param {RegExp} message */
const refusal = (message) => ({ message, exitCode: 2 });

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
    refusal(/side by side, each in a project of its own/),
  );
  const twoParts = { nginx: ["nginx", "nginx-tls"] };
  const half = planOf({}, {}, { proxyCpus: 0.5 });
  assert.throws(() => refuseBudgetOverHosts(half, twoParts), refusal(/--proxy-cpus 0\.5/));
});

/** @type {Machine[]} */
const TWO_LOADS = [...MACHINES, { name: "front-2", host: "ssh://front-2", roles: ["load"] }];

test("./bench's own machine observes", () => {
  refuseOverHosts(planOf(), TWO_LOADS);
  /** @type {Machine[]} */
  const elsewhere = [
    { name: "all", host: "ssh://all", roles: ["proxy", "servers", "load", "observe"] },
  ];
  assert.throws(() => refuseOverHosts(planOf(), elsewhere), refusal(/^all has the role observe/));
});

test("each load machine has as many load containers as the others, and none of them without a connection", () => {
  const loadsOf = (/** @type {number} */ loads, /** @type {number} */ connections) => {
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

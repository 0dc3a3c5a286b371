import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readHosts } from "./hosts-file.js";
import { refuseBudgetOverHosts, refuseOverHosts } from "./hosts-limits.js";

/** @import { Plan, PlannedCell, ScenarioDescription } from "../record/types.js" */
/** @import { Machine } from "./hosts-file.js" */

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
    cells: [{ scenario: "idle", profile: "nginx", skip: null, ...cell }],
    scenarios: { idle: { runner: "k6", backend: "echo", ...scenario } },
    ...plan,
  });
}

/** @param {RegExp} message */
const refusal = (message) => ({ message, exitCode: 2 });

test("a battle of k6 and the echo server runs over machines", () => {
  refuseOverHosts(planOf(), MACHINES);
  refuseOverHosts(planOf({ event: "restart", skip: "has none" }), MACHINES);
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
  const twoParts = { nginx: ["nginx", "nginx-tls"] };
  const half = planOf({}, {}, { proxyCpus: 0.5 });
  assert.throws(() => refuseBudgetOverHosts(half, twoParts), refusal(/--proxy-cpus 0\.5/));
});

test("one machine carries the load, and ./bench's own observes", () => {
  /** @type {Machine[]} */
  const second = [...MACHINES, { name: "front-2", host: "ssh://front-2", roles: ["load"] }];
  assert.throws(() => refuseOverHosts(planOf(), second), refusal(/^front and front-2/));
  /** @type {Machine[]} */
  const elsewhere = [
    { name: "all", host: "ssh://all", roles: ["proxy", "servers", "load", "observe"] },
  ];
  assert.throws(() => refuseOverHosts(planOf(), elsewhere), refusal(/^all has the role observe/));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { makePlan } from "./plan.ts";
import { battleOf, BATTLE, proxies } from "./testing/project.ts";
import { versionsBetween } from "./versions.ts";

const planOf = (...about: Parameters<typeof battleOf>) =>
  makePlan(battleOf(...about), {}, { proxies });

test("versions take part in the place of their proxy, and the others as they are", (t) => {
  const plan = planOf(t, `${BATTLE}versions: { haproxy: ["2.6", "3.0"] }\n`);
  assert.deepEqual(plan.proxies, ["haproxy-2.6", "haproxy-3.0", "nginx", "none"]);
  assert.deepEqual(plan.versions, { haproxy: ["2.6", "3.0"] });
  const profiles = new Set(plan.cells.map(({ profile }) => profile));
  assert.deepEqual([...profiles].sort(), plan.proxies);
  assert.equal(planOf(t).versions, undefined);
});

test("--proxies takes a proxy with all of its versions", (t) => {
  const battle = battleOf(t, `${BATTLE}versions: { haproxy: ["2.6", "3.0"] }\n`);
  const plan = makePlan(battle, { proxies: ["haproxy"] }, { proxies });
  assert.deepEqual(plan.proxies, ["haproxy-2.6", "haproxy-3.0", "none"]);
  const other = makePlan(battle, { proxies: ["nginx"] }, { proxies });
  assert.deepEqual([other.proxies, other.versions], [["nginx", "none"], undefined]);
});

test("from one release to another, of a series all", () => {
  const all = ["3.10.1", "3.9.2", "3.0.4", "2.11.0", "3.9.1", "4.0.0"];
  const rows: [from: string, to: string, string[]][] = [
    ["3.0", "3.9", ["3.0.4", "3.9.1", "3.9.2"]],
    ["3.9.2", "3.10", ["3.9.2", "3.10.1"]],
    ["3.9.1", "3.9.1", ["3.9.1"]],
    ["2", "3.0.4", ["2.11.0", "3.0.4"]],
    ["5", "6", []],
  ];
  for (const [from, to, expected] of rows)
    assert.deepEqual(versionsBetween(all, from, to), expected, `${from} to ${to}`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateSeconds } from "./estimate.ts";
import { makePlan } from "./plan.ts";
import { groupsOf } from "./side-by-side.ts";
import { battleOf, proxies } from "./testing/project.ts";

const SOAK = `title: Soak
proxies: [nginx, haproxy]
rounds: 2
seed: 1
sideBySide: true
tests:
  - scenario: steady
    schemes: [ws, wss]
    parameters: { STEADY_SECONDS: 120 }
`;
const ALONE = SOAK.replace("sideBySide: true\n", "");

test("the proxies of a setting and round run at once, one group after the other", (t) => {
  const plan = makePlan(battleOf(t, SOAK), {}, { proxies });
  const groups = groupsOf(plan, plan.cells);
  assert.equal(groups.length, 4);
  for (const group of groups) {
    assert.deepEqual(group.map(({ proxy }) => proxy).sort(), ["haproxy", "nginx", "none"]);
    assert.equal(new Set(group.map(({ round, scheme }) => `${round} ${scheme}`)).size, 1);
  }
  assert.deepEqual(
    groups.map(([{ round }]) => round),
    [1, 1, 2, 2],
  );
  const alone = makePlan(battleOf(t, ALONE), {}, { proxies });
  assert.equal(groupsOf(alone, alone.cells).length, 12);
  assert.ok(!("sideBySide" in alone));
  assert.equal(Math.round(3 * estimateSeconds(plan)), Math.round(estimateSeconds(alone)));
});

test("proxies may run side by side where what is left after a set rate is asked", (t) => {
  const churn = SOAK.replace("steady\n", "churn\n").replace(
    /STEADY_SECONDS: \d+/,
    "CHURN_SECONDS: 5",
  );
  assert.equal(battleOf(t, churn).sideBySide, true);
});

for (const [title, from, to, expected] of [
  ["a promise", "seed: 1\n", "seed: 1\npromise: { sloMs: 50 }\n", /promise is given, and the/],
  ["a budget", "seed: 1\n", "seed: 1\nproxyCpus: 1\n", /proxyCpus is given, and the/],
  [
    "a short load",
    "STEADY_SECONDS: 120",
    "STEADY_SECONDS: 119",
    /steady measures neither growth over 120 s/,
  ],
  [
    "a load in which time is what is asked",
    "steady\n    schemes: [ws, wss]\n    parameters: { STEADY_SECONDS: 120 }",
    "short-lived\n    schemes: [ws]",
    /short-lived measures neither .* nor what is left/,
  ],
  ["the machine's own network", "[ws, wss]", "[ws]\n    network: [bridge, host]", /port once/],
] as const) {
  test(`${title} is refused where proxies run side by side`, (t) => {
    const text = SOAK.replace(from, to);
    assert.notEqual(text, SOAK);
    assert.throws(
      () => battleOf(t, text),
      ({ message, next, exitCode }) => {
        assert.match(message, expected);
        assert.match(message, /^battles\/test.yaml, line \d+: /);
        assert.match(next, /^Expected /);
        return exitCode === 2;
      },
    );
  });
}

test("what the command line and the environment ask for is refused too", (t) => {
  const battle = battleOf(t, SOAK);
  assert.throws(() => makePlan(battle, { proxyCpus: 1 }, { proxies }), {
    message: "--proxy-cpus is 1, and the proxies of test run side by side",
    exitCode: 2,
  });
  assert.throws(() => makePlan(battle, {}, { proxies, network: "host" }), {
    message: "NETWORK is host, and the proxies of test run side by side",
    exitCode: 2,
  });
});

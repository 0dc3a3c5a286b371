import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { combinations, defaults, excesses, readScenario, scenarioNames } from "./scenarios.js";
import { BATTLE, battleOf, projectWith, root } from "./testing/project.js";

for (const name of scenarioNames(root))
  test(`loadgen/${name}.json is a table of parameters`, () => void readScenario(root, name));

test("every parameter is a knob of .env, empty as scenarios differ in their defaults, and reaches the load", () => {
  const knobs = Object.fromEntries(
    readFileSync(join(root, ".env"), "utf8")
      .split("\n")
      .map((line) => line.split("=")),
  );
  const compose = readFileSync(join(root, "compose.yaml"), "utf8");
  for (const scenario of scenarioNames(root)) {
    for (const name of Object.keys(defaults(readScenario(root, scenario)))) {
      assert.equal(knobs[name], "", `${name} of ${scenario} in .env`);
      assert.match(compose, new RegExp(`^      ${name}: \\$\\{${name}\\}$`, "m"), scenario);
    }
  }
});

test("a parameter may have a fraction where its table says so", (t) => {
  const tests = (/** @type {string} */ interval) => `
  - scenario: idle
    schemes: [ws]
    parameters: { CONNECTIONS: 10, INTERVAL_SECONDS: ${interval} }
`;
  const battle = (/** @type {string} */ interval) =>
    battleOf(t, BATTLE.replace(/tests:[^]*/, `tests:${tests(interval)}`));
  assert.deepEqual(battle("[0.1, 10]").tests[0].parameters.INTERVAL_SECONDS, [0.1, 10]);
  assert.throws(() => battle("3601"), {
    message: /line 8: "INTERVAL_SECONDS" is 3601/,
    next: /^Expected a number from 0 to 3600 or a list of them/,
  });
  assert.throws(() => battleOf(t, BATTLE.replace("[100, 200]", "0.5")), {
    message: /"CONNECTIONS" is 0\.5/,
    next: /^Expected a whole number/,
  });
});

test("a script without a table is refused", (t) => {
  const directory = projectWith(t);
  rmSync(join(directory, "loadgen/short-lived.json"));
  assert.throws(() => readScenario(directory, "short-lived"), {
    message: "loadgen/short-lived.js has no table of its parameters",
    next: /Expected loadgen\/short-lived\.json/,
    exitCode: 2,
  });
});

for (const [title, parameter, message] of /** @type {const} */ ([
  ["an unknown key", { default: 1, min: 1, max: 2, mx: 2 }, /line 9: unknown key "mx"/],
  ["no description", { description: undefined }, /line 4: "description" is missing in "N"/],
  ["a default out of range", { default: 3, min: 1, max: 2 }, /line 6: the default of N is 3/],
  ["a limit that is no parameter", { atMost: "M" }, /line 9: unknown parameter "M"/],
  ["a whole number's default with a fraction", { default: 1.5 }, /line 6: the default of N is 1.5/],
  ["a type that there is not", { type: "float" }, /line 9: "type" is "float"/],
])) {
  test(`a table with ${title} is refused`, (t) => {
    const directory = projectWith(t);
    const content = { description: "x", default: 1, min: 1, max: 2, ...parameter };
    writeFileSync(
      join(directory, "loadgen/short-lived.json"),
      JSON.stringify({ description: "x", parameters: { N: content } }, null, 2),
    );
    assert.throws(() => readScenario(directory, "short-lived"), { message });
  });
}

test("lists are combined, the last varying fastest", () => {
  assert.deepEqual(combinations({ A: [1, 2], B: [3], C: [4, 5] }), [
    { A: 1, B: 3, C: 4 },
    { A: 1, B: 3, C: 5 },
    { A: 2, B: 3, C: 4 },
    { A: 2, B: 3, C: 5 },
  ]);
});

test("a parameter above its limit is found", () => {
  const scenario = readScenario(root, "short-lived");
  const excess = [{ name: "CONCURRENCY", limit: "CONNECTIONS" }];
  assert.deepEqual(excesses(scenario, { CONNECTIONS: 9, CONCURRENCY: 10 }), excess);
  assert.deepEqual(excesses(scenario, { CONNECTIONS: 10, CONCURRENCY: 10 }), []);
});

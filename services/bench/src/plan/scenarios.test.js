import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { combinations, defaults, excesses, readScenario, scenarioNames } from "./scenarios.js";
import { projectWith, root } from "./testing/project.js";

for (const name of scenarioNames(root))
  test(`loadgen/${name}.json is a table of parameters`, () => void readScenario(root, name));

test("the knobs of .env have the defaults of the scenario that it names", () => {
  const knobs = Object.fromEntries(
    readFileSync(join(root, ".env"), "utf8")
      .split("\n")
      .map((line) => line.split("=")),
  );
  const scenario = readScenario(root, knobs.SCENARIO);
  for (const [name, value] of Object.entries(defaults(scenario)))
    assert.equal(knobs[name], String(value), name);
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

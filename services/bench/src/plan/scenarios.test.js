import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  combinations,
  defaults,
  excesses,
  readScenario,
  scenarioNames,
  unableToServe,
} from "./scenarios.js";
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
      assert.match(compose, new RegExp(`^ {2,}${name}: \\$\\{${name}\\}$`, "m"), scenario);
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

test("a parameter may have certain values alone, one or a list of them", (t) => {
  const battle = (/** @type {string} */ bytes) =>
    battleOf(
      t,
      BATTLE.replace(
        /tests:[^]*/,
        `tests:\n  - scenario: files\n    schemes: [ws]\n    parameters: { FILE_BYTES: ${bytes} }\n`,
      ),
    );
  assert.deepEqual(battle("12").tests[0].parameters.FILE_BYTES, [12]);
  assert.deepEqual(battle("[12, 30192]").tests[0].parameters.FILE_BYTES, [12, 30192]);
  for (const [wrong, message] of /** @type {const} */ ([
    ["13", /line 8: "FILE_BYTES" is 13/],
    ["[12, 13]", /line 8: entry 2 of "FILE_BYTES" is 13/],
    ["[]", /line 8: "FILE_BYTES" is an empty list/],
    ["many", /line 8: "FILE_BYTES" is "many"/],
  ]))
    assert.throws(() => battle(wrong), {
      message,
      next: /^Expected 12 or 2216 or 4879 or 30192 or 786432/,
    });
});

test("what a scenario can be run with, and by whom", () => {
  const { runner, backend, serves, schemes } = readScenario(root, "short-lived");
  assert.deepEqual([runner, backend, serves], ["k6", "echo", "websockets"]);
  assert.deepEqual(schemes, ["ws", "wss"]);
  assert.equal(readScenario(root, "http").runner, "node");
  assert.deepEqual(readScenario(root, "tls-handshake").schemes, ["wss"]);
});

test("two scripts of one name are refused", (t) => {
  const directory = projectWith(t);
  writeFileSync(join(directory, "loadgen/short-lived.mjs"), "");
  assert.throws(() => readScenario(directory, "short-lived"), {
    message:
      "two scripts are called short-lived: loadgen/short-lived.js and loadgen/short-lived.mjs",
    exitCode: 2,
  });
});

test("a file server cannot do what needs a server behind it", () => {
  const [http, files, echo] = ["http", "files", "short-lived"].map((name) =>
    readScenario(root, name),
  );
  const proxy = { name: "p", serves: /** @type {const} */ ("websockets") };
  for (const scenario of [http, files, echo])
    assert.equal(unableToServe(proxy, scenario, defaults(scenario)), null);
  const server = { name: "p", serves: /** @type {const} */ ("files") };
  assert.equal(unableToServe(server, files, { FILE_BYTES: 2216 }), null);
  assert.match(unableToServe(server, http, {}) ?? "", /^p has no server behind it.*asks for http$/);
  assert.match(unableToServe(server, echo, {}) ?? "", /asks for websockets$/);
  const hello = { name: "p", serves: /** @type {const} */ ("hello") };
  assert.equal(unableToServe(hello, files, { FILE_BYTES: 12 }), null);
  assert.match(unableToServe(hello, files, { FILE_BYTES: 2216 }) ?? "", /with 12 bytes$/);
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
  ["a default that is none of its values", { values: [2, 3] }, /line 6: the default of N is 1/],
  ["no range", { max: undefined }, /line 4: "N" is a group of keys/],
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

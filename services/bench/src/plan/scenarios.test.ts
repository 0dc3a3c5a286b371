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
} from "./scenarios.ts";
import schema from "./scenario.schema.json" with { type: "json" };
import { BATTLE, battleOf, projectWith, root } from "./testing/project.ts";
import { SCENARIOS } from "./testing/scenarios.ts";
import { workloadOf } from "./workload.ts";
import type { TestContext } from "node:test";

for (const name of scenarioNames(root))
  test(`loadgen/${name}.json describes its scenario`, () => void readScenario(root, name));

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
  const tests = (interval: string) => `
  - scenario: idle
    schemes: [ws]
    parameters: { CONNECTIONS: 10, INTERVAL_SECONDS: ${interval} }
`;
  const battle = (interval: string) =>
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
  const battle = (bytes: string) =>
    battleOf(
      t,
      BATTLE.replace(
        /tests:[^]*/,
        `tests:\n  - scenario: files\n    schemes: [ws]\n    parameters: { FILE_BYTES: ${bytes} }\n`,
      ),
    );
  assert.deepEqual(battle("12").tests[0].parameters.FILE_BYTES, [12]);
  assert.deepEqual(battle("[12, 30192]").tests[0].parameters.FILE_BYTES, [12, 30192]);
  for (const [wrong, message] of [
    ["13", /line 8: "FILE_BYTES" is 13/],
    ["[12, 13]", /line 8: entry 2 of "FILE_BYTES" is 13/],
    ["[]", /line 8: "FILE_BYTES" is an empty list/],
    ["many", /line 8: "FILE_BYTES" is "many"/],
  ] as const)
    assert.throws(() => battle(wrong), {
      message,
      next: /^Expected 12 or 2216 or 4879 or 30192 or 786432/,
    });
});

test("what a scenario can be run with, and by which program", () => {
  const { runner, backend, schemes } = readScenario(root, "short-lived");
  assert.deepEqual([runner, backend], ["k6", "echo"]);
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
  const asked = (scenario: string, parameters = {}) => {
    const workload = workloadOf({ scenarios: SCENARIOS }, { scenario, parameters });
    return [scenario, workload] as const;
  };
  const [http, echo] = [asked("http"), asked("short-lived")];
  const [small, large] = [12, 2216].map((bytes) => asked("files", { FILE_BYTES: bytes }));
  const common = { name: "p", websocketsOverHttp2: false };
  const proxy = { ...common, serves: "websockets" as const };
  for (const one of [http, echo, large]) assert.equal(unableToServe(proxy, ...one), null);
  const server = { ...common, serves: "files" as const };
  assert.equal(unableToServe(server, ...large), null);
  assert.match(
    unableToServe(server, ...http) ?? "",
    /^p has no server behind it.*http needs another page$/,
  );
  assert.match(unableToServe(server, ...echo) ?? "", /short-lived needs WebSockets$/);
  const hello = { ...common, serves: "hello" as const };
  assert.equal(unableToServe(hello, ...small), null);
  assert.match(unableToServe(hello, ...large) ?? "", /with 12 bytes$/);
});

test("what shares HTTP/2 connections is for those that carry WebSockets over HTTP/2", () => {
  const workload = (streams: number) =>
    workloadOf(
      { scenarios: SCENARIOS },
      { scenario: "multiplexed", parameters: { STREAMS: streams } },
    );
  const proxy = { name: "p", serves: "websockets" as const };
  const able = { ...proxy, websocketsOverHttp2: true };
  const unable = { ...proxy, websocketsOverHttp2: false };
  for (const one of [able, unable])
    assert.equal(unableToServe(one, "multiplexed", workload(0)), null);
  assert.equal(unableToServe(able, "multiplexed", workload(100)), null);
  assert.equal(
    unableToServe(unable, "multiplexed", workload(1)),
    "p carries no WebSockets over HTTP/2",
  );
});

test("a script without a description is refused", (t) => {
  const directory = projectWith(t);
  rmSync(join(directory, "loadgen/short-lived.json"));
  assert.throws(() => readScenario(directory, "short-lived"), {
    message: "loadgen/short-lived.js has no description",
    next: /Expected loadgen\/short-lived\.json/,
    exitCode: 2,
  });
});

/** @param content of a scenario's file */
function readChanged(t: TestContext, content: object) {
  const directory = projectWith(t);
  writeFileSync(join(directory, "loadgen/short-lived.json"), JSON.stringify(content, null, 2));
  return readScenario(directory, "short-lived");
}

const N = { description: "x", means: "connections", default: 1, min: 1, max: 2 };
const ABOUT = { description: "x", protocol: "websocket", loop: "closed" };

for (const [title, parameter, message] of [
  ["an unknown key", { mx: 2 }, /line 12: unknown key "mx"/],
  ["no description", { description: undefined }, /line 6: "description" is missing in "N"/],
  ["a default out of range", { default: 3 }, /line 9: the default of N is 3/],
  ["a limit that is no parameter", { atMost: "M" }, /line 12: unknown parameter "M"/],
  ["a whole number's default with a fraction", { default: 1.5 }, /line 9: the default of N is 1.5/],
  ["a type that there is not", { type: "float" }, /line 12: "type" is "float"/],
  ["a default that is none of its values", { values: [2, 3] }, /line 9: the default of N is 1/],
  ["no range", { max: undefined }, /line 6: "N" is a group of keys/],
  ["a meaning that there is not", { means: "conections" }, /line 8: "means" is "conections"/],
  [
    "nothing that counts connections",
    { means: "messages" },
    /line 5: no parameter sets the number of conn/,
  ],
  ["a meaning of HTTP alone", { means: "requests" }, /line 8: N means requests, and "protocol" is/],
] as const) {
  test(`a parameter with ${title} is refused`, (t) => {
    const content = { ...ABOUT, parameters: { N: { ...N, ...parameter } } };
    assert.throws(() => readChanged(t, content), { message });
  });
}

for (const [title, changes, message] of [
  ["no protocol", { protocol: undefined }, /line 1: "protocol" is missing/],
  ["a loop that there is not", { loop: "ajar" }, /line 4: "loop" is "ajar"/],
  ["what it used to say", { serves: "files" }, /line 5: unknown key "serves"/],
  [
    "held connections, and no rate at which they are opened",
    { holdsConnections: true },
    /line 5: connections are held, and no parameters set their number and rate/,
  ],
  [
    "held connections over HTTP",
    { protocol: "http", holdsConnections: true },
    /line 5: "holdsConnections" is true, and "protocol" is http/,
  ],
  [
    "dropped connections over HTTP",
    { protocol: "http", dropsConnections: true },
    /line 5: "dropsConnections" is true, and "protocol" is http/,
  ],
] as const) {
  test(`a description with ${title} is refused`, (t) => {
    const content = { ...ABOUT, ...changes, parameters: { N } };
    assert.throws(() => readChanged(t, content), { message });
  });
}

test("two parameters that mean the same are refused, with the second's line", (t) => {
  assert.throws(() => readChanged(t, { ...ABOUT, parameters: { N, M: N } }), {
    message: "loadgen/short-lived.json, line 15: M and N both mean connections",
    next: "Expected each meaning at most once.",
    exitCode: 2,
  });
});

test("a parameter may be the script's own affair", (t) => {
  const { parameterNames } = readChanged(t, {
    ...ABOUT,
    parameters: { N, M: { ...N, means: undefined } },
  });
  assert.deepEqual(parameterNames, { connections: "N" });
});

test("every meaning that a parameter may have is described", () => {
  assert.deepEqual(
    Object.keys(schema.definitions.meanings.properties),
    schema.properties.parameters.additionalProperties.properties.means.enum,
  );
});

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

import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { battleNames, readBattle } from "./battle.ts";
import { BATTLE, battleOf, projectWith, proxies, root } from "./testing/project.ts";

test("a battle is read, with defaults for what it leaves out", (t) => {
  const { tests, ...battle } = battleOf(t);
  assert.deepEqual(battle, {
    name: "test",
    title: "Test",
    published: null,
    proxies: ["nginx", "haproxy"],
    rounds: 2,
    seed: 1,
    proxyCpus: 0,
    workers: null,
    sideBySide: false,
    promise: null,
    keyType: "ecdsa",
  });
  assert.equal(tests.length, 1);
  const [{ scenario, schemes, parameters, warmUp }] = tests;
  assert.equal(scenario.name, "short-lived");
  assert.deepEqual(schemes, ["ws", "wss"]);
  assert.deepEqual(parameters, {
    CONNECTIONS: [100, 200],
    CONCURRENCY: [100],
    MESSAGES: [1],
    MESSAGE_BYTES: [1024],
    TIMEOUT_SECONDS: [30],
    LATENCY_SAMPLES: [10],
  });
  assert.deepEqual(warmUp, { CONNECTIONS: 100 });
});

test("a study that is there may be named", (t) => {
  const { published } = battleOf(t, `${BATTLE}published: study-2013\n`);
  assert.equal(published, "study-2013");
});

for (const [title, from, to, line, fact, next] of [
  [
    "an unknown proxy",
    "nginx",
    "ngnix",
    2,
    /unknown proxy "ngnix"/,
    /^Did you mean nginx\? \.\/bench list/,
  ],
  [
    "an unknown proxy in a list of lines",
    "[nginx, haproxy]",
    "\n  - nginx\n  - haprox",
    4,
    /unknown proxy "haprox"/,
    /^Did you mean haproxy\?/,
  ],
  [
    "an unknown scenario",
    "short-lived",
    "shortlived",
    6,
    /unknown scenario "shortlived"/,
    /^Did you mean short-lived\?/,
  ],
  [
    "an unknown study",
    "rounds: 2",
    "rounds: 2\npublished: study-2012",
    4,
    /unknown published study "study-2012"/,
    /^Did you mean study-2013\?/,
  ],
  [
    "versions of an unknown proxy",
    "seed: 1",
    'versions: { ngnix: ["1.30"] }\nseed: 1',
    4,
    /unknown proxy "ngnix"/,
    /^Did you mean nginx\?/,
  ],
  [
    "a version without quotation marks",
    "seed: 1",
    "versions: { nginx: [1.30] }\nseed: 1",
    4,
    /entry 1 of "nginx" is 1\.3$/,
    /^Expected numbers with points between them, between quotation marks/,
  ],
  ["an unknown key", "rounds:", "rouns:", 3, /unknown key "rouns"/, /^Did you mean rounds\?/],
  [
    "an unknown key of a test",
    "schemes:",
    "scheme:",
    7,
    /unknown key "scheme"/,
    /^Did you mean schemes\?/,
  ],
  [
    "an unknown parameter",
    "CONNECTIONS: [",
    "CONECTIONS: [",
    9,
    /unknown key "CONECTIONS"/,
    /^Did you mean CONNECTIONS\?/,
  ],
  [
    "an unknown parameter of the warm-up",
    "{ CONNECTIONS:",
    "{ MESSAGE:",
    11,
    /unknown key "MESSAGE"/,
    /^Did you mean MESSAGES\?/,
  ],
  [
    "an unknown scheme",
    "[ws, wss]",
    "[ws, wsss]",
    7,
    /entry 2 of "schemes" is "wsss"/,
    /^Did you mean wss\? Expected ws or wss/,
  ],
  [
    "an unknown key type",
    "rounds: 2",
    "rounds: 2\nkeyType: rssa",
    4,
    /"keyType" is "rssa"/,
    /^Did you mean rsa\?/,
  ],
  [
    "a missing key",
    "seed: 1\n",
    "",
    1,
    /"seed" is missing$/,
    /^Expected a whole number from 0 to 4294967295\./,
  ],
  [
    "a missing key of a test",
    "scenario: short-lived\n    schemes",
    "schemes",
    6,
    /"scenario" is missing in entry 1 of "tests"/,
    /loadgen\//,
  ],
  [
    "no rounds",
    "rounds: 2",
    "rounds: 0",
    3,
    /"rounds" is 0/,
    /^Expected a whole number from 1 to 1000\./,
  ],
  ["half a round", "rounds: 2", "rounds: 1.5", 3, /"rounds" is 1.5/, /whole number/],
  ["a negative seed", "seed: 1", "seed: -1", 4, /"seed" is -1/, /from 0/],
  [
    "a negative budget",
    "seed: 1",
    "proxyCpus: -0.5\nseed: 1",
    4,
    /"proxyCpus" is -0.5/,
    /^Expected a number from 0/,
  ],
  [
    "an endless budget",
    "seed: 1",
    "proxyCpus: .inf\nseed: 1",
    4,
    /"proxyCpus" is Infinity/,
    /^Expected a number from 0/,
  ],
  [
    "more rounds of a test than of the battle",
    "    schemes: [ws, wss]",
    "    schemes: [ws, wss]\n    rounds: 3",
    8,
    /rounds of a test is 3, and the battle has 2/,
    /^Expected at most the battle's/,
  ],
  ["text for a number", "rounds: 2", "rounds: two", 3, /"rounds" is "two"/, /whole number/],
  ["a key without a value", "rounds: 2", "rounds:", 3, /"rounds" is empty/, /whole number/],
  [
    "no connections",
    "[100, 200]",
    "[100, 0]",
    9,
    /entry 2 of "CONNECTIONS" is 0/,
    /^Expected a whole number from 1 to 1000000000\. Connections in all\./,
  ],
  ["text for a parameter", "[100, 200]", "10k", 9, /"CONNECTIONS" is "10k"/, /or a list of them/],
  [
    "a list in the warm-up",
    "{ CONNECTIONS: 100 }",
    "{ CONNECTIONS: [100] }",
    11,
    /"CONNECTIONS" is a list/,
    /^Expected a whole number from/,
  ],
  [
    "an empty list of proxies",
    "[nginx, haproxy]",
    "[]",
    2,
    /"proxies" is an empty list/,
    /^Expected a group such as all or common, or a list/,
  ],
  [
    "one proxy without a list",
    "[nginx, haproxy]",
    "nginx",
    2,
    /unknown group of proxies "nginx"/,
    /^Groups: all, classic, common, defaults, http2\. Expected one of them, or a list such as \[nginx, haproxy\]/,
  ],
  [
    "an unknown group",
    "[nginx, haproxy]",
    "comon",
    2,
    /unknown group of proxies "comon"/,
    /^Did you mean common\?/,
  ],
  [
    "an unknown group in a list",
    "[nginx, haproxy]",
    "[hitch, comon]",
    2,
    /unknown proxy "comon"/,
    /^Did you mean common\? \.\/bench list/,
  ],
  [
    "an empty list of values",
    "[100, 200]",
    "[]",
    9,
    /"CONNECTIONS" is an empty list/,
    /whole number/,
  ],
  [
    "no tests",
    BATTLE.slice(BATTLE.indexOf("tests:")),
    "tests: []",
    5,
    /"tests" is an empty list/,
    /^Expected a list of tests/,
  ],
  [
    "a test that is none",
    BATTLE.slice(BATTLE.indexOf("tests:")),
    "tests:\n  - short-lived",
    6,
    /entry 1 of "tests" is "short-lived"/,
    /scenario, schemes/,
  ],
  [
    "a proxy twice",
    "haproxy]",
    "haproxy,\n  nginx]",
    3,
    /"nginx" is listed twice in "proxies"/,
    /once/,
  ],
  ["a value twice", "[100, 200]", "[200, 200]", 9, /200 is listed twice/, /once/],
  ["a key twice", "seed: 1", "seed: 1\nseed: 2", 5, /keys must be unique/, /^Expected YAML/],
  [
    "more at a time than in all",
    "CONCURRENCY: 100",
    "CONCURRENCY: 101",
    10,
    /CONCURRENCY is 101, above CONNECTIONS, which is 100/,
    /in every combination/,
  ],
  [
    "fewer in all than the default at a time",
    "[100, 200]\n      CONCURRENCY: 100",
    "99",
    9,
    /CONCURRENCY is 100, above CONNECTIONS, which is 99/,
    /at most CONNECTIONS/,
  ],
  [
    "a warm-up of fewer than at a time",
    "{ CONNECTIONS: 100 }",
    "{ CONNECTIONS: 99 }",
    11,
    /CONCURRENCY is 100, above CONNECTIONS, which is 99/,
    /in the warm-up too/,
  ],
  [
    "a cell twice",
    "    warmUp",
    "  - scenario: short-lived\n    schemes: [wss]\n    parameters: { CONNECTIONS: 200 }\n    warmUp",
    11,
    /short-lived, wss, with the same parameters/,
    /once/,
  ],
  ["a list that does not end", "[100, 200]", "[100", 10, /Flow sequence/, /^Expected YAML/],
  ["an alias of nothing", "[100, 200]", "*none", 1, /Unresolved alias/, /^Expected YAML/],
  [
    "text that is no battle",
    BATTLE,
    "quick",
    1,
    /the file is "quick"/,
    /title, published, proxies/,
  ],
  ["an empty file", BATTLE, "", 1, /the file is empty/, /title, published, proxies/],
] as const) {
  test(`${title} is refused`, (t) => {
    const text = BATTLE.replace(from, to);
    assert.notEqual(text, BATTLE);
    assert.throws(
      () => battleOf(t, text),
      (error) => {
        assert.ok(error instanceof UserError, String(error));
        assert.ok(error.message.startsWith(`battles/test.yaml, line ${line}: `), error.message);
        assert.match(error.message, fact);
        assert.match(error.next, next);
        assert.equal(error.exitCode, 2);
        return true;
      },
    );
  });
}

test("a mistake that an alias makes is named where it stands", (t) => {
  const text = BATTLE.replace("{ CONNECTIONS: 100 }", "&few { CONNECTIONS: 100 }").concat(
    "  - scenario: short-lived\n    schemes: [ws]\n    parameters: { CONCURRENCY: 150 }\n    warmUp: *few\n",
  );
  assert.throws(() => battleOf(t, text), { message: /line 15: CONCURRENCY is 150/ });
});

for (const [typed, meant] of [
  ["tset", "test"],
  ["battles/test.yaml", "test"],
  ["../battles/test", "test"],
]) {
  test(`the battle ${typed} is refused with the nearest name`, (t) => {
    assert.throws(() => readBattle(projectWith(t), typed, { proxies }), {
      message: `unknown battle: ${typed}`,
      next: `Did you mean ${meant}? ./bench list shows them all.`,
      exitCode: 2,
    });
  });
}

for (const name of battleNames(root))
  test(`battles/${name}.yaml is a battle`, () => void readBattle(root, name, { proxies }));

test("the battles that ship", () => {
  assert.deepEqual(
    ["balancerbattle", "messages", "quick"].filter((name) => !battleNames(root).includes(name)),
    [],
  );
});

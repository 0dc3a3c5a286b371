import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAaPlan, makePlan } from "./plan.ts";
import { BATTLE, battleOf, proxies, root } from "./testing/project.ts";
import { readBattle } from "./battle.ts";
import type { Plan } from "../model/plan.ts";
import type { Overrides } from "./plan.ts";

const ids = ({ cells }: Plan) => cells.map(({ id }) => id);

const withoutRound = (plan: Plan) => ids(plan).map((id) => id.replace(/^r\d+-/, ""));

test("every round holds every proxy, scheme and list value once, and the control", (t) => {
  const plan = makePlan(battleOf(t), {}, { proxies });
  assert.deepEqual(plan.proxies, ["haproxy", "nginx", "none"]);
  const expected = plan.proxies
    .flatMap((proxy) =>
      ["ws", "wss"].flatMap((scheme) =>
        [100, 200].map((n) => `${proxy}-short-lived-${scheme}-${n}`),
      ),
    )
    .sort();
  assert.deepEqual(withoutRound(plan).slice(0, 12).sort(), expected);
  assert.deepEqual(withoutRound(plan).slice(12).sort(), expected);
  // Rounds never mix.
  assert.deepEqual(
    plan.cells.map(({ round }) => round),
    [...Array(12).fill(1), ...Array(12).fill(2)],
  );
});

test("a cell carries all that running it takes", (t) => {
  const plan = makePlan(battleOf(t), {}, { proxies });
  assert.deepEqual(
    plan.cells.find(({ id }) => id === "r2-nginx-short-lived-wss-200"),
    {
      id: "r2-nginx-short-lived-wss-200",
      round: 2,
      proxy: "nginx",
      profile: "nginx",
      scenario: "short-lived",
      scheme: "wss",
      parameters: {
        CONNECTIONS: 200,
        CONCURRENCY: 100,
        MESSAGES: 1,
        MESSAGE_BYTES: 1024,
        TIMEOUT_SECONDS: 30,
        LATENCY_SAMPLES: 10,
      },
      warmUp: { CONNECTIONS: 100 },
      loads: 1,
      observed: true,
      limitSeconds: 94,
      skip: null,
    },
  );
});

test("the seed decides the order, and each round has its own", (t) => {
  const battle = battleOf(t);
  const plan = makePlan(battle, {}, { proxies });
  assert.deepEqual(makePlan(battle, {}, { proxies }), plan);
  assert.notDeepEqual(ids(makePlan(battle, { seed: 2 }, { proxies })), ids(plan));
  assert.notDeepEqual(withoutRound(plan).slice(12), withoutRound(plan).slice(0, 12));
  // A recorded seed must give the same order for good.
  assert.deepEqual(ids(plan).slice(0, 3), [
    "r1-nginx-short-lived-ws-200",
    "r1-nginx-short-lived-wss-200",
    "r1-none-short-lived-ws-100",
  ]);
});

test("more rounds leave the order of the first ones", (t) => {
  const battle = battleOf(t);
  assert.deepEqual(
    withoutRound(makePlan(battle, { rounds: 12 }, { proxies })).slice(0, 24),
    withoutRound(makePlan(battle, {}, { proxies })),
  );
});

test("every order is about as likely", (t) => {
  const battle = battleOf(t, BATTLE.replace("[ws, wss]", "[ws]").replace("[100, 200]", "100"));
  const rounds = 600;
  const { cells } = makePlan(battle, { rounds }, { proxies });
  const orders: Record<string, number> = {};
  for (let i = 0; i < cells.length; i += 3) {
    const order = cells.slice(i, i + 3).map(({ proxy }) => proxy);
    orders[order.join()] = (orders[order.join()] ?? 0) + 1;
  }
  assert.equal(Object.keys(orders).length, 6);
  // Chi-squared with 5 degrees of freedom: 20.5 is exceeded by chance once in 1,000.
  const expected = rounds / 6;
  const chi2 = Object.values(orders).reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
  assert.ok(chi2 < 20.5, JSON.stringify(orders));
});

test("ids of more than nine rounds sort as they run", (t) => {
  const plan = makePlan(battleOf(t), { rounds: 10 }, { proxies });
  assert.match(ids(plan)[0], /^r01-/);
  assert.match(ids(plan).at(-1) as string, /^r10-/);
});

test("ids tell parameters apart that vary, and name no others", (t) => {
  const text = BATTLE.replace("[100, 200]", "100").replace(
    "CONCURRENCY: 100",
    "MESSAGE_BYTES: [1, 1024]",
  );
  const plan = makePlan(
    battleOf(t, text),
    { proxies: ["none"], schemes: ["ws"], rounds: 1 },
    { proxies },
  );
  assert.deepEqual(ids(plan).sort(), [
    "r1-none-short-lived-ws-messagebytes1",
    "r1-none-short-lived-ws-messagebytes1024",
  ]);
  for (const id of ids(plan)) assert.match(id, /^[A-Za-z0-9._-]+$/);
});

test("the control is added, and said", (t) => {
  const battle = battleOf(t);
  const notes: string[] = [];
  const say = (note: string) => void notes.push(note);
  makePlan(battle, { proxies: ["none", "nginx"] }, { proxies, say });
  makePlan(battle, { proxies: "all" }, { proxies, say });
  assert.deepEqual(notes, []);
  const plan = makePlan(battle, { proxies: ["nginx"] }, { proxies, say });
  assert.deepEqual(plan.proxies, ["nginx", "none"]);
  assert.deepEqual(notes, ["none is added: the control is in every round"]);
});

test("overrides replace what the battle says", (t) => {
  const plan = makePlan(
    battleOf(t),
    { proxies: "all", schemes: ["wss"], connections: [1000], rounds: 1, seed: 7, proxyCpus: 0.5 },
    { proxies },
  );
  const able = proxies.filter(
    ({ serves, tuned, onlyByName }) => tuned && !onlyByName && serves === "websockets",
  ).length;
  assert.equal(plan.proxies.length, able);
  assert.equal(plan.cells.length, able);
  assert.deepEqual([plan.rounds, plan.seed, plan.proxyCpus], [1, 7, 0.5]);
  for (const { scheme, parameters } of plan.cells)
    assert.deepEqual([scheme, parameters.CONNECTIONS], ["wss", 1000]);
});

test("fewer connections lower what they limit, in the warm-up too", (t) => {
  const notes: string[] = [];
  const battle = battleOf(t, BATTLE.replace("{ CONNECTIONS: 100 }", "{ CONCURRENCY: 90 }"));
  const plan = makePlan(
    battle,
    { connections: [50], rounds: 1 },
    { proxies, say: (note) => void notes.push(note) },
  );
  for (const { parameters, warmUp } of plan.cells) {
    assert.equal(parameters.CONCURRENCY, 50);
    assert.deepEqual(warmUp, { CONCURRENCY: 50 });
  }
  assert.deepEqual(notes, [
    "none is added: the control is in every round",
    "CONCURRENCY is lowered from 100 to 50 where CONNECTIONS is 50",
    "CONCURRENCY is lowered from 90 to 50 where CONNECTIONS is 50",
  ]);
});

test("tests that --connections makes the same are run once", (t) => {
  const text = `${BATTLE}  - scenario: short-lived\n    schemes: [ws, wss]\n    parameters: { CONNECTIONS: 300 }\n`;
  const plan = makePlan(battleOf(t, text), { connections: [500], rounds: 1 }, { proxies });
  assert.equal(plan.cells.length, 3 * 2);
});

const refused: [string, Overrides, RegExp][] = [
  ["an unknown proxy", { proxies: ["ngnix"] }, /unknown proxy: ngnix/],
  ["too many connections", { connections: [2e9] }, /--connections is 2000000000/],
];
for (const [title, overrides, message] of refused) {
  test(`${title} is refused`, (t) =>
    assert.throws(() => makePlan(battleOf(t), overrides, { proxies }), { message, exitCode: 2 }));
}

test("of two tests that --connections makes one, the one with more rounds counts", (t) => {
  const battle = battleOf(
    t,
    BATTLE.replace(
      "  - scenario",
      "  - { scenario: short-lived, schemes: [ws], rounds: 1, parameters: { CONNECTIONS: 7, CONCURRENCY: 7 } }\n  - scenario",
    ).replace("CONCURRENCY: 100", "CONCURRENCY: 7"),
  );
  const only = { connections: [500], schemes: ["ws"] as ["ws"], proxies: ["none"] };
  const { cells } = makePlan(battle, only, { proxies });
  assert.deepEqual(
    cells.map(({ round }) => round),
    [1, 2],
  );
});

test("a test without the control says so of its cells, also where a group of proxies is asked for", (t) => {
  const text = BATTLE.replace(/tests:[^]*/, "")
    .replace("rounds: 2", "rounds: 1")
    .concat(
      "tests:\n",
      "  - { scenario: short-lived, schemes: [ws] }\n",
      "  - { scenario: short-lived, schemes: [wss], control: false }\n",
    );
  for (const wanted of ["classic", ["none", "nginx"]]) {
    const { cells } = makePlan(battleOf(t, text), { proxies: wanted }, { proxies });
    assert.deepEqual(
      cells.filter(({ skip }) => skip !== null).map(({ id, skip }) => [id, skip]),
      [["r1-none-short-lived-wss", "its test leaves the control out"]],
    );
    assert.ok(cells.some(({ id }) => id === "r1-none-short-lived-ws"));
  }
  // With --scheme, both have become one.
  const one = makePlan(battleOf(t, text), { schemes: ["ws"] }, { proxies });
  assert.deepEqual(
    one.cells.map(({ skip }) => skip),
    [null, null, null],
  );
});

test("--connections is refused where a scenario has none", (t) => {
  const battle = battleOf(
    t,
    BATTLE.replace(/tests:[^]*/, "tests: [{ scenario: churn, schemes: [ws] }]\n"),
  );
  assert.throws(() => makePlan(battle, { connections: [1] }, { proxies }), {
    message: "--connections: churn has no parameter for it",
    exitCode: 2,
  });
});

test("two cells of one name are refused: their folders would be one", (t) => {
  const battle = battleOf(t);
  const [first] = battle.tests;
  battle.tests.push({ ...first, scenario: { ...first.scenario, name: "copy-short-lived" } });
  const copy = { ...proxies[0], name: "nginx-copy" };
  assert.throws(
    () => makePlan({ ...battle, proxies: "all" }, {}, { proxies: [...proxies, copy] }),
    {
      message: /two cells would be called r1-nginx-copy-short-lived/,
      exitCode: 2,
    },
  );
});

test("a proxy against itself: a copy that starts the same profile, and the control", (t) => {
  const battle = battleOf(t);
  const plan = makeAaPlan(battle, { proxy: "nginx", overrides: {} }, { proxies });
  assert.deepEqual(plan.proxies, ["none", "nginx", "nginx-copy"]);
  assert.deepEqual([plan.battle, plan.rounds], ["aa", 6]);
  assert.equal(plan.title, "nginx against a copy of itself");
  for (const { proxy, profile } of plan.cells)
    assert.equal(profile, proxy === "nginx-copy" ? "nginx" : proxy);
  assert.equal(
    makeAaPlan(battle, { proxy: "nginx", overrides: { rounds: 2 } }, { proxies }).rounds,
    2,
  );
  assert.deepEqual(makeAaPlan(battle, { proxy: "none", overrides: {} }, { proxies }).proxies, [
    "none",
    "none-copy",
  ]);
  assert.throws(() => makeAaPlan(battle, { proxy: "ngnix", overrides: {} }, { proxies }), {
    message: "unknown proxy: ngnix",
    exitCode: 2,
  });
});

for (const [name, cells, parameters] of [
  ["quick", 56, { CONNECTIONS: [500], CONCURRENCY: [100], MESSAGES: [1] }],
  [
    "balancerbattle",
    300,
    { CONNECTIONS: [1000, 2000, 5000, 10000], CONCURRENCY: [100], MESSAGES: [1, 100] },
  ],
  ["messages", 252, { CONNECTIONS: [100, 500], MESSAGES: [1, 100] }],
] as const) {
  test(`the battle ${name}`, () => {
    const plan = makePlan(readBattle(root, name, { proxies }), {}, { proxies });
    assert.equal(plan.cells.length, cells);
    for (const [parameter, values] of Object.entries(parameters)) {
      const found = new Set(plan.cells.map((cell) => cell.parameters[parameter]));
      assert.deepEqual(
        [...found].sort((a, b) => a - b),
        values,
      );
    }
  });
}

/** With these proxies. */
const FILES = (names: string) => `title: Files
proxies: ${names}
rounds: 1
seed: 1
tests:
  - scenario: files
    schemes: [ws]
    parameters: { FILE_BYTES: [12, 2216] }
  - scenario: http
    schemes: [ws]
`;

test("all proxies: those that can do nothing of it are left out, and cells that one cannot do", (t) => {
  const entrants = proxies.map((proxy) =>
    proxy.name === "nginx"
      ? { ...proxy, serves: "files" as const }
      : proxy.name === "haproxy"
        ? { ...proxy, serves: "hello" as const }
        : proxy,
  );
  const plan = makePlan(battleOf(t, FILES("all")), {}, { proxies: entrants });
  const of = (name: string) => plan.cells.filter(({ proxy }) => proxy === name);
  assert.ok(plan.cells.every(({ skip }) => skip === null));
  assert.deepEqual(
    of("nginx").map(({ scenario }) => scenario),
    ["files", "files"],
  );
  assert.deepEqual(
    of("haproxy").map(({ parameters }) => parameters.FILE_BYTES),
    [12],
  );
  assert.equal(of("http-proxy").length, 3);
  const websockets = makePlan(battleOf(t), { proxies: "all" }, { proxies: entrants });
  assert.ok(!websockets.proxies.includes("nginx"));
});

test("a group, alone or in a list, stands for its proxies", (t) => {
  const named = (names: string) =>
    makePlan(battleOf(t, BATTLE.replace("[nginx, haproxy]", names)), {}, { proxies }).proxies;
  assert.deepEqual(named("classic"), ["haproxy", "haproxy-hitch", "http-proxy", "nginx", "none"]);
  const common = named("common");
  for (const name of ["caddy", "envoy", "haproxy", "nginx", "none"])
    assert.ok(common.includes(name), name);
  assert.deepEqual(named("[common, nginx, hitch]"), [...common, "hitch"].sort());
  assert.deepEqual(named("[nginx, all]"), named("all"));
});

test("of a group those take part that can, of a list each is named", (t) => {
  const entrants = proxies.map((proxy) =>
    proxy.name === "nginx" ? { ...proxy, serves: "files" as const } : proxy,
  );
  const plan = (...names: string[]) =>
    makePlan(battleOf(t), { proxies: names }, { proxies: entrants });
  assert.ok(!plan("classic").proxies.includes("nginx"));
  assert.ok(plan("classic", "nginx").proxies.includes("nginx"));
});

test("proxies by name: what one cannot do is skipped, and why", (t) => {
  const entrants = proxies.map((proxy) =>
    proxy.name === "nginx" ? { ...proxy, serves: "files" as const } : proxy,
  );
  const plan = makePlan(battleOf(t, FILES("[nginx, haproxy]")), {}, { proxies: entrants });
  assert.deepEqual(plan.proxies.length, 3);
  assert.deepEqual(
    plan.cells.flatMap(({ id, skip }) => (skip ? [`${id}: ${skip}`] : [])),
    [
      "r1-nginx-http-ws: nginx has no server behind it and serves only files, but http needs another page",
    ],
  );
});

test("a scheme that a scenario cannot be run with is refused, in the file and on the command line", (t) => {
  const text = (scheme: string) =>
    BATTLE.replace(/tests:[^]*/, `tests:\n  - scenario: tls-handshake\n    schemes: [${scheme}]\n`);
  assert.throws(() => battleOf(t, text("ws")), {
    message: "battles/test.yaml, line 7: tls-handshake cannot be run with ws",
    next: /^Expected wss/,
    exitCode: 2,
  });
  assert.throws(() => makePlan(battleOf(t, text("wss")), { schemes: ["ws"] }, { proxies }), {
    message: "tls-handshake cannot be run with ws",
    exitCode: 2,
  });
});

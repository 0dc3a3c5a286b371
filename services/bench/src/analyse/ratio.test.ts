import assert from "node:assert/strict";
import { test } from "node:test";
import type { Setting } from "../model/comparison.ts";
import { workloadOf } from "../plan/workload.ts";
import { multiplexed, releases } from "./ratio.ts";
import { settingKey } from "./settings.ts";
import { codes, figureOf, holds, look, near, told } from "./testing/look.ts";
import { idleResults, results, runOf } from "./testing/results.ts";
import type { Results } from "../model/record.ts";

const CPU = "cpu_us_per_connection";

/** By streams and connections: what each proxy comes to. */
type Loads = [
  streams: number,
  connections: number,
  proxies: Record<string, Record<string, number>>,
][];

/** Six rounds that differ by a hundredth. */
function multiplexedIn(loads: Loads) {
  const planned = runOf({
    ...{ proxies: ["none", "envoy", "caddy"], records: () => [], rounds: 1 },
    settings: loads.map(([STREAMS, CONNECTIONS]) => ({
      ...{ scenario: "multiplexed", scheme: "wss", parameters: { CONNECTIONS, STREAMS } },
    })),
  });
  const settings = loads.map(([STREAMS, CONNECTIONS]): Setting => {
    const about = { scenario: "multiplexed", parameters: { CONNECTIONS, STREAMS } };
    const scheme = "wss";
    const workload = workloadOf(planned.plan, about);
    return { ...about, scheme, workload, key: settingKey({ ...about, scheme }) };
  });
  const cells = loads.flatMap(([, , proxies], i) =>
    Object.entries(proxies).flatMap(([proxy, measures]) =>
      Array.from({ length: 6 }, (_, round) => ({
        ...{ setting: settings[i].key, counted: true, record: { proxy, round: round + 1 } },
        measures: Object.fromEntries(
          Object.entries(measures).map(([key, value]) => [key, value * (1 + round / 100)]),
        ),
      })),
    ),
  );
  return multiplexed({ results: planned, settings, cells: cells as never });
}

test("what shares connections beside what has its own, under each measure that both have", () => {
  const message = (cpu: number) => ({ cpu_us_per_message: cpu });
  const found = multiplexedIn([
    // What only one of caddy's two has is compared with nothing; the control's CPU is its server's.
    [
      0,
      500,
      { envoy: { ...message(100), handshake_ms_median: 8 }, caddy: message(100), none: message(9) },
    ],
    [
      ...([100, 500] as const),
      {
        envoy: { ...message(50), handshake_ms_median: 2 },
        ...{ caddy: { handshake_ms_median: 2 }, none: message(9) },
      },
    ],
  ]);
  assert.deepEqual(
    found.map(({ measure, figures }) => [measure.key, figures.map(({ proxy }) => proxy)]),
    [
      ["handshake_ms_median", ["envoy"]],
      ["cpu_us_per_message", ["envoy"]],
    ],
  );
  const { estimate, extra } = figureOf(found[1], "envoy");
  assert.deepEqual(
    extra.medians?.map((value) => value.toFixed(3)),
    ["51.250", "102.500"],
  );
  near(estimate?.value, 0.5);
  holds(estimate, 0.5);
});

test("another load is no counterpart, and a single stream on a connection is shared too", () => {
  const own = { envoy: { cpu_us_per_message: 1 } };
  const others: Loads = [
    [0, 200, own],
    [1, 500, own],
    [100, 500, own],
  ];
  assert.deepEqual(multiplexedIn(others), []);
  const streams = multiplexedIn([[0, 500, own], ...others]).map(({ settings: [key] }) => key);
  assert.deepEqual(
    streams.map((key) => key.replace(/.*streams-/, "")),
    ["1", "100"],
  );
});

/** Rounds of two versions' costs, one of them with a round more. */
function releasesIn(costs: Record<string, number[]>, versions: Record<string, string[]>) {
  const planned = runOf({
    ...{ proxies: Object.keys(costs), records: () => [], rounds: 1 },
    settings: [{ scenario: "short-lived", scheme: "ws", parameters: { CONNECTIONS: 500 } }],
  });
  const about = { scenario: "short-lived", parameters: { CONNECTIONS: 500 } };
  const workload = workloadOf(planned.plan, about);
  const setting: Setting = { ...about, scheme: "ws", workload, key: "short" };
  const cells = Object.entries(costs).flatMap(([proxy, rounds]) =>
    rounds.map((cost, i) => ({
      ...{ setting: "short", counted: true, record: { proxy, round: i + 1 } },
      measures: { [CPU]: cost },
    })),
  );
  const run = { ...planned, plan: { ...planned.plan, versions } };
  return releases({ results: run, settings: [setting], cells: cells as never });
}

test("a release is compared with the one before it that was measured, round by round", () => {
  const costs = {
    // The machine is twice as fast in the second round.
    "haproxy-2.6": [100, 50, 101, 99],
    "haproxy-3.2": [112, 56, 113, 111, 112],
    "haproxy-3.4": [112, 56, 112, 112, 112],
    nginx: [1, 1, 1, 1],
  };
  const [one, ...others] = releasesIn(costs, { haproxy: ["2.6", "3.0", "3.2", "3.4"] });
  assert.deepEqual(others, []);
  assert.deepEqual(
    one.figures.map(({ proxy, extra }) => [proxy, extra.before, extra.medians]),
    [
      ["haproxy-3.2", "haproxy-2.6", [112, 99.5]],
      ["haproxy-3.4", "haproxy-3.2", [112, 112]],
    ],
  );
  near(figureOf(one, "haproxy-3.2").estimate?.value, 1.12, 0.002);
  holds(figureOf(one, "haproxy-3.2").estimate, 1.12);
  holds(figureOf(one, "haproxy-3.4").estimate, 1);
  assert.equal(figureOf(one, "haproxy-3.2").estimate?.basis, "ci95");
  assert.deepEqual(releasesIn(costs, {}), []);
  assert.deepEqual(releasesIn(costs, { haproxy: ["3.2"] }), []);
});

test("what TLS costs is the ratio of as many connections, without those that one scheme lacks", () => {
  const { find } = look(
    results({
      connections: [2000, 5000, 10_000],
      change: (_, { scheme, parameters }) =>
        scheme === "wss" && parameters.CONNECTIONS === 10_000 ? [] : undefined,
    }),
  );
  const tls = find("tls");
  assert.deepEqual([tls.settings.length, tls.beside?.length], [2, 2]);
  near(figureOf(tls, "nginx").estimate?.value, 2.5, 0.1);
  assert.deepEqual(
    [codes(tls.flags), Object.keys(told(tls, () => 1)).includes("none")],
    [["full-handshakes"], false],
  );
});

/** @returns what stands beside its original, by question and measure: haproxy as a kind of nginx */
function heldBeside(run: Results, about: object) {
  const variantOf = { proxy: "nginx", differs: "all" };
  Object.assign(run.proxies.find(({ name }) => name === "haproxy") ?? {}, { variantOf, ...about });
  return look(run)
    .all.filter(({ question }) => question === "defaults" || question === "variants")
    .map(({ question, measure, figures }) =>
      [question, measure.key, ...figures.map(({ proxy }) => proxy)].join(" "),
    );
}

const HOLDING = [
  ...["cpu_us_per_message", "proxy_memory_baseline_usage_bytes"],
  "proxy_memory_per_connection_bytes",
];

for (const [title, run, about, expected] of [
  ["what is tuned is held beside nothing where another is neither", results(), {}, []],
  [
    "what is tuned is held beside its original where there is nothing else, over both schemes",
    results({ proxies: { nginx: {}, haproxy: {} } }),
    {},
    [`variants ${CPU} haproxy`, `variants ${CPU} haproxy`],
  ],
  [
    "over several numbers of idle connections by the slope of its memory",
    idleResults(),
    {},
    ["variants proxy_memory_mean_usage_bytes haproxy"],
  ],
  [
    "what is not tuned is held beside its original by its CPU, over both schemes",
    results(),
    { tuned: false },
    [`defaults ${CPU} haproxy`, `defaults ${CPU} haproxy`],
  ],
  [
    "with idle connections by its memory, too",
    idleResults({ counts: [300], rounds: 6 }),
    { tuned: false },
    HOLDING.map((key) => `defaults ${key} haproxy`),
  ],
] as [string, Results, object, string[]][]) {
  test(`variants: ${title}`, () => assert.deepEqual(heldBeside(run, about), expected));
}

test("variants: half the memory for each connection is half the slope", () => {
  const run = idleResults();
  heldBeside(run, {});
  const { estimate, extra } = figureOf(look(run).find("variants"), "haproxy");
  near(estimate?.value, 12 / 25, 0.01);
  assert.equal(extra.medians?.length, 2);
});

test("variants: TLS that differs from the policy voids the cells of what is tuned alone", () => {
  const foreign = () =>
    results({
      schemes: ["wss"],
      change: ({ proxy, tls }) => {
        if (proxy === "haproxy" && tls) tls.group = "X25519MLKEM768";
      },
    });
  assert.deepEqual(heldBeside(foreign(), { tuned: false }), [`defaults ${CPU} haproxy`]);
  const { cells } = look(foreign());
  assert.ok(cells.every(({ counted, record }) => counted === (record.proxy !== "haproxy")));
});

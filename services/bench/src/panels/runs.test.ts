import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "../plan/testing/scenarios.ts";
import type { Load } from "./caption.ts";
import { captionOf } from "./caption.ts";
import { newestRun, singleNamed, singleRun } from "./runs.ts";

const SHORT = { CONNECTIONS: 1000, CONCURRENCY: 100, MESSAGES: 1, MESSAGE_BYTES: 1024 };

function runOf(known: Omit<Load, "description">[], name = "2026-11-22T03-58-24Z") {
  const startedMs = Date.UTC(2026, 10, 22, 3, 58, 24);
  const loads = known.map((load) => ({ ...load, description: SCENARIOS[load.scenario] ?? null }));
  return { name, store: null, startedMs, fromMs: 0, toMs: 1, loads };
}

/** @param values by variable */
function shownBy(query: string, values: Record<string, string>) {
  const variables = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { values: [value] }]),
  );
  const all = { values: [], all: ".*" };
  return {
    panel: { id: 1, type: "stat", title: "CPU", targets: [{ refId: "A", query }] },
    choice: { variables: { ...variables, proxy: all }, varying: [], missing: [] },
  };
}

test("a single load: run, proxy, scheme, load with its main parameters, date", () => {
  // By the alphabet, as InfluxDB has them.
  const parameters = {
    CONCURRENCY: 100,
    CONNECTIONS: 4000,
    MESSAGES: 5,
    MESSAGE_BYTES: 1024,
    LATENCY_SAMPLES: 10,
    TIMEOUT_SECONDS: 30,
  };
  const run = runOf([{ proxy: "haproxy", scenario: "short-lived", scheme: "wss", parameters }]);
  assert.equal(
    captionOf(run, shownBy("CPU of ${proxy:regex}", {})),
    "run 2026-11-22T03-58-24Z · haproxy · wss · short-lived: 4,000 connections, 100 at a time, 5 messages per connection, " +
      "1,024-byte messages · 2026-11-22 03:58 UTC",
  );
});

test("a load whose parameters nobody noted is its scenario", () => {
  const run = runOf([{ proxy: "nginx", scenario: "idle", scheme: "ws", parameters: null }], "a:b");
  assert.equal(captionOf(run), "run a:b · nginx · ws · idle · 2026-11-22 03:58 UTC");
});

test("of a battle: what the panel's setting is, or all that the run did", () => {
  const loads = ["nginx", "haproxy"].flatMap((proxy) =>
    (["ws", "wss"] as const).flatMap((scheme) =>
      [1000, 5000].map((CONNECTIONS) => ({
        proxy,
        scenario: "short-lived",
        scheme,
        parameters: { ...SHORT, CONNECTIONS },
        setting: `short-lived ${scheme} ${CONNECTIONS}`,
      })),
    ),
  );
  const run = runOf(loads, "r");
  const values = { run: "r", setting: "short-lived wss 5000", baseline: "earlier" };
  assert.equal(
    captionOf(run, shownBy("WHERE setting =~ /^${setting:regex}$/", values)),
    "run r · haproxy, nginx · wss · short-lived: 5,000 connections, 100 at a time, 1 message per connection, 1,024-byte messages · " +
      "2026-11-22 03:58 UTC",
  );
  const whole = captionOf(run, shownBy("WHERE baseline =~ /^${baseline:regex}$/", values));
  assert.match(whole, /^run r · baseline earlier · haproxy, nginx · ws, wss · /);
  assert.match(whole, /short-lived: 1,000 and 5,000 connections, 100 at a time/);
});

test("scenarios and values without a figure stand beside each other", () => {
  const load = { proxy: "nginx", scheme: "wss" as const };
  const run = runOf([
    { ...load, scenario: "tls-handshake", parameters: { RESUMED: 0, TLS_VERSION: 1.2 } },
    { ...load, scenario: "tls-handshake", parameters: { RESUMED: 1, TLS_VERSION: 1.3 } },
    { ...load, scenario: "files", parameters: { REQUESTS: 500 } },
  ]);
  assert.match(
    captionOf(run),
    / · https, wss · tls-handshake: TLS 1\.2 and 1\.3, full handshakes and resumed handshakes; files: 500 requests · /,
  );
});

test("parameters of a scenario that nobody knows any more stand with their names", () => {
  const parameters = { CONNECTIONS: 7, TIMEOUT_SECONDS: 30 };
  const run = runOf([{ proxy: "nginx", scenario: "gone", scheme: "wss", parameters }], "r");
  assert.equal(
    captionOf(run),
    "run r · nginx · wss · gone: CONNECTIONS=7, TIMEOUT_SECONDS=30 · 2026-11-22 03:58 UTC",
  );
});

const RECORDED = ["2026-11-21T00-00-09Z-balancerbattle", "2026-11-20T10-00-00Z-quick"];

test("the newest run is the one that started last, whatever a single load is called", () => {
  const single = (name: string, time: string) => ({
    name,
    fromMs: Date.parse(time),
  });
  const [newest] = RECORDED;
  assert.equal(newestRun(RECORDED, []), newest);
  assert.equal(newestRun(RECORDED, [single("mine", "2026-11-20T23:00:00Z")]), newest);
  assert.equal(newestRun(RECORDED, [single("mine", "2026-11-21T23:00:00Z")]), "mine");
  const old = single("2026-11-21T23:00:00Z", "2026-11-21T23:00:01Z");
  assert.equal(newestRun(RECORDED, [old]), old.name);
  assert.equal(newestRun([], []), undefined);
});

test("an old run with colons is found by its name and by its folder", () => {
  const name = "2026-11-21T23:00:00Z";
  const singles = [
    { name, fromMs: 0 },
    { name: "mine", fromMs: 0 },
  ];
  for (const operand of [name, "2026-11-21T23-00-00Z", "results/2026-11-21T23-00-00Z"])
    assert.equal(singleNamed(singles, operand), name, operand);
  assert.equal(singleNamed(singles, "mine"), "mine");
  assert.equal(singleNamed(singles, "other"), undefined);
});

test("of a single load some seconds before and after are shown, and the date is its own", () => {
  const run = singleRun("mine", { fromMs: 100_000, toMs: 120_000, loads: [] }, {});
  assert.deepEqual(
    [run.startedMs, run.fromMs, run.toMs, run.store],
    [100_000, 90_000, 125_000, null],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { slowReadersOf, survivalOf } from "./survival.ts";
import { reading } from "./testing/readings.ts";
import type { SlowReadersOfLoad, SurvivalOfLoad } from "../model/load.ts";

const LOAD: SurvivalOfLoad = {
  ends: [{ ms: 11_000, how: "reset", count: 3 }],
  probes: [{ ms: 10_000, asked: 20, failed: 1, slow: 0 }],
  probesFailedByCause: { refused: 1 },
  generations: [
    { ms: 5000, value: "1" },
    { ms: 11_250, value: "2" },
  ],
  open: [{ ms: 10_000, count: 10 }],
  sent: 100,
  echoed: 99,
  lost: 1,
  silenceMs: 1200,
  echoP99Ms: { before: 1, after: 2 },
};

const at = (ms: number) => ({ ms, processes: 3, oldProcesses: 1, memoryBytes: 9, cpuSeconds: 1 });

const OBSERVED = {
  event: "reload",
  happened: {
    eventMs: 11_000,
    steps: [{ ms: 11_000, what: "HUP to nginx" }],
    renewals: [{ ms: 11_010, value: "2" }],
  },
  readings: [at(10_000), at(11_000), at(21_000)],
  old: { any: true, goneMs: 12_500 },
  toMs: 20_000,
  afterwards: at(24_000),
};

test("what the load saw and what was read of the proxy, with times from the event", () => {
  const survival = survivalOf(LOAD, OBSERVED);
  assert.deepEqual(survival.ends, LOAD.ends);
  assert.equal(survival.newGenerationMs, 240);
  assert.equal(survival.oldProcessesGoneMs, 1500);
  // What was read later is no part of the watch.
  assert.deepEqual(survival.around, [at(10_000), at(11_000)]);
  assert.deepEqual(survival.afterwards, at(24_000));
  assert.ok(!("echoShare" in survival));
});

test("an old process that went after the watch was there to its end; where none is replaced, nothing is to go", () => {
  const late = survivalOf(LOAD, { ...OBSERVED, old: { any: true, goneMs: 20_001 } });
  assert.equal(late.oldProcessesGoneMs, null);
  const never = survivalOf(LOAD, { ...OBSERVED, old: { any: true, goneMs: null } });
  assert.equal(never.oldProcessesGoneMs, null);
  const none = survivalOf(LOAD, { ...OBSERVED, old: { any: false, goneMs: null } });
  assert.ok(!("oldProcessesGoneMs" in none));
});

test("of several new configurations the slowest; one that never answered, and none", () => {
  const rows: [[number, string][], number | null][] = [
    [[[11_010, "2"]], 240],
    // The fourth came, and the third was passed over.
    [
      [
        [11_010, "2"],
        [12_000, "3"],
        [13_000, "4"],
      ],
      2500,
    ],
    [
      [
        [11_010, "2"],
        [13_000, "5"],
      ],
      null,
    ],
    [[], null],
  ];
  const load = { ...LOAD, generations: [...LOAD.generations, { ms: 14_500, value: "4" }] };
  for (const [renewals, expected] of rows) {
    const happened = {
      ...OBSERVED.happened,
      renewals: renewals.map(([ms, value]) => ({ ms, value })),
    };
    assert.equal(survivalOf(load, { ...OBSERVED, happened }).newGenerationMs, expected);
    // Where the certificate changes, it alone shows that.
    const { generations: certificates } = load;
    const ofTls = { ...LOAD, certificates };
    const seen = survivalOf(ofTls, { ...OBSERVED, event: "reload-certificate", happened });
    assert.equal(seen.newGenerationMs, expected);
  }
});

const STALLED: SlowReadersOfLoad = {
  stalledMs: { from: 2000, held: 2200, to: 4000 },
  sentBytes: { min: 1, median: 2, max: 3 },
  heldBack: true,
  deliveredInOrder: true,
  lostBytes: 0,
  ends: {},
  echoMs: { quiet: null, stalled: null },
};

test("what stalled clients cost: the highest while they stall, against the mean before, of all containers together", () => {
  const sample = (service: string, atMs: number, usage: number) => ({
    service,
    reading: reading({ atMs, usage }),
  });
  const samples = [
    ...[
      sample("a", 0, 900),
      sample("a", 1200, 100),
      sample("a", 1800, 200),
      sample("a", 2500, 800),
    ],
    ...[sample("b", 1500, 10), sample("b", 3000, 70), sample("b", 3500, 30)],
    ...[sample("a", 5000, 5000), sample("load-1", 1500, 1e6)],
  ];
  const { memory } = slowReadersOf(STALLED, samples, ["a", "b"]);
  assert.deepEqual([memory?.quiet.usageBytes, memory?.stalled.usageBytes], [160, 870]);
  assert.deepEqual([memory?.quiet.kernelBytes, memory?.quiet.socketBytes], [20, null]);
  assert.equal(slowReadersOf(STALLED, samples, ["c"]).memory, null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { multiplexingOf } from "./multiplexing.js";
import { results, workloadFor } from "./testing/results.js";

/** @import { AnalysedCell, Setting } from "./types.js" */

const plan = results({ proxies: { none: {}, envoy: {}, caddy: {} }, rounds: 6 });

/** @param {number} streams @param {number} [connections] @returns {Setting} */
function setting(streams, connections = 500) {
  const of = {
    scenario: "multiplexed",
    parameters: { CONNECTIONS: connections, STREAMS: streams },
  };
  return {
    ...of,
    key: `${streams} of ${connections}`,
    scheme: "wss",
    workload: workloadFor(of),
    comparisons: [],
  };
}

/**
 * @param {Setting} of
 * @param {string} proxy
 * @param {Record<string, number>} measures
 * @returns {AnalysedCell[]} six rounds that differ by a hundredth
 */
function rounds({ key }, proxy, measures) {
  return Array.from({ length: 6 }, (_, i) => {
    const own = Object.entries(measures).map(([name, value]) => [name, value * (1 + i / 100)]);
    const record = { ...plan.cells[0], proxy, round: i + 1 };
    return /** @type {any} */ ({
      ...{ setting: key, counted: true, record },
      measures: Object.fromEntries(own),
    });
  });
}

const [own, shared] = [setting(0), setting(100)];

test("what shares connections beside what has its own, under each measure that both have", () => {
  const cells = [
    ...rounds(own, "envoy", { cpu_us_per_message: 100, handshake_ms_median: 8 }),
    ...rounds(shared, "envoy", { cpu_us_per_message: 50, handshake_ms_median: 2 }),
    // What only one of them has is compared with nothing.
    ...rounds(own, "caddy", { cpu_us_per_message: 100 }),
    ...rounds(shared, "caddy", { handshake_ms_median: 2 }),
    // The control's CPU is its echo server's.
    ...rounds(own, "none", { cpu_us_per_message: 100 }),
    ...rounds(shared, "none", { cpu_us_per_message: 100 }),
  ];
  const [found, ...others] = multiplexingOf(plan, [own, shared], cells);
  assert.deepEqual(others, []);
  assert.deepEqual([found.setting, found.beside], [shared, own]);
  assert.deepEqual(
    found.measures.map(({ measure, rows }) => [measure, rows.map(({ proxy }) => proxy)]),
    [
      ["handshake_ms_median", ["envoy"]],
      ["cpu_us_per_message", ["envoy"]],
    ],
  );
  const [row] = found.measures[1].rows;
  assert.deepEqual(
    [row.own, row.shared].map((value) => value.toFixed(3)),
    ["102.500", "51.250"],
  );
  assert.equal(row.ratio.value.toFixed(3), "0.500");
  const [low, high] = row.ratio.interval ?? [NaN, NaN];
  assert.ok(low <= 0.5 && high >= 0.5);
});

test("another load is no counterpart, and a single stream on a connection is shared too", () => {
  const measures = { cpu_us_per_message: 1 };
  const all = [setting(0, 200), setting(1), shared];
  const cells = all.flatMap((one) => rounds(one, "envoy", measures));
  assert.deepEqual(multiplexingOf(plan, all, cells), []);
  const found = multiplexingOf(plan, [own, ...all], [...cells, ...rounds(own, "envoy", measures)]);
  assert.deepEqual(
    found.map((one) => one.setting.parameters.STREAMS),
    [1, 100],
  );
});

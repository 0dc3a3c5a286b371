import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { recorded } from "./testing/recorded.js";
import { POLICY, results } from "./testing/results.js";

/** @import { Analysis } from "./types.js" */

const policy = /** @type {any} */ (POLICY);

const PROXIES = {
  none: { cpuUsPerHandshake: 100, cpuUsPerMessage: 10 },
  nginx: { cpuUsPerHandshake: 200, cpuUsPerMessage: 20 },
  haproxy: { cpuUsPerHandshake: 150, cpuUsPerMessage: 30 },
};

/** @param {Parameters<typeof results>[0]} [options] */
const analysed = (options) =>
  analyse(results({ proxies: PROXIES, schemes: ["ws"], messages: [1, 100], ...options }), {
    policy,
  });

/**
 * @param {Analysis} analysis
 * @param {string} measure
 * @returns {[string, number, number][]} connections, messages and measure of each setting that compares it
 */
function placesOf({ settings }, measure) {
  return settings
    .filter(({ comparisons }) => comparisons.some((one) => one.measure === measure))
    .map(({ scheme, workload: { connections = 0, messages = 0 } }) => [
      scheme,
      connections,
      messages,
    ]);
}

/**
 * @param {Analysis} analysis
 * @param {string} measure
 * @param {string} proxy
 */
function rowOf({ operationCosts }, measure, proxy) {
  const cost = operationCosts.find((one) => one.measure === measure);
  const row = cost?.told?.comparison.rows.find((one) => one.proxy === proxy);
  assert.ok(row);
  return row;
}

test("a message costs the slope over messages a connection, and a handshake what is left", () => {
  const exact = analysed({ spread: 0 });
  for (const [proxy, { cpuUsPerHandshake, cpuUsPerMessage }] of Object.entries(PROXIES)) {
    const message = rowOf(exact, "cpu_us_per_message", proxy).median?.value ?? NaN;
    const handshake = rowOf(exact, "cpu_us_per_handshake", proxy).median?.value ?? NaN;
    assert.ok(Math.abs(message - cpuUsPerMessage) < 1e-9);
    assert.ok(Math.abs(handshake - cpuUsPerHandshake) < 1e-9);
  }
  assert.deepEqual(placesOf(exact, "cpu_us_per_message"), [["ws", 2000, 100]]);
  assert.deepEqual(placesOf(exact, "cpu_us_per_handshake"), [["ws", 2000, 1]]);
  const row = rowOf(analysed(), "cpu_us_per_message", "haproxy");
  assert.deepEqual([row.values.length, row.rank], [6, 2]);
  assert.ok(row.median?.interval && row.toBest?.interval && (row.p ?? 1) < 0.05);
  assert.ok(row.toBest.interval[0] > 1.4 && row.toBest.interval[1] < 1.6);
});

test("both are taken within a round: what slows a whole round leaves their ratios alone", () => {
  const slowed = analysed({
    spread: 0,
    change: (record, { round }) => {
      for (const { cpu } of Object.values(record.containers)) cpu.totalSeconds *= 1 + round / 10;
      return [record];
    },
  });
  const { toBest, values } = rowOf(slowed, "cpu_us_per_message", "haproxy");
  assert.ok(Math.abs((toBest?.value ?? 0) - 1.5) < 1e-9);
  assert.deepEqual(
    values.map((value) => Math.round(value * 10) / 10),
    [33, 36, 39, 42, 45, 48],
  );
});

test("a round without one of the two cells has neither, and says why where no round has both", () => {
  const without = (/** @type {(round: number) => boolean} */ lacks) =>
    analysed({
      change: (record, { proxy, round, parameters }) =>
        proxy === "nginx" && parameters.MESSAGES === 1 && lacks(round) ? [] : [record],
    });
  const some = without((round) => round === 2);
  assert.equal(rowOf(some, "cpu_us_per_message", "nginx").values.length, 5);
  const [missing] = rowOf(
    without(() => true),
    "cpu_us_per_message",
    "nginx",
  ).missing;
  assert.deepEqual(missing, { kind: "not-run" });
  const crossed = analysed({
    change: (record, { proxy, round, parameters }) =>
      proxy === "nginx" && (parameters.MESSAGES === 1) === round > 3 ? [] : [record],
  });
  assert.deepEqual(rowOf(crossed, "cpu_us_per_message", "nginx").missing, [
    { kind: "no-common-round" },
  ]);
});

test("what weakens a cell of either setting weakens what is derived from it", () => {
  const { operationCosts } = analysed({
    change: (record, { round, parameters }) => {
      if (round === 1 && parameters.MESSAGES === 1 && record.machine)
        record.machine.stealSeconds = 0.04 * 2 * (record.totalSeconds ?? 0);
      return [record];
    },
  });
  for (const { measure, told } of operationCosts)
    assert.ok(
      told?.comparison.findings.some(({ gate }) => gate === "steal"),
      measure,
    );
});

test("a handshake is told for each number of connections, with the slope of that which has one", () => {
  const run = results({ proxies: PROXIES, messages: [1, 100], connections: [2000, 5000] });
  const isWanted = (/** @type {{parameters: Record<string, number>}} */ { parameters }) =>
    parameters.CONNECTIONS === 2000 || parameters.MESSAGES === 1;
  run.plan.cells = run.plan.cells.filter(isWanted);
  run.cells = run.cells.filter(isWanted);
  const analysis = analyse(run, { policy });
  assert.deepEqual(placesOf(analysis, "cpu_us_per_message"), [
    ["ws", 2000, 100],
    ["wss", 2000, 100],
  ]);
  assert.deepEqual(placesOf(analysis, "cpu_us_per_handshake"), [
    ["ws", 2000, 1],
    ["ws", 5000, 1],
    ["wss", 2000, 1],
    ["wss", 5000, 1],
  ]);
});

test("recorded with one message a connection, a run has no CPU per message and no CPU per handshake", () => {
  const { settings, cells, operationCosts } = recorded("quick");
  const keys = [
    ...settings.flatMap(({ comparisons }) => comparisons.map(({ measure }) => measure)),
    ...cells.flatMap(({ measures }) => Object.keys(measures)),
  ];
  assert.ok(keys.includes("cpu_us_per_connection"));
  assert.ok(!keys.some((key) => key === "cpu_us_per_message" || key === "cpu_us_per_handshake"));
  assert.deepEqual(
    operationCosts.map(({ scheme, told, missing }) => [scheme, told, missing]),
    ["ws", "ws", "wss", "wss"].map((scheme) => [scheme, null, { messages: [1] }]),
  );
});

test("recorded with connections that are held, a message's CPU has no handshake in it", () => {
  const { operationCosts } = recorded("nginx-idle");
  const [message, handshake] = operationCosts;
  assert.ok(message.told?.comparison.rows.some(({ median }) => median));
  assert.deepEqual([handshake.told, handshake.missing], [null, { messages: [] }]);
});

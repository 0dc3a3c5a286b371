import assert from "node:assert/strict";
import { test } from "node:test";
import { cellRecord, containerRecord } from "../analyse/testing/results.js";
import { judge } from "./promise.js";

/** @import { CellRecord, LatencySummary } from "./types.js" */

const PROMISE = { sloMs: 50, failedPercent: 0.1, sentPercent: 99 };
const GOOD = cellRecord();
/** 5 s on two cores. */
const MACHINE = { cores: 2, busySeconds: 3, stealSeconds: 0, foreignSeconds: 0, benchSeconds: 0.1 };

/** @param {number} p99 */
function latency(p99) {
  return /** @type {LatencySummary} */ ({ ...GOOD.handshakeMs, p99 });
}

/**
 * @param {Partial<CellRecord>} [changes] to 2,000 connections that were all due, opened in time, on an idle generator
 * @param {{holdsConnections?: boolean}} [about]
 */
function judged(changes, { holdsConnections = false } = {}) {
  const record = {
    ...GOOD,
    handshakeMs: latency(20),
    echoLatencyMs: latency(20),
    sends: { due: 2000, late: 0, dropped: 0 },
    machine: MACHINE,
    ...changes,
  };
  return judge(record, PROMISE, { holdsConnections, generatorCores: 2 });
}

/** @param {number} failed of 2,000 */
function failures(failed) {
  return { asked: 2000, opened: 2000 - failed, failed, failedByCause: { timeout: failed } };
}

/** @param {number} cpuSeconds of 10 that there were */
function generator(cpuSeconds) {
  const load = containerRecord({ role: "load", cpuSeconds });
  return { containers: { ...GOOD.containers, "load-1": load } };
}

test("a promise that is just kept holds", () => {
  assert.deepEqual(
    judged({
      handshakeMs: latency(50),
      connections: failures(2),
      sends: { due: 2000, late: 0, dropped: 20 },
    }),
    { verdict: "holds", broken: [], limits: [] },
  );
});

for (const [what, changes] of /** @type {[string, Partial<CellRecord>][]} */ ([
  ["p99", { handshakeMs: latency(50.1) }],
  ["failures", { connections: failures(3) }],
  ["sending", { sends: { due: 2000, late: 0, dropped: 21 } }],
])) {
  test(`what broke is named: ${what}`, () => {
    assert.deepEqual(judged(changes), { verdict: "fails", broken: [what], limits: [] });
  });
}

test("on connections that are held the echo is judged, else the handshake", () => {
  const changes = { echoLatencyMs: latency(60) };
  assert.equal(judged(changes).verdict, "holds");
  assert.equal(judged(changes, { holdsConnections: true }).verdict, "fails");
});

test("where nothing was counted nothing is kept", () => {
  const nothing = { handshakeMs: null, connections: null, sends: null };
  assert.deepEqual(judged(nothing).broken, ["p99", "failures", "sending"]);
});

test("a generator or a machine at its limit is told apart from the proxy", () => {
  const slow = { handshakeMs: latency(80) };
  assert.deepEqual(judged({ ...slow, ...generator(8.1) }), {
    ...{ verdict: "limited", broken: ["p99"], limits: ["generator"] },
  });
  assert.deepEqual(judged({ ...slow, ...generator(7.9) }).limits, []);
  assert.deepEqual(judged({ ...slow, sends: { due: 2000, late: 21, dropped: 0 } }).limits, [
    "generator",
  ]);
  assert.deepEqual(judged({ ...slow, machine: { ...MACHINE, busySeconds: 9.1 } }).limits, [
    "machine",
  ]);
  assert.deepEqual(judged({ ...slow, machine: { ...MACHINE, stealSeconds: 1.1 } }).limits, [
    "machine",
  ]);
  assert.deepEqual(judged({ ...slow, machine: { ...MACHINE, foreignSeconds: 2.1 } }).limits, [
    "machine",
  ]);
});

test("a promise that is kept on a busy machine is kept", () => {
  assert.equal(
    judged({ ...generator(9.9), machine: { ...MACHINE, busySeconds: 9.9 } }).verdict,
    "holds",
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsOf } from "./gates.js";
import { cellRecord, idleRecord, POLICY } from "./testing/results.js";

/** @import { CellRecord } from "../record/types.js" */

const options = { policy: /** @type {any} */ (POLICY), keyType: "ecdsa" };

/**
 * @param {(record: CellRecord) => void} change
 * @param {Parameters<typeof cellRecord>[0]} [cell]
 */
function findingsAfter(change, cell = { scheme: "wss" }) {
  const record = cellRecord(cell);
  change(record);
  return findingsOf(record, { ...options, isControl: cell.proxy === "none" }).map(
    ({ gate, severity, message }) => ({
      what: `${gate} ${severity}`,
      message,
    }),
  );
}

/**
 * @param {ReturnType<typeof findingsAfter>} findings
 * @param {string} what
 * @param {RegExp} message
 */
function assertOnly(findings, what, message) {
  assert.deepEqual(
    findings.map((finding) => finding.what),
    [what],
  );
  assert.match(findings[0].message, message);
}

test("a good cell has no findings, the control neither", () => {
  for (const proxy of ["nginx", "none"]) {
    for (const scheme of /** @type {const} */ (["ws", "wss"])) {
      assert.deepEqual(
        findingsAfter(() => {}, { proxy, scheme }),
        [],
      );
    }
  }
});

test("a generator above 80 % of its cores voids the cell", () => {
  const at = (/** @type {number} */ seconds) =>
    findingsAfter((record) => (record.containers["load-1"].cpu.totalSeconds = seconds));
  assert.deepEqual(at(7.9), []);
  assertOnly(at(8.6), "generator-busy invalid", /86 % of its 2 cores \(limit 80 %\)/);
});

test("a proxy that used hardly any CPU time was measured too short", () => {
  const at = (/** @type {number} */ seconds) =>
    findingsAfter((record) => (record.containers.nginx.cpu.totalSeconds = seconds));
  assert.deepEqual(at(0.11), []);
  assertOnly(at(0.08), "too-short weak", /0\.08 s of CPU: .* 25 % .*limit 20 %/);
  assertOnly(at(0.04), "too-short invalid", /50 % .*limit 40 %/);
  const control = findingsAfter((record) => (record.containers.none.cpu.totalSeconds = 0.01), {
    proxy: "none",
  });
  assert.deepEqual(control, []);
});

test("steal and foreign load, by their share of the machine", () => {
  const after = (/** @type {Partial<NonNullable<CellRecord["machine"]>>} */ change) =>
    findingsAfter((record) => Object.assign(record.machine ?? {}, change));
  assert.deepEqual(after({ stealSeconds: 0.19 }), []);
  assertOnly(after({ stealSeconds: 0.5 }), "steal weak", /5 % .*limit 2 %/);
  assertOnly(after({ stealSeconds: 1.5 }), "steal invalid", /15 % .*limit 10 %/);
  assert.deepEqual(after({ foreignSeconds: 0.99 }), []);
  assertOnly(after({ foreignSeconds: 3 }), "foreign-load weak", /other programs used 30 %/);
});

test("TLS other than the policy's best voids the cell", () => {
  const after = (/** @type {Partial<NonNullable<CellRecord["tls"]>>} */ change) =>
    findingsAfter((record) => Object.assign(record.tls ?? {}, change));
  assertOnly(
    after({ cipher: "TLS_AES_256_GCM_SHA384" }),
    "tls invalid",
    /TLS cipher was TLS_AES_256/,
  );
  assertOnly(after({ group: "X25519MLKEM768" }), "tls invalid", /TLS group was X25519MLKEM768/);
  assertOnly(after({ keyType: "rsa 2048" }), "tls invalid", /TLS key was rsa 2048, .* ecdsa/);
  assertOnly(after({ resumed: true }), "tls invalid", /TLS session was resumed/);
  assertOnly(after({ version: "TLSv1.2" }), "tls invalid", /TLS version was TLSv1.2/);
  assertOnly(
    findingsAfter((record) => (record.tls = null)),
    "tls invalid",
    /not recorded/,
  );
  assert.deepEqual(
    findingsAfter((record) => (record.tls = null), { scheme: "ws" }),
    [],
  );
});

test("traffic that did not pass the proxy on both sides voids the cell", () => {
  const halve = (/** @type {CellRecord} */ record) => {
    const { network } = Object.values(record.containers)[0];
    if (network)
      for (const key of /** @type {(keyof typeof network)[]} */ (Object.keys(network)))
        network[key] /= 2;
  };
  const cell = {
    parameters: { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 100, MESSAGE_BYTES: 1024 },
  };
  const findings = findingsAfter(halve, cell);
  assert.deepEqual(new Set(findings.map(({ what }) => what)), new Set(["bypassed invalid"]));
  assert.match(
    findings[0].message,
    /bytes received by the proxy, but this load needs at least 409,600,000/,
  );
  const tiny = { parameters: { ...cell.parameters, MESSAGES: 1, MESSAGE_BYTES: 1 } };
  const none = findingsAfter((record) => {
    const { network } = record.containers.nginx;
    if (network) Object.assign(network, { rxPackets: 900, txPackets: 900 });
  }, tiny);
  assert.match(none.map(({ message }) => message).join(), /900 packets received .* at least 8,000/);
  assertOnly(
    findingsAfter((record) => (record.containers.nginx.network = null)),
    "bypassed weak",
    /not checked/,
  );
});

test("the echo server must have counted what the generator did", () => {
  const after = (/** @type {number} */ more) =>
    findingsAfter((record) => {
      if (record.echoWorkers) record.echoWorkers[0].connections += more;
    });
  assert.deepEqual(after(5), []);
  assertOnly(after(6), "echo-count invalid", /counted 2,006 connections, the generator 2,000/);
  assertOnly(after(-1), "echo-count invalid", /1,999/);
  assertOnly(
    findingsAfter((record) => (record.echoWorkers = null)),
    "echo-count weak",
    /not checked/,
  );
});

test("gaps are told", () => {
  assertOnly(
    findingsAfter((record) => (record.containers.nginx.memory = null)),
    "no-memory note",
    /memory/,
  );
  assertOnly(
    findingsAfter((record) => (record.machine = null)),
    "no-machine weak",
    /steal/,
  );
});

test("a failed cell is not judged", () => {
  assert.deepEqual(
    findingsAfter((record) => Object.assign(record, { status: "failed", tls: null })),
    [],
  );
});

/** @param {(record: CellRecord) => void} change */
function findingsOfHeld(change) {
  const record = idleRecord();
  change(record);
  return findingsOf(record, { ...options, isControl: false }).map(
    ({ gate, severity, message }) => ({ what: `${gate} ${severity}`, message }),
  );
}

test("connections that were opened before the measured phase are none of its connections", () => {
  assert.deepEqual(
    findingsOfHeld(() => {}),
    [],
  );
  // A proxy that has nothing to do sends nothing.
  const silent = findingsOfHeld((record) => {
    record.messagesEchoed = 0;
    record.echoWorkers = [{ connections: 0, messages: 0, refused: 0 }];
    record.containers.nginx.network = { rxBytes: 0, txBytes: 0, rxPackets: 0, txPackets: 0 };
  });
  assert.deepEqual(silent, []);
});

test("connections that were not held void the cell, at either end", () => {
  for (const held of [
    { from: 999, to: 1000 },
    { from: 1000, to: 999 },
  ])
    assertOnly(
      findingsOfHeld((record) => (record.connectionsHeld = held)),
      "not-held invalid",
      /of 1,000 that should be held/,
    );
});

test("a proxy that idles is no reason to void what it holds", () => {
  assertOnly(
    findingsOfHeld((record) => (record.containers.nginx.cpu.totalSeconds = 0.01)),
    "too-short note",
    /order of magnitude/,
  );
});

test("sends that left late, or not at all, weaken an open loop", () => {
  const after = (/** @type {Partial<NonNullable<CellRecord["sends"]>>} */ change) =>
    findingsOfHeld((record) => Object.assign(record.sends ?? {}, change));
  assert.deepEqual(after({ late: 250, dropped: 50 }), []);
  assertOnly(after({ late: 300 }), "late weak", /6 % of 5,000 sends .* \(limit 5 %\)/);
  assertOnly(after({ dropped: 100 }), "dropped weak", /2 % of 5,000 sends were dropped/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsOf, isVoidedBy } from "./gates.js";
import { POLICY, cellRecord, idleRecord, workloadFor } from "./testing/results.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Finding } from "./types.js" */

const options = { policy: /** @type {any} */ (POLICY), keyType: "ecdsa" };

/** @param {Finding} finding */
function told({ gate, severity, figures }) {
  const rounded = Object.entries(figures).map(([name, value]) => [
    name,
    typeof value === "number" ? Number(value.toPrecision(6)) : value,
  ]);
  return { what: `${gate} ${severity}`, figures: Object.fromEntries(rounded) };
}

/**
 * @param {(record: CellRecord) => void} change
 * @param {Parameters<typeof cellRecord>[0]} [cell]
 */
function findingsAfter(change, cell = { scheme: "wss" }) {
  const record = cellRecord(cell);
  change(record);
  return findingsOf(record, {
    ...options,
    workload: workloadFor(record),
    isControl: cell.proxy === "none",
  }).map(told);
}

/**
 * @param {ReturnType<typeof findingsAfter>} findings
 * @param {string} what
 * @param {object} figures
 */
function assertOnly(findings, what, figures) {
  assert.deepEqual(findings, [{ what, figures }]);
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

test("what ran beside a cell is no foreign load: it voids CPU and times, and leaves memory", () => {
  const record = cellRecord({ scheme: "ws" });
  if (record.machine) record.machine.foreignSeconds = 0.3 * record.machine.cores * 10;
  const found = (/** @type {boolean} */ isBeside) =>
    findingsOf(record, { ...options, workload: workloadFor(record), isControl: false, isBeside });
  assert.deepEqual(
    found(false).map(({ gate }) => gate),
    ["foreign-load"],
  );
  const [finding, ...others] = found(true);
  assert.deepEqual([finding.gate, finding.severity, others], ["side-by-side", "note", []]);
  const voided = [
    ...["cpu_us_per_message", "proxy_cpu_seconds", "servers_cpu_seconds", "echo_latency_ms_p99"],
    ...["handshake_ms_median", "messages_per_second"],
  ];
  for (const key of voided) assert.ok(isVoidedBy(finding, key), key);
  for (const key of ["proxy_memory_mean_usage_bytes", "messages_echoed", "steal_percent"])
    assert.ok(!isVoidedBy(finding, key), key);
});

test("a generator above 80 % of its cores voids the cell", () => {
  const at = (/** @type {number} */ seconds) =>
    findingsAfter((record) => (record.containers["load-1"].cpu.totalSeconds = seconds));
  assert.deepEqual(at(7.9), []);
  assertOnly(at(8.6), "generator-busy invalid", {
    percent: 86,
    limit: 80,
    cores: 2,
    isBounded: false,
  });
});

test("on a saturated machine the times of a closed loop are a queue's, and those of an open loop void", () => {
  const busy = (/** @type {CellRecord} */ record, /** @type {number} */ percent) => {
    const { machine, totalSeconds } = record;
    if (machine) machine.busySeconds = (percent / 100) * machine.cores * (totalSeconds ?? 0);
  };
  assert.deepEqual(
    findingsAfter((record) => busy(record, 89)),
    [],
  );
  const figures = { percent: 96, limit: 90 };
  assertOnly(
    findingsAfter((record) => busy(record, 96)),
    "saturated weak",
    { ...figures, loop: "closed", atATime: 100 },
  );
  const record = idleRecord();
  busy(record, 96);
  const found = findingsOf(record, { ...options, workload: workloadFor(record), isControl: false });
  assert.deepEqual(found.map(told), [
    { what: "saturated weak", figures: { ...figures, loop: "open", atATime: 1000 } },
  ]);
  assert.ok(found[0].voids?.includes("echo_latency_ms"));
});

test("a proxy that used hardly any CPU time was measured too short", () => {
  const at = (/** @type {number} */ seconds) =>
    findingsAfter((record) => (record.containers.nginx.cpu.totalSeconds = seconds));
  assert.deepEqual(at(0.11), []);
  const figures = { tickSeconds: 0.01, repeats: "connections" };
  assertOnly(at(0.08), "too-short weak", { ...figures, cpuSeconds: 0.08, percent: 25, limit: 20 });
  assertOnly(at(0.04), "too-short invalid", {
    ...figures,
    cpuSeconds: 0.04,
    percent: 50,
    limit: 40,
  });
  const control = findingsAfter((record) => (record.containers.none.cpu.totalSeconds = 0.01), {
    proxy: "none",
  });
  assert.deepEqual(control, []);
});

test("steal and foreign load, by their share of the machine", () => {
  const after = (/** @type {Partial<NonNullable<CellRecord["machine"]>>} */ change) =>
    findingsAfter((record) => Object.assign(record.machine ?? {}, change));
  assert.deepEqual(after({ stealSeconds: 0.19 }), []);
  assertOnly(after({ stealSeconds: 0.5 }), "steal weak", { percent: 5, limit: 2 });
  assertOnly(after({ stealSeconds: 1.5 }), "steal invalid", { percent: 15, limit: 10 });
  assert.deepEqual(after({ foreignSeconds: 0.99 }), []);
  assertOnly(after({ foreignSeconds: 1.5 }), "foreign-load weak", { percent: 15, limit: 10 });
  assertOnly(after({ foreignSeconds: 3 }), "foreign-load invalid", { percent: 30, limit: 20 });
});

test("TLS other than the policy's best voids the cell", () => {
  const after = (/** @type {Partial<NonNullable<CellRecord["tls"]>>} */ change) =>
    findingsAfter((record) => Object.assign(record.tls ?? {}, change));
  /** @type {[Partial<NonNullable<CellRecord["tls"]>>, object][]} */
  const cases = [
    [
      { cipher: "TLS_AES_256_GCM_SHA384" },
      { what: "cipher", found: "TLS_AES_256_GCM_SHA384", expected: ["TLS_AES_128_GCM_SHA256"] },
    ],
    [{ group: "X25519MLKEM768" }, { what: "group", found: "X25519MLKEM768", expected: ["X25519"] }],
    [{ keyType: "rsa 2048" }, { what: "key", found: "rsa 2048", expected: ["ecdsa"] }],
    [{ resumed: true }, { what: "session", found: "resumed", expected: ["new"] }],
  ];
  for (const [change, figures] of cases)
    assertOnly(after(change), "tls invalid", { ...figures, isOfLoad: false });
  assertOnly(after({ version: "TLSv1.2" }), "tls invalid", {
    what: "version",
    found: "TLSv1.2",
    expected: ["TLSv1.3"],
    isOfLoad: false,
  });
  assertOnly(
    findingsAfter((record) => (record.tls = null)),
    "tls-unknown invalid",
    {},
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
  const { what, found, least } = findings[0].figures;
  assert.deepEqual([what, least], ["rxBytes", 409_600_000]);
  assert.ok(found < least);
  const tiny = { parameters: { ...cell.parameters, MESSAGES: 1, MESSAGE_BYTES: 1 } };
  const none = findingsAfter((record) => {
    const { network } = record.containers.nginx;
    if (network) Object.assign(network, { rxPackets: 900, txPackets: 900 });
  }, tiny);
  assert.deepEqual(
    none.map(({ figures }) => figures).find(({ what }) => what === "rxPackets"),
    { what: "rxPackets", found: 900, least: 8000 },
  );
  assertOnly(
    findingsAfter((record) => (record.containers.nginx.network = null)),
    "bypass-unknown weak",
    {},
  );
});

test("on the machine's own network nobody counts a proxy's traffic, which weakens nothing", () => {
  const record = cellRecord({ parameters: { ...cellRecord().parameters, HOST_NETWORK: 1 } });
  record.containers.nginx.network = null;
  const workload = { ...workloadFor(record), hostNetwork: 1 };
  const found = findingsOf(record, { ...options, workload, isControl: false }).map(told);
  assertOnly(found, "bypass-unknown note", {});
});

test("the echo server must have counted what the generator did", () => {
  const after = (/** @type {number} */ more) =>
    findingsAfter((record) => {
      if (record.echoWorkers) record.echoWorkers[0].connections += more;
    });
  const counts = { what: "connections", generator: 2000, limit: 5 };
  assert.deepEqual(after(5), []);
  assertOnly(after(6), "echo-count invalid", { ...counts, echo: 2006 });
  assertOnly(after(-1), "echo-count invalid", { ...counts, echo: 1999 });
  assertOnly(
    findingsAfter((record) => (record.echoWorkers = null)),
    "echo-count-unknown weak",
    {},
  );
});

test("connections that failed are told, where so few did that the cell did not; they may have reached the server", () => {
  const after = (/** @type {number} */ reached) =>
    findingsAfter((record) => {
      const { connections } = record;
      Object.assign(connections ?? {}, { opened: 1999, failed: 1, failedByCause: { timeout: 1 } });
      const [first] = record.echoWorkers ?? [];
      first.connections += reached - 2000;
    });
  const figures = { failed: 1, asked: 2000, percent: 0.05, limit: 0.1 };
  for (const reached of [1999, 2000, 2005]) assertOnly(after(reached), "failed note", figures);
  assert.equal(after(2006)[0].what, "echo-count invalid");
});

test("gaps are told", () => {
  assertOnly(
    findingsAfter((record) => (record.containers.nginx.memory = null)),
    "memory-unknown note",
    {},
  );
  assertOnly(
    findingsAfter((record) => (record.machine = null)),
    "machine-unknown weak",
    {},
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
  return findingsOf(record, { ...options, workload: workloadFor(record), isControl: false }).map(
    told,
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
      { ...held, asked: 1000 },
    );
});

test("a proxy that idles is no reason to void what it holds", () => {
  assertOnly(
    findingsOfHeld((record) => (record.containers.nginx.cpu.totalSeconds = 0.01)),
    "too-short note",
    { cpuSeconds: 0.01, tickSeconds: 0.01, percent: 200, limit: 40, repeats: null },
  );
});

test("sends that left late, or not at all, void the times and the throughput of an open loop", () => {
  const after = (/** @type {Partial<NonNullable<CellRecord["sends"]>>} */ change) =>
    findingsOfHeld((record) => Object.assign(record.sends ?? {}, change));
  assert.deepEqual(after({ late: 250, dropped: 50 }), []);
  assertOnly(after({ late: 300 }), "late weak", { percent: 6, limit: 5, due: 5000 });
  assertOnly(after({ dropped: 100 }), "dropped weak", { percent: 2, limit: 1, due: 5000 });
  const record = idleRecord();
  record.sends = { due: 5000, late: 300, dropped: 100 };
  const found = findingsOf(record, { ...options, workload: workloadFor(record), isControl: false });
  assert.equal(found.length, 2);
  for (const finding of found) {
    for (const key of ["echo_latency_ms_p99", "messages_per_second"])
      assert.ok(isVoidedBy(finding, key), key);
    assert.ok(!isVoidedBy(finding, "cpu_us_per_message"));
    assert.ok(!isVoidedBy(finding, "proxy_memory_peak_usage_bytes"));
  }
});

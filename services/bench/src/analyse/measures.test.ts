import assert from "node:assert/strict";
import { test } from "node:test";
import { generatorCores } from "../record/generator-cores.ts";
import type { CellRecord } from "../model/cell.ts";
import { MEASURES, measure, measuresOf } from "./measures.ts";
import { held } from "./readings.ts";
import { near } from "./testing/look.ts";
import { cellRecord, containerRecord, idleRecord, workloadFor } from "./testing/results.ts";

/** What a record comes to, to nine digits; null: that is absent. */
function assertMeasures(record: CellRecord, expected: Record<string, number | null>): void {
  const measures = measuresOf(record, workloadFor(record));
  for (const [key, value] of Object.entries(expected))
    if (value === null) assert.ok(!(key in measures), key);
    else near(measures[key], value, 1e-9 * Math.abs(value));
}

const absent = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, null]));

test("a cell's figures", () => {
  const record = cellRecord(
    { parameters: { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 10, MESSAGE_BYTES: 1000 } },
    { cpuUsPerHandshake: 200, totalSeconds: 5, peakBytes: 30e6, handshakeMs: 20 },
  );
  assertMeasures(record, {
    connections_opened: 2000,
    messages_echoed: 20_000,
    total_seconds: 5,
    connections_per_second: 400,
    handshake_ms_mean: 20,
    handshake_ms_p999: 80,
    echo_latency_ms_mean: 5,
    proxy_cpu_seconds: 0.4,
    proxy_cpu_user_seconds: 0.1,
    proxy_cpu_system_seconds: 0.3,
    cpu_us_per_connection: 200,
    proxy_memory_peak_usage_bytes: 30e6,
    proxy_memory_baseline_usage_bytes: 20e6,
    proxy_memory_per_connection_bytes: 100_000,
    proxy_memory_peak_rss_bytes: 15e6,
    proxy_memory_high_water_bytes: 30e6,
    proxy_packets_per_connection: 2 * (15 + 14),
    proxy_bytes_per_connection: 2 * (20_000 + 1300),
    echo_busiest_worker_percent: 50,
    echo_cpu_seconds: 0.75,
    generator_cpu_seconds: 3,
    generator_cpu_percent: 30,
    observers_cpu_percent: (100 * 0.15) / 4.4,
    machine_busy_percent: 44,
    steal_percent: 0,
    foreign_cpu_percent: 1,
  });
});

test("containers of one role count together, their shared network once", () => {
  const record = cellRecord(
    { proxy: "haproxy-hitch" },
    { cpuUsPerHandshake: 200, peakBytes: 30e6 },
  );
  const before = measuresOf(record, workloadFor(record));
  record.containers["haproxy-hitch-tls"] = containerRecord({
    role: "proxy",
    cpuSeconds: 0.6,
    peakBytes: 9e6,
  });
  record.containers["load-2"] = containerRecord({ role: "load", cpuSeconds: 1 });
  assertMeasures(record, {
    proxy_cpu_seconds: 1,
    cpu_us_per_connection: 500,
    proxy_memory_peak_usage_bytes: 39e6,
    generator_cpu_seconds: 4,
    proxy_packets_per_connection: before.proxy_packets_per_connection,
  });
});

test("what could not be had is absent, not zero", () => {
  const record = cellRecord();
  record.containers.nginx.memory = null;
  record.containers.nginx.network = null;
  record.echoWorkers = null;
  record.machine = null;
  assertMeasures(record, {
    cpu_us_per_connection: 200,
    ...absent("proxy_memory_peak_usage_bytes", "proxy_memory_per_connection_bytes"),
    ...absent("proxy_memory_peak_socket_bytes", "proxy_packets_per_connection"),
    ...absent("echo_busiest_worker_percent", "steal_percent", "observers_cpu_percent"),
  });
});

test("a cell that failed at its start has no figures", () => {
  const record = {
    ...{ ...cellRecord(), measured: null, connections: null, messagesEchoed: null },
    ...{ totalSeconds: null, handshakeMs: null, echoLatencyMs: null, containers: {} },
    ...{ echoWorkers: null, machine: null },
  };
  assert.deepEqual(measuresOf(record, workloadFor(record)), {});
});

test("every measure is described, once, and every column has its measure", () => {
  const keys = MEASURES.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  for (const { key, title, description } of MEASURES) assert.ok(title && description, key);
  assert.deepEqual(
    Object.keys(measuresOf(cellRecord(), workloadFor(cellRecord()))).filter(
      (key) => !keys.includes(key),
    ),
    [],
  );
  assert.equal(measure("total_seconds").unit, "s");
});

test("figures of connections that are held: by the connection, not by the handshake", () => {
  const record = idleRecord({}, { cpuUsPerHandshake: 500, totalSeconds: 5, peakBytes: 30e6 });
  record.sends = { due: 5000, late: 50, dropped: 10 };
  record.connectionsHeld = { from: 1000, to: 998 };
  assertMeasures(record, {
    connections_held: 998,
    messages_per_second: 1000,
    sends_due: 5000,
    sends_late_percent: 1,
    sends_dropped_percent: 0.2,
    proxy_cpu_cores: 0.1,
    cpu_us_per_message: 100,
    proxy_memory_per_connection_bytes: 10e6 / 998,
    proxy_memory_user_per_connection_bytes: 2.5e6 / 998,
    proxy_memory_kernel_per_connection_bytes: 1.5e6 / 998,
    ...absent("cpu_us_per_connection", "connections_per_second", "proxy_bytes_per_connection"),
    ...absent("proxy_sockets_left"),
  });
});

test("what is left after the load, without what another container's network has", () => {
  const record = cellRecord({ proxy: "haproxy-hitch" }, { peakBytes: 30e6 });
  for (const name of ["haproxy-hitch", "haproxy-hitch-tls"]) {
    const of = (n: number) => (name.endsWith("-tls") ? null : n);
    const at = (n: number) => ({
      ...{ tcpInUse: of(n), tcpTimeWait: of(0), tcpCloseWait: of(n / 2), descriptors: 2 * n },
    });
    const container = (record.containers[name] ??= containerRecord({
      role: "proxy",
      peakBytes: 30e6,
    }));
    container.sockets = { baseline: at(4), from: at(4), to: at(300), after: at(104) };
    const { memory } = container;
    if (memory) memory.after = { ...memory.baseline, usageBytes: 21e6 };
  }
  assertMeasures(record, {
    proxy_sockets_left: 100,
    proxy_close_wait_left: 50,
    proxy_descriptors_left: 400,
    proxy_memory_left_bytes: 2e6,
  });
});

test("a record that is older than scenarios that hold connections reads as one that holds none", () => {
  const { connectionsHeld, ...older } = cellRecord();
  const record = older as CellRecord;
  assert.equal(connectionsHeld, null);
  assert.equal(held(record), null);
  assert.deepEqual(
    measuresOf(record, workloadFor(record)),
    measuresOf(cellRecord(), workloadFor(cellRecord())),
  );
});

test("a generator uses as many cores as it has threads, and no more than there are", () => {
  const record = { ...cellRecord(), loadCores: 6 };
  const cores = (changes: object) => generatorCores(record, { ...workloadFor(record), ...changes });
  assert.equal(cores({}), 6);
  assert.equal(cores({ generatorThreads: "one" }), 1);
  assert.equal(cores({ threads: 4 }), 4);
  assert.equal(cores({ threads: 8 }), 6);
  assert.equal(cores({ threads: 4, referenceShare: 0.125 }), 5);
  for (const n of [2, 3]) record.containers[`load-${n}`] = containerRecord({ role: "load" });
  assert.equal(cores({ generatorThreads: "one" }), 3);
  assert.equal(cores({ threads: 4 }), 6);
});

test("an open loop: what was offered and what was achieved per second, of arrivals and of messages", () => {
  const arrivals = cellRecord(
    {
      scenario: "arrivals",
      parameters: { CONNECTIONS_PER_SECOND: 400, ARRIVE_SECONDS: 5, CONCURRENCY: 1000 },
    },
    { totalSeconds: 5.5 },
  );
  assert.ok(arrivals.connections);
  Object.assign(arrivals.connections, { opened: 1980, failed: 10 });
  arrivals.sends = { due: 2005, late: 1, dropped: 20 };
  assertMeasures(arrivals, {
    ...{ offered_per_second: 401, achieved_per_second: 1975 / 5.5 },
    // CONCURRENCY is a limit, and not how many were open.
    ...absent("proxy_memory_per_connection_bytes"),
  });
  const held = idleRecord({}, { totalSeconds: 5 });
  held.sends = { due: 5000, late: 50, dropped: 10 };
  held.messagesEchoed = 4990;
  assertMeasures(held, { offered_per_second: 1000, achieved_per_second: 998 });
  assertMeasures(cellRecord(), absent("offered_per_second", "achieved_per_second"));
});

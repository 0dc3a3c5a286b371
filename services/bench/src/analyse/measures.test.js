import assert from "node:assert/strict";
import { test } from "node:test";
import { MEASURES, measure, measuresOf } from "./measures.js";
import { cellRecord, containerRecord } from "./testing/results.js";

/**
 * @param {Record<string, number>} measures
 * @param {Record<string, number>} expected to nine digits
 */
function assertMeasures(measures, expected) {
  for (const [key, value] of Object.entries(expected)) {
    assert.ok(
      Math.abs(measures[key] - value) <= 1e-9 * Math.abs(value),
      `${key}: ${measures[key]}, expected ${value}`,
    );
  }
}

test("a cell's figures", () => {
  const record = cellRecord(
    { parameters: { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 10, MESSAGE_BYTES: 1000 } },
    { cpuUsPerHandshake: 200, totalSeconds: 5, peakBytes: 30e6, handshakeMs: 20 },
  );
  assertMeasures(measuresOf(record), {
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
    cpu_us_per_handshake: 200,
    cpu_us_per_message: 20,
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
  const before = measuresOf(record);
  record.containers["haproxy-hitch-tls"] = containerRecord({
    role: "proxy",
    cpuSeconds: 0.6,
    peakBytes: 9e6,
  });
  record.containers["load-2"] = containerRecord({ role: "load", cpuSeconds: 1 });
  assertMeasures(measuresOf(record), {
    proxy_cpu_seconds: 1,
    cpu_us_per_handshake: 500,
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
  const measures = measuresOf(record);
  for (const key of [
    "proxy_memory_peak_usage_bytes",
    "proxy_memory_per_connection_bytes",
    "proxy_memory_peak_socket_bytes",
    "proxy_packets_per_connection",
    "echo_busiest_worker_percent",
    "steal_percent",
    "observers_cpu_percent",
  ]) {
    assert.ok(!(key in measures), key);
  }
  assert.ok("cpu_us_per_handshake" in measures);
});

test("a cell that failed at its start has no figures", () => {
  const record = {
    ...cellRecord(),
    measured: null,
    connections: null,
    messagesEchoed: null,
    totalSeconds: null,
    handshakeMs: null,
    echoLatencyMs: null,
    containers: {},
    echoWorkers: null,
    machine: null,
  };
  assert.deepEqual(measuresOf(record), {});
});

test("every measure is described, once, and every column has its measure", () => {
  const keys = MEASURES.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  for (const { key, title, description } of MEASURES) assert.ok(title && description, key);
  assert.deepEqual(
    Object.keys(measuresOf(cellRecord())).filter((key) => !keys.includes(key)),
    [],
  );
  assert.equal(measure("total_seconds").unit, "s");
});

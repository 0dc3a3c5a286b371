import assert from "node:assert/strict";
import { test } from "node:test";
import { LIVE_FIELDS, liveCsv, readLive } from "./live.ts";
import type { LiveSample } from "../model/run-event.ts";

const SAMPLES: LiveSample[] = [
  {
    ms: 1e12,
    opened: 0,
    failed: 0,
    open: 0,
    connections_per_second: 0,
    messages_per_second: 0.5,
    proxy_cores: 0.001,
    proxy_throttled_seconds: 0,
  },
  {
    ms: 1e12 + 1000,
    opened: 20,
    failed: 1,
    connections_per_second: 20,
    messages_per_second: 40,
    handshake_p50_ms: 1,
    handshake_p95_ms: 2,
    handshake_p99_ms: 3.5,
    echo_p50_ms: 0.25,
    echo_p95_ms: 2,
    echo_p99_ms: 3,
    proxy_cores: 1.25,
    proxy_throttled_seconds: 0.125,
  },
];

test("what is written is read again, a zero as a zero and what is not known as absent", () => {
  const csv = liveCsv(SAMPLES);
  assert.deepEqual(readLive(csv), SAMPLES);
  assert.equal(csv.split("\n")[1], "1000000000000,0,0,0,0,0.5,,,,,,,0.001,0");
});

test("no second is a file with a header alone", () => {
  assert.deepEqual(readLive(liveCsv([])), []);
});

test("every column but the time is a field", () => {
  const header = liveCsv([]).trim().split(",");
  assert.deepEqual(["ms", ...LIVE_FIELDS.map(({ name }) => name)], header);
});

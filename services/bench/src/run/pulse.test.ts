import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Pulse } from "./pulse.ts";
import type { TestContext } from "node:test";

const NOW = 1795216996702;
const FIRST = {
  ms: NOW,
  opened: 0,
  failed: 0,
  open: 0,
  messages: 0,
  proxyCpuSeconds: 1,
  proxyThrottledSeconds: 0,
};
const SECOND = {
  ...FIRST,
  ms: NOW + 2000,
  opened: 100,
  open: 20,
  messages: 500,
  proxyCpuSeconds: 1.5,
  proxyThrottledSeconds: 0.25,
};

function csvOfK6(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "pulse-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "load-1.csv");
  let atMs = NOW;
  const add = (metric: string, ...values: number[]) =>
    values.forEach((value) => appendFileSync(path, `${metric},${1000 * atMs},${value},,\n`));
  const at = (ms: number) => (atMs = ms);
  return { path, add, at };
}

test("rates are over the time since the last sample, counts are those so far, what nobody knows is absent", () => {
  const pulse = new Pulse(["/nowhere/load-1.csv"]);
  assert.equal(pulse.beat(FIRST), null, "there is no edge yet");
  pulse.start(FIRST);
  assert.deepEqual(pulse.beat(SECOND), {
    ms: NOW + 2000,
    opened: 100,
    failed: 0,
    open: 20,
    connections_per_second: 50,
    messages_per_second: 250,
    proxy_cores: 0.25,
    proxy_throttled_seconds: 0.25,
  });
});

test("percentiles are of what was written since the last sample, the ramp before the phase is left out", (t) => {
  const { path, add, at } = csvOfK6(t);
  const pulse = new Pulse([path]);
  add("handshake_ms", 1000, 1000, 1000);
  pulse.start(FIRST);
  // k6 may write the last of the ramp after the edge.
  at(NOW - 1);
  add("handshake_ms", 1000);
  at(NOW + 500);
  add("echo_latency_ms", 1, 2, 3);
  const first = pulse.beat(SECOND);
  assert.equal(first?.echo_p50_ms, 2);
  assert.ok(!("handshake_p50_ms" in first));
  add("echo_latency_ms", 8);
  add("handshake_ms", 5);
  const second = pulse.beat({ ...SECOND, ms: NOW + 3000 });
  assert.equal(second?.echo_p99_ms, 8);
  assert.equal(second?.handshake_p95_ms, 5);
  assert.deepEqual(pulse.samples, [first, second]);
});

test("a moment after the last sample there is none, unless the phase ends there: then the counts, without rates", () => {
  const pulse = new Pulse([]);
  pulse.start(FIRST);
  assert.ok(pulse.beat(SECOND));
  assert.equal(pulse.beat({ ...SECOND, ms: SECOND.ms + 20 }), null);
  assert.equal(pulse.beat({ ...SECOND, ms: SECOND.ms - 10 }, { isLast: true }), null, "came late");
  const end = { ...SECOND, ms: SECOND.ms + 40, opened: 120, open: 0 };
  assert.deepEqual(pulse.beat(end, { isLast: true }), {
    ms: end.ms,
    opened: 120,
    failed: 0,
    open: 0,
    proxy_throttled_seconds: 0.25,
  });
  assert.equal(pulse.samples.length, 2);
});

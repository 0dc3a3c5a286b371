/**
 * loadgen/slow-readers.mjs as a program of its own, before relays that hold back or do not.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { latencySummary } from "../lib/samples.mjs";
import { startServer } from "../../services/bench/src/conformance/testing/server.ts";
import { summarise } from "../../services/bench/src/statistics/index.ts";
import { readSummary } from "../../services/bench/src/run/k6.ts";
import { cut, startRelay } from "./relay.ts";
import { edges, folder, script } from "./script.ts";
import type { TestContext } from "node:test";
import type { WebSocket } from "ws";
import type { SlowReadersOfLoad } from "../../services/bench/src/model/load.ts";
import type { Relay } from "./relay.ts";

const CONNECTIONS = 12;
const STALLED = 2;
const MIB = 2 ** 20;

/**
 * As the echo server: who leaves 1 MiB unread is not read from.
 *
 * @param change what comes back
 */
function echoFairly(ws: WebSocket, change: (data: Buffer) => Buffer) {
  ws.removeAllListeners("message");
  ws.on("message", (data) => {
    const isFull = ws.bufferedAmount >= MIB;
    if (isFull) ws.pause();
    const echo = change(data as Buffer);
    ws.send(echo, { binary: false }, () => isFull && ws.resume());
  });
}

async function slowReaders(
  t: TestContext,
  options: {
    /** of a message */
    bytes: number;
    env?: Record<string, string>;
    prepare?: (relay: Relay) => void;
    /** of the measured phase */
    atStart?: (relay: Relay) => void;
    /** what comes back */
    change?: (data: Buffer) => Buffer;
  },
) {
  const { bytes, env, prepare = () => {}, atStart = () => {}, change = (data) => data } = options;
  const server = await startServer({ connection: (ws) => echoFairly(ws, change) });
  t.after(() => server.close());
  const relay = await startRelay(t, server.plainPort);
  prepare(relay);
  const { code, stdout, stderr } = await script("slow-readers", {
    ...(await edges(t, { start: () => atStart(relay) })),
    TARGET_PORT: String(relay.port),
    SAMPLES_CSV: join(folder(t), "load-1.csv"),
    CONNECTIONS: String(CONNECTIONS),
    STALLED: String(STALLED),
    INTERVAL_SECONDS: "0.1",
    MESSAGE_BYTES: String(bytes),
    QUIET_SECONDS: "1",
    STALL_SECONDS: "1",
    TIMEOUT_SECONDS: "10",
    ...env,
  });
  const summary = readSummary(stdout);
  const told = summary?.slowReaders as SlowReadersOfLoad;
  return { code, stdout, stderr, summary, told };
}

describe("slow readers", { concurrency: 3 }, () => {
  for (const bytes of [64 * 1024, MIB])
    test(`messages of ${bytes} bytes through a relay that holds back`, async (t) => {
      const { code, stderr, stdout, summary, told } = await slowReaders(t, { bytes });
      assert.equal(code, 0, stderr);
      const { sentBytes, stalledMs, echoMs, ...rest } = told;
      assert.deepEqual(rest, { heldBack: true, deliveredInOrder: true, lostBytes: 0, ends: {} });
      assert.ok(sentBytes.min >= bytes && sentBytes.max < 128 * MIB, JSON.stringify(sentBytes));
      assert.ok(sentBytes.min <= sentBytes.median && sentBytes.median <= sentBytes.max);
      // Held back when the kernel has taken nothing for 2 s, and then for STALL_SECONDS.
      assert.ok(stalledMs.held - stalledMs.from >= 2000 && stalledMs.to - stalledMs.held >= 1000);
      const healthy = CONNECTIONS - STALLED;
      const [quiet, stalled] = [echoMs.quiet, echoMs.stalled].map((echo) => echo?.count ?? 0);
      assert.ok(quiet > 0 && quiet <= 10 * healthy && stalled > 0 && stalled <= 10 * healthy);
      // On a busy machine some are not sent: all that are due are counted.
      assert.equal(summary?.sends?.due, 20 * healthy);
      assert.equal(quiet + stalled + Number(summary?.sends?.dropped), 20 * healthy);
      assert.ok(Number(summary?.messagesEchoed) > quiet + stalled);
      assert.match(stdout, /bytes each, then held back\n {2}read again: in order, 0 bytes lost\n/);
    });

  test("a relay that buffers without bound: not held back, and all is delivered", async (t) => {
    const { code, told, stdout } = await slowReaders(t, {
      bytes: 64 * 1024,
      prepare: (relay) => (relay.isBounded = false),
      env: { LIMIT_BYTES: String(64 * MIB) },
    });
    assert.equal(code, 0);
    assert.equal(told.heldBack, false);
    assert.deepEqual(told.sentBytes, { min: 64 * MIB, median: 64 * MIB, max: 64 * MIB });
    assert.deepEqual([told.deliveredInOrder, told.lostBytes, told.ends], [true, 0, {}]);
    assert.match(stdout, /not held back below 67108864\n/);
  });

  test("a relay that cuts those that do not read", async (t) => {
    const { code, told } = await slowReaders(t, {
      bytes: 64 * 1024,
      // After the quiet second; the first that were opened are those that stop reading.
      atStart: (relay) => void setTimeout(() => relay.each(cut, STALLED), 2000),
    });
    assert.equal(code, 0);
    assert.deepEqual(told.ends, { reset: STALLED });
    assert.ok(told.lostBytes > 0 && told.heldBack);
  });

  test("a relay that cuts the others: the load has failed", async (t) => {
    const { code, summary } = await slowReaders(t, {
      bytes: 64 * 1024,
      atStart: (relay) =>
        void setTimeout(() => {
          const [, , third] = relay.pairs;
          cut(third.client, third.server);
        }, 500),
    });
    assert.equal(code, 99);
    assert.deepEqual(summary?.connections.failedByCause, { reset: 1 });
    assert.ok(Number(summary?.sends?.dropped) >= 10);
  });

  test("what comes back in another order", async (t) => {
    let kept: Buffer | null = null;
    let count = 0;
    const { told } = await slowReaders(t, {
      bytes: MIB,
      // One is echoed twice, and the next not at all.
      change: (data) => {
        if (data.length < MIB) return data;
        count += 1;
        if (count === 2) kept = data;
        return count === 3 ? (kept as Buffer) : data;
      },
    });
    assert.equal(told.deliveredInOrder, false);
    assert.deepEqual(told.ends, { "error wrong echo": 1 });
    assert.ok(told.lostBytes > 0);
  });
});

test("latencies are summed up as those of a record", () => {
  const values = [5, 1, 4, 2, 3, 9.5, 0.25];
  const [own, other] = [latencySummary(values), summarise(values)].map((summary) =>
    Object.entries(summary ?? {}).map(([key, value]) => [key, (value as number).toFixed(9)]),
  );
  assert.deepEqual(own, other);
  assert.equal(latencySummary([]), null);
});

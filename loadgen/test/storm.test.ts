/**
 * loadgen/storm.mjs as a program of its own, and its back-off.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { mean } from "simple-statistics";
import { backoff } from "../lib/backoff.mjs";
import { startServer } from "../../services/bench/src/conformance/testing/server.ts";
import { readLatencies, readSummary } from "../../services/bench/src/run/k6.ts";
import { cut, startRelay } from "./relay.ts";
import { edges, folder, script, tlsEnvironment } from "./script.ts";
import type { TestContext } from "node:test";
import type { Storm } from "../../services/bench/src/model/load.ts";
import type { Relay } from "./relay.ts";

/** Of connections. */
const COUNT = 30;

test("back-off: at once, fixed, and with full jitter that doubles up to eight times; the seed tells it all", () => {
  const of = (kind: number, seed = "1 1") => backoff({ kind, baseMs: 1000, seed });
  assert.deepEqual([of(0)(5, 3), of(1)(5, 3), of(1)(7, 0)], [0, 1000, 1000]);
  for (const [attempt, mostMs] of [1000, 2000, 4000, 8000, 8000, 8000].entries()) {
    const waits = Array.from({ length: 2000 }, (_, connection) => of(2)(connection, attempt));
    assert.ok(waits.every((ms) => ms >= 0 && ms < mostMs));
    // The mean of 2,000 even ones is within 3 standard errors of the middle.
    assert.ok(Math.abs(mean(waits) / mostMs - 0.5) < (3 * Math.sqrt(1 / 12)) / Math.sqrt(2000));
    assert.deepEqual(
      waits.slice(0, 5),
      [0, 1, 2, 3, 4].map((connection) => of(2)(connection, attempt)),
    );
    assert.notDeepEqual(waits[0], of(2, "1 2")(0, attempt));
  }
});

async function storm(
  t: TestContext,
  {
    env = {},
    faults = {},
    atCut = () => {},
  }: {
    env?: Record<string, string>;
    /** of the server */
    faults?: Parameters<typeof startServer>[0];
    /** called at the first edge, just before the cut */
    atCut?: (relay: Relay) => void;
  },
) {
  const server = await startServer({ tls: { secureOptions: 0 }, ...faults });
  t.after(() => server.close());
  const directory = folder(t);
  const isTls = env.SCHEME === "wss";
  const relay = await startRelay(t, isTls ? server.tlsPort : server.plainPort);
  const errors: string[] = [];
  const runner = await edges(t, {
    start: () => {
      relay.each((client) =>
        client.on("error", (error) => errors.push(String("code" in error && error.code))),
      );
      atCut(relay);
    },
  });
  const csv = join(directory, "load-1.csv");
  const { code, stdout, stderr } = await script("storm", {
    ...runner,
    ...(isTls && tlsEnvironment(directory)),
    TARGET_PORT: String(relay.port),
    SAMPLES_CSV: csv,
    CONNECTIONS: String(COUNT),
    ...env,
  });
  const summary = readSummary(stdout);
  return { code, stdout, stderr, summary, errors, csv, ...summary?.storm };
}

function backCount(back: Storm["back"] = []) {
  return back.reduce((sum, { count }) => sum + count, 0);
}

describe("storm", { concurrency: 4 }, () => {
  test("all are cut by a reset, and come back at once", async (t) => {
    const { code, stderr, summary, errors, csv, ...told } = await storm(t, {});
    assert.equal(code, 0, stderr);
    assert.deepEqual(errors, Array(COUNT).fill("ECONNRESET"));
    assert.deepEqual([told.attempts, told.failedByCause], [COUNT, {}]);
    assert.equal(backCount(told.back), COUNT);
    const { p50, p99, p100 } = summary?.storm?.backMs ?? {};
    assert.ok(Number(p50) <= Number(p99) && Number(p99) <= Number(p100));
    assert.deepEqual(summary?.connections, { opened: COUNT, failed: 0, failedByCause: {} });
    assert.deepEqual([summary?.sends, summary?.messagesEchoed], [null, COUNT]);
    const { handshakeMs, echoLatencyMs, totalMs } = await readLatencies(csv);
    assert.deepEqual([handshakeMs.length, echoLatencyMs.length], [COUNT, COUNT]);
    assert.ok(totalMs[0] >= Number(p100));
    assert.match(told.stdout, /back: 50 % after \d+ ms, .*\n {2}attempts: 30\n/);
  });

  test("a fixed back-off, before a relay that is away for longer", async (t) => {
    const { failedByCause, attempts, back, backMs } = await storm(t, {
      env: { BACKOFF: "1", BACKOFF_SECONDS: "0.4" },
      atCut: (relay) => {
        const { port } = relay;
        relay.refuse();
        setTimeout(() => relay.listen(port), 600);
      },
    });
    // At 400 ms, and then at 800 from the moment when that was refused.
    assert.deepEqual(failedByCause, { refused: COUNT });
    assert.equal(attempts, 2 * COUNT);
    assert.ok(back?.every(({ ms }) => ms >= 800));
    assert.ok(Number(backMs?.p50) >= 800);
    assert.equal(backCount(back), COUNT);
  });

  test("full jitter: each comes when the seed says", async (t) => {
    /** When each said something, by its number. */
    const cameMs: Map<number, number> = new Map();
    let cutMs = 0;
    const { back, csv } = await storm(t, {
      env: { BACKOFF: "2", BACKOFF_SECONDS: "2", SEED: "7", TRIAL: "3" },
      faults: {
        echo: (send, message, isBinary) => {
          const [, number] = /^\d\.0\.(\d+) /.exec(message.toString()) ?? [];
          cameMs.set(Number(number), performance.now() - cutMs);
          send(message, isBinary);
        },
      },
      atCut: () => (cutMs = performance.now()),
    });
    assert.equal(backCount(back), COUNT);
    assert.equal(cameMs.size, COUNT);
    const { handshakeMs } = await readLatencies(csv);
    assert.ok(handshakeMs.every((ms) => ms > 0));
    const waitMs = backoff({ kind: 2, baseMs: 2000, seed: "7 3" });
    const expected = [...cameMs].map(([number, ms]) => ({ ms, dueMs: waitMs(number, 0) }));
    for (const one of expected) {
      assert.ok(one.ms >= one.dueMs, `${one.ms}, due at ${one.dueMs}`);
      // However slow the machine is, they keep their order.
      for (const other of expected) if (one.dueMs + 500 < other.dueMs) assert.ok(one.ms < other.ms);
    }
  });

  test("those that do not come back are counted, and it does not wait for them", async (t) => {
    const { code, backMs, back, failedByCause, stdout } = await storm(t, {
      env: { BACKOFF: "1", BACKOFF_SECONDS: "0.5", TIMEOUT_SECONDS: "3" },
      atCut: (relay) => relay.refuse(),
    });
    assert.equal(code, 0);
    assert.deepEqual([back, backMs], [[], { p50: null, p99: null, p100: null }]);
    assert.deepEqual(Object.keys(failedByCause ?? {}), ["refused"]);
    assert.match(stdout, /all after never; 30 are not\n/);
  });

  test("one that was back and is cut again comes back again", async (t) => {
    const { attempts, failedByCause, back } = await storm(t, {
      env: { BACKOFF: "2", BACKOFF_SECONDS: "3" },
      atCut: (relay) => {
        let areGone = false;
        const timer = setInterval(() => {
          areGone ||= relay.pairs.size < 5;
          if (!areGone || relay.pairs.size < 8) return;
          clearInterval(timer);
          relay.each(cut, 5);
        }, 5);
        t.after(() => clearInterval(timer));
      },
    });
    assert.deepEqual(failedByCause, { reset: 5 });
    assert.equal(attempts, COUNT + 5);
    assert.equal(backCount(back), COUNT);
  });

  for (const resumed of ["0", "1"])
    test(`wss, ${resumed === "1" ? "resumed" : "full"} handshakes, each proven`, async (t) => {
      const env = { SCHEME: "wss", RESUMED: resumed };
      const { code, stderr, attempts, failedByCause, back } = await storm(t, { env });
      assert.equal(code, 0, stderr);
      assert.deepEqual([attempts, failedByCause, backCount(back)], [COUNT, {}, COUNT]);
    });

  test("wss: a server that resumes nothing", async (t) => {
    const backOff = { BACKOFF: "1", BACKOFF_SECONDS: "0.5", TIMEOUT_SECONDS: "3" };
    const { code, stderr, failedByCause, back } = await storm(t, {
      env: { SCHEME: "wss", RESUMED: "1", ...backOff },
      faults: { tls: {} },
    });
    // It may give sessions that resume nothing.
    if (code === 1) assert.match(stderr, /the proxy gave no session/);
    else assert.deepEqual([Object.keys(failedByCause ?? {}), back], [["tls"], []]);
  });

  test("sessions over ws are refused", async (t) => {
    const { code, stderr } = await storm(t, { env: { RESUMED: "1" } });
    assert.equal(code, 1);
    assert.match(stderr, /^no load was started: RESUMED=1: expected 0 where SCHEME is ws/);
  });
});

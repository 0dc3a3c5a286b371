/**
 * loadgen/multiplexed.mjs, and slow-readers.mjs with STREAMS, as programs of their own before a
 * proxy that carries WebSockets over HTTP/2.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startFront } from "../../services/bench/src/conformance/testing/http2-front.ts";
import { startServer } from "../../services/bench/src/conformance/testing/server.ts";
import { readSummary } from "../../services/bench/src/run/k6.ts";
import { edges, folder, script, tlsEnvironment } from "./script.ts";
import type { TestContext } from "node:test";
import type { SlowReadersOfLoad } from "../../services/bench/src/model/load.ts";
import type { FrontFaults } from "../../services/bench/src/conformance/testing/http2-front.ts";
import type { Faults } from "../../services/bench/src/conformance/testing/server.ts";

const CONNECTIONS = 24;
const SECONDS = 2;
/** As HOLD_SECONDS and INTERVAL_SECONDS say. */
const MESSAGES = CONNECTIONS * SECONDS * 5;

async function load(
  t: TestContext,
  {
    scenario = "multiplexed",
    front: faults = {},
    server: own,
    env,
  }: {
    scenario?: string;
    /** null: the server itself, without HTTP/2 */
    front?: FrontFaults | null;
    server?: Faults;
    env?: Record<string, string>;
  },
) {
  const server = await startServer(own);
  t.after(() => server.close());
  const front = faults && (await startFront(server.plainPort, faults));
  t.after(() => front?.close());
  const directory = folder(t);
  const { code, stdout, stderr } = await script(scenario, {
    ...tlsEnvironment(directory),
    ...(await edges(t, {})),
    TARGET_PORT: String(front?.port ?? server.tlsPort),
    SAMPLES_CSV: join(directory, "load-1.csv"),
    CONNECTIONS: String(CONNECTIONS),
    STREAMS: "8",
    INTERVAL_SECONDS: "0.2",
    HOLD_SECONDS: String(SECONDS),
    MESSAGE_BYTES: "512",
    ...env,
  });
  return { code, stdout, stderr, streams: front?.streams(), summary: readSummary(stdout) };
}

describe("many WebSockets on one connection", { concurrency: 4 }, () => {
  test("as many on each connection as asked for, and all that is due is echoed", async (t) => {
    const { code, stderr, stdout, streams, summary } = await load(t, {});
    assert.equal(code, 0, stderr);
    assert.deepEqual(streams, [8, 8, 8]);
    assert.equal(summary?.connections.opened, CONNECTIONS);
    assert.equal(summary?.handshakeMs.count, CONNECTIONS);
    assert.equal(summary?.sends?.due, MESSAGES);
    // On a busy machine some are not sent: all that are due are counted.
    assert.equal(summary.messagesEchoed + summary.sends.dropped, MESSAGES);
    assert.match(stdout, /24 WebSockets held for 2 s, 8 on an HTTP\/2 connection/);
  });

  test("they are spread evenly over as few connections as it takes", async (t) => {
    const { streams } = await load(t, { env: { STREAMS: "10", HOLD_SECONDS: "1" } });
    assert.deepEqual(streams, [8, 8, 8]);
    const few = await load(t, { env: { STREAMS: "100", HOLD_SECONDS: "1" } });
    assert.deepEqual(few.streams, [CONNECTIONS]);
  });

  test("STREAMS=0: a connection each, over HTTP/1.1", async (t) => {
    let opened = 0;
    const { code, streams, summary } = await load(t, {
      server: { connection: () => void opened++ },
      env: { STREAMS: "0" },
    });
    assert.equal(code, 0);
    assert.deepEqual([streams, opened], [[], CONNECTIONS]);
    assert.equal(summary?.handshakeMs.count, CONNECTIONS);
  });

  test("a share goes to the reference proxy, over connections of its own, and is counted apart", async (t) => {
    let opened = 0;
    const { code, stderr, streams, summary } = await load(t, {
      server: { connection: () => void opened++ },
      env: { REFERENCE_SHARE: "0.25", REFERENCE_HOST: "localhost" },
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(streams, [8, 8, 8]);
    assert.deepEqual([opened, summary?.reference?.opened, summary?.reference?.failed], [32, 8, 0]);
    assert.equal(summary?.handshakeMs.count, CONNECTIONS);
    assert.equal(summary?.sends?.due, MESSAGES);
    assert.ok(Number(summary?.reference?.messagesEchoed) > 0);
  });

  for (const [what, front, says] of [
    ["no HTTP/2", null, /24 error (no HTTP\/2|.*NO_APPLICATION_PROTOCOL)/],
    [
      "no extended CONNECT",
      { settings: { enableConnectProtocol: false } },
      /24 error no extended CONNECT/,
    ],
    ["every handshake refused", { status: 403 }, /24 status 403/],
  ] as const)
    test(`${what}: no load, and it says why`, async (t) => {
      const { code, stderr, summary } = await load(t, { front });
      assert.equal(code, 1);
      assert.match(stderr, /^24 of 24 connections did not open/);
      assert.match(stderr, says);
      assert.equal(summary, null);
    });

  test("a stream that is reset has failed, and its neighbours have not", async (t) => {
    let count = 0;
    const { code, summary } = await load(t, {
      front: {
        carry({ stream, socket }) {
          socket.pipe(stream).pipe(socket);
          if (++count === 3) setTimeout(() => stream.destroy(new Error("reset")), 1000);
        },
      },
    });
    assert.equal(code, 99);
    assert.equal(summary?.connections.failed, 1);
    assert.deepEqual(Object.values(summary.connections.failedByCause), [1]);
  });

  test("a wrong echo has failed", async (t) => {
    let count = 0;
    const { code, summary } = await load(t, {
      server: {
        echo: (send, message, isBinary) =>
          send(++count === 50 ? Buffer.from("else") : message, isBinary),
      },
    });
    assert.equal(code, 99);
    assert.deepEqual(summary?.connections.failedByCause, { "error wrong echo": 1 });
  });

  const SLOW = {
    scenario: "slow-readers",
    env: {
      STREAMS: "12",
      STALLED: "2",
      MESSAGE_BYTES: "65536",
      QUIET_SECONDS: "1",
      STALL_SECONDS: "1",
      TIMEOUT_SECONDS: "4",
      LIMIT_BYTES: String(32 * 2 ** 20),
    },
  };

  test("those beside one that is not read go on", async (t) => {
    const { code, stderr, streams, summary } = await load(t, SLOW);
    const told = summary?.slowReaders as SlowReadersOfLoad;
    assert.equal(code, 0, stderr);
    assert.deepEqual(streams, [12, 12]);
    assert.deepEqual([told.deliveredInOrder, told.lostBytes, told.ends], [true, 0, {}]);
    assert.ok((told.echoMs.stalled?.count ?? 0) > 0);
  });

  test("those held up beside one that is not read have failed", async (t) => {
    const { code, summary } = await load(t, {
      ...SLOW,
      front: {
        carry({ stream, socket }, all) {
          stream.pipe(socket);
          socket.on("data", (chunk) => {
            if (stream.write(chunk)) return;
            for (const one of all) one.socket.pause();
            stream.once("drain", () => all.forEach((one) => one.socket.resume()));
          });
        },
      },
    });
    assert.equal(code, 99);
    assert.ok((summary?.connections.failedByCause.timeout ?? 0) > 0);
  });
});

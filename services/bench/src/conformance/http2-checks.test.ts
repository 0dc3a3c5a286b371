import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runCheck } from "./conform.ts";
import { HTTP2_CHECKS, OFFER_CHECK } from "./http2-checks.ts";
import { certificate } from "./testing/certificate.ts";
import { pipe, startFront } from "./testing/http2-front.ts";
import { POLICY, startServer } from "./testing/server.ts";
import type { TestContext } from "node:test";
import type { Check } from "./checks.ts";
import type { FrontFaults, Tunnel } from "./testing/http2-front.ts";
import type { Faults } from "./testing/server.ts";

interface Setup {
  /** null: the server's own TLS port, without HTTP/2 */
  front?: FrontFaults | null;
  server?: Faults;
  isClaimed?: boolean;
}

const ALL = [OFFER_CHECK, ...HTTP2_CHECKS];
const [STALLED] = HTTP2_CHECKS.filter(({ id }) => id === "h2-stalled");
const IDS = HTTP2_CHECKS.map(({ id }) => id);

async function check(
  t: TestContext,
  { front: faults = {}, server: serverFaults, isClaimed = true }: Setup,
  checks: Check[] = ALL,
) {
  // The front is what forwards.
  const server = await startServer({ forward() {}, ...serverFaults });
  t.after(() => server.close());
  const front = faults && (await startFront(server.plainPort, faults));
  t.after(() => front?.close());
  const target = {
    scheme: "wss" as const,
    host: "127.0.0.1",
    port: front?.port ?? server.tlsPort,
    servername: "localhost",
    ca: certificate("ecdsa"),
    policy: POLICY,
    keyType: "ecdsa" as const,
    choosesTls13Cipher: true,
    forwarded: true,
    proxyProtocol: false,
    websocketsOverHttp2: isClaimed,
    reload: null,
    idleMs: 0,
    timeoutMs: 12_000,
  };
  return Promise.all(checks.map((one) => runCheck(one, target)));
}

/** @param tunnel whose server's side passes on nothing by itself */
function toServer({ stream, socket }: Tunnel) {
  stream.on("data", (chunk) => socket.write(chunk));
  stream.on("end", () => socket.end());
}

function end(socket: Tunnel["socket"], stream: Tunnel["stream"]) {
  socket.on("end", () => stream.end());
}

/** @param tunnel while which is not read, none of its connection is served */
function holdUp({ stream, socket }: Tunnel, all: Tunnel[]) {
  toServer({ stream, socket });
  socket.on("data", (chunk) => {
    if (stream.write(chunk) || !stream.writableNeedDrain) return;
    for (const one of all) one.socket.pause();
    stream.once("drain", () => all.forEach((one) => one.socket.resume()));
  });
  end(socket, stream);
}

/** says: in what place of the first that fails */
const WRONGS: Record<string, Setup & { fails: string[]; says: RegExp }> = {
  "HTTP/1.1 alone, against what is claimed": {
    front: null,
    fails: ["h2-offered", ...IDS],
    says: /^no HTTP\/2: ALPN chose http\/1\.1$/,
  },
  "no SETTINGS_ENABLE_CONNECT_PROTOCOL, against what is claimed": {
    front: { settings: { enableConnectProtocol: false } },
    fails: ["h2-offered", ...IDS],
    says: /^HTTP\/2 without SETTINGS_ENABLE_CONNECT_PROTOCOL$/,
  },
  "offered, against what is claimed": {
    isClaimed: false,
    fails: ["h2-offered"],
    says: /^SETTINGS_ENABLE_CONNECT_PROTOCOL$/,
  },
  "every extended CONNECT forbidden": {
    front: { status: 403 },
    fails: IDS.filter((id) => id !== "h2-refused"),
    says: /^HTTP status 403 in answer to the extended CONNECT, not 200$/,
  },
  "any WebSocket version accepted": {
    front: { forward: (headers) => (headers["Sec-WebSocket-Version"] = "13") },
    fails: ["h2-refused"],
    says: /^status 200$/,
  },
  "changed text": {
    server: {
      echo: (send, message, isBinary) => send(isBinary ? message : flipped(message), isBinary),
    },
    fails: ["h2-text", "h2-several", "h2-stalled"],
    says: /wrong from byte 0 on$/,
  },
  "the first 65,536 bytes of a message alone": {
    server: { echo: (send, message, isBinary) => send(message.subarray(0, 65_536), isBinary) },
    fails: ["h2-large"],
    says: /^a binary message of 65,536 bytes$/,
  },
  "a window that is never opened again": {
    front: {
      carry({ stream, socket }) {
        socket.pipe(stream);
        let bytes = 0;
        stream.on("data", (chunk) => {
          socket.write(chunk);
          if ((bytes += chunk.length) > 60_000) stream.pause();
        });
      },
    },
    fails: ["h2-large", "h2-stalled"],
    says: /^no answer within 12 s$/,
  },
  "another close reason from the server to the client's close": {
    server: {
      connection(ws) {
        const close = ws.close.bind(ws);
        ws.close = (code) => close(code, code === 4001 ? "else" : "bye");
      },
    },
    fails: ["h2-close-by-client"],
    says: /^connection closed with code 4001 and reason "else", then END_STREAM$/,
  },
  "no close frames": {
    server: {
      connection(ws) {
        ws.close = () => ws.terminate();
      },
    },
    fails: ["h2-close-by-client", "h2-close-by-server"],
    says: /^connection closed without a close frame, then END_STREAM$/,
  },
  "a stream that is reset where the connection to the server ends": {
    front: {
      carry({ stream, socket }) {
        toServer({ stream, socket });
        socket.on("data", (chunk) => stream.write(chunk));
        // close() would send END_STREAM first.
        const reset = () => stream.destroy(new Error("reset"));
        socket.on("end", () => stream.write("", reset));
      },
    },
    fails: ["h2-close-by-client", "h2-close-by-server"],
    says: /then RST_STREAM with INTERNAL_ERROR$/,
  },
  "a stream that stays open where the connection to the server ends": {
    front: {
      carry({ stream, socket }) {
        toServer({ stream, socket });
        socket.on("data", (chunk) => stream.write(chunk));
      },
    },
    fails: ["h2-close-by-client", "h2-close-by-server"],
    says: /^no answer within 12 s$/,
  },
  "10 streams at a time": {
    front: { settings: { maxConcurrentStreams: 10 } },
    fails: ["h2-several"],
    says: /^no answer within 12 s$/,
  },
  "messages of one stream on another": {
    front: {
      carry({ stream, socket }, all) {
        toServer({ stream, socket });
        const place = all.length - 1;
        socket.on("data", (chunk) => (all[place ^ 1] ?? all[place]).stream.write(chunk));
        end(socket, stream);
      },
    },
    fails: ["h2-several", "h2-stalled"],
    says: /^a text message of/,
  },
  "plain requests refused": {
    front: { plainStatus: 503 },
    fails: ["h2-several"],
    says: /^status 503 and body "ok"$/,
  },
  "all streams held up by the one that is not read": {
    front: { carry: holdUp },
    fails: ["h2-stalled"],
    says: /^no echo on the others while one was not read$/,
  },
  "a message lost of the one that is not read": {
    server: {
      echo(send, message, isBinary) {
        if (message.length !== 65_536 || message.readUInt32BE() !== 40) send(message, isBinary);
      },
    },
    fails: ["h2-stalled"],
    says: /^a binary message of 65,536 bytes, wrong from byte 3 on$/,
  },
  "another address in X-Forwarded-For": {
    front: { forward: (headers) => (headers["X-Forwarded-For"] = "192.0.2.1") },
    fails: ["h2-forwarded"],
    says: /^X-Forwarded-For: 192\.0\.2\.1, the client is 127\.0\.0\.1$/,
  },
  "a scheme of WebSocket in X-Forwarded-Proto": {
    front: { forward: (headers) => (headers["X-Forwarded-Proto"] = "wss") },
    fails: ["h2-forwarded"],
    says: /^X-Forwarded-Proto: wss$/,
  },
  "no subprotocol in the answer": {
    server: { ws: { handleProtocols: () => false } },
    fails: ["h2-subprotocol"],
    says: /^Sec-WebSocket-Protocol: none$/,
  },
};

describe("WebSockets over HTTP/2", { concurrency: 12 }, () => {
  test("a right proxy passes every check", async (t) => {
    const results = await check(t, {});
    assert.deepEqual(
      results.filter(({ ok, no, remark }) => !ok || no || remark),
      [],
    );
  });

  for (const connections of [1, 2])
    test(`standstill of ${connections} of ${connections + 1} connections is passed, and said`, async (t) => {
      const still: Set<Tunnel[]> = new Set();
      const carry = (tunnel: Tunnel, all: Tunnel[]) => {
        if (still.size < connections) still.add(all);
        (still.has(all) ? holdUp : pipe)(tunnel, all);
      };
      const [result] = await check(t, { front: { carry } }, [STALLED]);
      assert.equal(result.actual, `${connections} of ${connections + 1} connections stood still`);
      assert.equal(result.ok, true);
      assert.equal(result.remark, result.actual);
    });

  for (const [name, { front, ok, says }] of Object.entries({
    "HTTP/1.1 alone is an answer": { front: null, ok: true, says: /^no HTTP\/2/ },
    "HTTP/2 without extended CONNECT is a fault": {
      front: { settings: { enableConnectProtocol: false } },
      ok: false,
      says: /^HTTP\/2 without/,
    },
  }))
    test(`${name} where no WebSockets over HTTP/2 are claimed`, async (t) => {
      const [offered] = await check(t, { front, isClaimed: false });
      assert.equal(offered.ok, ok);
      assert.match(offered.no ?? offered.actual, says);
    });

  for (const [name, { fails, says, ...setup }] of Object.entries(WRONGS))
    test(`fails exactly where it should: ${name}`, async (t) => {
      const failed = (await check(t, setup)).filter(({ ok }) => !ok);
      assert.deepEqual(
        failed.map(({ id }) => id),
        fails,
      );
      assert.match(failed[0].actual, says);
    });

  test("no check is without a fault that it finds", () => {
    const found = new Set(Object.values(WRONGS).flatMap(({ fails }) => fails));
    assert.deepEqual(
      ALL.filter(({ id }) => !found.has(id)),
      [],
    );
  });
});

function flipped(text: Buffer) {
  return Buffer.from(text.map((byte) => byte ^ 1));
}

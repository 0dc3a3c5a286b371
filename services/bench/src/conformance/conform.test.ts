import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import { test } from "node:test";
import { runConformance } from "./conform.ts";
import { certificate } from "./testing/certificate.ts";
import { POLICY, startServer } from "./testing/server.ts";
import type { AddressInfo } from "node:net";
import type { ConformanceOptions, CheckResult } from "./conform.ts";
import type { TestContext } from "node:test";

const COMMON = {
  host: "127.0.0.1",
  servername: "localhost",
  policy: POLICY,
  keyType: "ecdsa",
  proxyProtocol: true,
  idleMs: 0,
} as const;

function run(
  options: Pick<ConformanceOptions, "plainPort" | "tlsPort"> & Partial<ConformanceOptions>,
) {
  return runConformance({ ...COMMON, ca: certificate("ecdsa"), ...options });
}

async function listen(t: TestContext, onConnection: (socket: net.Socket) => void) {
  const sockets: Set<net.Socket> = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return { port: (server.address() as AddressInfo).port, server };
}

function wordsOf(results: CheckResult[]) {
  const made = results.filter(({ skipped }) => !skipped);
  return [...new Set(made.map(({ ok, scheme, actual }) => `${scheme}: ${ok || actual}`))];
}

test("a closed port fails every check, in plain words", async (t) => {
  const { port, server } = await listen(t, () => {});
  server.close();
  const words = `connection refused: nothing listens there (127.0.0.1:${port}, ECONNREFUSED)`;
  assert.deepEqual(wordsOf(await run({ plainPort: port, tlsPort: port })), [
    `ws: ${words}`,
    `wss: ${words}`,
  ]);
});

test("a server that never answers fails every check in time, 8 checks at once", async (t) => {
  const { port } = await listen(t, () => {});
  const start = performance.now();
  const results = await run({ plainPort: port, tlsPort: port, timeoutMs: 200 });
  const batches = (performance.now() - start) / 200;
  assert.deepEqual(wordsOf(results), ["ws: no answer within 0.2 s", "wss: no answer within 0.2 s"]);
  assert.ok(batches > results.length / 8 - 1, `${batches} batches: more than 8 checks at once`);
  assert.ok(batches < results.length / 4, `${batches} batches: fewer than 4 checks at once`);
});

test("a server that closes every connection fails every check", async (t) => {
  const { port } = await listen(t, (socket) => socket.destroy());
  const results = await run({ plainPort: port, tlsPort: port });
  assert.deepEqual(
    results.filter(({ ok, skipped }) => ok && !skipped).map(({ id }) => id),
    [],
  );
});

test("a server that speaks neither HTTP nor TLS fails every check, in plain words", async (t) => {
  const { port } = await listen(t, (socket) => socket.end("220 mail.example ESMTP\r\n\r\n"));
  const words = wordsOf(await run({ plainPort: port, tlsPort: port }));
  assert.deepEqual(words.sort(), [
    'ws: an answer that is not HTTP/1.1: "220 mail.example ESMTP"',
    "ws: an answer that is not HTTP: Parse Error: Expected HTTP/, RTSP/ or ICE/",
    `wss: an answer that is not TLS (127.0.0.1:${port})`,
  ]);
});

test("a proxy whose server is down fails with its status", async (t) => {
  const { port } = await listen(t, (socket) =>
    socket.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
  );
  const words = wordsOf(await run({ plainPort: port, tlsPort: port })).filter((word) =>
    word.startsWith("ws:"),
  );
  assert.deepEqual(words.sort(), [
    "ws: HTTP status 502 in answer to the WebSocket handshake, not 101",
    "ws: status 502",
    'ws: status 502 and body ""',
  ]);
});

test("a certificate of another authority fails every TLS check, in plain words", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const results = await run({ ...server, ca: certificate("rsa") });
  assert.deepEqual(wordsOf(results), [
    "ws: true",
    "wss: certificate not accepted: self-signed certificate",
  ]);
});

test("a certificate for another name fails every TLS check, in plain words", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const [plain, secure, ...more] = wordsOf(await run({ ...server, servername: "proxy" }));
  assert.equal(plain, "ws: true");
  assert.match(secure, /^wss: certificate not accepted: .*does not match/);
  assert.deepEqual(more, []);
});

test("each result is reported as it comes", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const reported: string[] = [];
  const results = await run({
    ...server,
    idleMs: 1_000,
    onResult: ({ scheme, id }) => reported.push(`${scheme} ${id}`),
  });
  assert.equal(results[0].id, "idle");
  assert.equal(reported.indexOf("ws idle") > reported.indexOf("wss text"), true);
  assert.deepEqual(reported.sort(), results.map(({ scheme, id }) => `${scheme} ${id}`).sort());
});

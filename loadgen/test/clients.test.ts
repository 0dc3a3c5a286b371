/**
 * How a Node client of loadgen/ tells the end of a connection, and the parts that such loads are
 * made of.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createSecureContext } from "node:tls";
import { Client } from "../lib/client.mjs";
import { counts, serveCounts } from "../lib/counts.mjs";
import { Echoes } from "../lib/echoes.mjs";
import { countsText, openAll } from "../lib/held.mjs";
import { keepTo } from "../lib/keep-to.js";
import { Resolver } from "../lib/resolver.mjs";
import { Timeline } from "../lib/timeline.mjs";
import { certificate } from "../../services/bench/src/conformance/testing/certificate.ts";
import { startServer } from "../../services/bench/src/conformance/testing/server.ts";
import { liveCounts } from "../../services/bench/src/run/k6.ts";
import { cut, finish, stall, startRelay } from "./relay.ts";
import { folder } from "./script.ts";
import type { TestContext } from "node:test";
import type { AddressInfo, Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Target } from "../lib/client.mjs";
import type { Relay } from "./relay.ts";

function targetOn(scheme: "ws" | "wss", port: number): Target {
  const host = "localhost";
  return {
    host,
    port,
    url: `${scheme}://${host}:${port}/`,
    lookup: new Resolver(host).lookup,
    secureContext: scheme === "wss" ? createSecureContext({ ca: certificate("ecdsa") }) : null,
  };
}

/** @returns the server's connections, a relay before it, and a client through that which is open */
async function connected(t: TestContext, scheme: "ws" | "wss") {
  const served: WebSocket[] = [];
  const server = await startServer({ connection: (ws) => served.push(ws) });
  t.after(() => server.close());
  const relay = await startRelay(t, scheme === "wss" ? server.tlsPort : server.plainPort);
  const client = new Client(targetOn(scheme, relay.port), { timeoutMs: 5000 });
  t.after(() => client.fail("the test is over"));
  assert.equal(await client.opened, null);
  return { served, relay, client };
}

function endOf(client: Client): Promise<string> {
  return new Promise((resolve) => (client.onEnd = resolve));
}

for (const scheme of ["ws", "wss"] as const) {
  const ends: [string, (each: { served: WebSocket[]; relay: Relay; client: Client }) => void][] = [
    ["close 1001 server stops", ({ served: [ws] }) => ws.close(1001, "server stops")],
    ["close 1012", ({ served: [ws] }) => ws.close(1012)],
    ["close 1005", ({ served: [ws] }) => ws.close()],
    ["reset", ({ relay }) => relay.each(cut)],
    ["end", ({ relay }) => relay.each(finish)],
    ["end", ({ served: [ws] }) => ws.terminate()],
    ["error wrong echo", ({ served: [ws] }) => ws.send("other")],
  ];
  for (const [i, [how, happens]] of ends.entries())
    test(`${scheme}: a connection that ends so is called "${how}" (${i})`, async (t) => {
      const each = await connected(t, scheme);
      const echoes = new Echoes(each.client, { number: 0, message: String, onEcho: () => {} });
      if (how === "error wrong echo") echoes.send(performance.now());
      const end = endOf(each.client);
      happens(each);
      assert.equal(await end, how);
      assert.equal(each.client.isOpen, false);
    });

  test(`${scheme}: a close frame counts, although a reset comes after it`, async (t) => {
    const { served, relay, client } = await connected(t, scheme);
    const end = endOf(client);
    served[0].close(1001, "bye");
    relay.each((one) => one.once("data", () => one.resetAndDestroy()));
    assert.equal(await end, "close 1001 bye");
  });

  test(`${scheme}: after a close frame it carries nothing more, although TCP stays open`, async (t) => {
    const { served, relay, client } = await connected(t, scheme);
    const end = endOf(client);
    // Answers of the client do not get through: the server does not close.
    relay.each((one, other) => one.unpipe(other));
    const startedMs = performance.now();
    served[0].close(1001);
    while (client.isOpen) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(performance.now() - startedMs < 900);
    assert.equal(await end, "close 1001");
  });

  test(`${scheme}: a reset of its own reaches the other side as one, and calls nothing here`, async (t) => {
    const { relay, client } = await connected(t, scheme);
    client.onEnd = () => assert.fail("told");
    const [{ client: socket }] = relay.pairs;
    client.reset();
    const [error] = await once(socket, "error");
    assert.equal(error.code, "ECONNRESET");
  });

  test(`${scheme}: closed as it should be`, async (t) => {
    const { client } = await connected(t, scheme);
    client.onEnd = () => assert.fail("told");
    assert.equal(await client.close(5000), "close 1000");
    assert.equal(client.hasEnded, true);
  });

  test(`${scheme}: a close that is not answered`, async (t) => {
    const { client, relay } = await connected(t, scheme);
    relay.each(stall);
    assert.equal(await client.close(100), "timeout");
  });

  test(`${scheme}: handshakes that fail`, async (t) => {
    let take: (socket: Socket) => void = () => {};
    const server = createTcpServer((socket) => take(socket.on("error", () => {})));
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const failure = () => new Client(targetOn(scheme, port), { timeoutMs: 300 }).opened;
    take = (socket) => socket.once("data", () => socket.resetAndDestroy());
    assert.equal(await failure(), "reset");
    take = (socket) => socket.resume().end();
    assert.equal(await failure(), "end");
    take = (socket) => socket.resume();
    assert.equal(await failure(), "timeout");
    server.close();
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(await failure(), "refused");
  });
}

test("a handshake that is answered with another status, and a name that nobody knows", async (t) => {
  const server = createServer((_, response) => response.writeHead(502).end("bad gateway"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const bad = new Client(targetOn("ws", port), { timeoutMs: 1000 });
  assert.equal(await bad.opened, "status 502");
  const nobody: any = (_host: string, _options: object, tell: any) =>
    tell(Object.assign(new Error("x"), { code: "ENOTFOUND" }), []);
  const { lookup } = new Resolver("proxy", nobody);
  const gone = new Client({ ...targetOn("ws", port), lookup }, { timeoutMs: 1000 });
  assert.equal(await gone.opened, "error ENOTFOUND");
});

for (const scheme of ["ws", "wss"] as const)
  test(`${scheme}: of several addresses one that refuses is passed over; where all refuse, so is the connection`, async (t) => {
    const server = await startServer();
    const port = scheme === "wss" ? server.tlsPort : server.plainPort;
    const look = (_host: string, _options: object, tell: any) =>
      tell(null, [
        { address: "127.0.0.1", family: 4 },
        { address: "127.0.0.9", family: 4 },
      ]);
    const { lookup } = new Resolver("proxy", look as any);
    const target = { ...targetOn(scheme, port), lookup };
    // Each of both is the first one in turn.
    for (let i = 0; i < 4; i++) {
      const client = new Client(target, { timeoutMs: 5000 });
      t.after(() => client.fail("the test is over"));
      assert.equal(await client.opened, null);
      client.reset();
    }
    await server.close();
    const refused = new Client(target, { timeoutMs: 5000 });
    assert.equal(await refused.opened, "refused");
  });

test("a certificate that nobody vouches for", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const target = { ...targetOn("wss", server.tlsPort), secureContext: createSecureContext() };
  const client = new Client(target, { timeoutMs: 1000 });
  assert.equal(await client.opened, "error DEPTH_ZERO_SELF_SIGNED_CERT");
});

test("echoes: several under way at once, in order, each from when it was due", async (t) => {
  const { client } = await connected(t, "ws");
  const numbers: number[] = [];
  const all = new Promise((resolve) => {
    const onEcho = (ms: number, dueMs: number, n: number) => {
      numbers.push(n);
      assert.ok(ms >= 50 && dueMs < performance.now() - 50);
      if (n === 9) resolve(undefined);
    };
    const echoes = new Echoes(client, { number: 3, message: (c, n) => `${c}.${n}`, onEcho });
    const dueMs = performance.now() - 50;
    assert.equal(echoes.waitsSinceMs, Infinity);
    for (let i = 0; i < 10; i++) echoes.send(dueMs + i / 100);
    assert.deepEqual([echoes.missing, echoes.waitsSinceMs], [10, dueMs]);
  });
  await all;
  assert.deepEqual(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("a message that nobody asked for ends the connection", async (t) => {
  const { client, served } = await connected(t, "ws");
  new Echoes(client, { number: 0, message: String, onEcho: () => assert.fail("no echo") });
  const end = endOf(client);
  served[0].send("0");
  assert.equal(await end, "error unasked message");
});

test("connections to be held: all of them, or an error that says what became of the others", async (t) => {
  let count = 0;
  const server = await startServer({ handshake: () => ++count <= 12 });
  t.after(() => server.close());
  // Also a busy machine answers the first ones within 2 s.
  const options = { count: 6, perSecond: 200, each: { timeoutMs: 2000 } };
  const target = targetOn("ws", server.plainPort);
  const clients = await openAll(target, options);
  assert.equal(clients.filter(({ isOpen }) => isOpen).length, 6);
  await assert.rejects(openAll(target, { ...options, count: 8 }), {
    message: "2 of 8 connections did not open, or did not stay open until all were: 2 timeout",
  });
  assert.equal(countsText({ a: 1, b: 3 }), "3 b, 1 a");
});

test("one lookup at a time, asked again after 100 ms; several addresses take turns, of IPv4 where there are any", async () => {
  const asked: ((error: null, addresses: { address: string; family: number }[]) => void)[] = [];
  const look: any = (_host: string, _options: object, tell: any) => asked.push(tell);
  const { lookup } = new Resolver("proxy", look);
  const address = () =>
    new Promise((resolve, reject) =>
      lookup("proxy", {}, (error, found) => (error ? reject(error) : resolve(found))),
    );
  const both = [address(), address()];
  assert.equal(asked.length, 1);
  asked[0](null, [
    { address: "::1", family: 6 },
    { address: "10.0.0.2", family: 4 },
    { address: "10.0.0.3", family: 4 },
  ]);
  assert.deepEqual(await Promise.all(both), ["10.0.0.2", "10.0.0.3"]);
  assert.equal(await address(), "10.0.0.2");
  await new Promise((resolve) => setTimeout(resolve, 110));
  const later = address();
  assert.equal(asked.length, 2);
  asked[1](null, [{ address: "::1", family: 6 }]);
  assert.equal(await later, "::1");
});

test("a timeline counts in buckets of 100 ms, and writes them in the order of time", (t) => {
  const timeline = new Timeline();
  timeline.add("end", 'close 1001 bye, "all"', 2, 1_000_250);
  timeline.add("end", "reset", 1, 1_000_199);
  timeline.add("end", "reset", 1, 1_000_100);
  timeline.add("sent", "", 7, 1_000_100);
  assert.deepEqual(timeline.of("end"), [
    { ms: 1_000_100, kind: "end", what: "reset", count: 2 },
    { ms: 1_000_200, kind: "end", what: 'close 1001 bye, "all"', count: 2 },
  ]);
  const file = join(folder(t), "survival.csv");
  timeline.write(file);
  assert.equal(
    readFileSync(file, "utf8"),
    'ms,kind,what,count\n1000100,end,reset,2\n1000100,sent,,7\n1000200,end,"close 1001 bye, ""all""",2\n',
  );
});

test("an open loop: due, late, dropped; what is not counted is in none of them", async () => {
  let ms = 0;
  const times = [1, 2, 3, 40, 90];
  let at = 0;
  const schedule = {
    get dueMs() {
      return times[at] ?? null;
    },
    take: () => at++,
  };
  const counts = await keepTo(schedule, {
    // Each look at the clock takes 5 ms.
    now: () => (ms += 5),
    startMs: 0,
    endMs: 100,
    begin: (which) => which !== 4,
    isCounted: (which) => which !== 0,
  });
  assert.deepEqual(counts, { due: 4, late: 2, dropped: 1 });
});

test("clients report their counts in k6's form, while they run", async (t) => {
  const server = await startServer();
  t.after(() => server.close());
  const before = { ...counts };
  const { port, end } = await serveCounts(0);
  t.after(end);
  const since = async () => {
    const now = await liveCounts(`http://127.0.0.1:${port}`);
    return {
      opened: now.opened - before.connections_opened,
      failed: now.failed - before.connections_failed,
      open: now.open - before.connections_open,
      messages: now.messages - before.ws_msgs_received,
    };
  };
  const target = targetOn("ws", server.plainPort);
  const clients = await openAll(target, { count: 3, perSecond: 1000, each: { timeoutMs: 5000 } });
  const echoed = new Promise((onEcho) => {
    new Echoes(clients[0], { number: 0, message: () => "a", onEcho }).send(performance.now());
  });
  await echoed;
  assert.deepEqual(await since(), { opened: 3, failed: 0, open: 3, messages: 1 });
  clients[1].fail("timeout");
  clients[2].reset();
  await clients[0].close(5000);
  assert.deepEqual(await since(), { opened: 3, failed: 1, open: 0, messages: 1 });
});

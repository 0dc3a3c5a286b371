import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { test } from "node:test";
import { forward } from "./forward.ts";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TestContext } from "node:test";

/** @param answer of the server behind */
async function through(t: TestContext, answer: (socket: Socket) => void) {
  const behind = createServer({ allowHalfOpen: true }, answer).listen(0, "127.0.0.1");
  t.after(() => behind.close());
  await once(behind, "listening");
  const before = await forward(0, { host: "127.0.0.1", port: portOf(behind) });
  t.after(() => before.close());
  const port = portOf(before);
  return { behind, port, client: connect({ port, allowHalfOpen: true }) };
}

function portOf(server: Server) {
  return (server.address() as AddressInfo).port;
}

test("what is sent comes back, also what comes after one side has ended", async (t) => {
  const sent = Buffer.alloc(1_000_000, "abc");
  const { client } = await through(t, async (socket) => {
    const received = await buffer(socket);
    socket.end(received);
  });
  client.end(sent);
  assert.ok((await buffer(client)).equals(sent));
});

test("the other side hears of an end that the server makes", async (t) => {
  const { client } = await through(t, (socket) => socket.end("bye"));
  assert.equal(await text(client), "bye");
  client.end();
});

for (const how of ["destroy", "resetAndDestroy"] as const) {
  test(`a client that breaks off (${how}) is gone behind too`, async (t) => {
    const { promise, resolve }: PromiseWithResolvers<Socket> = Promise.withResolvers();
    const { client } = await through(t, resolve);
    client.write("x");
    const socket = await promise;
    socket.on("error", () => {}).resume();
    const closed = new Promise((done) => socket.once("end", done).once("close", done));
    client[how]();
    await closed;
    socket.destroy();
  });
}

test("at one address alone, nobody is let in at another", async (t) => {
  const behind = createServer((socket) => socket.end("there")).listen(0, "127.0.0.1");
  t.after(() => behind.close());
  await once(behind, "listening");
  const target = { host: "127.0.0.1", port: portOf(behind) };
  const before = await forward(0, target, "127.0.0.2");
  t.after(() => before.close());
  const port = portOf(before);
  assert.equal(await text(connect({ host: "127.0.0.2", port })), "there");
  await assert.rejects(text(connect({ host: "127.0.0.1", port })), { code: "ECONNREFUSED" });
});

test("where nobody answers, the client's connection is closed, and the next one is tried again", async (t) => {
  const { behind, port: before, client } = await through(t, (socket) => socket.end("there"));
  assert.equal(await text(client), "there");
  client.end();
  const port = portOf(behind);
  behind.close();
  await once(behind, "close");
  const again = () => connect({ port: before });
  assert.equal(await text(again()), "");
  const back = createServer((socket) => socket.end("back")).listen(port, "127.0.0.1");
  t.after(() => back.close());
  await once(back, "listening");
  assert.equal(await text(again()), "back");
});

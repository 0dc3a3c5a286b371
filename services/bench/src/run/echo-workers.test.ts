import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { CellFailure } from "./cell-failure.ts";
import { readEchoWorkers, workersBetween } from "./echo-workers.ts";
import type { RequestListener } from "node:http";
import type { TestContext } from "node:test";
import type { AddressInfo } from "node:net";

/** @returns address */
async function server(t: TestContext, answer: RequestListener): Promise<string> {
  const listening = createServer(answer).listen(0, "127.0.0.1");
  await once(listening, "listening");
  t.after(() => listening.close());
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

test("an echo server reports what its workers count", async (t) => {
  const workers = [
    { id: 1, connectionsOpen: 2, connectionsTotal: 3, messages: 4, upgradesRefused: 0 },
  ];
  const address = await server(t, (_request, response) =>
    response.end(JSON.stringify({ workers })),
  );
  assert.deepEqual(await readEchoWorkers(address), workers);
});

test("an echo server that does not report its counts fails the cell, and is named", async (t) => {
  const closing = await server(t, (request) => request.socket.destroy());
  const talking = await server(t, (_request, response) => response.end("not JSON"));
  for (const address of [closing, talking, "http://127.0.0.1:1"])
    await assert.rejects(readEchoWorkers(address), (error) => {
      assert.ok(error instanceof CellFailure);
      assert.equal(error.kind, "timeout");
      assert.ok(
        error.message.startsWith(`the echo server at ${address} did not report its counts`),
      );
      return true;
    });
});

test("what each echo worker counted between two readings", () => {
  const worker = (id: number, connectionsTotal: number) => ({
    id,
    connectionsOpen: 0,
    connectionsTotal,
    messages: 2 * connectionsTotal,
    upgradesRefused: 0,
  });
  assert.deepEqual(workersBetween([worker(1, 5), worker(2, 7)], [worker(2, 10), worker(1, 6)]), [
    { connections: 3, messages: 6, refused: 0 },
    { connections: 1, messages: 2, refused: 0 },
  ]);
});

test("a worker that was replaced takes its counts with it: there are none", () => {
  const [before, after] = [1, 2].map((id) => [
    { id, connectionsOpen: 0, connectionsTotal: 1, messages: 1, upgradesRefused: 0 },
  ]);
  assert.equal(workersBetween(before, after), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Edges } from "./edges.ts";
import type { TestContext } from "node:test";

async function listening(t: TestContext) {
  const edges = new Edges(0);
  await edges.listen();
  t.after(() => edges.close());
  const post = async (name: string) =>
    (await fetch(`http://127.0.0.1:${edges.port}/${name}`, { method: "POST" })).status;
  return { edges, post };
}

test("load goes on when all of it has arrived and the counters have been read", async (t) => {
  const { edges, post } = await listening(t);
  const order: string[] = [];
  const reached = edges.expect("start", 2, async () => {
    order.push("read");
  });
  const first = post("start").then((status) => order.push(`first ${status}`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(order.length, 0);
  const second = post("start").then((status) => order.push(`second ${status}`));
  await Promise.all([reached, first, second]);
  assert.equal(order[0], "read");
  assert.deepEqual(order.slice(1).sort(), ["first 204", "second 204"]);
});

test("load that arrives in parts waits for all of them", async (t) => {
  const { edges, post } = await listening(t);
  let isRead = false;
  const reached = edges.expect("start", 2, async () => void (isRead = true));
  // The first container has three virtual users, the second one.
  const waiting = [post("start?of=3"), post("start?of=3"), post("start")];
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(isRead, false);
  waiting.push(post("start?of=3"));
  await reached;
  assert.deepEqual(await Promise.all(waiting), [204, 204, 204, 204]);
});

test("load that arrives at another edge than the expected one is sent away", async (t) => {
  const { edges, post } = await listening(t);
  assert.equal(await post("start"), 409);
  edges.expect("end", 1, async () => {}).catch(() => {});
  assert.equal(await post("start"), 409);
});

test("counters that cannot be read fail the phase and the load", async (t) => {
  const { edges, post } = await listening(t);
  const reached = edges.expect("start", 1, async () => {
    throw new Error("gone");
  });
  const [status] = await Promise.all([post("start"), assert.rejects(reached, /gone/)]);
  assert.equal(status, 500);
});

test("reset sends waiting load away", async (t) => {
  const { edges, post } = await listening(t);
  edges.expect("start", 2, async () => {}).catch(() => {});
  const waiting = post("start");
  await new Promise((resolve) => setTimeout(resolve, 50));
  edges.reset();
  assert.equal(await waiting, 409);
});

test("no connection is kept for the next edge, which could come just when it is closed", async (t) => {
  const { edges } = await listening(t);
  edges.expect("start", 1, async () => {}).catch(() => {});
  const response = await fetch(`http://127.0.0.1:${edges.port}/start`, { method: "POST" });
  assert.equal(response.headers.get("connection"), "close");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerShares } from "./server-shares.ts";
import type { ContainerState } from "../platform/engine.ts";

const server = (id: string, startedAt = "1") =>
  ({ id, startedAt, address: `address of ${id}` }) as ContainerState;

const worker = (connectionsTotal: number, connectionsOpen: number) => ({
  ...{ id: 1, connectionsOpen, connectionsTotal, messages: 0, upgradesRefused: 0 },
});

test("what servers got since an event and hold: one that is added, one that starts again, one that does not answer", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1000 });
  let servers = [server("a"), server("b")];
  let told: Record<string, ReturnType<typeof worker>[]> = {
    a: [worker(10, 4), worker(5, 1)],
    b: [worker(15, 5)],
  };
  const shares = new ServerShares(
    () => servers,
    async ({ address }) => {
      const workers = told[address.replace("address of ", "")];
      if (!workers) throw new Error("no answer");
      return workers;
    },
  );
  await shares.read();
  t.mock.timers.tick(1000);
  servers = [server("a"), server("b", "2"), server("c")];
  told = { a: [worker(12, 5), worker(6, 2)], c: [worker(2, 2)] };
  await shares.read();
  t.mock.timers.tick(1000);
  told = { a: [worker(12, 5), worker(7, 2)], b: [worker(3, 3)], c: [worker(5, 4)] };
  await shares.read();
  // The load has ended, and everything with it; what each has got is still counted.
  t.mock.timers.tick(1000);
  told = { a: [worker(13, 0), worker(7, 0)], b: [worker(3, 0)], c: [worker(6, 0)] };
  await shares.read();
  assert.deepEqual(shares.since(1500, 3500), [
    {
      address: "address of a",
      connections: 5,
      isNew: false,
      open: [
        { ms: 1000, count: 5 },
        { ms: 2000, count: 7 },
        { ms: 3000, count: 7 },
      ],
    },
    { address: "address of b", connections: 3, isNew: true, open: [{ ms: 3000, count: 3 }] },
    {
      address: "address of c",
      connections: 6,
      isNew: true,
      open: [
        { ms: 2000, count: 2 },
        { ms: 3000, count: 4 },
      ],
    },
  ]);
});

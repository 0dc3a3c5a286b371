import assert from "node:assert/strict";
import { test } from "node:test";
import { CellFailure } from "./cell-failure.js";
import { LoadRun } from "./load-run.js";

function runOfTwo() {
  /** @type {Record<string, PromiseWithResolvers<number>>} */
  const exits = { "load-1": Promise.withResolvers(), "load-2": Promise.withResolvers() };
  const load = new LoadRun(Object.keys(exits), [], {
    exitOf: (name) => exits[name].promise,
    failureOf: async (code, names) => new CellFailure("load", `${names.join()} ended with ${code}`),
  });
  return { load, exits };
}

test("one of several that fails is told although the others go on", async () => {
  const { load, exits } = runOfTwo();
  exits["load-2"].resolve(99);
  await assert.rejects(
    load.endedWell(() => true),
    { kind: "load", message: "load-2 ended with 99" },
  );
});

test("a load that ends before it may has failed, whatever its status", async () => {
  const { load, exits } = runOfTwo();
  exits["load-1"].resolve(0);
  await assert.rejects(
    load.endedWell(() => false),
    { message: "load-1 ended with 0" },
  );
});

test("when all have ended, a failure is told of them together", async () => {
  const { load, exits } = runOfTwo();
  exits["load-1"].resolve(0);
  exits["load-2"].resolve(99);
  assert.deepEqual(await load.ended, [0, 99]);
  await assert.rejects(load.assertSuccess(), { message: "load-1,load-2 ended with 99" });
});

test("a load that ends well in time is a success", async () => {
  const { load, exits } = runOfTwo();
  for (const exit of Object.values(exits)) exit.resolve(0);
  await load.endedWell(() => true);
  await load.assertSuccess();
});

test("a status that is what was asked for is no failure, any other is", async () => {
  const { load, exits } = runOfTwo();
  exits["load-1"].resolve(99);
  exits["load-2"].resolve(0);
  await load.assertSuccess([99]);
  await assert.rejects(load.assertSuccess([1]), { message: "load-1,load-2 ended with 99" });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { CellFailure } from "./cell-failure.ts";
import { LoadRun } from "./load-run.ts";

function runOfTwo() {
  const exits: Record<string, PromiseWithResolvers<{ code: number; output: string }>> = {
    "load-1": Promise.withResolvers(),
    "load-2": Promise.withResolvers(),
  };
  const load = new LoadRun(
    Object.entries(exits).map(([name, { promise }]) => ({ name, ended: promise })),
    [],
    (code, outputs) => new CellFailure("load", `${outputs.join()} ended with ${code}`),
  );
  const end = (name: string, code: number) =>
    exits[name].resolve({ code, output: `log of ${name}` });
  return { load, end };
}

test("one of several that fails is reported although the others continue", async () => {
  const { load, end } = runOfTwo();
  end("load-2", 99);
  await assert.rejects(
    load.endedWell(() => true),
    { kind: "load", message: "log of load-2 ended with 99" },
  );
});

test("a load that ends before it may has failed, whatever its status", async () => {
  const { load, end } = runOfTwo();
  end("load-1", 0);
  await assert.rejects(
    load.endedWell(() => false),
    { message: "log of load-1 ended with 0" },
  );
});

test("when all have ended, a failure is reported of them together", async () => {
  const { load, end } = runOfTwo();
  end("load-1", 0);
  end("load-2", 99);
  assert.deepEqual(await load.ended, [0, 99]);
  await assert.rejects(load.assertSuccess(), {
    message: "log of load-1,log of load-2 ended with 99",
  });
});

test("a load that ends well in time is a success", async () => {
  const { load, end } = runOfTwo();
  end("load-1", 0);
  end("load-2", 0);
  await load.endedWell(() => true);
  await load.assertSuccess();
});

test("a status that is what was asked for is no failure, any other is", async () => {
  const { load, end } = runOfTwo();
  end("load-1", 99);
  end("load-2", 0);
  await load.assertSuccess([99]);
  await assert.rejects(load.assertSuccess([1]), {
    message: "log of load-1,log of load-2 ended with 99",
  });
});

test("what each wrote is known when all have ended", async () => {
  const { load, end } = runOfTwo();
  const outputs = load.outputs();
  end("load-2", 99);
  end("load-1", 0);
  assert.deepEqual(await outputs, [
    ["load-1", "log of load-1"],
    ["load-2", "log of load-2"],
  ]);
});

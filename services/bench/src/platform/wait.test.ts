import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { allEnded, workThrough } from "./wait.ts";

test("one that fails is reported when the others have ended too", async () => {
  let isMade = false;
  const slow = sleep(20).then(() => (isMade = true));
  await assert.rejects(allEnded([slow, Promise.reject(new Error("refused"))]), /refused/);
  assert.equal(isMade, true);
});

test("what each gave comes in their order", async () => {
  assert.deepEqual(await allEnded([sleep(5, "slow"), Promise.resolve("quick")]), ["slow", "quick"]);
});

test("some at a time, in whatever order they end; after one that fails the rest is done, too", async () => {
  let [running, most] = [0, 0];
  const done: number[] = [];
  const work = async (ms: number) => {
    most = Math.max(most, ++running);
    await sleep(ms);
    running -= 1;
    done.push(ms);
    if (ms === 3) throw new Error("refused");
    return 10 * ms;
  };
  assert.deepEqual(await workThrough([20, 1, 2, 5], 2, work), [200, 10, 20, 50]);
  assert.equal(most, 2);
  done.length = 0;
  await assert.rejects(workThrough([3, 20, 1, 2], 2, work), /refused/);
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    [1, 2, 3, 20],
  );
});

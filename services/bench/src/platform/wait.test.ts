import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { allEnded } from "./wait.ts";

test("one that fails is reported when the others have ended too", async () => {
  let isMade = false;
  const slow = sleep(20).then(() => (isMade = true));
  await assert.rejects(allEnded([slow, Promise.reject(new Error("refused"))]), /refused/);
  assert.equal(isMade, true);
});

test("what each gave comes in their order", async () => {
  assert.deepEqual(await allEnded([sleep(5, "slow"), Promise.resolve("quick")]), ["slow", "quick"]);
});

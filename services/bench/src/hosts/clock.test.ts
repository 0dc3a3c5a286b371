import assert from "node:assert/strict";
import { test } from "node:test";
import { clockOffset, offsetOf, wallClock } from "./clock.ts";
import type { Machine } from "./file.ts";

/**
 * @param ahead of the other clock, in ms
 * @param ways there and back of each exchange, in ms
 */
function measure(ahead: number, ways: [number, number][]) {
  let time = 1000;
  const left = [...ways];
  const ask = async () => {
    const [there, back] = left.shift() ?? [0, 0];
    const stamp = time + there + ahead;
    time += there + back;
    return stamp;
  };
  return offsetOf(ask, () => time, ways.length);
}

test("of all exchanges the shortest counts", async () => {
  const { offsetMs, uncertaintyMs } = await measure(-25, [
    [30, 2],
    [1, 1],
    [2, 90],
  ]);
  assert.equal(offsetMs, -25);
  assert.equal(uncertaintyMs, 1);
});

test("the truth is within the uncertainty, however slow one way is", async () => {
  for (const way of [
    [8, 0],
    [0, 8],
    [3, 5],
  ] as [number, number][]) {
    const { offsetMs, uncertaintyMs } = await measure(12, [way]);
    assert.equal(uncertaintyMs, 4);
    assert.ok(Math.abs(offsetMs - 12) <= uncertaintyMs, `${offsetMs}`);
  }
});

test("a machine that says nothing about its clock is named, and not waited for", async () => {
  const machine: Machine = { name: "two", host: "ssh://two", roles: ["load"] };
  const silent = { machine, client: ["sh", "-c", "exec sleep 600"] };
  await assert.rejects(clockOffset(silent, 300), {
    message: "two: no answer within 0.3 s to: docker run, clock",
  });
});

test("the wall clock is this machine's, finer than a millisecond", () => {
  const now = wallClock();
  // Asked between two looks at the coarse one, which is cut off to a whole ms; a clock that is
  // being slewed moves 0.5 ms a second.
  const [before, fine, after] = [Date.now(), now(), Date.now()];
  assert.ok(fine >= before - 1 && fine <= after + 2, `${before} ${fine} ${after}`);
  const many = Array.from({ length: 5 }, now);
  assert.ok(many.some((value) => value !== Math.floor(value)));
});

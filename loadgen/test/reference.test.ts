/**
 * Which connections go to the reference proxy, and when.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

/** As with that share: what the module reads is read once. */
async function turns(share: number, atATime: number) {
  Object.assign(globalThis, { __ENV: { REFERENCE_SHARE: String(share) } });
  const { Turns } = await import(`../lib/reference.js?${share}`);
  return new Turns(atATime);
}

for (const { share, atATime, connections, ofReference } of [
  { share: 0.2, atATime: 100, connections: 4000, ofReference: 1000 },
  { share: 0.2, atATime: 100, connections: 500, ofReference: 200 },
  { share: 0.5, atATime: 1, connections: 35, ofReference: 40 },
  { share: 0, atATime: 100, connections: 500, ofReference: 0 },
])
  test(`turns: ${connections} connections, ${atATime} at a time, share ${share}`, async () => {
    const own = await turns(share, atATime);
    const all = own.all(connections);
    const numbers = Array.from({ length: all }, (_, number) => number);
    assert.equal(all, connections + ofReference);
    assert.equal(numbers.filter((number) => own.isReference(number)).length, ofReference);
    assert.equal(own.isReference(all - 1), false, "the proxy has the last turn");
    for (const number of numbers) {
      const first = own.firstOf(number);
      const turn = numbers.slice(first, number + 1);
      assert.equal(new Set(turn.map((each) => own.isReference(each))).size, 1, "of one kind");
      if (first > 0) assert.notEqual(own.isReference(first - 1), own.isReference(first));
    }
  });

test("with half of the load, what is compared pauses before each of its turns, too", async () => {
  const shares = await Promise.all([0.5, 0.2, 0].map((share) => turns(share, 100)));
  assert.deepEqual(
    shares.map(({ areEqual }) => areEqual),
    [true, false, false],
  );
});

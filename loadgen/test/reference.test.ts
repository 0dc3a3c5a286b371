/**
 * Which connections go to the reference proxy, and when.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

/** As with that share: what the module reads is read once. */
async function turns(
  share: number,
  about: { connections: number; atATime: number; round: number },
) {
  Object.assign(globalThis, { __ENV: { REFERENCE_SHARE: String(share) } });
  const { Turns } = await import(`../lib/reference.js?${share}`);
  return new Turns(about);
}

for (const { share, atATime, connections, ofReference, round = 1, endsWithReference = false } of [
  { share: 0.2, atATime: 100, connections: 4000, ofReference: 1000 },
  { share: 0.2, atATime: 100, connections: 4000, ofReference: 1000, round: 2 },
  { share: 0.2, atATime: 100, connections: 500, ofReference: 200 },
  { share: 0.5, atATime: 1, connections: 35, ofReference: 40, round: 2 },
  { share: 0.5, atATime: 50, connections: 100, ofReference: 100 },
  {
    share: 0.5,
    atATime: 50,
    connections: 100,
    ofReference: 100,
    round: 2,
    endsWithReference: true,
  },
  { share: 0, atATime: 100, connections: 500, ofReference: 0, round: 2 },
])
  test(`turns: ${connections} connections, ${atATime} at a time, share ${share}, round ${round}`, async () => {
    const own = await turns(share, { connections, atATime, round });
    const { all } = own;
    const numbers = Array.from({ length: all }, (_, number) => number);
    assert.equal(all, connections + ofReference);
    assert.equal(numbers.filter((number) => own.isReference(number)).length, ofReference);
    assert.equal(own.isReference(all - 1), endsWithReference, "who has the last turn");
    assert.equal(own.endsWithReference, endsWithReference);
    for (const number of numbers) {
      const first = own.firstOf(number);
      const turn = numbers.slice(first, number + 1);
      assert.equal(new Set(turn.map((each) => own.isReference(each))).size, 1, "of one kind");
      if (first > 0) assert.notEqual(own.isReference(first - 1), own.isReference(first));
    }
  });

test("with half of the load, what is compared pauses before each of its turns, too", async () => {
  const about = { connections: 100, atATime: 100, round: 1 };
  const shares = await Promise.all([0.5, 0.2, 0].map((share) => turns(share, about)));
  assert.deepEqual(
    shares.map(({ areEqual }) => areEqual),
    [true, false, false],
  );
});

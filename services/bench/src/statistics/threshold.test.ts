import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "./random.ts";
import { thresholdOf } from "./threshold.ts";

const of = (text: string) =>
  text.split(" ").map((each) => ({ rate: Number(each.slice(1)), kept: each.startsWith("+") }));

test("without both kinds there is no threshold", () => {
  for (const text of ["+1 +2", "-1 -2"]) assert.equal(thresholdOf(of(text)), null);
  assert.equal(thresholdOf([]), null);
});

test("tries that do not overlap: the middle of the gap, and an interval around it", () => {
  const found = thresholdOf(of("+50 +100 +200 +300 -340 -400 -800"));
  assert.ok(found && Math.abs(found.rate - Math.sqrt(300 * 340)) < 4, JSON.stringify(found));
  assert.ok(Number(found.low) < 300 && Number(found.low) > 200);
  assert.ok(Number(found.high) > 340 && Number(found.high) < 500);
});

test("tries that say nothing of where it is leave the interval open", () => {
  const found = thresholdOf(of("+100 -100"));
  assert.deepEqual([found?.low, found?.high], [null, null]);
});

test("the interval holds the middle of a known curve in 95 of 100 cases", () => {
  const random = randomNumbers(7);
  for (const width of [0.05, 0.1]) {
    let covered = 0;
    for (let i = 0; i < 300; i++) {
      const trials = Array.from({ length: 24 }, (_, j) => {
        const rate = 300 * 1.05 ** (j % 12);
        return { rate, kept: random() < 1 / (1 + (rate / 400) ** (1 / width)) };
      });
      const { low, high } = thresholdOf(trials) ?? { low: null, high: null };
      if ((low ?? 0) <= 400 && (high ?? Infinity) >= 400) covered += 1;
    }
    assert.ok(covered >= 278, `${covered} of 300 at width ${width}`);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "./random.ts";
import { normalNumbers } from "./testing/normal.ts";
import { randomEffects } from "./random-effects.ts";

const around = (value: number, half: number) => ({ value, low: value - half, high: value + half });

test("an uncertain measurement weighs little, and of equal ones the mean is plain", () => {
  const { value, interval } = randomEffects(
    [around(1, 0.1), around(1.1, 0.1), around(9, 20)],
    0.95,
  );
  assert.ok(Math.abs(value - 1.05) < 0.01, String(value));
  assert.ok(interval && interval[0] > 0.5 && interval[1] < 1.6, String(interval));
  const plain = randomEffects(
    [1, 2, 6].map((one) => around(one, 0.1)),
    0.95,
  );
  assert.ok(Math.abs(plain.value - 3) < 0.01, String(plain.value));
  // Student's over the three values: 4.30 times their standard deviation, 2.65, by the root of 3.
  assert.ok(Math.abs((plain.interval?.[1] ?? 0) - 3 - 6.57) < 0.05, String(plain.interval));
});

test("three that agree by chance are no more certain than their own intervals", () => {
  const { interval } = randomEffects(
    [0.3, 0.31, 0.32].map((one) => around(one, 1)),
    0.95,
  );
  assert.ok(interval && interval[0] < -0.5 && interval[1] > 1, String(interval));
});

test("the interval holds the truth in 95 of 100 cases or more, also if one measurement is far less certain", () => {
  const random = randomNumbers(5);
  const normal = normalNumbers(random);
  for (const between of [0, 0.2]) {
    let held = 0;
    for (let i = 0; i < 2000; i++) {
      const measured = [0.1, 0.2, 2].map((error) =>
        around(0.5 + between * normal() + error * normal(), 1.96 * error),
      );
      const [low, high] = randomEffects(measured, 0.95).interval ?? assert.fail();
      if (low <= 0.5 && 0.5 <= high) held += 1;
    }
    assert.ok(held >= 0.94 * 2000, `${held} of 2000`);
  }
});

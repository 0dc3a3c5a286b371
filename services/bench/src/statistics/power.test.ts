import assert from "node:assert/strict";
import { test } from "node:test";
import { detectableRatio } from "./power.ts";
import { randomNumbers } from "./random.ts";
import { normalNumbers } from "./testing/normal.ts";
import { mannWhitney } from "./significance.ts";
import { vanElteren } from "./van-elteren.ts";

const options = { alpha: 0.05, tests: 1, seed: 1 };

/**
 * @param spread standard deviation of the logarithm
 * @returns log-normal values around 1
 */
function logNormal(random: () => number, n: number, spread: number): number[] {
  const normal = normalNumbers(random);
  return Array.from({ length: n }, () => Math.exp(spread * normal()));
}

test("a difference of that size is found in about 4 of 5 runs", () => {
  const random = randomNumbers(7);
  const groups = Array.from({ length: 40 }, () => logNormal(random, 6, 0.05));
  const ratio = detectableRatio(groups, options) ?? 0;
  const seen = Array.from({ length: 2000 }, () =>
    mannWhitney(
      logNormal(random, 6, 0.05),
      logNormal(random, 6, 0.05).map((value) => value * ratio),
    ),
  ).filter(({ p }) => p <= 0.05).length;
  assert.ok(seen > 0.75 * 2000 && seen < 0.88 * 2000, `seen ${seen / 20} % at ratio ${ratio}`);
});

test("in several strata a smaller difference is found, in about 4 of 5 runs", () => {
  const random = randomNumbers(8);
  const groups = Array.from({ length: 40 }, () => logNormal(random, 6, 0.05));
  const ratio = detectableRatio(groups, { ...options, strata: 3 }) ?? 0;
  assert.ok(ratio < (detectableRatio(groups, options) ?? 0));
  const seen = Array.from({ length: 1000 }, () =>
    vanElteren(
      [1, 2, 4].map((level) => [
        logNormal(random, 6, 0.05).map((value) => value * level),
        logNormal(random, 6, 0.05).map((value) => value * level * ratio),
      ]),
    ),
  ).filter((p) => p <= 0.05).length;
  assert.ok(seen > 0.75 * 1000 && seen < 0.88 * 1000, `seen ${seen / 10} % at ratio ${ratio}`);
});

test("more rounds, less spread and fewer tests see smaller differences", () => {
  const random = randomNumbers(3);
  const six = [logNormal(random, 6, 0.1), logNormal(random, 6, 0.1)];
  const twelve = six.map((values) => [...values, ...values]);
  const calm = six.map((values) => values.map((value) => value ** 0.2));
  const ratio = detectableRatio(six, options) ?? 0;
  assert.ok(ratio > 1.05 && ratio < 1.6, `${ratio}`);
  assert.ok((detectableRatio(twelve, options) ?? 9) < ratio);
  assert.ok((detectableRatio(calm, options) ?? 9) < ratio);
  assert.ok((detectableRatio(six, { ...options, tests: 6 }) ?? 0) > ratio);
  assert.equal(detectableRatio(six, options), ratio);
});

test("there is none where the test can never reject", () => {
  assert.equal(
    detectableRatio(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      options,
    ),
    null,
  );
  assert.equal(
    detectableRatio(
      [
        [1, 2, 3, 4],
        [4, 5, 6, 7],
      ],
      { ...options, tests: 3 },
    ),
    null,
  );
  assert.equal(detectableRatio([[1, 2, 3, 4, 5, 6]], options), null);
  assert.equal(
    detectableRatio(
      [
        [0, 1, 2, 3, 4, 5],
        [1, 2, 3, 4, 5, 6],
      ],
      options,
    ),
    null,
  );
});

test("values without any spread would show every difference", () => {
  assert.equal(
    detectableRatio(
      [
        [2, 2, 2, 2, 2, 2],
        [3, 3, 3, 3, 3, 3],
      ],
      options,
    ),
    1,
  );
});

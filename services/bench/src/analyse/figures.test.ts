import assert from "node:assert/strict";
import { test } from "node:test";
import { toBestOf } from "./figures.ts";
import type { Ratio } from "./settings.ts";

const ratio = (value: number, interval: Ratio["interval"]): Ratio => ({
  ...{ value, interval },
  rounds: [0.9 * value, 1.1 * value],
});

test("the ratio beside a rank: of the best 1, of a tie with 1 in its interval, of others as it is", () => {
  const behind = { isBest: false, isTied: false };
  const tied = { isBest: false, isTied: true };
  const table: [Ratio | null, typeof tied, unknown][] = [
    [ratio(1, [0.9, 1.1]), { isBest: true, isTied: true }, [1, null, null]],
    [ratio(1.06, [1.01, 1.11]), tied, [1.06, 1, 1.11]],
    [ratio(0.94, [0.9, 0.98]), tied, [0.94, 0.9, 1]],
    [ratio(1.02, [0.97, 1.1]), tied, [1.02, 0.97, 1.1]],
    [ratio(1.3, [1.1, 1.5]), behind, [1.3, 1.1, 1.5]],
    // Too few rounds for an interval: their range is what it is.
    [ratio(2, null), tied, [2, 1.8, 2.2]],
    [null, tied, null],
  ];
  for (const [given, place, expected] of table) {
    const found = toBestOf(given, place);
    assert.deepEqual(found && [found.value, found.low, found.high], expected);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsComparing } from "./experiments.js";
import { analyse } from "./index.js";
import { stormResults } from "./testing/experiments.js";

/** @param {Parameters<typeof stormResults>[0]} proxies */
function answers(proxies) {
  const [setting] = analyse(stormResults(proxies), { policy: null }).storms;
  return Object.fromEntries(setting.answers.map((answer) => [answer.proxy, answer]));
}

/** @type {[number, number, number][]} */
const CONTROL = [
  [0.4, 0.8, 1],
  [0.5, 0.9, 1.2],
];
/**
 * Four rounds, the fewest that tell two apart.
 *
 * @template T
 * @param {T[]} pair
 */
const twice = (pair) => [...pair, ...pair];
/** @param {[number, number, number | null][]} rounds */
const all = (rounds) => rounds.map((seconds) => ({ seconds }));

test("times are medians over rounds, and the control is how fast this machine can", () => {
  const { none, nginx, haproxy } = answers({
    none: all(twice(CONTROL)),
    nginx: all(
      twice([
        [0.9, 1.6, 2],
        [1.1, 1.8, 2.2],
      ]),
    ),
    haproxy: all(
      twice([
        [0.4, 0.85, 1],
        [0.6, 1.1, 1.4],
      ]),
    ),
  });
  assert.deepEqual(nginx.figures?.ms.p99, {
    median: 1700,
    lowest: 1600,
    highest: 1800,
    values: [1600, 1800, 1600, 1800],
  });
  assert.deepEqual([nginx.toControl?.toFixed(2), nginx.isSlower], ["2.00", true]);
  assert.equal(haproxy.isSlower, false);
  assert.deepEqual([none.toControl, none.isSlower], [null, null]);
  assert.ok(nginx.figures?.cpuSeconds && nginx.figures.peakBytes);
});

test("three rounds tell nobody apart", () => {
  const slow = twice([[5, 6, 7]]);
  const { nginx } = answers({
    none: all(twice(CONTROL).slice(0, 3)),
    nginx: all(/** @type {[number, number, number][]} */ (twice(slow))),
  });
  assert.deepEqual([nginx.toControl, nginx.isSlower], [7.5, null]);
});

test("who does not come back is missing, and the time until all are is not known", () => {
  const { nginx } = answers({
    none: all(CONTROL),
    nginx: [
      { seconds: [0.9, 1.6, null], missing: 5, attempts: 2600, failedByCause: { refused: 600 } },
      { seconds: [0.9, 1.6, 2.5], attempts: 2200, failedByCause: { refused: 200 } },
    ],
  });
  const { figures } = nginx;
  assert.deepEqual([figures?.back?.count, figures?.back?.of], [3995, 4000]);
  assert.deepEqual([figures?.ms.p100?.median, figures?.ms.p100?.values], [2500, [2500]]);
  assert.equal(figures?.attempts?.toFixed(3), "1.200");
  assert.deepEqual(figures.causes, [{ what: "refused", count: 800 }]);
});

test("the curve is level where nobody comes back", () => {
  const { nginx } = answers({ none: all(CONTROL), nginx: all([[1, 3, 3.5]]) });
  assert.deepEqual(
    nginx.figures?.curve.map(({ seconds, value }) => [seconds, value]),
    [
      [1, 0],
      [1.1, 50],
      [3, 50],
      [3.1, 99],
      [3.5, 99],
      [3.6, 100],
    ],
  );
});

test("settings come ws before wss, then by parameters, whatever the order of the plan", () => {
  const results = stormResults({ none: all(CONTROL.slice(0, 1)) });
  const [cell] = results.plan.cells;
  const last = { ...cell, scheme: /** @type {const} */ ("wss") };
  const second = { ...cell, parameters: { ...cell.parameters, BACKOFF: 2 } };
  const plan = { ...results.plan, cells: [last, second, cell] };
  assert.deepEqual(
    settingsComparing({ ...results, plan }, "storm").map(({ scheme, parameters }) => [
      scheme,
      parameters.BACKOFF,
    ]),
    [
      ["ws", 0],
      ["ws", 2],
      ["wss", 0],
    ],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { firstToCostMore } from "./bisection.ts";
import { randomNumbers } from "./random.ts";
import { normalNumbers } from "./testing/normal.ts";

const VERSIONS = Array.from({ length: 16 }, (_, i) => `1.${i}`);

interface Simulated {
  /** of each version to the first */
  costs: (i: number) => number;
  /** of a round */
  spread: number;
  /** of the place beside the baseline */
  place?: number;
  /** share of rounds that vary four times as much */
  outliers?: number;
  threshold?: number;
  mostRounds?: number;
}

function searches(count: number, about: Simulated) {
  const { costs, spread, place = 1.01, outliers = 0, threshold = 0.05, mostRounds = 24 } = about;
  const random = randomNumbers(count);
  const normal = normalNumbers(random);
  const once = () => {
    let rounds = 0;
    const measure = async (version: string, wanted: number) => {
      rounds += wanted;
      return Array.from({ length: wanted }, () => {
        const noise = spread * normal() * (random() < outliers ? 4 : 1);
        return place * costs(VERSIONS.indexOf(version)) * Math.exp(noise);
      });
    };
    const found = firstToCostMore(VERSIONS, measure, { threshold, mostRounds });
    return found.then((one) => ({ ...one, rounds }));
  };
  return Promise.all(Array.from({ length: count }, once));
}

/** Searches of which 5 % may be wrong: of 400 three more than 32 are one in 100. */
const CASES = 400;
const MOST_WRONG = 32;

const stepAt = (at: number, by: number) => (i: number) => (i >= at ? by : 1);

const ROWS: [title: string, Simulated, answer: string | null][] = [
  ["8 % at the sixth", { costs: stepAt(5, 1.08), spread: 0.0175 }, "1.5"],
  ["8 % at the last", { costs: stepAt(15, 1.08), spread: 0.0175 }, "1.15"],
  ["8 % at the second, rounds that vary", { costs: stepAt(1, 1.08), spread: 0.03 }, "1.1"],
  ["as much as the threshold", { costs: stepAt(9, 1.05), spread: 0.02 }, "1.9"],
  [
    "the threshold, rounds that vary",
    { costs: stepAt(9, 1.05), spread: 0.03, mostRounds: 40 },
    "1.9",
  ],
  [
    "2 % of 2 %",
    { costs: stepAt(9, 1.02), spread: 0.0175, threshold: 0.02, mostRounds: 60 },
    "1.9",
  ],
  ["now and then a bad round", { costs: stepAt(5, 1.08), spread: 0.015, outliers: 0.05 }, "1.5"],
  ["nothing", { costs: () => 1, spread: 0.02 }, null],
  ["cheaper ones, and one that undoes it", { costs: stepAt(4, 0.9), spread: 0.02 }, null],
];

for (const [title, about, answer] of ROWS)
  test(`the first that costs more, in 95 of 100 searches: ${title}`, async () => {
    const found = await searches(CASES, about);
    const wrong = found.filter(({ outcome, at }) => outcome !== "noise" && at !== answer).length;
    const open = found.filter(({ outcome }) => outcome === "noise").length;
    assert.ok(wrong <= MOST_WRONG, `${wrong} of ${CASES} are wrong`);
    assert.ok(open <= MOST_WRONG, `${open} of ${CASES} are open`);
    for (const { outcome, at, between, step } of found) {
      if (outcome !== "found" || at === null) continue;
      assert.deepEqual(between, [VERSIONS[VERSIONS.indexOf(at) - 1], at]);
      assert.ok(step?.interval && step.value > 0.9);
    }
  });

test("a finer threshold takes more rounds, and one that rounds drown none is claimed for", async () => {
  const meanRounds = async (about: Simulated) => {
    const all = await searches(50, about);
    return all.reduce((sum, { rounds }) => sum + rounds, 0) / all.length;
  };
  const costs = stepAt(9, 1.08);
  const coarse = await meanRounds({ costs, spread: 0.02, threshold: 0.05 });
  const fine = await meanRounds({ costs, spread: 0.02, threshold: 0.02 });
  assert.ok(coarse < 40 && fine > 1.5 * coarse, `${coarse} and ${fine}`);
  const drowned = await searches(CASES, { costs: stepAt(9, 1.01), spread: 0.06, threshold: 0.01 });
  const claimed = drowned.filter(({ outcome }) => outcome !== "noise").length;
  assert.ok(claimed <= MOST_WRONG, `${claimed} of ${CASES} claim something`);
});

test("one between equal and more stays open, and both its neighbours are named", async () => {
  const costs = (i: number) => (i >= 8 ? 1.08 : i === 7 ? Math.sqrt(1.05) : 1);
  const spread = 0.002;
  const found = await searches(20, { costs, spread, place: 1 });
  const open = found.filter(({ outcome }) => outcome === "noise");
  assert.ok(open.length > 0);
  for (const { at, between, step } of open) {
    assert.deepEqual([at, between, step], ["1.7", ["1.0", "1.15"], null]);
  }
});

test("after each that is judged, those that may still be the first", async () => {
  const told: string[] = [];
  await firstToCostMore(
    ["1", "2", "3", "4", "5"],
    async (version, rounds) =>
      Array.from({ length: rounds }, (_, i) => (version >= "4" ? 1.1 : 1) + 0.001 * (i % 2)),
    { threshold: 0.05, mostRounds: 24 },
    ({ version }, left) => void told.push(`${version}: ${left.join()}`),
  );
  assert.deepEqual(told, ["1: 2,3,4,5", "5: 2,3,4,5", "3: 4,5", "4: 4"]);
});

test("what cannot be measured is left out; without the first or any other there is no answer", async () => {
  const run = (unable: string[]) =>
    firstToCostMore(
      ["1", "2", "3", "4"],
      async (version, rounds) =>
        unable.includes(version)
          ? null
          : Array.from({ length: rounds }, (_, i) => (version >= "3" ? 1.1 : 1) + 0.001 * (i % 2)),
      { threshold: 0.05, mostRounds: 24 },
    );
  const rows: [unable: string[], outcome: string, at: string | null, between: unknown][] = [
    [[], "found", "3", ["2", "3"]],
    [["4"], "found", "3", ["2", "3"]],
    [["2"], "found", "3", ["1", "3"]],
    [["3", "4"], "none", null, ["2", null]],
    [["1"], "unable", "1", ["1", null]],
    [["2", "3", "4"], "unable", null, ["1", null]],
  ];
  for (const [unable, outcome, at, between] of rows) {
    const found = await run(unable);
    assert.deepEqual(
      [found.outcome, found.at, found.between],
      [outcome, at, between],
      unable.join(),
    );
    const left = found.judged.filter(({ verdict }) => verdict === "unable");
    for (const { version } of left) assert.ok(unable.includes(version));
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aboveOf,
  bracketOf,
  capacityOf,
  nextRate,
  RESOLUTION,
  searchCapacity,
} from "./capacity-search.ts";
import { randomNumbers } from "./random.ts";
import type { Try, Verdict, SearchRange } from "./capacity-search.ts";

const ABOVE = aboveOf(RESOLUTION);
const RANGE = { from: 25, lowest: 1, highest: 100_000 };

function searched(proxy: (rate: number) => Verdict, changes?: Partial<SearchRange>) {
  return searchCapacity(async (rate) => ({ rate, verdict: proxy(rate) }), { ...RANGE, ...changes });
}

/** A whole measurement: the search, then three fresh tries at the rate found and three above it. */
async function measured(proxy: (rate: number) => Verdict) {
  const tries = await searched(proxy);
  const { holds } = bracketOf(tries);
  const fresh = (factor: number) =>
    holds === null ? [] : [1, 2, 3].map(() => tried(proxy, factor * holds));
  return capacityOf(tries, { at: fresh(1), above: fresh(ABOVE) }, 3);
}

function tried(proxy: (rate: number) => Verdict, rate: number): Try {
  return { rate, verdict: proxy(rate) };
}

const sharp =
  (knee: number): ((rate: number) => Verdict) =>
  (rate) =>
    rate <= knee ? "holds" : "fails";

/**
 * @param knee half of the tries fail there
 * @param width of the logistic curve, relative to the knee
 */
const soft =
  (knee: number, width: number, random: () => number): ((rate: number) => Verdict) =>
  (rate) =>
    random() < 1 / (1 + Math.exp((rate / knee - 1) / width)) ? "holds" : "fails";

for (const knee of [26, 60, 333, 1234.5, 48_000]) {
  test(`a sharp knee at ${knee} is found to the resolution, and confirmed`, async () => {
    const found = await measured(sharp(knee));
    assert.equal(found.kind, "confirmed");
    const { low, high } = found as { low: number; high: number };
    assert.ok(low <= knee && knee < high, `${low} to ${high}`);
    // Rates have three digits.
    assert.ok(high / low <= 1 + RESOLUTION + 0.01, `${low} to ${high}`);
  });
}

test("rates double, the failure is tried once more, then bisection", async () => {
  const tries = await searched(sharp(333));
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [25, 50, 100, 200, 400, 400, 283, 336, 308, 322],
  );
  assert.deepEqual(bracketOf(tries), { holds: 322, above: 336, isLimited: false });
});

test("one disturbance while the rate doubles does not halve the answer", async () => {
  let disturbances = 1;
  const tries = await searched((rate) =>
    rate === 100 && disturbances-- > 0 ? "fails" : sharp(333)(rate),
  );
  assert.equal(bracketOf(tries).holds, 322);
  const at = tried(sharp(333), 322);
  const above = tried(sharp(333), 322 * ABOVE);
  const found = capacityOf(tries, { at: [at, at, at], above: [above, above, above] }, 3);
  assert.equal(found.kind, "confirmed");
});

test("a soft knee is a range around it, or confirmed within its width", async () => {
  const kinds = new Map();
  for (let seed = 1; seed <= 200; seed++) {
    const found = await measured(soft(500, 0.05, randomNumbers(seed)));
    kinds.set(found.kind, (kinds.get(found.kind) ?? 0) + 1);
    assert.ok(found.low !== null && found.high !== null);
    // Beyond three widths one try in 20 goes the other way.
    assert.ok(found.low < 575 && found.high > 425, `seed ${seed}: ${found.low} to ${found.high}`);
  }
  assert.deepEqual([...kinds.keys()].sort(), ["confirmed", "range"]);
});

test("where one try in three fails over a wide range, no rate in it is confirmed but by a rare chance", async () => {
  let confirmed = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomNumbers(seed);
    const { kind, low, high } = await measured((rate) =>
      rate > 1000 || (rate > 200 && random() < 1 / 3) ? "fails" : "holds",
    );
    assert.ok(low !== null && low <= 1000 && (high === null || high > low));
    // Of those next to 1,000, the rate above always fails.
    if (kind === "confirmed" && ABOVE * low <= 1000) confirmed += 1;
  }
  // Three that hold, and three that fail: a chance of (2/3)³ × (1/3)³ = 1.1 %, 2 of 200.
  assert.ok(confirmed <= 8, `${confirmed} of 200`);
});

test("where the generator was at its limit first, the answer is no more than at least", async () => {
  const found = await measured((rate) => (rate <= 700 ? "holds" : "limited"));
  assert.deepEqual(
    { kind: found.kind, high: found.high, isLimited: found.isLimited },
    {
      ...{ kind: "at-least", high: null, isLimited: true },
    },
  );
  assert.ok((found.low as number) > 700 / (1 + RESOLUTION) - 4);
});

test("a generator at its limit beyond the knee changes nothing", async () => {
  const found = await measured((rate) => (rate > 390 ? "limited" : sharp(333)(rate)));
  assert.equal(found.kind, "confirmed");
  assert.equal(found.low, 322);
});

test("a fresh cell that fails at the rate found makes a range; so does one that holds above it", () => {
  const tries = [
    tried(sharp(110), 100),
    tried(sharp(110), 200),
    tried(sharp(110), 200),
    tried(sharp(110), 141),
  ];
  const at = (verdicts: Verdict[], rate = 100) => verdicts.map((verdict) => ({ rate, verdict }));
  const above = at(["fails", "fails", "fails"], 110);
  const below = { rate: 50, verdict: "holds" as const };
  assert.deepEqual(
    capacityOf([below, ...tries], { at: at(["holds", "fails", "holds"]), above }, 3),
    { kind: "range", low: 50, high: 110, isLimited: false },
  );
  assert.deepEqual(
    capacityOf(
      tries,
      { at: at(["holds", "holds", "holds"]), above: at(["holds", "fails", "holds"], 110) },
      3,
    ),
    { kind: "range", low: 100, high: 141, isLimited: false },
  );
});

test("without fresh cells nothing is confirmed", async () => {
  const tries = await searched(sharp(333));
  assert.deepEqual(capacityOf(tries, { at: [], above: [] }, 3), {
    ...{ kind: "range", low: 322, high: 336, isLimited: false },
  });
  assert.deepEqual(capacityOf([], { at: [], above: [] }, 3), {
    ...{ kind: "unknown", low: null, high: null, isLimited: false },
  });
});

test("a proxy that does not keep it at the first rate is searched below, down to the lowest", async () => {
  const found = await measured(sharp(7));
  assert.equal(found.kind, "confirmed");
  assert.ok((found.low as number) <= 7);
  assert.deepEqual(await measured(() => "fails"), {
    ...{ kind: "below", low: null, high: 1, isLimited: false },
  });
});

test("what never fails ends at the highest rate", async () => {
  const tries = await searched(() => "holds", { highest: 300 });
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [25, 50, 100, 200, 300],
  );
  assert.deepEqual(capacityOf(tries, { at: [], above: [] }, 3), {
    ...{ kind: "at-least", low: 300, high: null, isLimited: false },
  });
});

test("a coarse search ends sooner, and what has to fail is further above", async () => {
  const tries = await searched(sharp(333), { resolution: 1 });
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [25, 50, 100, 200, 400, 400],
  );
  assert.deepEqual([aboveOf(RESOLUTION), aboveOf(1)], [1.1, 3]);
});

test("a search goes on where it was", async () => {
  const whole = await searched(sharp(333));
  for (const [i, { rate }] of whole.entries())
    assert.equal(nextRate(whole.slice(0, i), RANGE), rate);
  assert.equal(nextRate(whole, RANGE), null);
});

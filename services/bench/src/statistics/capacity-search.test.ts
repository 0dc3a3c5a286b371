import assert from "node:assert/strict";
import { test } from "node:test";
import { capacityOf, freshRates, nextTry, RESOLUTION, searchCapacity } from "./capacity-search.ts";
import { randomNumbers } from "./random.ts";
import type { Try, Verdict, SearchRange } from "./capacity-search.ts";

const RANGE = { from: 25, lowest: 1, highest: 100_000 };

function searched(proxy: (rate: number) => Verdict, changes?: Partial<SearchRange>) {
  return searchCapacity(async ({ rate }) => ({ rate, verdict: proxy(rate) }), {
    ...RANGE,
    ...changes,
  });
}

/** A whole measurement: the search, then three fresh tries at the rate found and three above it. */
async function measured(proxy: (rate: number) => Verdict) {
  const tries = await searched(proxy);
  const { at, above } = freshRates(tries, RESOLUTION);
  const fresh = (rate: number | null) =>
    rate === null ? [] : [1, 2, 3].map(() => tried(proxy, rate));
  return capacityOf(tries, { at: fresh(at), above: fresh(above) }, 3);
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
 * @param width of the logistic curve over ln(rate)
 */
const soft =
  (knee: number, width: number, random: () => number): ((rate: number) => Verdict) =>
  (rate) =>
    random() < 1 / (1 + (rate / knee) ** (1 / width)) ? "holds" : "fails";

for (const knee of [26, 60, 333, 1234.5, 48_000])
  test(`a sharp knee at ${knee} is confirmed, within 40 %`, async () => {
    const { kind, low, high } = await measured(sharp(knee));
    assert.equal(kind, "confirmed");
    assert.ok(low !== null && high !== null && low <= knee && knee < high, `${low} to ${high}`);
    assert.ok(high / low <= 1.4, `${low} to ${high}`);
  });

test("rates double, the failure is tried once more, then bisection to 25 %, then steps around the limit", async () => {
  const near: boolean[] = [];
  const tries = await searchCapacity(async ({ rate, isNear }) => {
    near.push(isNear);
    return tried(sharp(333), rate);
  }, RANGE);
  const coarse = [25, 50, 100, 200, 400, 400, 283, 336];
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [...coarse, 308, 323, 339, 323, 339],
  );
  assert.deepEqual(
    near,
    tries.map((_, i) => i >= coarse.length),
  );
  const { at, above } = freshRates(tries, RESOLUTION);
  assert.ok(at && above && at < 323 && above > 336, `${at} and ${above}`);
});

test("one disturbance while the rate doubles does not halve the answer", async () => {
  let disturbances = 1;
  const found = await measured((rate) =>
    rate === 100 && disturbances-- > 0 ? "fails" : sharp(333)(rate),
  );
  assert.equal(found.kind, "confirmed");
  assert.ok((found.low as number) > 250);
});

// Of 200 searches each: the interval of the search, and what fresh cells make of it.
for (const [width, covered, confirmed] of [
  [0.01, 0.95, 0.9],
  [0.03, 0.95, 0.9],
  [0.06, 0.95, 0.6],
])
  test(`a known curve of width ${width}: intervals hold its middle, and nothing wrong is confirmed`, async () => {
    const random = randomNumbers(1);
    const counts = { covered: 0, confirmed: 0, wrong: 0 };
    for (let i = 0; i < 200; i++) {
      const knee = 300 + 300 * random();
      const proxy = soft(knee, width, random);
      const tries = await searched(proxy);
      const { threshold } = capacityOf(tries, { at: [], above: [] }, 3);
      assert.ok(threshold);
      const { low, high } = threshold;
      if ((low ?? 0) <= knee && knee <= (high ?? Infinity)) counts.covered += 1;
      const { at, above } = freshRates(tries, RESOLUTION);
      const fresh = (rate: number | null) => [1, 2, 3].map(() => tried(proxy, Number(rate)));
      const found = capacityOf(tries, { at: fresh(at), above: fresh(above) }, 3);
      if (found.kind !== "confirmed") continue;
      counts.confirmed += 1;
      if (Number(found.low) > knee || Number(found.high) < knee) counts.wrong += 1;
    }
    const text = JSON.stringify(counts);
    assert.ok(counts.covered >= 200 * covered, text);
    assert.ok(counts.confirmed >= 200 * confirmed, text);
    assert.ok(counts.wrong <= 200 * 0.01, text);
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
    if (kind === "confirmed" && Number(high) <= 1000) confirmed += 1;
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
  assert.ok((found.low as number) > 600);
});

test("a generator at its limit beyond the knee changes nothing", async () => {
  const found = await measured((rate) => (rate > 390 ? "limited" : sharp(290)(rate)));
  assert.equal(found.kind, "confirmed");
  assert.ok((found.low as number) > 220 && (found.low as number) < 290);
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
  assert.partialDeepStrictEqual(
    capacityOf([below, ...tries], { at: at(["holds", "fails", "holds"]), above }, 3),
    { kind: "range", low: 50, high: 110, isLimited: false },
  );
  assert.partialDeepStrictEqual(
    capacityOf(
      tries,
      { at: at(["holds", "holds", "holds"]), above: at(["holds", "fails", "holds"], 110) },
      3,
    ),
    { kind: "range", low: 100, high: 141, isLimited: false },
  );
});

test("without fresh cells nothing is confirmed", async () => {
  const none = { at: [], above: [] };
  const { kind, low, high } = capacityOf(await searched(sharp(333)), none, 3);
  assert.deepEqual([kind, low, high], ["range", 323, 336]);
  assert.deepEqual(capacityOf([], none, 3), {
    ...{ kind: "unknown", low: null, high: null, isLimited: false, threshold: null },
  });
});

test("messages of nginx: the search held 4,000, fresh cells did not, and 2,000 is no figure", () => {
  const tries: Try[] = [
    ...[1000, 2000, 4000].map((rate) => ({ rate, verdict: "holds" as const })),
    ...[8000, 8000, 5660, 4760, 4360, 4180].map((rate) => ({ rate, verdict: "fails" as const })),
  ];
  const of = (rate: number, text: string) =>
    text.split("").map((sign) => ({ rate, verdict: sign === "+" ? "holds" : "fails" }) as Try);
  const found = capacityOf(tries, { at: of(4000, "-++"), above: of(4400, "-+-") }, 3);
  assert.deepEqual([found.kind, found.low, found.high], ["range", 2000, 4760]);
  const { rate, low, high } = found.threshold ?? {};
  assert.ok(low && high && rate && low > 2500 && high < 5000, JSON.stringify(found.threshold));
});

test("a proxy that does not keep it at the first rate is searched below, down to the lowest", async () => {
  const found = await measured(sharp(7));
  assert.equal(found.kind, "confirmed");
  assert.ok((found.low as number) <= 7);
  assert.deepEqual(await measured(() => "fails"), {
    ...{ kind: "below", low: null, high: 1, isLimited: false, threshold: null },
  });
});

test("what never fails ends at the highest rate", async () => {
  const tries = await searched(() => "holds", { highest: 300 });
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [25, 50, 100, 200, 300],
  );
  assert.deepEqual(capacityOf(tries, { at: [], above: [] }, 3), {
    ...{ kind: "at-least", low: 300, high: null, isLimited: false, threshold: null },
  });
});

test("a search of larger steps ends with the doubling, and its fresh cells are further apart", async () => {
  const tries = await searched(sharp(333), { resolution: 1 });
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [25, 50, 100, 200, 400, 400, 283, 566, 283, 566, 283],
  );
  const { at, above } = freshRates(tries, 1);
  assert.ok(Number(above) / Number(at) > 4);
});

test("a search goes on where it was", async () => {
  const whole = await searched(sharp(333));
  for (const [i, { rate }] of whole.entries())
    assert.equal(nextTry(whole.slice(0, i), RANGE)?.rate, rate);
  assert.equal(nextTry(whole, RANGE), null);
});

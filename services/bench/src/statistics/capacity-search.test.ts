import assert from "node:assert/strict";
import { test } from "node:test";
import { capacityOf, freshRates, nextTry, RESOLUTION, searchCapacity } from "./capacity-search.ts";
import { randomNumbers } from "./random.ts";
import { normalNumbers } from "./testing/normal.ts";
import type { TimedTry, Try, Verdict, SearchRange } from "./capacity-search.ts";

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
  const { at, above } = freshRates(timed(tries), RESOLUTION);
  const fresh = [at, at, at, above, above, above].flatMap((rate) =>
    rate === null ? [] : tried(proxy, rate),
  );
  return capacityOf(timed(tries), timed(fresh));
}

/** On a machine of one speed. */
function timed(tries: Try[]): TimedTry[] {
  return tries.map((each) => ({ ...each, referenceUs: null }));
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
    const { isConfirmed, low, high } = await measured(sharp(knee));
    assert.ok(isConfirmed);
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
  const { at, above } = freshRates(timed(tries), RESOLUTION);
  assert.ok(at && above && at < 323 && above > 336, `${at} and ${above}`);
});

test("one disturbance while the rate doubles does not halve the answer", async () => {
  let disturbances = 1;
  const found = await measured((rate) =>
    rate === 100 && disturbances-- > 0 ? "fails" : sharp(333)(rate),
  );
  assert.ok(found.isConfirmed);
  assert.ok((found.low as number) > 250);
});

/** Of a machine whose speed moves by so much from cell to cell, which a reference shows to 3 %. */
async function onMovingMachine(
  { knee, width, speed }: { knee: number; width: number; speed: number },
  random: () => number,
) {
  const normal = normalNumbers(random);
  const cell = () => {
    const slowness = Math.exp(speed * normal());
    const proxy = soft(knee / slowness, width, random);
    return (rate: number) => ({
      ...tried(proxy, rate),
      referenceUs: 100 * slowness * Math.exp(0.03 * normal()),
    });
  };
  const one = cell();
  const tries = await searchCapacity(async ({ rate }) => one(rate), RANGE);
  const { at, above } = freshRates(tries, RESOLUTION);
  const fresh = [at, at, at, above, above, above].map((rate) => cell()(Number(rate)));
  return { tries, fresh };
}

// Of 200 searches each: the interval of all tries, and what fresh cells make of it.
for (const [width, speed, confirmed] of [
  [0.01, 0, 0.9],
  [0.03, 0, 0.9],
  [0.06, 0, 0.8],
  [0.03, 0.15, 0.8],
])
  test(`a curve of width ${width} on a machine whose speed moves by ${speed}: intervals hold its middle`, async () => {
    const random = randomNumbers(1);
    const counts = { covered: 0, confirmed: 0, wrong: 0, withoutSpeed: 0 };
    for (let i = 0; i < 200; i++) {
      const knee = 300 + 300 * random();
      const { tries, fresh } = await onMovingMachine({ knee, width, speed }, random);
      const holds = ({ low, high }: { low: number | null; high: number | null }) =>
        (low ?? 0) <= knee && knee <= (high ?? Infinity);
      const found = capacityOf(tries, fresh);
      if (holds(found)) counts.covered += 1;
      if (found.isConfirmed) counts.confirmed += 1;
      if (found.isConfirmed && !holds(found)) counts.wrong += 1;
      if (capacityOf(timed(tries), timed(fresh)).isConfirmed) counts.withoutSpeed += 1;
    }
    const text = JSON.stringify(counts);
    assert.ok(counts.covered >= 200 * 0.95, text);
    assert.ok(counts.confirmed >= 200 * confirmed, text);
    assert.ok(counts.wrong <= 200 * 0.03, text);
    if (speed > 0) assert.ok(counts.confirmed > counts.withoutSpeed, text);
  });

test("where one try in three fails over a wide range, no rate in it is confirmed but by a rare chance", async () => {
  let confirmed = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomNumbers(seed);
    const { isConfirmed, low, high } = await measured((rate) =>
      rate > 1000 || (rate > 200 && random() < 1 / 3) ? "fails" : "holds",
    );
    assert.ok((low ?? 0) <= 1000 && (high ?? Infinity) > (low ?? 0));
    // Of those next to 1,000, the rate above always fails.
    if (isConfirmed && Number(high) <= 1000) confirmed += 1;
  }
  assert.ok(confirmed <= 8, `${confirmed} of 200`);
});

test("where the generator was at its limit first, the answer is no more than at least", async () => {
  const found = await measured((rate) => (rate <= 700 ? "holds" : "limited"));
  assert.deepEqual([found.threshold, found.high, found.isConfirmed], [null, null, false]);
  assert.ok((found.low as number) > 600);
});

test("a generator at its limit beyond the knee changes nothing", async () => {
  const found = await measured((rate) => (rate > 450 ? "limited" : sharp(290)(rate)));
  assert.ok(found.isConfirmed);
  assert.ok((found.low as number) > 220 && (found.low as number) < 290);
});

/** @param text such as `+200 -400*110`: it fails at 400, where an operation costs the reference 110 µs */
function course(text: string): TimedTry[] {
  return text.split(" ").map((one) => {
    const [rate, referenceUs = 100] = one.slice(1).split("*").map(Number);
    return { rate, referenceUs, verdict: one.startsWith("+") ? "holds" : "fails" };
  });
}

test("one fresh cell that contradicts the search confirms nothing; on a slower machine it agrees", () => {
  const search = course("+200 -400 -400 +283 -336 +308 -323 +308 -323 +308");
  const agreeing = course("+250 +250 -400 -400");
  assert.ok(capacityOf(search, agreeing).isConfirmed);
  const { isConfirmed, contradicting } = capacityOf(search, [...agreeing, ...course("-250")]);
  assert.deepEqual([isConfirmed, contradicting], [false, 1]);
  assert.ok(capacityOf(search, [...agreeing, ...course("-250*160")]).isConfirmed);
});

test("without fresh cells nothing is confirmed", async () => {
  const { isConfirmed, low, high } = capacityOf(timed(await searched(sharp(333))), []);
  assert.ok(!isConfirmed && low && high && low < 333 && high > 333);
  assert.deepEqual(capacityOf([], []), {
    ...{ threshold: null, low: null, high: null },
    ...{ agreeing: 0, contradicting: 0, isConfirmed: false },
  });
});

test("messages of nginx: the search held 4,000, fresh cells did not, and 2,000 is no figure", () => {
  const tries = "+1000 +2000 +4000 -8000 -8000 -5660 -4760 -4360 -4180";
  const found = capacityOf(course(tries), course("-4000 +4000 +4000 -4400 +4400 -4400"));
  assert.ok(!found.isConfirmed);
  const { rate, low, high } = found.threshold ?? {};
  assert.ok(low && high && rate && low > 2500 && high < 5000, JSON.stringify(found.threshold));
});

test("a proxy that does not keep it at the first rate is searched below, down to the lowest", async () => {
  const found = await measured(sharp(7));
  assert.ok(found.isConfirmed);
  assert.ok((found.low as number) <= 7);
  const { threshold, low, high } = await measured(() => "fails");
  assert.deepEqual([threshold, low, high], [null, null, 1]);
});

test("what never fails ends at the highest rate", async () => {
  const tries = await searched(() => "holds", { highest: 300 });
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [25, 50, 100, 200, 300],
  );
  const { threshold, low, high } = capacityOf(timed(tries), []);
  assert.deepEqual([threshold, low, high], [null, 300, null]);
});

test("a search of larger steps ends with the doubling, and its fresh cells are further apart", async () => {
  const tries = await searched(sharp(333), { resolution: 1 });
  assert.deepEqual(
    tries.map(({ rate }) => rate),
    [25, 50, 100, 200, 400, 400, 283, 566, 283, 566, 283],
  );
  const { at, above } = freshRates(timed(tries), 1);
  assert.ok(Number(above) / Number(at) > 4);
});

test("a search goes on where it was", async () => {
  const whole = await searched(sharp(333));
  for (const [i, { rate }] of whole.entries())
    assert.equal(nextTry(whole.slice(0, i), RANGE)?.rate, rate);
  assert.equal(nextTry(whole, RANGE), null);
});

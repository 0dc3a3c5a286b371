import assert from "node:assert/strict";
import { test } from "node:test";
import { Histogram, RESOLUTION } from "./histogram.ts";
import { randomNumbers } from "./random.ts";

test("a value is found again: to the µs below 2.048 ms, above within the resolution that is stated", () => {
  assert.equal(RESOLUTION.exactBelowMs, 2.048);
  for (const ms of [0, 0.001, 0.5, 1.024, 2.047])
    assert.equal(Histogram.of([ms]).quantile(0.5), ms);
  const random = randomNumbers(1);
  for (let i = 0; i < 5000; i++) {
    const ms = Math.round(1000 * 10 ** (random() * 6.5)) / 1000;
    const found = Histogram.of([ms]).quantile(1);
    assert.ok(Math.abs(found - ms) <= RESOLUTION.share * ms, `${ms} ms as ${found}`);
  }
  // Powers of two and what is beside them have no gap and no overlap.
  for (let power = 11; power < 32; power++) {
    const [below, at] = [2 ** power - 1, 2 ** power].map(
      (us) => Histogram.of([us / 1000]).indices[0],
    );
    assert.equal(at, below + 1, `2^${power} µs`);
  }
});

test("quantiles are of the nearest rank", () => {
  const values = Array.from({ length: 1000 }, (_, i) => (i + 1) / 1000);
  const histogram = Histogram.of(values);
  assert.equal(histogram.total, 1000);
  assert.equal(histogram.quantile(0.5), 0.5);
  assert.equal(histogram.quantile(0.99), 0.99);
  assert.equal(histogram.quantile(0.999), 0.999);
  assert.equal(histogram.quantile(1), 1);
  assert.equal(histogram.quantile(0.0001), 0.001);
  assert.throws(() => Histogram.of([]).quantile(0.5), /empty/);
});

test("pooled, it is that of all values: not the mean of percentiles", () => {
  const quick = Array.from({ length: 980 }, () => 1);
  const slow = Array.from({ length: 20 }, () => 500);
  const pooled = Histogram.pooled([
    Histogram.of(quick),
    Histogram.of(quick.slice(20)),
    Histogram.of(slow),
  ]);
  assert.deepEqual(pooled, Histogram.of([...quick, ...quick.slice(20), ...slow]));
  assert.equal(pooled.quantile(0.98), 1);
  assert.ok(Math.abs(pooled.quantile(0.995) - 500) < 0.25);
});

test("its text is short, and is read again", () => {
  const histogram = Histogram.of([1, 1, 1, 1.002, 3000]);
  assert.equal(histogram.toString(), "1000x3 2 11726");
  assert.deepEqual(Histogram.parse(histogram.toString()), histogram);
  assert.equal(Histogram.parse("").total, 0);
});

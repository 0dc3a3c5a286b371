/**
 * The parts of loadgen/ that need no k6.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mean, standardDeviation, variance } from "simple-statistics";
import { messagesOf } from "../lib/message.js";
import { Rate, Schedule } from "../lib/schedule.js";
import { after } from "../lib/timer.js";
import { randomNumbers } from "../../services/bench/src/statistics/random.ts";
import type { Due } from "../lib/schedule.js";

/** @returns every send */
function allOf(schedule: Due): { connection: number; ms: number }[] {
  const sends = [];
  for (let ms; (ms = schedule.dueMs) !== null;) sends.push({ ms, connection: schedule.take() });
  return sends;
}

const sendsOf = (options: ConstructorParameters<typeof Schedule>[0]) =>
  allOf(new Schedule(options));

test("every connection is due once an interval, from a moment of its own in the first", () => {
  const random = randomNumbers(1);
  const sends = sendsOf({ count: 100, intervalMs: 1000, endMs: 5000, random });
  assert.equal(sends.length, 500);
  assert.ok(sends.every(({ ms }, i) => i === 0 || ms >= sends[i - 1].ms));
  const firsts = new Set<number>();
  for (let connection = 0; connection < 100; connection++) {
    const own = sends.filter((send) => send.connection === connection).map(({ ms }) => ms);
    assert.equal(own.length, 5);
    assert.ok(own.every((ms, i) => i === 0 || Math.abs(ms - own[i - 1] - 1000) < 1e-6));
    firsts.add(own[0]);
  }
  assert.equal(firsts.size, 100);
  // Not in step: each tenth of the interval has its share.
  for (let tenth = 0; tenth < 10; tenth++) {
    const here = [...firsts].filter((ms) => Math.floor(ms / 100) === tenth).length;
    assert.ok(here >= 3 && here <= 20, `${here} connections begin in tenth ${tenth}`);
  }
});

test("a hold that ends within an interval: those whose moment comes later are not due", () => {
  const moments = [0.9, 0.1, 0.5];
  const random = () => moments.shift() as number;
  assert.deepEqual(sendsOf({ count: 3, intervalMs: 1000, endMs: 1500, random }), [
    { ms: 100, connection: 1 },
    { ms: 500, connection: 2 },
    { ms: 900, connection: 0 },
    { ms: 1100, connection: 1 },
  ]);
});

test("without an interval, or a connection, nothing is due", () => {
  assert.deepEqual(sendsOf({ count: 3, intervalMs: 0, endMs: 1000 }), []);
  assert.deepEqual(sendsOf({ count: 0, intervalMs: 10, endMs: 1000 }), []);
});

test("a rate, evenly: VUs that take turns come to it together, without a step of their own", () => {
  const vus = [0, 1, 2].map((vu) =>
    allOf(new Rate({ perSecond: 100, endMs: 2000, isPoisson: false, phase: (vu + 0.5) / 3 })),
  );
  const times = vus.flatMap((sends) => sends.map(({ ms }) => ms)).sort((a, b) => a - b);
  assert.equal(times.length, 600);
  assert.ok(times.every((ms, i) => Math.abs(ms - (1000 * (i + 0.5)) / 300) < 1e-6));
  assert.deepEqual(
    vus[0].map(({ connection }) => connection),
    Array.from({ length: 200 }, (_, i) => i),
  );
});

test("a rate as a Poisson process: counts scatter as much as their mean, gaps have their mean as standard deviation", () => {
  const perSecond = 200;
  const random = randomNumbers(7);
  const times = allOf(new Rate({ perSecond, endMs: 100_000, isPoisson: true, random })).map(
    ({ ms }) => ms,
  );
  // 20,000 are expected; three standard deviations.
  assert.ok(Math.abs(times.length - 20_000) < 3 * Math.sqrt(20_000), `${times.length}`);
  assert.ok(times.every((ms, i) => i === 0 || ms >= times[i - 1]) && times[times.length - 1] < 1e5);
  const gaps = times.slice(1).map((ms, i) => ms - times[i]);
  assert.ok(Math.abs(standardDeviation(gaps) / mean(gaps) - 1) < 0.05);
  const counts = Array.from({ length: 1000 }, () => 0);
  for (const ms of times) counts[Math.floor(ms / 100)] += 1;
  assert.ok(Math.abs(variance(counts) / mean(counts) - 1) < 0.15);
  const again = new Rate({ perSecond, endMs: 1e5, isPoisson: true, random: randomNumbers(7) });
  assert.equal(again.dueMs, times[0]);
});

test("a rate on connections that are held: one after the other; without any, nothing is due", () => {
  const rate = { perSecond: 100, endMs: 50, isPoisson: false };
  assert.deepEqual(
    allOf(new Rate({ ...rate, count: 3 })),
    [0, 1, 2, 0, 1].map((connection, i) => ({ ms: 10 * i, connection })),
  );
  assert.deepEqual(allOf(new Rate({ ...rate, count: 0 })), []);
});

for (const bytes of [1, 2, 10, 1024]) {
  test(`messages of ${bytes} bytes: as long as that, and unlike the neighbour's and the last one`, () => {
    const message = messagesOf(bytes);
    for (const [connection, number] of [
      [0, 0],
      [41, 7],
      [49_999, 1234],
    ]) {
      const own = message(connection, number);
      assert.equal(Buffer.byteLength(own), bytes);
      assert.notEqual(own, message(connection, number + 1));
      assert.notEqual(own, message(connection + 1, number));
    }
  });
}

test("a limit holds although k6 runs its timer too early, and ends when it is due", (t) => {
  let nowMs = 1000;
  const timers: { run: () => void; ms: number }[] = [];
  t.mock.method(globalThis, "setTimeout", (run: () => void, ms: number) =>
    timers.push({ run, ms }),
  );
  let ended = 0;
  after(
    30_000,
    () => (ended += 1),
    () => nowMs,
  );
  nowMs = 3000;
  timers[0].run();
  assert.equal(ended, 0);
  assert.deepEqual(
    timers.map(({ ms }) => ms),
    [30_000, 28_000],
  );
  nowMs = 31_000;
  timers[1].run();
  assert.equal(ended, 1);
  assert.equal(timers.length, 2);
});

for (const [share, one] of [
  ["0.125", 8],
  ["0.25", 4],
  ["0.3333", 3],
  ["0.5", 2],
  ["0", Infinity],
] as const)
  test(`a reference share of ${share}: exactly those that were asked for go to the proxy, and one in ${one} beside them`, async () => {
    Object.assign(globalThis, { __ENV: { REFERENCE_SHARE: share } });
    const { isReference, withReference } = await import(`../lib/reference.js?share=${share}`);
    for (const asked of [1, 7, 8, 100, 999, 5000]) {
      const all = withReference(asked);
      const numbers = Array.from({ length: all }, (_, number) => number);
      const beside = numbers.filter(isReference).length;
      assert.equal(all - beside, asked, `${asked} of ${all}`);
      assert.ok(Math.abs(beside - all * Number(share)) <= 1, `${beside} of ${all}`);
    }
    // Spread, not in a row.
    const first = Array.from({ length: 4 * Math.min(one, 100) }, (_, number) => number);
    const gaps = first.filter(isReference).map((number, i, found) => number - (found[i - 1] ?? -1));
    assert.ok(gaps.every((gap) => Math.abs(gap - one) <= 1));
  });

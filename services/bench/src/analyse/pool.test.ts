import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "../statistics/random.ts";
import { normalNumbers } from "../statistics/testing/normal.ts";
import type { Comparison, Comparisons, Estimate, Figure } from "../model/comparison.ts";
import { comparison, figure } from "./figures.ts";
import { measure } from "./measures.ts";
import { pool, ratiosOver } from "./pool.ts";

const SETTING = { key: "short-lived-ws", scheme: "ws" as const };

/** A figure of a run: its value, that of each round, and as what it ranks. */
function figureOf(proxy: string, rounds: number[], about: Partial<Figure> = {}): Figure {
  const value = rounds.reduce((sum, one) => sum + one, 0) / rounds.length;
  const estimate: Estimate = { value, low: 0.99 * value, high: 1.01 * value, basis: "ci95" };
  return { ...figure(proxy), estimate, rounds, rank: 1, ...about };
}

/** @param day of the month */
function run(day: number, figures: Figure[], about: Partial<Comparisons> = {}): Comparisons {
  const question = "cpu_us_per_connection";
  const one: Comparison = comparison({
    ...{ question, measure: measure(question), settings: [SETTING], figures },
  });
  return {
    ...{ schema: 1, battle: "b", title: "t", startedAt: `2026-01-${10 + day}`, method: 2 },
    ...{ rounds: 6, settings: {}, flags: [], comparisons: [one] },
    proxies: figures.map(({ proxy }) => ({ name: proxy, title: proxy, version: "1.0" })),
    ...about,
  };
}

/** @param all the newest first */
function pooledFigures(all: Comparisons[]): Figure[] {
  return pool(all).comparisons.comparisons[0].figures;
}

const ROUNDS = [0.98, 1, 1.02];
const around = (value: number) => ROUNDS.map((one) => one * value);

test("the mean of runs is geometric, and the interval is of what the runs differ by", () => {
  const runs = [110, 100, 90].map((us, i) => run(3 - i, [figureOf("nginx", around(us))]));
  const [{ estimate, rounds, extra }] = pooledFigures(runs);
  const { value, low, high, basis } = estimate ?? assert.fail();
  assert.equal(basis, "ci95");
  assert.ok(Math.abs(value - Math.cbrt(110 * 100 * 90)) < 1e-9);
  // t(0.975; 2) = 4.30; the logarithms lie 10 % apart.
  assert.ok(Math.abs(Math.log((high ?? 0) / value) - 0.25) < 0.01, `${low} to ${high}`);
  assert.equal(rounds.length, 9);
  assert.deepEqual(extra.runs?.values.map(Math.round), [110, 100, 90]);
  assert.ok(Math.abs((extra.runs?.betweenPercent ?? 0) - 10) < 0.1);
  assert.ok(Math.abs((extra.runs?.withinPercent ?? 0) - 2 / Math.sqrt(3)) < 0.1);
});

test("of several settings the rounds say nothing of how far runs would differ by them", () => {
  const runs = [3, 2, 1].map((day) => {
    const one = run(day, [figureOf("nginx", around(100))]);
    one.comparisons[0].settings.push("short-lived-ws-more");
    return one;
  });
  assert.equal(pooledFigures(runs)[0].extra.runs?.withinPercent, null);
});

test("two that are not the best have a ratio with an interval, too", () => {
  const costs = { nginx: 100, haproxy: 120, envoy: 180 };
  const runs = [1.2, 1, 0.9].map((speed, i) =>
    run(
      3 - i,
      Object.entries(costs).map(([name, us]) => figureOf(name, around(us * speed ** (us / 100)))),
    ),
  );
  const figures = pooledFigures(runs);
  const of = ratiosOver(figures, 3);
  const [low, high] = of("envoy", "haproxy")?.interval ?? assert.fail();
  assert.ok(low > 1 && low < 1.5 && high > 1.5 && high < 2, `${low} to ${high}`);
  // As the table has it of those that are compared with the best.
  const toBest = figures.find(({ proxy }) => proxy === "envoy")?.toBest;
  assert.deepEqual(of("envoy", "nginx")?.interval, [toBest?.low, toBest?.high]);
  assert.equal(of("envoy", "caddy"), null);
  assert.equal(ratiosOver(figures, 4)("envoy", "haproxy"), null);
});

test("two runs, or runs of another version or method, are not pooled: the newest stands", () => {
  const of = (day: number, about: Partial<Comparisons> = {}) =>
    run(day, [figureOf("nginx", around(100 + day))], about);
  const older = { proxies: [{ name: "nginx", title: "nginx", version: "0.9" }] };
  for (const third of [[], [of(1, older)], [of(1, { method: 1 })]]) {
    const all = [of(3), of(2), ...third];
    const { comparisons, pooled } = pool(all);
    assert.deepEqual([comparisons, pooled], [all[0], [all[0]]]);
  }
  assert.equal(pool([of(3), of(2), of(1)]).pooled.length, 3);
});

test("a proxy that the newest run could not measure need not be in the others", () => {
  const [newest, ...others] = [3, 2, 1].map((day) => run(day, [figureOf("nginx", around(100))]));
  const unable = { name: "http-proxy", title: "http-proxy", version: "1.0" };
  newest.proxies.push(unable);
  const [cpu] = newest.comparisons;
  cpu.figures.push({ ...figure("http-proxy"), estimate: null });
  assert.equal(pool([newest, ...others]).pooled.length, 3);
  cpu.figures.push(figureOf("http-proxy", around(300)));
  assert.equal(pool([newest, ...others]).pooled.length, 1);
});

test("counts of runs are added up; of events the lowest and highest stand", () => {
  const exact = (count: number) =>
    figureOf("nginx", [], {
      estimate: { value: 10 * count, low: 0, high: 100, basis: "exact" },
      extra: { count, of: 10 },
      rank: null,
    });
  const [kept] = pooledFigures([10, 9, 8].map((count, i) => run(3 - i, [exact(count)])));
  assert.deepEqual([kept.extra.count, kept.extra.of, kept.estimate?.value], [27, 30, 90]);
  const lost = (value: number) => {
    const estimate: Estimate = { value, low: value, high: value, basis: "events" };
    return figureOf("nginx", [value], { estimate, rank: null });
  };
  const [{ estimate }] = pooledFigures([0, 50, 1].map((value, i) => run(3 - i, [lost(value)])));
  assert.deepEqual(estimate, { value: 17, low: 0, high: 50, basis: "events" });
});

test("of what was counted in an event the median of the runs stands, and the lowest and highest", () => {
  const counted = (value: number) => {
    const estimate: Estimate = { value, low: value, high: value, basis: "range" };
    return figureOf("caddy", [value], { estimate, rank: null });
  };
  const over = (...counts: number[]) => {
    const runs = counts.map((value, i) => run(3 - i, [counted(value)]));
    for (const { comparisons } of runs)
      comparisons[0].measure = { ...comparisons[0].measure, kind: "count" };
    return pooledFigures(runs)[0].estimate;
  };
  assert.deepEqual(over(7, 0, 7), { value: 7, low: 0, high: 7, basis: "range" });
  assert.deepEqual(over(261, 262, 255), { value: 261, low: 255, high: 262, basis: "range" });
});

test("what a proxy adds may be nothing, even if it is above 0 in every run", () => {
  const adds = (value: number, half: number) =>
    figureOf("nginx", around(2), {
      extra: { added: { value, low: value - half, high: value + half, basis: "ci95" } },
    });
  const of = (half: number) => {
    const runs = [0.3, 0.31, 0.32].map((value, i) => run(3 - i, [adds(value, half)]));
    return pooledFigures(runs)[0].extra.added ?? assert.fail();
  };
  assert.ok((of(0.4).low ?? 0) < 0);
  assert.ok((of(0.01).low ?? 0) > 0.25);
});

test("a figure whose interval reaches 0 in a run has no interval of logarithms", () => {
  const estimate: Estimate = { value: 1, low: -1, high: 3, basis: "ci95" };
  const runs = [3, 2, 1].map((day) => run(day, [figureOf("nginx", around(1), { estimate })]));
  assert.deepEqual(pooledFigures(runs)[0].estimate, { ...estimate, basis: "range" });
});

const PROXIES = ["a", "b", "c", "d", "e", "f"];

/**
 * Three runs, or more, in which a proxy's cost moves from run to run, and its rounds by 1 %.
 *
 * @param between standard deviation of its logarithm
 */
function drawn(
  random: () => number,
  costs: number[],
  count: number,
  between = 0.03,
): Comparisons[] {
  const normal = normalNumbers(random);
  return Array.from({ length: count }, (_, i) =>
    run(
      count - i,
      costs.map((cost, j) => {
        const own = cost * Math.exp(between * normal());
        return figureOf(
          PROXIES[j],
          Array.from({ length: 6 }, () => own * Math.exp(0.01 * normal())),
        );
      }),
    ),
  );
}

test("of equal proxies some two are ranked apart in 1 of 20 cases at most, and their intervals hold the truth", () => {
  const random = randomNumbers(1);
  const cases = 1000;
  let apart = 0;
  let held = 0;
  for (let i = 0; i < cases; i++) {
    const figures = pooledFigures(drawn(random, [100, 100, 100, 100, 100, 100], 3));
    if (figures.some(({ rank }) => rank !== 1)) apart += 1;
    const { low, high } = figures[0].estimate ?? assert.fail();
    if ((low ?? 0) <= 100 && 100 <= (high ?? 0)) held += 1;
  }
  assert.ok(apart <= 0.05 * cases, `${apart} of ${cases}`);
  assert.ok(Math.abs(held / cases - 0.95) < 0.025, `${held} of ${cases}`);
});

test("three runs of six proxies that differ by 8 % from run to run tell 1.8 times from 1, and not 1.05 times", () => {
  const random = randomNumbers(3);
  const first = [0, 0];
  for (let i = 0; i < 200; i++) {
    const [, near, far] = pooledFigures(drawn(random, [100, 105, 180, 240, 250, 390], 3, 0.08));
    if (near.rank === 1) first[0] += 1;
    if (far.rank === 1) first[1] += 1;
  }
  assert.ok(first[0] >= 180 && first[1] <= 10, `${first} of 200`);
});

test("four runs tell twice the cost in most cases; ratios and ranks agree", () => {
  const random = randomNumbers(2);
  let told = 0;
  for (let i = 0; i < 200; i++) {
    const figures = pooledFigures(drawn(random, [100, 200], 4));
    const [cheap, dear] = figures;
    assert.equal(cheap.rank, 1);
    assert.equal(cheap.toBest?.value, 1);
    const { low } = dear.toBest ?? assert.fail();
    assert.equal(dear.rank === 2, (low ?? 0) > 1);
    if (dear.rank === 2) told += 1;
  }
  assert.ok(told > 190, `${told} of 200`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { mannWhitney, smallestP } from "./significance.ts";
import { randomNumbers } from "./random.ts";
import { subsets } from "./testing/subsets.ts";
import {
  blockOf,
  criticalValue,
  smallestStratifiedP,
  stratifiedRatio,
  superiority,
  vanElteren,
} from "./van-elteren.ts";
import type { Stratum } from "./van-elteren.ts";

const near = (found: number, expected: number, within = 1e-9) =>
  assert.ok(Math.abs(found - expected) <= within, `${found}, expected ${expected}`);

/**
 * Written another way than the program's: pairs are counted, and all arrangements of all strata are
 * made.
 */
function enumerated(strata: Stratum[]): { p: number; arrangements: number } {
  const statistics = strata.map(([a, b]) => {
    const pooled = [...a, ...b];
    const of = (chosen: number[]) => {
      const others = pooled.filter((_, i) => !chosen.includes(i));
      const above = chosen.map((i) =>
        others.map((y) => (pooled[i] > y ? 1 : pooled[i] === y ? 0.5 : 0)),
      );
      const u = above.flat().reduce((sum: number, one) => sum + one, 0);
      return (u - (a.length * b.length) / 2) / (pooled.length + 1);
    };
    return { seen: of(a.map((_, i) => i)), all: subsets(pooled.length, a.length).map(of) };
  });
  const seen = statistics.reduce((sum, one) => sum + one.seen, 0);
  const all = statistics.reduce(
    (sums, one) => sums.flatMap((sum) => one.all.map((value) => sum + value)),
    [0],
  );
  const extreme = all.filter((value) => Math.abs(value) >= Math.abs(seen) - 1e-12).length;
  return { p: extreme / all.length, arrangements: all.length };
}

/** Sizes and levels differ; values are tied within strata and between. */
const UNEQUAL: Stratum[] = [
  [
    [1.1, 2.5, 2.5],
    [1.1, 1.7],
  ],
  [
    [20, 31],
    [18, 20, 25, 14],
  ],
  [
    [7, 9, 8],
    [6, 8, 5],
  ],
];

test("the exact p is that of all arrangements within the strata, with ties and unequal sizes", () => {
  const { p, arrangements } = enumerated(UNEQUAL);
  assert.equal(arrangements, 10 * 15 * 20);
  near(vanElteren(UNEQUAL), p);
  near(vanElteren(UNEQUAL.slice(1)), enumerated(UNEQUAL.slice(1)).p);
  // Which sample is named first makes no difference, nor does the order of strata.
  const turned = UNEQUAL.map(([a, b]) => [b, a] as Stratum).reverse();
  near(vanElteren(turned), p);
  near(superiority(turned), 1 - superiority(UNEQUAL));
});

test("superiority is the share of pairs, weighted by 1 / (N + 1)", () => {
  // Of 6, 8 and 9 pairs, 4.5, 6.5 and 7.5 have the larger value in a.
  near(superiority(UNEQUAL), (4.5 / 6 + 6.5 / 7 + 7.5 / 7) / (6 / 6 + 8 / 7 + 9 / 7));
});

test("with one stratum it is Mann-Whitney's test", () => {
  for (const [a, b] of UNEQUAL) near(vanElteren([[a, b]]), mannWhitney(a, b).p);
  const [a, b] = [0, 5.5].map((shift) => Array.from({ length: 30 }, (_, i) => i + shift));
  near(vanElteren([[a, b]]), mannWhitney(a, b).p);
});

test("strata all separated have the smallest p, with the same level or with none in common", () => {
  const strata = [0, 100, 200].map(
    (level) => [[1, 2, 3, 4].map((x) => x + level), [5, 6, 7, 8].map((x) => x + level)] as Stratum,
  );
  near(vanElteren(strata), 2 / 70 ** 3);
  near(smallestStratifiedP(strata), 2 / 70 ** 3);
  near(smallestStratifiedP(strata.slice(1, 2)), smallestP(4, 4));
  // Pooled without strata, levels would hide it.
  const all = [0, 1].map((side) => strata.flatMap((stratum) => stratum[side]));
  assert.ok(mannWhitney(all[0], all[1]).p > 0.1);
});

test("differences in opposite directions cancel, and where all values are equal there is none", () => {
  const [a, b] = [
    [1, 2, 3, 4],
    [5, 6, 7, 8],
  ];
  const opposite: Stratum[] = [
    [a, b],
    [b, a],
  ];
  assert.equal(vanElteren(opposite), 1);
  assert.equal(superiority(opposite), 0.5);
  const equal: Stratum[] = [
    [
      [3, 3],
      [3, 3],
    ],
    [[4], [4]],
  ];
  assert.equal(vanElteren(equal), 1);
  assert.equal(vanElteren(equal, { exact: false }), 1);
});

test("the normal distribution takes over where there are many outcomes, and agrees", () => {
  const random = randomNumbers(5);
  const strata = Array.from({ length: 4 }, (_, i) => {
    const values = (shift: number) =>
      Array.from({ length: 8 }, () => Math.round(40 * (i + random() + shift)));
    return [values(0.15), values(0)] as Stratum;
  });
  near(vanElteren(strata, { exact: false }), vanElteren(strata, { exact: true }), 3e-3);
  const large = [0, 1, 2, 3, 4, 5].map(
    (i) =>
      [Array.from({ length: 6 + i }, random), Array.from({ length: 7 + i }, random)] as Stratum,
  );
  assert.equal(vanElteren(large), vanElteren(large, { exact: false }));
});

test("critical values of one stratum are those of the published tables of Mann and Whitney's U", () => {
  // Two-sided, 5 % and 1 %; for example Siegel, Nonparametric Statistics (1956), table K.
  const critical = (n: number, alpha: number) => criticalValue([blockOf(n, n)], [1], alpha / 2);
  assert.deepEqual(
    [4, 5, 6, 7, 8, 9, 10, 12].map((n) => critical(n, 0.05)),
    [0, 2, 5, 8, 13, 17, 23, 37],
  );
  assert.deepEqual(
    [5, 6, 7, 8, 9, 10].map((n) => critical(n, 0.01)),
    [0, 2, 4, 7, 11, 16],
  );
  assert.equal(critical(3, 0.05), null);
  assert.equal(critical(4, 0.01), null);
});

test("the ratio of one stratum is the median of all pairs' ratios, its interval that of the published tables", () => {
  // Hollander & Wolfe (1973), 69f, as in R's documentation of wilcox.test: in logarithms, so that
  // ratios are differences. R's wilcox.test(term, early, conf.int = TRUE) has 0.305 (-0.15 to
  // 0.76).
  const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const early = [1.15, 0.88, 0.9, 0.74, 1.21];
  const found = stratifiedRatio([[term.map(Math.exp), early.map(Math.exp)]], { confidence: 0.95 });
  assert.ok(found?.interval);
  near(Math.log(found.value), 0.305);
  near(Math.log(found.interval[0]), -0.15);
  near(Math.log(found.interval[1]), 0.76);
});

test("the interval leaves out the ratios at which the test rejects, and no others", () => {
  const random = randomNumbers(11);
  const strata: Stratum[] = [4, 5, 6].map((n, i) => [
    Array.from({ length: n }, () => (i + 1) * (1.2 + random())),
    Array.from({ length: n + (i % 2) }, () => (i + 1) * (1 + random())),
  ]);
  const { value, interval } = stratifiedRatio(strata, { confidence: 0.95 }) ?? {};
  assert.ok(value && interval);
  const at = (ratio: number) => strata.map(([a, b]) => [a, b.map((y) => y * ratio)] as Stratum);
  near(superiority(at(value * (1 - 1e-9))) + superiority(at(value * (1 + 1e-9))), 1, 0.05);
  for (const [end, out] of [
    [interval[0], 1 - 1e-9],
    [interval[1], 1 + 1e-9],
  ]) {
    assert.ok(vanElteren(at(end * out)) <= 0.05);
    assert.ok(vanElteren(at(end / out)) > 0.05);
  }
});

test("the interval covers the true ratio as often as asked, or a little more often", () => {
  const random = randomNumbers(2);
  const values = (level: number) =>
    Array.from({ length: 6 }, () => level * Math.exp(0.2 * (random() + random() + random())));
  const trials = 400;
  const covered = Array.from({ length: trials }, () =>
    stratifiedRatio(
      [1, 3, 9].map((level) => [values(1.3 * level), values(level)] as Stratum),
      { confidence: 0.95 },
    ),
  ).filter((found) => found?.interval && found.interval[0] <= 1.3 && found.interval[1] >= 1.3);
  assert.ok(covered.length >= 0.93 * trials, `${covered.length} of ${trials}`);
  assert.ok(covered.length <= 0.98 * trials, `${covered.length} of ${trials}`);
});

test("no interval of few values, no ratio of none or of what is not above 0", () => {
  assert.deepEqual(
    stratifiedRatio(
      [
        [
          [2, 4],
          [1, 2],
        ],
      ],
      { confidence: 0.95 },
    ),
    {
      value: 2,
      interval: null,
    },
  );
  assert.equal(stratifiedRatio([], { confidence: 0.95 }), null);
  assert.equal(
    stratifiedRatio(
      [
        [
          [1, 2],
          [0, 2],
        ],
      ],
      { confidence: 0.95 },
    ),
    null,
  );
  assert.throws(() => vanElteren([]), /no stratum/);
});

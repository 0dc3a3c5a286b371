import assert from "node:assert/strict";
import { test } from "node:test";
import { holm, mannWhitney, smallestP } from "./significance.ts";
import { subsets } from "./testing/subsets.ts";

const near = (found: number, expected: number, within = 1e-9) =>
  assert.ok(Math.abs(found - expected) <= within, `${found}, expected ${expected}`);

test("as in SciPy's documentation of mannwhitneyu", () => {
  const males = [19, 22, 16, 29, 24];
  const females = [20, 11, 17, 12];
  assert.equal(mannWhitney(males, females).u, 17);
  assert.equal(mannWhitney(females, males).u, 3);
  near(mannWhitney(males, females).p, 0.1111111111111111);
  near(mannWhitney(males, females, { exact: false }).p, 0.11134688653314041, 1e-6);
});

test("as in R's documentation of wilcox.test", () => {
  // Hollander & Wolfe (1973), 69f: permeability of the placenta; W = 35, one-sided p = 0.1272, so
  // two-sided 0.2544.
  const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const early = [1.15, 0.88, 0.9, 0.74, 1.21];
  const { u, p } = mannWhitney(term, early);
  assert.equal(u, 35);
  assert.equal(p.toFixed(4), "0.2544");
});

test("as in Wikipedia's race of hares and tortoises", () => {
  const order = [..."THHHHHTTTTTH"];
  const places = (animal: string) =>
    order.flatMap((found, place) => (found === animal ? [12 - place] : []));
  assert.equal(mannWhitney(places("T"), places("H")).u, 11);
  assert.equal(mannWhitney(places("H"), places("T")).u, 25);
});

test("the normal approximation corrects for ties", () => {
  // U = 1, variance 9/12 (7 - 24/30) = 4.65, z = 3 / sqrt(4.65): two-sided 0.16416.
  near(mannWhitney([1, 2, 2], [2, 3, 4], { exact: false }).p, 0.1641597, 1e-6);
});

test("with ties, the exact p is that of all arrangements", () => {
  const a = [1, 2, 2, 5, 7];
  const b = [2, 5, 8, 8, 9, 9];
  const pooled = [...a, ...b];
  const u = (chosen: number[]) => {
    const rest = pooled.filter((_, i) => !chosen.includes(i));
    return chosen.reduce(
      (sum, i) =>
        sum + rest.reduce((s, y) => s + (pooled[i] > y ? 1 : pooled[i] === y ? 0.5 : 0), 0),
      0,
    );
  };
  const all = subsets(pooled.length, a.length).map(u);
  const seen = mannWhitney(a, b);
  const extreme = all.filter((x) => Math.abs(x - 15) >= Math.abs(seen.u - 15));
  assert.equal(all.length, 462);
  near(seen.p, extreme.length / all.length);
  assert.equal(mannWhitney([3, 3, 3], [3, 3, 3]).p, 1);
  assert.equal(mannWhitney([3, 3, 3], [3, 3, 3], { exact: false }).p, 1);
});

test("many values are compared quickly, and like the exact test", () => {
  const a = Array.from({ length: 25 }, (_, i) => i);
  const b = Array.from({ length: 25 }, (_, i) => i + 5.5);
  near(mannWhitney(a, b, { exact: false }).p, mannWhitney(a, b, { exact: true }).p, 2e-3);
});

test("complete separation has the smallest p there is", () => {
  near(smallestP(6, 6), 2 / 924);
  near(smallestP(4, 4), 2 / 70);
  near(smallestP(5, 6), mannWhitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]).p);
  assert.equal(smallestP(1, 1), 1);
});

test("Holm's correction is as in Wikipedia's example", () => {
  // Wikipedia, "Holm-Bonferroni method": p of 0.01, 0.04, 0.03 and 0.005 are corrected to 0.03,
  // 0.06, 0.06 and 0.02.
  const corrected = holm([0.01, 0.04, 0.03, 0.005]);
  [0.03, 0.06, 0.06, 0.02].forEach((expected, i) => near(corrected[i], expected));
  assert.deepEqual(holm([0.7, 0.8]), [1, 1]);
  assert.deepEqual(holm([]), []);
});

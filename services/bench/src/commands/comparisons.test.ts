/**
 * The safety net of every change to analysis: published runs give the comparisons that they gave
 * when they were published.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Comparison } from "../model/comparison.ts";
import { Store } from "../record/store.ts";
import { analysisOf } from "./report.ts";

const PROJECT = join(import.meta.dirname, "../../../..");
const PUBLISHED = join(PROJECT, "published");
/** Numbers are written with eight digits, and another V8 may round the last ones otherwise. */
const TOLERANCE = 1e-6;

const runs = globSync("*/*/results.json", { cwd: PUBLISHED }).map(dirname).sort();

for (const name of runs)
  test(`published/${name}: the same comparisons`, () => {
    const folder = join(PUBLISHED, name);
    const expected = JSON.parse(readFileSync(join(folder, "comparisons.json"), "utf8"));
    const file = analysisOf(PROJECT, Store.open(folder)).comparisons;
    assertAlike(JSON.parse(JSON.stringify(file)), expected, name);
    for (const one of file.comparisons) assertRanksFit(one);
  });

/**
 * The best is 1, a tie's interval holds 1, and that of whoever is behind leaves 1 out at the worse
 * side: no rank contradicts the ratio beside it.
 */
function assertRanksFit({ id, measure, figures }: Comparison) {
  const ranked = figures.filter(({ rank, toBest }) => rank !== null && toBest);
  if (ranked.length === 0) return;
  const best = ranked.filter(({ toBest }) => toBest?.value === 1 && toBest.low === null);
  assert.deepEqual([best.length, best[0]?.rank], [1, 1], id);
  for (const { proxy, rank, toBest } of ranked) {
    const { low, high, basis } = toBest ?? {};
    // The range of a few rounds is no interval.
    if (basis !== "ci95" || typeof low !== "number" || typeof high !== "number") continue;
    const isBehind = measure.better === "lower" ? low > 1 : high < 1;
    const isTied = low <= 1 && high >= 1;
    assert.ok(rank === 1 ? isTied : isBehind, `${id} ${proxy}: rank ${rank}, ${low} to ${high}`);
  }
}

function assertAlike(actual: unknown, expected: unknown, at: string) {
  if (typeof actual === "number" && typeof expected === "number") {
    const apart = Math.abs(actual - expected);
    assert.ok(
      apart <= TOLERANCE * Math.max(1, Math.abs(expected)),
      `${at}: ${actual}, ${expected}`,
    );
  } else if (actual && expected && typeof actual === "object" && typeof expected === "object") {
    assert.deepEqual(Object.keys(actual), Object.keys(expected), at);
    for (const [key, value] of Object.entries(actual)) {
      const other = (expected as Record<string, unknown>)[key];
      assertAlike(value, other, `${at} ${idOf(value) ?? key}`);
    }
  } else assert.equal(actual, expected, at);
}

function idOf(value: unknown) {
  return (value as { id?: string; proxy?: string } | null)?.id;
}

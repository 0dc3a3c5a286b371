/**
 * Where tests look in what an analysis says.
 */
import assert from "node:assert/strict";
import type { Comparison, Figure } from "../../model/comparison.ts";
import type { Flag, FlagCode, FlagFigures } from "../../model/flag.ts";
import type { Results } from "../../model/record.ts";
import { analyse } from "../index.ts";
import type { Context } from "../index.ts";
import { POLICY } from "./results.ts";

/** Of a run: all comparisons, and the first of a question. */
export function look(results: Results, context: Partial<Context> = {}) {
  const reported = analyse(results, { policy: POLICY, ...context });
  const all = reported.comparisons.comparisons;
  const find = (question: string, isWanted: (one: Comparison) => boolean = () => true) => {
    const found = all.find((one) => one.question === question && isWanted(one));
    assert.ok(found, question);
    return found;
  };
  return { ...reported, all, find, flags: reported.comparisons.flags };
}

export function figureOf({ figures }: Comparison, proxy: string): Figure {
  const found = figures.find((one) => one.proxy === proxy);
  assert.ok(found, proxy);
  return found;
}

/** By proxy. */
export function told<T>({ figures }: Comparison, of: (figure: Figure) => T): Record<string, T> {
  return Object.fromEntries(figures.map((one) => [one.proxy, of(one)]));
}

export function figuresOf<C extends FlagCode>(flags: Flag[], code: C): FlagFigures[C] | undefined {
  return flags.find((one) => one.code === code)?.figures as FlagFigures[C] | undefined;
}

export function codes(flags: Flag[]): FlagCode[] {
  return flags.map(({ code }) => code);
}

/** A number that is there, and no further from the expected than that. */
export function near(actual: number | null | undefined, expected: number, within = 1e-9): void {
  assert.ok(
    typeof actual === "number" && Math.abs(actual - expected) <= within,
    `${actual}, expected ${expected}`,
  );
}

/** An interval that holds the value. */
export function holds(of: Figure["estimate"] | undefined, value: number): void {
  const [low, high] = [of?.low ?? NaN, of?.high ?? NaN];
  assert.ok(low <= value && value <= high, `${low} to ${high}, expected ${value}`);
}

/**
 * Why a cell of a plan is not run: the kind, on which decisions are made, and the text that people
 * read.
 */

import type { PlannedCell } from "../model/plan.ts";

export type SkipKind = NonNullable<PlannedCell["skipKind"]>;

const LEFT_OUT = "its test leaves the control out";
const HAS_NONE = "has none: ";

const TEXTS: Record<SkipKind, (what: string) => string> = {
  "left-out": () => LEFT_OUT,
  "has-none": (what) => `${HAS_NONE}${what}`,
  unable: (what) => what,
};

/**
 * @param what the proxy lacks, or proxy or machine cannot
 * @returns of a cell
 */
export function skipped(kind: SkipKind, what = ""): { skip: string; skipKind: SkipKind } {
  return { skip: TEXTS[kind](what), skipKind: kind };
}

/** @returns null: it is run */
export function skipKindOf({
  skip,
  skipKind,
}: Pick<PlannedCell, "skip" | "skipKind">): SkipKind | null {
  if (skip === null) return null;
  // Records from before there were kinds say it in the text alone.
  return skipKind ?? kindIn(skip);
}

/** @returns without its kind */
export function reasonIn(text: string): string {
  return text.startsWith(HAS_NONE) ? text.slice(HAS_NONE.length) : text;
}

export function kindIn(text: string): SkipKind {
  if (text === LEFT_OUT) return "left-out";
  return text.startsWith(HAS_NONE) ? "has-none" : "unable";
}

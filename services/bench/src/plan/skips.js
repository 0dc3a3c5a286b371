/**
 * Why a cell of a plan is not run: the kind, on which decisions are made, and the text that people read.
 */

/** @import { PlannedCell } from "../model/plan.ts" */

/** @typedef {NonNullable<PlannedCell["skipKind"]>} SkipKind */

const LEFT_OUT = "its test leaves the control out";
const HAS_NONE = "has none: ";

/** @type {Record<SkipKind, (what: string) => string>} */
const TEXTS = {
  "left-out": () => LEFT_OUT,
  "has-none": (what) => `${HAS_NONE}${what}`,
  unable: (what) => what,
};

/**
 * @param {SkipKind} kind
 * @param {string} [what] the proxy lacks, or proxy or machine cannot
 * @returns {{skip: string, skipKind: SkipKind}} of a cell
 */
export function skipped(kind, what = "") {
  return { skip: TEXTS[kind](what), skipKind: kind };
}

/**
 * @param {Pick<PlannedCell, "skip" | "skipKind">} cell
 * @returns {SkipKind | null} null: it is run
 */
export function skipKindOf({ skip, skipKind }) {
  if (skip === null) return null;
  // Records from before there were kinds say it in the text alone.
  return skipKind ?? kindIn(skip);
}

/** @param {string} text @returns {SkipKind} */
export function kindIn(text) {
  if (text === LEFT_OUT) return "left-out";
  return text.startsWith(HAS_NONE) ? "has-none" : "unable";
}

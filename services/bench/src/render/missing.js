/**
 * Why a figure is missing, in words.
 */
import { findingText } from "./findings.js";

/** @import { Missing, SlopeRow } from "../analyse/types.js" */

/**
 * @param {Missing[]} reasons
 * @returns {string} each once
 */
export function missingText(reasons) {
  return [...new Set(reasons.map(text))].join("; ");
}

/** @param {Missing} reason */
function text(reason) {
  switch (reason.kind) {
    case "failed":
      return `${reason.cause.kind}: ${reason.cause.message}`;
    case "skipped":
      return `skipped: ${reason.why}`;
    default:
      return plainReason(reason);
  }
}

/**
 * @param {Missing} reason
 * @returns {string} without its kind
 */
export function plainReason(reason) {
  switch (reason.kind) {
    case "failed":
      return reason.cause.message;
    case "skipped":
      return reason.why;
    case "invalid":
    case "voided":
      return findingText(reason.finding);
    case "unreadable":
      return "could not be read";
    case "not-run":
      return "not run yet";
  }
}

/**
 * @param {SlopeRow["missing"]} missing of a row without a slope
 * @returns {string}
 */
export function noSlopeText(missing) {
  if (missing?.kind === "few-counts")
    return `${missing.counts} of at least ${missing.least} connection counts have a counted cell`;
  return "this kernel does not count it";
}

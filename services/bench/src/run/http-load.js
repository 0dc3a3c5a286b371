/**
 * What a load of HTTP requests says when it has ended.
 */
import { isCount, isCounts, isNumbers, isObject, readSummaryLine } from "./summary-line.js";

/** @import { ReferenceLoad } from "../model/load.ts" */
/** @typedef {import("../../../../loadgen/lib/http-summary.mjs").HttpSummary} HttpSummary */

/**
 * @param {string} stdout
 * @returns {HttpSummary | null} null: it ended without a summary
 * @throws {UserError} when its line is not as loadgen/lib/http-summary.mjs writes it
 */
export function readHttpSummary(stdout) {
  return readSummaryLine(stdout, SHAPE, {
    by: "the load's",
    writer: "printHttpSummary() of loadgen/lib/http-summary.mjs",
  });
}

/** Where more of its answers were bad, what they cost is not what requests cost. */
const REFERENCE_FAILED_LIMIT_PERCENT = 0.1;

/**
 * @param {Pick<HttpSummary, "reference">} summary
 * @returns {ReferenceLoad | null} null: the reference proxy had no part in it, or answered badly
 */
export function referenceOf({ reference }) {
  if (!reference) return null;
  const { completed, failed } = reference;
  if (100 * failed > REFERENCE_FAILED_LIMIT_PERCENT * completed) return null;
  return { connections: 0, messages: 0, requests: completed };
}

/** @param {any} value */
function isReference(value) {
  return isObject(value) && [value.completed, value.failed].every(isCount);
}

/** @type {import("./summary-line.js").Shape} */
const SHAPE = [
  ["tags", "an object", isObject],
  ["parameters", "an object", isObject],
  ["requests.completed", "a count", isCount],
  ["requests.non2xx", "a count", isCount],
  ["requests.statuses", "counts", isCounts],
  ["requests.socketErrors", "counts", isCounts],
  ["reference", "counts or null", (value) => value === null || isReference(value)],
  ["requestMs", "numbers or null", (value) => value === null || isNumbers(value)],
  ["totalMs", "a number", Number.isFinite],
];

/**
 * What a load of HTTP requests says when it has ended.
 */
import { isCount, isCounts, isNumbers, isObject, readSummaryLine } from "./summary-line.js";

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

/** @type {import("./summary-line.js").Shape} */
const SHAPE = [
  ["tags", "an object", isObject],
  ["parameters", "an object", isObject],
  ["requests.completed", "a count", isCount],
  ["requests.non2xx", "a count", isCount],
  ["requests.statuses", "counts", isCounts],
  ["requests.socketErrors", "counts", isCounts],
  ["requestMs", "numbers or null", (value) => value === null || isNumbers(value)],
  ["totalMs", "a number", Number.isFinite],
];

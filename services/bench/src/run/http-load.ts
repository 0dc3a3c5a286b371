/**
 * What a load of HTTP requests says when it has ended.
 */
import { isCount, isCounts, isNumbers, isObject, readSummaryLine } from "./summary-line.ts";
import type { ReferenceLoad } from "../model/load.ts";
import type { HttpSummary } from "../../../../loadgen/lib/http-summary.mjs";
import type { Shape } from "./summary-line.ts";

/**
 * @returns null: it ended without a summary
 * @throws {UserError} when its line is not as loadgen/lib/http-summary.mjs writes it
 */
export function readHttpSummary(stdout: string): HttpSummary | null {
  return readSummaryLine(stdout, SHAPE, {
    by: "the load's",
    writer: "printHttpSummary() of loadgen/lib/http-summary.mjs",
  });
}

/** Where more of its answers were bad, what they cost is not what requests cost. */
const REFERENCE_FAILED_LIMIT_PERCENT = 0.1;

/** @returns null: the reference proxy had no part in it, or answered badly */
export function referenceOf({ reference }: Pick<HttpSummary, "reference">): ReferenceLoad | null {
  if (!reference) return null;
  const { completed, failed } = reference;
  if (100 * failed > REFERENCE_FAILED_LIMIT_PERCENT * completed) return null;
  return { connections: 0, messages: 0, requests: completed };
}

function isReference(value: any) {
  return isObject(value) && [value.completed, value.failed].every(isCount);
}

const SHAPE: Shape = [
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

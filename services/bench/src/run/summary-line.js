/**
 * The line `SUMMARY {…}` that every load ends with.
 */
import { UserError } from "../errors.js";

/** @typedef {[path: string, expected: string, isValid: (value: any) => boolean][]} Shape what a summary must hold */

/**
 * @param {string} stdout of a load, with or without Compose's prefixes
 * @param {Shape} shape
 * @param {{by: string, writer: string}} from by: whose line it is, in the message; writer: what should have written it
 * @returns {any | null} of the last such line; null: the load ended without one
 * @throws {UserError} when that line is not of that shape
 */
export function readSummaryLine(stdout, shape, { by, writer }) {
  const refuse = (/** @type {string} */ why) =>
    new UserError(
      `${by} SUMMARY line cannot be read: ${why}`,
      `Expected what ${writer} writes: end the scenario's script with it.`,
    );
  const json = [...stdout.matchAll(/\bSUMMARY (\{.*)$/gm)].at(-1)?.[1];
  if (json === undefined) return null;
  let summary;
  try {
    summary = JSON.parse(json);
  } catch (error) {
    throw refuse(`${/** @type {Error} */ (error).message}: ${json.slice(0, 200)}`);
  }
  for (const [path, expected, isValid] of shape) {
    const value = path.split(".").reduce((object, key) => object?.[key], summary);
    if (!isValid(value))
      throw refuse(`"${path}" is ${JSON.stringify(value) ?? "missing"}, expected ${expected}`);
  }
  return summary;
}

/** @param {unknown} value */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value */
export function isCount(value) {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** @param {any} value */
export function isCounts(value) {
  return isObject(value) && Object.values(value).every(isCount);
}

/** @param {any} value */
export function isNumbers(value) {
  return isObject(value) && Object.values(value).every(Number.isFinite);
}

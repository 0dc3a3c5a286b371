/** @import { CheckResult } from "./conform.js" */

/**
 * @param {CheckResult} result
 * @returns {string} one line
 */
export function formatResult({ scheme, title, ok, expected, actual, skipped }) {
  /** @param {string} mark */
  const line = (mark) => `${mark.padEnd(4)} ${scheme.padEnd(4)} ${title}`;
  if (skipped) {
    return `${line("skip")}: ${skipped}`;
  }
  return ok ? line("ok") : `${line("FAIL")}: expected ${expected}; got ${actual}`;
}

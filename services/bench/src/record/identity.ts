/**
 * What must be the same in two runs whose figures are to be compared.
 */

import type { Environment } from "../model/environment.ts";

/** @returns `absent` where one has no such key */
export function identityDifferences(
  was: Environment["identity"],
  is: Environment["identity"],
): { key: string; was: string; is: string }[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => was[key] !== is[key])
    .map((key) => ({ key, was: String(was[key] ?? "absent"), is: String(is[key] ?? "absent") }));
}

/**
 * What must be the same in two runs whose figures are to be compared.
 */

/** @import { Environment } from "../model/environment.ts" */

/**
 * @param {Environment["identity"]} was
 * @param {Environment["identity"]} is
 * @returns {{key: string, was: string, is: string}[]} `absent` where one has no such key
 */
export function identityDifferences(was, is) {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => was[key] !== is[key])
    .map((key) => ({ key, was: String(was[key] ?? "absent"), is: String(is[key] ?? "absent") }));
}

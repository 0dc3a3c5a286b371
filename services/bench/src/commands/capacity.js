/**
 * `capacity`: the battle of that name, its promise and its budget as the knobs have them.
 */
import { readCapacityKnobs } from "../plan/knobs.js";
import { run } from "./run.js";

/** @import { CapacityArguments } from "./definitions/capacity.js" */

const BATTLE = "capacity";

/**
 * @param {string} directory the project's
 * @param {CapacityArguments} wanted
 * @param {(line: string) => void} say
 * @param {string[]} words of the command line, for the record
 * @returns {Promise<number>} exit status as of `run`
 */
export async function capacity(directory, { overrides, ...wanted }, say, words) {
  const all = { ...readCapacityKnobs(directory), ...overrides };
  return run(directory, { ...wanted, battle: BATTLE, overrides: all }, say, words);
}

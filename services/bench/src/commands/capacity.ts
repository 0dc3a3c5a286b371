/**
 * `capacity`: the battle of that name, its promise and its budget as the knobs have them.
 */
import { readCapacityKnobs } from "../plan/knobs.ts";
import { run } from "./run.ts";
import type { CapacityArguments } from "./definitions/capacity.ts";

const BATTLE = "capacity";

/**
 * @param directory the project's
 * @param words of the command line, for the record
 * @returns exit status as of `run`
 */
export async function capacity(
  directory: string,
  { overrides, ...wanted }: CapacityArguments,
  say: (line: string) => void,
  words: string[],
): Promise<number> {
  const all = { ...readCapacityKnobs(directory), ...overrides };
  return run(directory, { ...wanted, battle: BATTLE, overrides: all }, say, words);
}

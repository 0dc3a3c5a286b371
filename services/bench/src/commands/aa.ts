/**
 * `aa`: a proxy against a copy of itself. Whatever differs is noise.
 */
import { join } from "node:path";
import { readBattle } from "../plan/battle.ts";
import { readNetwork, readReferenceShare } from "../plan/knobs.ts";
import { makeAaPlan } from "../plan/plan.ts";
import { readProxies } from "../plan/proxies.ts";
import { begin } from "./run.ts";
import type { AaArguments } from "./definitions/aa.ts";

/** The battle whose tests it runs. */
const BATTLE = "quick";

/**
 * @param directory the project's
 * @param words of the command line, for the record
 * @returns exit status as of `run`
 */
export async function aa(
  directory: string,
  wanted: AaArguments,
  say: (line: string) => void,
  words: string[],
): Promise<number> {
  const proxies = readProxies(join(directory, "proxies"));
  const battle = readBattle(directory, BATTLE, { proxies });
  const known = {
    proxies,
    referenceShare: readReferenceShare(directory),
    network: readNetwork(directory),
    say,
  };
  const plan = makeAaPlan(battle, wanted, known);
  const context = { directory, proxies, keepGoing: false, say };
  return (await begin(context, plan, `aa-${wanted.proxy}`, words)).code;
}

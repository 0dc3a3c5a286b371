/**
 * `aa`: a proxy against a copy of itself. Whatever differs is noise.
 */
import { join } from "node:path";
import { readBattle } from "../plan/battle.js";
import { readNetwork, readReferenceShare } from "../plan/knobs.js";
import { makeAaPlan } from "../plan/plan.js";
import { readProxies } from "../plan/proxies.js";
import { begin } from "./run.js";

/** @import { AaArguments } from "./definitions/aa.js" */

/** The battle whose tests it runs. */
const BATTLE = "quick";

/**
 * @param {string} directory the project's
 * @param {AaArguments} wanted
 * @param {(line: string) => void} say
 * @param {string[]} words of the command line, for the record
 * @returns {Promise<number>} exit status as of `run`
 */
export async function aa(directory, wanted, say, words) {
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

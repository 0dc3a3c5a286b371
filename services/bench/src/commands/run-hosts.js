/**
 * The machines of a run: read, reached, and known to be joined before anything starts.
 */
import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import { UserError } from "../errors.js";
import { reachEngines } from "../machine/hosts-engines.js";
import { describeMachines, requireImages, requireJoined } from "../machine/hosts-ready.js";
import { NETWORK } from "../machine/hosts-swarm.js";
import { isOwn, readHosts } from "../plan/hosts-file.js";
import { hostsOfRun } from "../run/hosts-of-run.js";
import { imagesOfAll } from "./hosts.js";

/**
 * @import { ReachedEngine } from "../machine/hosts-engines.js"
 * @import { Machine } from "../plan/hosts-file.js"
 * @import { Proxy } from "../plan/proxies.js"
 * @import { MachineOfRun } from "../model/environment.ts"
 * @import { Plan } from "../model/plan.ts"
 * @import { Results } from "../model/record.ts"
 * @import { HostsOfRun } from "../run/hosts-of-run.js"
 *
 * @typedef {object} AskedHosts
 * @property {string} file as messages call it
 * @property {Machine[]} machines
 *
 * @typedef {AskedHosts & {engines: ReachedEngine[]}} JoinedHosts
 *
 * @typedef {object} Hosts for a run
 * @property {HostsOfRun} used
 * @property {{machines: MachineOfRun[], identity: string}} recorded
 */

/**
 * @param {string} directory the project's
 * @param {string} file as it was typed
 * @returns {AskedHosts}
 * @throws {UserError} for a mistake in it
 */
export function askedHosts(directory, file) {
  const path = resolve(directory, file);
  const label = relative(directory, path);
  return { file: label, machines: readHosts(path, label) };
}

/**
 * @param {AskedHosts} asked
 * @returns {Promise<JoinedHosts>}
 * @throws {UserError} when one does not answer, or is not joined
 */
export async function joinedHosts(asked) {
  const engines = await reachEngines(asked.machines);
  return { ...asked, engines: await requireJoined(engines, asked.file) };
}

/**
 * @param {string} directory the project's
 * @param {JoinedHosts} joined
 * @param {{plan: Plan, proxies: Proxy[]}} about proxies: all of them
 * @returns {Promise<Hosts>}
 * @throws {UserError} when a machine lacks images
 */
export async function hostsFor(directory, { file, machines, engines }, { plan, proxies }) {
  const profiles = new Set(plan.cells.map(({ profile }) => profile));
  const chosen = proxies.filter(({ name }) => profiles.has(name));
  const further = engines.filter(({ machine }) => !isOwn(machine));
  requireImages(await imagesOfAll(directory, further, chosen), file);
  const described = await describeMachines(engines);
  return {
    used: hostsOfRun(engines, NETWORK),
    recorded: { machines: described, identity: identityOf(machines, described) },
  };
}

/**
 * @param {Machine[]} machines
 * @param {MachineOfRun[]} described
 * @returns {string} their names, and a text that is equal where file and machines are: addresses are nobody else's business
 */
function identityOf(machines, described) {
  const facts = described.map(({ clock: _, memoryBytes, ...machine }) => ({
    ...machine,
    // The kernel keeps some MB more or less for itself from boot to boot.
    gigabytes: Math.round(memoryBytes / 2 ** 30),
  }));
  const hash = createHash("sha256")
    .update(JSON.stringify([machines, facts]))
    .digest("hex");
  return `${machines.map(({ name }) => name).join(", ")}: ${hash.slice(0, 12)}`;
}

/**
 * @param {Pick<Results, "environment">} results of a run that is to be resumed
 * @param {AskedHosts | null} asked
 * @param {string} folder of the run
 * @throws {UserError} when it was begun on this machine alone
 */
export function refuseOtherHosts({ environment }, asked, folder) {
  if (environment.machines !== undefined || !asked) return;
  throw new UserError(
    `${folder} was begun on this machine alone, and ${asked.file} names others`,
    `Resume it without --hosts: ./bench run --resume ${folder}`,
    2,
  );
}

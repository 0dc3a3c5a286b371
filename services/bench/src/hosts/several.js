/**
 * The machines of a file such as hosts.yaml: read, reached, known to be joined before anything starts, and then given their parts of a run.
 */
import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import { UserError } from "../errors.js";
import { reachEngines } from "./engines.js";
import { isOwn, readHosts } from "./file.js";
import { imagesOfAll } from "./images.js";
import { limitsOfMachines } from "./limits.js";
import { SpreadPlacement } from "./placement.js";
import { refuseBudgetOverHosts, refuseOverHosts, sharedByLoads } from "./plan.js";
import { describeMachines, requireImages, requireJoined } from "./ready.js";
import { sitesOf } from "./sites.js";
import { NETWORK } from "./swarm.js";

/** @import { Limits } from "../machine/limits.js" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { ComposeConfig } from "../platform/docker.js" */
/** @import { MachineOfRun } from "../model/environment.ts" */
/** @import { Plan } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { Placed } from "../run/machines.js" */
/** @import { ReachedEngine } from "./engines.js" */
/** @import { Machine } from "./file.js" */

export class SeveralMachines {
  #machines;
  /** Once they are known to be joined. @type {ReachedEngine[] | null} */
  #engines = null;

  /**
   * @param {string} directory the project's
   * @param {string} file as it was typed
   * @throws {UserError} for a mistake in it
   */
  constructor(directory, file) {
    const path = resolve(directory, file);
    this.file = relative(directory, path);
    this.#machines = readHosts(path, this.file);
    this.loads = this.#machines.filter(({ roles }) => roles.includes("load")).length;
  }

  /** @param {Plan} plan */
  refuse(plan) {
    refuseOverHosts(plan, this.#machines);
  }

  /**
   * @param {Pick<Results, "environment">} results of a run that is to be resumed
   * @param {string} folder of the run
   * @throws {UserError} when it was begun on this machine alone
   */
  refuseResume({ environment }, folder) {
    if (environment.machines !== undefined) return;
    throw new UserError(
      `${folder} was begun on this machine alone, and ${this.file} names others`,
      `Resume it without --hosts: ./bench run --resume ${folder}`,
      2,
    );
  }

  async join() {
    this.#engines = await requireJoined(await reachEngines(this.#machines), this.file);
  }

  /**
   * @param {Plan} plan
   * @param {Record<string, string[]>} services of each profile
   */
  refuseBudget(plan, services) {
    refuseBudgetOverHosts(plan, services);
  }

  /** @param {Limits} own what they are held against before anyone has asked them */
  async limits(own) {
    return this.#engines ? limitsOfMachines(this.#engines, own) : own;
  }

  /** @param {Plan} plan */
  share(plan) {
    return sharedByLoads(plan, this.#machines);
  }

  /**
   * @param {{plan: Plan, proxies: Proxy[], config: ComposeConfig}} about proxies: all of them
   * @returns {Promise<Placed>}
   */
  async place({ plan, proxies, config }) {
    if (!this.#engines) throw new Error("nobody knows whether the machines are joined");
    const profiles = new Set(plan.cells.map(({ profile }) => profile));
    const chosen = proxies.filter(({ name }) => profiles.has(name));
    const further = this.#engines.filter(({ machine }) => !isOwn(machine));
    requireImages(await imagesOfAll(config, further, chosen), this.file);
    const machines = await describeMachines(this.#engines);
    return {
      placement: new SpreadPlacement({
        ...sitesOf(this.#engines),
        network: NETWORK,
        services: config.services,
      }),
      recorded: { machines, identity: identityOf(this.#machines, machines) },
    };
  }
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

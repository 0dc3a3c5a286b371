/**
 * The machines of a file such as hosts.yaml: read, reached, known to be joined before anything
 * starts, and then given their parts of a run.
 */
import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { reachEngines } from "./engines.ts";
import { isOwn, readHosts } from "./file.ts";
import { imagesOfAll } from "./images.ts";
import { limitsOfMachines } from "./limits.ts";
import { SpreadPlacement } from "./placement.ts";
import { refuseBudgetOverHosts, refuseOverHosts, sharedByLoads } from "./plan.ts";
import { describeMachines, requireImages, requireJoined } from "./ready.ts";
import { sitesOf } from "./sites.ts";
import { NETWORK } from "./swarm.ts";
import type { Limits } from "../machine/limits.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { MachineOfRun } from "../model/environment.ts";
import type { Plan } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import type { Placed } from "../run/machines.ts";
import type { ReachedEngine } from "./engines.ts";
import type { Machine } from "./file.ts";

export class SeveralMachines {
  #machines: Machine[];
  /** Once they are known to be joined. */
  #engines: ReachedEngine[] | null = null;
  file: string;
  loads: number;

  /**
   * @param directory the project's
   * @param file as it was typed
   * @throws {UserError} for a mistake in it
   */
  constructor(directory: string, file: string) {
    const path = resolve(directory, file);
    this.file = relative(directory, path);
    this.#machines = readHosts(path, this.file);
    this.loads = this.#machines.filter(({ roles }) => roles.includes("load")).length;
  }

  refuse(plan: Plan) {
    refuseOverHosts(plan, this.#machines);
  }

  /**
   * @param results of a run that is to be resumed
   * @param folder of the run
   * @throws {UserError} when it was started on this machine only
   */
  refuseResume({ environment }: Pick<Results, "environment">, folder: string) {
    if (environment.machines !== undefined) return;
    throw new UserError(
      `${folder} was started on this machine only, and ${this.file} names others`,
      `Resume it without --hosts: ./bench run --resume ${folder}`,
      2,
    );
  }

  async join() {
    this.#engines = await requireJoined(await reachEngines(this.#machines), this.file);
  }

  /** @param services of each profile */
  refuseBudget(plan: Plan, services: Record<string, string[]>) {
    refuseBudgetOverHosts(plan, services);
  }

  /** @param own what they are compared with before anyone has asked them */
  async limits(own: Limits) {
    return this.#engines ? limitsOfMachines(this.#engines, own) : own;
  }

  share(plan: Plan) {
    return sharedByLoads(plan, this.#machines);
  }

  /** @param about proxies: all of them */
  async place({
    plan,
    proxies,
    config,
  }: {
    plan: Plan;
    proxies: Proxy[];
    config: ComposeConfig;
  }): Promise<Placed> {
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
 * @returns their names, and a text that is equal where file and machines are: addresses are nobody
 *   else's business
 */
function identityOf(machines: Machine[], described: MachineOfRun[]): string {
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

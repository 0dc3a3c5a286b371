/**
 * A `Placement` over several machines: each carries its part of a run.
 */
import { isIPv4 } from "node:net";
import { sharedNetwork } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { allEnded } from "../platform/wait.ts";
import { UserError } from "../errors.ts";
import { CellFailure } from "../run/cell-failure.ts";
import { LOOPBACK, PORTS_OF_ROLE, ROLE_OF_NAME } from "../run/host-network.ts";
import { engineName, silenceOf } from "../run/placement.ts";
import { CountersAgent } from "./agent.ts";
import { startFurtherCadvisors } from "./cadvisor.ts";
import { SpreadContainers } from "./containers.ts";
import { SpreadProject } from "./project.ts";
import { FurtherSamples } from "./samples.ts";
import { machineShares } from "./shares.ts";
import { shipFiles } from "./shipped-files.ts";
import { RUN_LABEL } from "./swarm.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { ContainerState, Engine } from "../platform/engine.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Role as MeasuredRole } from "../model/container.ts";
import type { Door, HostNetwork } from "../run/host-network.ts";
import type { Equipping, PlacedContainer, ProjectOptions, Site } from "../run/placement.ts";
import type { Role } from "./file.ts";

/** of a machine that is not this one */
interface Equipment {
  /** where this folder's files are on it */
  files: string;
  /** that reads its counters */
  agent: Pick<CountersAgent, "ask" | "awaitName" | "clock" | "close" | "door" | "isLost" | "ready">;
}

/** Where the services of compose.yaml run that all proxies share; the others are a proxy's. */
const SHARED = {
  echo: "servers",
  load: "load",
  "load-http": "load",
} as Record<string, Role>;

/** Where the containers of a record's role run. */
const CARRIERS = {
  proxy: "proxy",
  // The speed that counts is that of the machine where the proxy is.
  reference: "proxy",
  echo: "servers",
  load: "load",
  observer: "observe",
} as Record<MeasuredRole, Role>;

export class SpreadPlacement {
  #sites: Record<Role, Site>;
  #loads: Site[];
  #network: string;
  #beside: Map<string, string | undefined>;
  /** Of each machine that is not this one; it comes when the run has started. */
  #equipment: Map<Site, Equipment> = new Map();
  /** Machines that did not answer when they were asked last. */
  #silent: ReadonlySet<Site> = new Set();
  /** Each once. */
  sites: Site[];

  constructor({
    sites,
    loads = [sites.load],
    network,
    services = {},
  }: {
    /** who has which role */
    sites: Record<Role, Site>;
    /** all that share the load; left out: that which has the role */
    loads?: Site[];
    /** the one over all machines, on which all but the observers meet */
    network: string;
    /** some share the network of another */
    services?: ComposeConfig["services"];
  }) {
    this.#sites = sites;
    this.#loads = loads;
    this.#network = network;
    this.#beside = new Map(
      Object.entries(services).map(([name, service]) => [name, sharedNetwork(service)]),
    );
    this.sites = [...new Set([...Object.values(sites), ...loads])];
  }

  get networks() {
    return [this.#network];
  }

  /** Those that are not this one. */
  get further() {
    return this.sites.filter(({ isHere }) => !isHere);
  }

  /** Those of which something may be asked. */
  get #answering() {
    return this.sites.filter((site) => !this.#silent.has(site));
  }

  shares({ proxyCpus }: { proxyCpus: number }) {
    return machineShares({ ...this.#sites, loads: this.#loads }, proxyCpus);
  }

  siteOf(role: Role) {
    return this.#sites[role];
  }

  /** @param number of a load container, from 1 */
  siteOfLoad(number: number): Site {
    return this.#loads[(number - 1) % this.#loads.length];
  }

  /**
   * @param role of a container
   * @param name in the record: of a load with its number, of others the service
   * @param machine on which it was found; left out: what observes all
   */
  carrierOf(role: MeasuredRole, name?: string, machine?: string) {
    const found = this.sites.find((site) => role === "observer" && site.name === machine);
    if (found) return found;
    if (role === "load" && name !== undefined)
      return this.siteOfLoad(Number(name.match(/\d+$/)?.[0]));
    if (role === "proxy" && name !== undefined) return this.siteOfService(name);
    return this.#sites[CARRIERS[role]];
  }

  /**
   * @param service no observer
   * @returns it may run there
   */
  carries(site: Site, service: string): boolean {
    return SHARED[service] === "load"
      ? this.#loads.includes(site)
      : this.siteOfService(service) === site;
  }

  /** @param service no observer */
  siteOfService(service: string) {
    return this.#sites[SHARED[this.#beside.get(service) ?? service] ?? "proxy"];
  }

  /**
   * @throws {UserError} for a machine that the others do not reach over IPv4, which is all that
   *   proxies and servers listen on
   */
  listening() {
    const all = this.sites.map((site) => ({ ...site, ports: this.#portsOn(site) }));
    const listening = all.filter(({ ports }) => ports.length > 0);
    for (const site of listening) refuseOtherThanIpv4(site);
    return listening;
  }

  #portsOn(site: Site) {
    const roles = Object.keys(PORTS_OF_ROLE) as Role[];
    return roles
      .filter((role) => (role === "load" ? this.#loads.includes(site) : this.#sites[role] === site))
      .flatMap((role) => PORTS_OF_ROLE[role]);
  }

  /**
   * @returns addresses of what is measured by name, as that machine reaches them on the machines'
   *   own network
   */
  addressesOn(site: Site): Record<string, string> {
    return Object.fromEntries(
      Object.entries(ROLE_OF_NAME).map(([name, role]) => {
        const { address = LOOPBACK } = this.#sites[role];
        return [name, this.#sites[role] === site ? LOOPBACK : address];
      }),
    );
  }

  /** @param own that of the machine of ./bench itself */
  doorOf(site: Site, own: Door): Door {
    return site.isHere ? own : this.equipmentOf(site).agent.door;
  }

  equipmentOf(site: Site) {
    const found = this.#equipment.get(site);
    if (!found) throw new Error(`the machine ${site.name} is not equipped`);
    return found;
  }

  /** @param directory the project's */
  project(directory: string, options: ProjectOptions, hostNetwork: HostNetwork | null) {
    const network = this.#network;
    return new SpreadProject(this, { directory, options, hostNetwork, network });
  }

  /** @param names of load containers */
  samples(names: string[], scratch: string) {
    return new FurtherSamples(this, names, scratch);
  }

  containers() {
    return new SpreadContainers({
      siteOf: (role, name, machine) => this.carrierOf(role, name, machine),
      agentOf: (site) => this.equipmentOf(site).agent,
    });
  }

  /**
   * @param project name
   * @throws {CellFailure | UserError} when an engine does not answer
   */
  containersOf(project: string): Promise<PlacedContainer[]> {
    return this.#onEach((engine) => engine.containersOf(project));
  }

  /** @throws {CellFailure | UserError} when an engine does not answer */
  inspect(ids: string[]): Promise<PlacedContainer[]> {
    return this.#onEach((engine) => engine.inspect(ids));
  }

  async #onEach(ask: (engine: Engine) => Promise<ContainerState[]>): Promise<PlacedContainer[]> {
    const found = await Promise.all(
      this.#answering.map(async (site) => {
        const states = await ask(site.engine).catch((error) => {
          if (!(error instanceof UserError) || site.isHere) throw error;
          throw new CellFailure("engine", `${engineName(site)} does not answer: ${error.next}`);
        });
        return states.map((state) => ({ ...state, machine: site.name }));
      }),
    );
    return found.flat();
  }

  async left(project: string) {
    try {
      return await this.containersOf(project);
    } catch (error) {
      if (!(error instanceof CellFailure)) throw error;
      // No cell has started that could have it as its cause.
      throw new UserError(
        error.message,
        "Expected every machine of the run to answer. ./bench hosts check shows what is wrong with each.",
      );
    }
  }

  /** A run that was broken off leaves files there too. */
  async clear(project: string) {
    for (const { engine, name } of this.further) {
      await clear(engine, project).catch((error) => {
        if (!(error instanceof UserError)) throw error;
        const fact = `the machine ${name} could not be cleared of an earlier run: ${error.message}`;
        throw new UserError(fact, error.next);
      });
    }
  }

  async equip({ config, directory, plan, services, keyTypes, ports, say }: Equipping) {
    const profiles = [...new Set(plan.cells.map(({ profile }) => profile))];
    const names = ["echo", "load", "reference", ...profiles.flatMap((each) => services[each])];
    const about = { project: config.name, network: this.#network, ports };
    await allEnded(
      this.further.map(async (site) => {
        const own = names.filter((name) => this.carries(site, name));
        const files = await shipFiles(site, { config, directory, services: own, keyTypes });
        this.#equipment.set(site, { files, agent: new CountersAgent(site, about) });
      }),
    );
    await startFurtherCadvisors(
      this.further.map((site) => ({ site, agent: this.equipmentOf(site).agent })),
      { config, directory, network: this.#network, say, own: OWN_ENGINE },
    );
  }

  async release(project: string) {
    for (const { agent } of this.#equipment.values()) await agent.close();
    this.#equipment.clear();
    const left = await Promise.all(
      this.further.map(async (site) => {
        const what = `not cleared, the machine ${site.name}`;
        // The next run there clears it.
        if (this.#silent.has(site)) return [`${what}: its Docker engine does not answer`];
        try {
          await clear(site.engine, project);
          return [];
        } catch (error) {
          return [`${what}: ${error instanceof Error ? error.message : error}`];
        }
      }),
    );
    return left.flat();
  }

  /**
   * @returns what it is called in the record: its service; of what observes, which more than one
   *   machine may have, with the machine
   */
  nameOf({ service, machine }: PlacedContainer, role: MeasuredRole): string {
    const isFurther = machine !== undefined && machine !== this.#sites.observe.name;
    return role === "observer" && isFurther ? `${service}-${machine}` : service;
  }

  async remove(names: string[]) {
    await Promise.all(this.#answering.map(({ engine }) => engine.remove(names)));
  }

  async logOf({ name, service }: { name: string; service: string }, fromMs?: number) {
    const site = this.siteOfService(service);
    return this.#silent.has(site) ? null : site.engine.logOf(name, fromMs);
  }

  async silence() {
    const asked = await Promise.all(
      this.sites.map(async (site) => ({ site, words: await silenceOf(site) })),
    );
    const silent = asked.filter(({ words }) => words !== null);
    this.#silent = new Set(silent.map(({ site }) => site));
    return silent[0]?.words ?? null;
  }

  /**
   * Waits until every machine knows the names of the containers that were just started. They
   * take time to spread, and a proxy looks up its server once.
   *
   * @param addresses by name
   * @throws {CellFailure} when one does not
   */
  async awaitNames(addresses: Record<string, string>) {
    await Promise.all(
      this.further.map(async (site) => {
        const { agent } = this.equipmentOf(site);
        for (const [name, address] of Object.entries(addresses)) {
          const found = await agent.awaitName(name, address);
          if (found.includes(address)) continue;
          throw new CellFailure(
            "start",
            `the machine ${site.name} finds ${name} at ${found.join(", ") || "no address"}, not at ${address}: the network between the machines is broken (./bench hosts check)`,
          );
        }
      }),
    );
  }

  /** When every agent is there, and knows how far its clock is off. */
  async ready() {
    const agents = this.further.map((site) => ({ site, agent: this.equipmentOf(site).agent }));
    await Promise.all(agents.map(({ agent }) => agent.ready()));
    this.#silent = new Set();
    const clocks = agents.map(({ site, agent }) => [site.name, agent.clock]);
    return { clocks: Object.fromEntries(clocks) } as Pick<CellRecord, "clocks">;
  }
}

/** @param engine of another machine */
async function clear(engine: Engine, project: string) {
  const ours = `${RUN_LABEL}=${project}`;
  const containers = (await engine.containersOf(project)).map(({ name }) => name);
  const filter = ["--filter", `label=${ours}`];
  const helpers = await engine.check(["docker", "ps", "--all", "--quiet", ...filter]);
  await engine.remove([...containers, ...helpers.split("\n").filter(Boolean)]);
  for (const label of [`com.docker.compose.project=${project}`, ours])
    await engine.removeVolumes(label);
}

/** @throws {UserError} */
function refuseOtherThanIpv4({ name, address }: Site) {
  if (address === undefined || isIPv4(address)) return;
  throw new UserError(
    `the address of the machine ${name} is ${address || "not known"}, and NETWORK=host needs IPv4`,
    `Give ${name} its IPv4 address in the file, then ./bench hosts leave and join; or leave NETWORK=host out.`,
  );
}

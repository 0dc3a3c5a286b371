/**
 * Which machine carries what of a run: one all of it, or several, each its part.
 */
import { OWN_ENGINE, Project } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { CellFailure } from "./cell-failure.js";
import { LOOPBACK, onHostNetwork, PORTS_OF_ROLE, ROLE_OF_NAME } from "./host-network.js";
import { MeasuredContainers } from "./measured-containers.js";
import { relocated } from "./shipped-files.js";
import { SpreadContainers } from "./spread-containers.js";

/** @import { ComposeConfig, ContainerState, Engine } from "../platform/docker.js" */
/** @import { Role } from "../plan/hosts-file.js" */
/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Role as MeasuredRole } from "../model/container.ts" */
/** @import { CountersAgent } from "./counters-agent.js" */
/** @import { Door } from "./relay.js" */

/**
 * @typedef {object} Site a machine of a run
 * @property {string} name as hosts.yaml has it; "": there is one machine alone
 * @property {Engine} engine
 * @property {boolean} isHere its engine is that of ./bench itself, which has this folder's files
 * @property {number} cores 0: it is not asked, as there is one machine alone
 * @property {string} [address] where the other machines reach it; left out: there is one machine alone
 *
 * @typedef {ContainerState & {machine?: string}} PlacedContainer machine: that it runs on, by name; left out: there is one alone
 *
 * @typedef {object} Equipment of a machine that is not this one
 * @property {string} files where this folder's files are on it
 * @property {CountersAgent} agent that reads its counters
 */

/** What Compose may take to start containers on a machine that is not this one. */
const COMPOSE_LIMIT_MS = 120_000;

/** Where the services of compose.yaml run that all proxies share; the others are a proxy's. */
const SHARED = /** @type {Record<string, Role>} */ ({
  echo: "servers",
  load: "load",
  "load-http": "load",
});

/** Where the containers of a record's role run. */
const CARRIERS = /** @type {Record<MeasuredRole, Role>} */ ({
  proxy: "proxy",
  // The speed that counts is that of the machine where the proxy is.
  reference: "proxy",
  echo: "servers",
  load: "load",
  observer: "observe",
});

export class Placement {
  #sites;
  #loads;
  #beside;
  #equipment;
  /** Of those that did not answer when they were asked last. @type {ReadonlySet<Site>} */
  silent = new Set();

  /**
   * @param {Record<Role, Site>} sites
   * @param {object} [spread] left out: there is one machine alone
   * @param {string} spread.network the one over all machines, on which all but the observers meet
   * @param {Site[]} [spread.loads] all that share the load; left out: that which has the role
   * @param {Record<string, string>} [spread.beside] services that share the network of another, and that other
   * @param {Map<Site, Equipment>} spread.equipment of each that is not this one; it comes when the run has begun
   */
  constructor(sites, spread) {
    this.#sites = sites;
    this.#loads = spread?.loads ?? [sites.load];
    this.#beside = spread?.beside ?? {};
    this.#equipment = spread?.equipment ?? new Map();
    /** Over all machines; null: there is one alone. */
    this.network = spread?.network ?? null;
    /** Each once. @type {Site[]} */
    this.sites = [...new Set([...Object.values(sites), ...this.#loads])];
  }

  /** Everything on the engine of ./bench itself. */
  static here() {
    const site = { name: "", engine: OWN_ENGINE, isHere: true, cores: 0 };
    return new Placement({ proxy: site, servers: site, load: site, observe: site });
  }

  /** Whether there are several machines. */
  get isSpread() {
    return this.network !== null;
  }

  /** Those that are not this one. */
  get further() {
    return this.sites.filter(({ isHere }) => !isHere);
  }

  /** @param {Role} role */
  siteOf(role) {
    return this.#sites[role];
  }

  /** @returns {readonly Site[]} those that share the load */
  get loads() {
    return this.#loads;
  }

  /**
   * @param {number} number of a load container, from 1
   * @returns {Site}
   */
  siteOfLoad(number) {
    return this.#loads[(number - 1) % this.#loads.length];
  }

  /**
   * @param {MeasuredRole} role of a container
   * @param {string} [name] in the record: of a load with its number, of others the service
   * @param {string} [machine] on which it was found; left out: what observes all
   */
  carrierOf(role, name, machine) {
    const found = this.sites.find((site) => role === "observer" && site.name === machine);
    if (found) return found;
    if (role === "load" && name !== undefined)
      return this.siteOfLoad(Number(name.match(/\d+$/)?.[0]));
    if (role === "proxy" && name !== undefined) return this.siteOfService(name);
    return this.#sites[CARRIERS[role]];
  }

  /**
   * @param {Site} site
   * @param {string} service no observer
   * @returns {boolean} it may run there
   */
  carries(site, service) {
    return SHARED[service] === "load"
      ? this.#loads.includes(site)
      : this.siteOfService(service) === site;
  }

  /** @param {string} service no observer */
  siteOfService(service) {
    return this.#sites[SHARED[this.#beside[service] ?? service] ?? "proxy"];
  }

  /**
   * @param {Site} site
   * @returns {number[]} on which something listens there, where the machines' own network is measured
   */
  portsOn(site) {
    const roles = /** @type {Role[]} */ (Object.keys(PORTS_OF_ROLE));
    return roles
      .filter((role) => (role === "load" ? this.#loads.includes(site) : this.#sites[role] === site))
      .flatMap((role) => PORTS_OF_ROLE[role]);
  }

  /**
   * @param {Site} site
   * @returns {Record<string, string>} addresses of what is measured by name, as that machine reaches them on the machines' own network
   */
  addressesOn(site) {
    return Object.fromEntries(
      Object.entries(ROLE_OF_NAME).map(([name, role]) => {
        const { address = LOOPBACK } = this.#sites[role];
        return [name, this.#sites[role] === site ? LOOPBACK : address];
      }),
    );
  }

  /**
   * @param {Site} site
   * @param {Door} own that of the machine of ./bench itself
   * @returns {Door}
   */
  doorOf(site, own) {
    return site.isHere ? own : this.equipmentOf(site).agent.door;
  }

  /** @param {Site} site */
  equipmentOf(site) {
    const found = this.#equipment.get(site);
    if (!found) throw new Error(`the machine ${site.name} is not equipped`);
    return found;
  }

  /**
   * @param {string} directory the project's
   * @param {{name: string, profile: string, env: Record<string, string>}} options as of `Project`
   * @param {HostNetwork | null} [hostNetwork]
   * @returns {CellProject}
   */
  project(directory, options, hostNetwork = null) {
    return new CellProject(this, directory, options, hostNetwork);
  }

  /** @returns {MeasuredContainers | SpreadContainers} none yet */
  containers() {
    if (!this.isSpread) return new MeasuredContainers();
    return new SpreadContainers({
      siteOf: (role, name, machine) => this.carrierOf(role, name, machine),
      agentOf: (site) => this.equipmentOf(site).agent,
    });
  }

  /**
   * @param {string} project name
   * @param {Site[]} [sites] default: all machines
   * @returns {Promise<PlacedContainer[]>} on them
   * @throws {CellFailure | UserError} when an engine does not answer
   */
  async containersOf(project, sites) {
    return this.#onEach((engine) => engine.containersOf(project), sites);
  }

  /**
   * @param {string[]} ids of containers, wherever they are
   * @returns {Promise<PlacedContainer[]>} those that exist
   * @throws {CellFailure | UserError} when an engine does not answer
   */
  async inspect(ids) {
    return this.#onEach((engine) => engine.inspect(ids));
  }

  /**
   * @param {(engine: Engine) => Promise<ContainerState[]>} ask
   * @param {Site[]} [sites]
   * @returns {Promise<PlacedContainer[]>}
   */
  async #onEach(ask, sites = this.sites) {
    const found = await Promise.all(
      sites.map(async (site) => {
        const states = await ask(site.engine).catch((error) => {
          throw error instanceof UserError && !site.isHere ? silent(site, error.next) : error;
        });
        return this.isSpread ? states.map((state) => ({ ...state, machine: site.name })) : states;
      }),
    );
    return found.flat();
  }

  /**
   * @param {PlacedContainer} container
   * @param {MeasuredRole} role
   * @returns {string} what it is called in the record: its service; of what observes, which more than one machine may have, with the machine
   */
  nameOf({ service, machine }, role) {
    const isFurther = machine !== undefined && machine !== this.#sites.observe.name;
    return role === "observer" && isFurther ? `${service}-${machine}` : service;
  }

  /**
   * @param {string[]} containers names, wherever they are
   * @param {Site[]} [sites] default: all machines
   */
  async remove(containers, sites = this.sites) {
    await Promise.all(sites.map(({ engine }) => engine.remove(containers)));
  }

  /** @returns {Promise<string | null>} which engine does not answer, and its words; null: all do */
  async silence() {
    const asked = await Promise.all(
      this.sites.map(async (site) => {
        const { code, output } = await site.engine.run([
          ...["docker", "version", "--format", "{{.Server.Version}}"],
        ]);
        return { site, isSilent: code !== 0, output };
      }),
    );
    const silences = asked.filter(({ isSilent }) => isSilent);
    this.silent = new Set(silences.map(({ site }) => site));
    if (silences.length === 0) return null;
    const [{ site, output }] = silences;
    const whose = site.isHere
      ? "the Docker engine"
      : `the Docker engine of the machine ${site.name}`;
    return `${whose} does not answer: ${output.trim()}`;
  }

  /** @returns {Promise<Site[]>} the machines of which something may be asked; where there is one alone, it */
  async answering() {
    if (this.isSpread) await this.silence();
    return this.sites.filter((site) => !this.silent.has(site));
  }

  /**
   * Waits until every machine knows the containers that were just started by their names: what was told on one of them takes its time to the
   * others, and a proxy looks up its server once.
   *
   * @param {Record<string, string>} addresses by name
   * @throws {CellFailure} when one does not
   */
  async awaitNames(addresses) {
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

  /** @returns {Promise<void>} when every agent is there, and knows how far its clock is off */
  async ready() {
    await Promise.all(this.further.map((site) => this.equipmentOf(site).agent.ready()));
    this.silent = new Set();
  }

  /** @returns {Pick<CellRecord, "clocks">} of the machines that are not this one; {}: there is none */
  clocks() {
    if (!this.isSpread) return {};
    const clocks = this.further.map((site) => [site.name, this.equipmentOf(site).agent.clock]);
    return { clocks: Object.fromEntries(clocks) };
  }
}

/**
 * @param {Site} site
 * @param {string} why
 */
function silent({ name }, why) {
  return new CellFailure(
    "engine",
    `the Docker engine of the machine ${name} does not answer: ${why}`,
  );
}

/**
 * @typedef {object} HostNetwork of a measured path on the machines' own network; null: it is on Docker's
 * @property {string[]} proxies services of the proxy
 * @property {Door} own that of the machine of ./bench itself
 */

/** The Compose project of a cell: the same model on each machine. */
export class CellProject {
  #placement;
  #hostNetwork;
  #here;
  /** @type {Map<Site, Project>} */
  #projects;

  /**
   * @param {Placement} placement
   * @param {string} directory
   * @param {{name: string, profile: string, env: Record<string, string>}} options
   * @param {HostNetwork | null} hostNetwork
   */
  constructor(placement, directory, options, hostNetwork) {
    this.#placement = placement;
    this.#hostNetwork = hostNetwork;
    this.#here = new Project(directory, options);
    this.#projects = new Map(
      placement.sites.map((site) => [
        site,
        placement.isSpread
          ? new Project(directory, {
              ...{ ...options, engine: site.engine },
              ...(!site.isHere && { limitMs: COMPOSE_LIMIT_MS }),
            })
          : this.#here,
      ]),
    );
  }

  /** @returns {Project} on the engine of ./bench itself, with what observes */
  get here() {
    return this.#here;
  }

  /** @param {string} service no observer */
  of(service) {
    return this.on(this.#placement.siteOfService(service));
  }

  /** @param {Site} site */
  on(site) {
    return /** @type {Project} */ (this.#projects.get(site));
  }

  /** @throws {UserError} when Compose cannot read it */
  async readOnce() {
    const { network, sites } = this.#placement;
    const alone = network === null ? this.#pathOn(sites[0]) : null;
    await this.#here.readOnce(alone ?? undefined);
    if (network === null) return;
    for (const [site, project] of this.#projects) {
      const files = site.isHere ? null : this.#placement.equipmentOf(site).files;
      const path = this.#pathOn(site);
      const there = { directory: project.directory, network, files };
      await project.readOnce({
        key: `${network} ${files} ${path?.key}`,
        change: (config) => relocated(path ? path.change(config) : config, there),
      });
    }
  }

  /**
   * @param {Site} site
   * @returns {{key: string, change: (config: ComposeConfig) => ComposeConfig} | null} null: the measured path is on Docker's network
   */
  #pathOn(site) {
    if (!this.#hostNetwork) return null;
    const { proxies, own } = this.#hostNetwork;
    const addresses = this.#placement.addressesOn(site);
    const about = { proxies, addresses, bench: this.#placement.doorOf(site, own).bench };
    return { key: JSON.stringify(about), change: (config) => onHostNetwork(config, about) };
  }

  /**
   * Starts services on their machines: servers first where there are several, as names take their time from one to the other.
   *
   * @param {string[]} services
   * @param {{observers: string[], scale: string[], afterServers: () => Promise<void>}} options scale: options of `up`
   * @throws {UserError}
   */
  async up(services, { observers, scale, afterServers }) {
    const start = ["up", "--detach", "--no-deps", ...scale];
    if (!this.#placement.isSpread) {
      await this.#here.check([...start, ...services]);
      return;
    }
    const observing = services.filter((service) => observers.includes(service));
    if (observing.length > 0) await this.#here.check(["up", "--detach", "--no-deps", ...observing]);
    const measured = services.filter((service) => !observers.includes(service));
    const server = this.#placement.siteOf("servers");
    const servers = measured.filter((service) => this.#placement.siteOfService(service) === server);
    const others = measured.filter((service) => !servers.includes(service));
    for (const group of [servers, others]) {
      if (group.length > 0)
        await this.of(group[0]).check(["up", "--detach", "--no-deps", ...group]);
      if (group === servers) await afterServers();
    }
  }
}

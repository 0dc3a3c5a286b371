/**
 * Where what belongs to a run is, and how it is reached. All of it is on the machine of ./bench itself, unless hosts/ says otherwise: who
 * runs cells asks a `Placement`, and does not know how many machines there are.
 */
import { OWN_ENGINE, Project } from "../platform/docker.js";
import { cpuShares } from "./cpu-shares.js";
import { LOOPBACK, PORTS_OF_ROLE, ROLE_OF_NAME, toHostNetwork } from "./host-network.js";
import { MeasuredContainers } from "./measured-containers.js";

/** @import { ComposeConfig, ContainerState, Engine } from "../platform/docker.js" */
/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Role } from "../model/container.ts" */
/** @import { Plan } from "../model/plan.ts" */
/** @import { CpuShares } from "./cpu-shares.js" */
/** @import { Door, HostNetwork, MachineRole, RelayedPorts } from "./host-network.js" */
/** @import { Containers } from "./measured-containers.js" */

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
 * @typedef {object} Equipping what other machines need to carry their parts
 * @property {ComposeConfig} config with every profile
 * @property {string} directory the project's
 * @property {Plan} plan
 * @property {Record<string, string[]>} services of each profile
 * @property {("ecdsa" | "rsa")[]} keyTypes of the certificates
 * @property {RelayedPorts | null} ports of doors, where the machines' own network is measured; null: it is not
 * @property {(text: string) => void} say
 *
 * @typedef {object} Samples folders of the machines on which load writes
 * @property {(site: Site) => string} folderOn
 * @property {() => Promise<void>} empty removes those of the cell before
 * @property {() => Promise<void>} fetch brings all of them here
 *
 * @typedef {object} CellProject the Compose project of a cell
 * @property {Project} here on the engine of ./bench itself, with what observes
 * @property {(site: Site) => Project} on
 * @property {() => Promise<void>} readOnce throws a UserError when Compose cannot read it
 * @property {(services: string[], options: {observers: string[], scale: string[]}) => Promise<void>} up starts services, until
 *   each is found by its name; scale: options of `up`
 *
 * @typedef {object} ProjectOptions as of `Project`
 * @property {string} name
 * @property {string} profile
 * @property {Record<string, string>} env
 *
 * @typedef {object} Placement
 * @property {readonly string[]} networks that this program joins, beside that of the observers
 * @property {(about: {ownCores: number, proxyCpus: number}) => CpuShares} shares ownCores: of this machine
 * @property {() => (Site & {ports: number[]})[]} listening on which ports something listens where the machines' own network is measured
 * @property {(project: string) => Promise<PlacedContainer[]>} left of an earlier run; throws a UserError when a machine does not answer
 * @property {(project: string) => Promise<void>} clear removes from other machines what an earlier run has left
 * @property {(about: Equipping) => Promise<void>} equip gives other machines what they need
 * @property {(project: string) => Promise<string[]>} release removes it again; told is what could not be
 * @property {() => Promise<Pick<CellRecord, "clocks">>} ready when every machine can carry a cell
 * @property {(directory: string, options: ProjectOptions, hostNetwork: HostNetwork | null) => CellProject} project
 * @property {() => Containers} containers whose counters are read; none yet
 * @property {(project: string) => Promise<PlacedContainer[]>} containersOf
 * @property {(ids: string[]) => Promise<PlacedContainer[]>} inspect those that exist
 * @property {(names: string[]) => Promise<void>} remove wherever they are
 * @property {(container: PlacedContainer, role: Role) => string} nameOf what it is called in the record
 * @property {(container: {name: string, service: string}, fromMs?: number) => Promise<string | null>} logOf of proxy or server; null:
 *   its machine does not answer
 * @property {() => Promise<string | null>} silence which engine does not answer, and its words; null: all do. Until `ready` nothing
 *   more is asked of one that does not
 * @property {(role: MachineRole) => Site} siteOf
 * @property {(number: number) => Site} siteOfLoad number: of a load container, from 1
 * @property {(names: string[], scratch: string) => Samples} samples of the load containers of these names; scratch: folder here
 * @property {(site: Site, own: Door) => Door} doorOf own: that of the machine of ./bench itself
 */

/** Everything on the engine of ./bench itself. */
export class OwnMachine {
  #site = { name: "", engine: OWN_ENGINE, isHere: true, cores: 0 };
  #isSilent = false;
  /** @type {readonly string[]} */
  networks = [];

  /** @param {{ownCores: number, proxyCpus: number}} about */
  shares({ ownCores, proxyCpus }) {
    return cpuShares(ownCores, proxyCpus);
  }

  listening() {
    return [{ ...this.#site, ports: Object.values(PORTS_OF_ROLE).flat() }];
  }

  /** @param {string} project */
  left(project) {
    return OWN_ENGINE.containersOf(project);
  }

  async clear() {}

  async equip() {}

  /** @returns {Promise<string[]>} */
  async release() {
    return [];
  }

  async ready() {
    this.#isSilent = false;
    return {};
  }

  /**
   * @param {string} directory
   * @param {ProjectOptions} options
   * @param {HostNetwork | null} hostNetwork
   */
  project(directory, options, hostNetwork) {
    return new OwnProject(new Project(directory, options), hostNetwork);
  }

  containers() {
    return new MeasuredContainers();
  }

  /** @param {string} project */
  async containersOf(project) {
    return this.#isSilent ? [] : OWN_ENGINE.containersOf(project);
  }

  /** @param {string[]} ids */
  inspect(ids) {
    return OWN_ENGINE.inspect(ids);
  }

  /** @param {string[]} names */
  async remove(names) {
    if (!this.#isSilent) await OWN_ENGINE.remove(names);
  }

  /** @param {{service: string}} container */
  nameOf({ service }) {
    return service;
  }

  /**
   * @param {{name: string}} container
   * @param {number} [fromMs]
   */
  async logOf({ name }, fromMs) {
    return this.#isSilent ? null : OWN_ENGINE.logOf(name, fromMs);
  }

  async silence() {
    const words = await silenceOf(this.#site);
    this.#isSilent = words !== null;
    return words;
  }

  siteOf() {
    return this.#site;
  }

  siteOfLoad() {
    return this.#site;
  }

  /**
   * @param {string[]} _names
   * @param {string} scratch
   */
  samples(_names, scratch) {
    return { folderOn: () => scratch, empty: async () => {}, fetch: async () => {} };
  }

  /**
   * @param {Site} _site
   * @param {Door} own
   */
  doorOf(_site, own) {
    return own;
  }
}

class OwnProject {
  #path;

  /**
   * @param {Project} here
   * @param {HostNetwork | null} hostNetwork
   */
  constructor(here, hostNetwork) {
    this.here = here;
    const addresses = Object.fromEntries(Object.keys(ROLE_OF_NAME).map((name) => [name, LOOPBACK]));
    this.#path = hostNetwork
      ? toHostNetwork({ ...hostNetwork, addresses, bench: hostNetwork.own.bench })
      : undefined;
  }

  on() {
    return this.here;
  }

  async readOnce() {
    await this.here.readOnce(this.#path);
  }

  /**
   * @param {string[]} services
   * @param {{scale: string[]}} options
   */
  async up(services, { scale }) {
    await this.here.check(["up", "--detach", "--no-deps", ...scale, ...services]);
  }
}

/** @param {Pick<Site, "name" | "isHere">} site @returns {string} how messages call it */
export function engineName({ name, isHere }) {
  return isHere ? "the Docker engine" : `the Docker engine of the machine ${name}`;
}

/** @param {Site} site @returns {Promise<string | null>} that its engine does not answer, and its words; null: it does */
export async function silenceOf(site) {
  const version = ["docker", "version", "--format", "{{.Server.Version}}"];
  const { code, output } = await site.engine.run(version);
  return code === 0 ? null : `${engineName(site)} does not answer: ${output.trim()}`;
}

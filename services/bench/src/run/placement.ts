/**
 * Where what belongs to a run is, and how it is reached. All of it is on the machine of ./bench
 * itself, unless hosts/ says otherwise: who runs cells asks a `Placement`, and does not know how
 * many machines there are.
 */
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { cpuShares } from "./cpu-shares.ts";
import { LOOPBACK, PORTS_OF_ROLE, ROLE_OF_NAME, toHostNetwork } from "./host-network.ts";
import { MeasuredContainers } from "./measured-containers.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { ContainerState, Engine } from "../platform/engine.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Role } from "../model/container.ts";
import type { Plan } from "../model/plan.ts";
import type { CpuShares } from "./cpu-shares.ts";
import type { Door, HostNetwork, MachineRole, RelayedPorts } from "./host-network.ts";
import type { Containers } from "./measured-containers.ts";

/** a machine of a run */
export interface Site {
  /** as hosts.yaml has it; "": there is one machine alone */
  name: string;
  engine: Engine;
  /** its engine is that of ./bench itself, which has this folder's files */
  isHere: boolean;
  /** 0: it is not asked, as there is one machine alone */
  cores: number;
  /** where the other machines reach it; left out: there is one machine alone */
  address?: string;
}

/** machine: that it runs on, by name; left out: there is one alone */
export type PlacedContainer = ContainerState & { machine?: string };

/** what other machines need to carry their parts */
export interface Equipping {
  /** with every profile */
  config: ComposeConfig;
  /** the project's */
  directory: string;
  plan: Plan;
  /** of each profile */
  services: Record<string, string[]>;
  /** of the certificates */
  keyTypes: ("ecdsa" | "rsa")[];
  /** of doors, where the machines' own network is measured; null: it is not */
  ports: RelayedPorts | null;
  say: (text: string) => void;
}

/** folders of the machines on which load writes */
export interface Samples {
  folderOn: (site: Site) => string;
  /** removes those of the cell before */
  empty: () => Promise<void>;
  /** brings all of them here */
  fetch: () => Promise<void>;
}

/** the Compose project of a cell */
export interface CellProject {
  /** on the engine of ./bench itself, with what observes */
  here: Project;
  on: (site: Site) => Project;
  /** throws a UserError when Compose cannot read it */
  readOnce: () => Promise<void>;
  /** starts services, until each is found by its name; scale: options of `up` */
  up: (services: string[], options: { observers: string[]; scale: string[] }) => Promise<void>;
}

/** as of `Project` */
export interface ProjectOptions {
  name: string;
  profile: string;
  env: Record<string, string>;
}

export interface Placement {
  /** that this program joins, beside that of the observers */
  networks: readonly string[];
  /** ownCores: of this machine */
  shares: (about: { ownCores: number; proxyCpus: number }) => CpuShares;
  /** on which ports something listens where the machines' own network is measured */
  listening: () => (Site & { ports: number[] })[];
  /** of an earlier run; throws a UserError when a machine does not answer */
  left: (project: string) => Promise<PlacedContainer[]>;
  /** removes from other machines what an earlier run has left */
  clear: (project: string) => Promise<void>;
  /** gives other machines what they need */
  equip: (about: Equipping) => Promise<void>;
  /** removes it again; told is what could not be */
  release: (project: string) => Promise<string[]>;
  /** when every machine can carry a cell */
  ready: () => Promise<Pick<CellRecord, "clocks">>;
  project: (
    directory: string,
    options: ProjectOptions,
    hostNetwork: HostNetwork | null,
  ) => CellProject;
  /** whose counters are read; none yet */
  containers: () => Containers;
  containersOf: (project: string) => Promise<PlacedContainer[]>;
  /** those that exist */
  inspect: (ids: string[]) => Promise<PlacedContainer[]>;
  /** wherever they are */
  remove: (names: string[]) => Promise<void>;
  /** what it is called in the record */
  nameOf: (container: PlacedContainer, role: Role) => string;
  /** of proxy or server; null: its machine does not answer */
  logOf: (container: { name: string; service: string }, fromMs?: number) => Promise<string | null>;
  /**
   * which engine does not answer, and its words; null: all do. Until `ready` nothing more is
   * asked of one that does not
   */
  silence: () => Promise<string | null>;
  siteOf: (role: MachineRole) => Site;
  /** number: of a load container, from 1 */
  siteOfLoad: (number: number) => Site;
  /** of the load containers of these names; scratch: folder here */
  samples: (names: string[], scratch: string) => Samples;
  /** own: that of the machine of ./bench itself */
  doorOf: (site: Site, own: Door) => Door;
}

/** Everything on the engine of ./bench itself. */
export class OwnMachine {
  #site = { name: "", engine: OWN_ENGINE, isHere: true, cores: 0 };
  #isSilent = false;
  networks: readonly string[] = [];

  shares({ ownCores, proxyCpus }: { ownCores: number; proxyCpus: number }) {
    return cpuShares(ownCores, proxyCpus);
  }

  listening() {
    return [{ ...this.#site, ports: Object.values(PORTS_OF_ROLE).flat() }];
  }

  left(project: string) {
    return OWN_ENGINE.containersOf(project);
  }

  async clear() {}

  async equip() {}

  async release(): Promise<string[]> {
    return [];
  }

  async ready() {
    this.#isSilent = false;
    return {};
  }

  project(directory: string, options: ProjectOptions, hostNetwork: HostNetwork | null) {
    return new OwnProject(new Project(directory, options), hostNetwork);
  }

  containers() {
    return new MeasuredContainers();
  }

  async containersOf(project: string) {
    return this.#isSilent ? [] : OWN_ENGINE.containersOf(project);
  }

  inspect(ids: string[]) {
    return OWN_ENGINE.inspect(ids);
  }

  async remove(names: string[]) {
    if (!this.#isSilent) await OWN_ENGINE.remove(names);
  }

  nameOf({ service }: { service: string }) {
    return service;
  }

  async logOf({ name }: { name: string }, fromMs?: number) {
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

  samples(_names: string[], scratch: string) {
    return { folderOn: () => scratch, empty: async () => {}, fetch: async () => {} };
  }

  doorOf(_site: Site, own: Door) {
    return own;
  }
}

class OwnProject {
  #path;
  here: Project;

  constructor(here: Project, hostNetwork: HostNetwork | null) {
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

  async up(services: string[], { scale }: { scale: string[] }) {
    await this.here.check(["up", "--detach", "--no-deps", ...scale, ...services]);
  }
}

/** @returns how messages call it */
export function engineName({ name, isHere }: Pick<Site, "name" | "isHere">): string {
  return isHere ? "the Docker engine" : `the Docker engine of the machine ${name}`;
}

/** @returns that its engine does not answer, and its words; null: it does */
export async function silenceOf(site: Site): Promise<string | null> {
  const version = ["docker", "version", "--format", "{{.Server.Version}}"];
  const { code, output } = await site.engine.run(version);
  return code === 0 ? null : `${engineName(site)} does not answer: ${output.trim()}`;
}

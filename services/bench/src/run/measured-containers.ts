/**
 * The containers whose counters a cell reads, by name and role.
 */
import { bootId, ContainerGone, locate, machineCpu } from "../platform/counters.ts";
import { Sampler } from "./sampler.ts";
import type { Counters, Reading } from "../platform/counters.ts";
import type { ContainerState } from "../platform/engine.ts";
import type { Role, SocketReading } from "../model/container.ts";
import type { PlacedContainer } from "./placement.ts";
import type { Sampling } from "./sampler.ts";

/** Roles whose sockets are read: they carry the connections. */
export const WITH_SOCKETS = ["proxy", "echo"] as Role[];

export interface MeasuredContainer {
  /**
   * in the record: its service, of a load with its number, and of a further life or copy with
   * that
   */
  name: string;
  role: Role;
  /** as in the configuration */
  image: string;
  /** it has none of its own, but another container's or the machine's */
  sharesNetwork: boolean;
  /** that it runs on; left out: there is one alone */
  machine?: string;
}

export interface HostUsage {
  machine: ReturnType<typeof machineCpu>;
  /** CPU time of this program's container */
  benchSeconds: number;
  /** equal where two are one machine, which has several engines */
  boot?: string | null;
}

interface UsageOfContainers {
  /** since 1970 */
  ms: number;
  /** by name */
  containers: Readonly<Record<string, Reading>>;
  /** by name; left out: there is one alone */
  machines?: Readonly<Record<string, HostUsage>>;
}

/** what all containers had used at one moment; of several machines that with the proxy */
export type Usage = HostUsage & UsageOfContainers;

/** by name, of those that carry connections */
export type OpenSockets = Readonly<Record<string, SocketReading>>;

export type Moment = Usage & { sockets: OpenSockets };

type ReadableContainer = Pick<Counters, "read" | "sockets" | "processes">;

/** whose counters a cell reads, on whichever machines they are */
export interface Containers {
  /** they are on this machine alone, where an event can act on them; null: on several */
  own: MeasuredContainers | null;
  /** what comes back is its name in the record */
  add: (name: string, role: Role, state: PlacedContainer) => string;
  /** an event may end it */
  mayGo: (name: string) => boolean;
  /** in the order in which they were added */
  list: () => MeasuredContainer[];
  /** of each container that has it */
  readRole: (role: Role) => Reading[] | Promise<Reading[]>;
  sampler: (options: { intervalMs: number }) => Sampling;
  readUsage: (options?: { without?: Role }) => Usage | Promise<Usage>;
  /** takes about 30 ms per container */
  readSockets: () => OpenSockets | Promise<OpenSockets>;
  /** outside of a measured phase */
  read: (options?: { without?: Role }) => Moment | Promise<Moment>;
}

export class MeasuredContainers {
  /** By name; a container that is added while a phase is open is sampled from then on. */
  counters: Map<string, ReadableContainer> = new Map();
  #about: Map<string, MeasuredContainer> = new Map();
  /** Names of those that an event may end. */
  #mayGo: Set<string> = new Set();
  #locate: (pid: number, about: { hasNetwork: boolean }) => ReadableContainer;
  #readHost: () => HostUsage;

  /** @param sources default: of this machine */
  constructor({
    locate: find = (pid, about) => locate({ pid, ...about }),
    readHost = readThisHost,
  }: {
    locate?: (pid: number, about: { hasNetwork: boolean }) => ReadableContainer;
    readHost?: () => HostUsage;
  } = {}) {
    this.#locate = find;
    this.#readHost = readHost;
  }

  get own(): MeasuredContainers {
    return this;
  }

  /**
   * @param service or another name; where it is taken, a number is added: `nginx-2`
   * @param state one that does not run is left out
   * @returns its name
   */
  add(
    service: string,
    role: Role,
    { running, pid, image, sharesNetwork, onHostNetwork = false }: ContainerState,
  ): string {
    let name = service;
    for (let life = 2; this.#about.has(name); life++) name = `${service}-${life}`;
    if (!running) return name;
    this.counters.set(name, this.#locate(pid, { hasNetwork: !onHostNetwork }));
    this.#about.set(name, Object.freeze({ name, role, image, sharesNetwork }));
    return name;
  }

  /** From now on it is no error when these are gone. */
  allowLoss(names: string[]) {
    for (const name of names) this.#mayGo.add(name);
  }

  mayGo(name: string) {
    return this.#mayGo.has(name);
  }

  /** @returns in the order in which they were added */
  list(): MeasuredContainer[] {
    return [...this.#about.values()];
  }

  ofRole(role: Role): [name: string, counters: ReadableContainer][] {
    return [...this.counters].filter(([name]) => this.#about.get(name)?.role === role);
  }

  /** @returns of each container that has it */
  readRole(role: Role): Reading[] {
    return this.ofRole(role).map(([, counters]) => counters.read());
  }

  /** @returns of all, also of those that are added later */
  sampler(options: { intervalMs: number }): Sampler {
    return new Sampler(this.counters, options);
  }

  /**
   * @returns without those that are gone and may be
   * @throws {ContainerGone}
   */
  readUsage({ without }: { without?: Role } = {}): Usage {
    const read = [...this.counters].filter(([name]) => this.#about.get(name)?.role !== without);
    return {
      ms: Date.now(),
      containers: this.#readEach(read, (counters) => counters.read()),
      ...this.#readHost(),
    };
  }

  /**
   * Takes about 30 ms per container.
   *
   * @returns without those that are gone and may be
   * @throws {ContainerGone}
   */
  readSockets(): OpenSockets {
    const read = WITH_SOCKETS.flatMap((role) => this.ofRole(role));
    return this.#readEach(read, (counters) => counters.sockets());
  }

  /** @returns by name */
  #readEach<T>(
    list: [name: string, counters: ReadableContainer][],
    read: (counters: ReadableContainer) => T,
  ): Record<string, T> {
    return Object.fromEntries(
      list.flatMap(([name, counters]) => {
        try {
          return [[name, read(counters)]];
        } catch (error) {
          if (error instanceof ContainerGone && this.mayGo(name)) return [];
          throw error;
        }
      }),
    );
  }

  /** Outside of a measured phase. */
  read(options?: { without?: Role }): Moment {
    return frozen({ ...this.readUsage(options), sockets: this.readSockets() });
  }
}

export function readThisHost(): HostUsage {
  return {
    machine: machineCpu(),
    benchSeconds: locate({ pid: "self" }).read().cpu.totalSeconds,
    boot: bootId(),
  };
}

/**
 * @param value of plain objects and arrays
 * @returns the same, which nobody can change any more
 */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

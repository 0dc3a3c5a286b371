/**
 * The containers whose counters a cell reads, by name and role.
 */
import { bootId, ContainerGone, locate, machineCpu } from "../platform/counters.js";
import { Sampler } from "./sampler.js";

/** @import { Counters, Reading } from "../platform/counters.js" */
/** @import { ContainerState } from "../platform/docker.js" */
/** @import { Role, SocketReading } from "../model/container.ts" */
/** @import { PlacedContainer } from "./placement.js" */
/** @import { Sampling } from "./sampler.js" */

/** Roles whose sockets are read: they carry the connections. */
export const WITH_SOCKETS = /** @type {Role[]} */ (["proxy", "echo"]);

/**
 * @typedef {object} MeasuredContainer
 * @property {string} name in the record: its service, of a load with its number, and of a further life or copy with that
 * @property {Role} role
 * @property {string} image as in the configuration
 * @property {boolean} sharesNetwork it has none of its own, but another container's or the machine's
 * @property {string} [machine] that it runs on; left out: there is one alone
 *
 * @typedef {object} HostUsage
 * @property {ReturnType<typeof machineCpu>} machine
 * @property {number} benchSeconds CPU time of this program's container
 * @property {string | null} [boot] equal where two are one machine, which has several engines
 *
 * @typedef {object} UsageOfContainers
 * @property {number} ms since 1970
 * @property {Readonly<Record<string, Reading>>} containers by name
 * @property {Readonly<Record<string, HostUsage>>} [machines] by name; left out: there is one alone
 *
 * @typedef {HostUsage & UsageOfContainers} Usage what all containers had used at one moment; of several machines that with the proxy
 *
 * @typedef {Readonly<Record<string, SocketReading>>} OpenSockets by name, of those that carry connections
 *
 * @typedef {Usage & {sockets: OpenSockets}} Moment
 *
 * @typedef {Pick<Counters, "read" | "sockets" | "processes">} ReadableContainer
 *
 * @typedef {object} Containers whose counters a cell reads, on whichever machines they are
 * @property {MeasuredContainers | null} own they are on this machine alone, where an event can act on them; null: on several
 * @property {(name: string, role: Role, state: PlacedContainer) => string} add what comes back is its name in the record
 * @property {(name: string) => boolean} mayGo an event may end it
 * @property {() => MeasuredContainer[]} list in the order in which they were added
 * @property {(role: Role) => Reading[] | Promise<Reading[]>} readRole of each container that has it
 * @property {(options: {intervalMs: number}) => Sampling} sampler
 * @property {(options?: {without?: Role}) => Usage | Promise<Usage>} readUsage
 * @property {() => OpenSockets | Promise<OpenSockets>} readSockets takes some 30 ms a container
 * @property {(options?: {without?: Role}) => Moment | Promise<Moment>} read outside of a measured phase
 */

export class MeasuredContainers {
  /** By name; a container that is added while a phase is open is sampled from then on. @type {Map<string, ReadableContainer>} */
  counters = new Map();
  /** @type {Map<string, MeasuredContainer>} */
  #about = new Map();
  /** Names of those that an event may end. @type {Set<string>} */
  #mayGo = new Set();
  #locate;
  #readHost;

  /**
   * @param {object} [sources] default: of this machine
   * @param {(pid: number, about: {hasNetwork: boolean}) => ReadableContainer} [sources.locate]
   * @param {() => HostUsage} [sources.readHost]
   */
  constructor({
    locate: find = (pid, about) => locate({ pid, ...about }),
    readHost = readThisHost,
  } = {}) {
    this.#locate = find;
    this.#readHost = readHost;
  }

  /** @returns {MeasuredContainers} */
  get own() {
    return this;
  }

  /**
   * @param {string} service or another name; where it is taken, a number is added: `nginx-2`
   * @param {Role} role
   * @param {ContainerState} state one that does not run is left out
   * @returns {string} its name
   */
  add(service, role, { running, pid, image, sharesNetwork, onHostNetwork = false }) {
    let name = service;
    for (let life = 2; this.#about.has(name); life++) name = `${service}-${life}`;
    if (!running) return name;
    this.counters.set(name, this.#locate(pid, { hasNetwork: !onHostNetwork }));
    this.#about.set(name, Object.freeze({ name, role, image, sharesNetwork }));
    return name;
  }

  /**
   * From now on it is no error when these are gone.
   *
   * @param {string[]} names
   */
  allowLoss(names) {
    for (const name of names) this.#mayGo.add(name);
  }

  /** @param {string} name */
  mayGo(name) {
    return this.#mayGo.has(name);
  }

  /** @returns {MeasuredContainer[]} in the order in which they were added */
  list() {
    return [...this.#about.values()];
  }

  /**
   * @param {Role} role
   * @returns {[name: string, counters: ReadableContainer][]}
   */
  ofRole(role) {
    return [...this.counters].filter(([name]) => this.#about.get(name)?.role === role);
  }

  /**
   * @param {Role} role
   * @returns {Reading[]} of each container that has it
   */
  readRole(role) {
    return this.ofRole(role).map(([, counters]) => counters.read());
  }

  /** @param {{intervalMs: number}} options @returns {Sampler} of all, also of those that are added later */
  sampler(options) {
    return new Sampler(this.counters, options);
  }

  /**
   * @param {{without?: Role}} [options]
   * @returns {Usage} without those that are gone and may be
   * @throws {import("../platform/counters.js").ContainerGone}
   */
  readUsage({ without } = {}) {
    const read = [...this.counters].filter(([name]) => this.#about.get(name)?.role !== without);
    return {
      ms: Date.now(),
      containers: this.#readEach(read, (counters) => counters.read()),
      ...this.#readHost(),
    };
  }

  /**
   * Takes some 30 ms a container.
   *
   * @returns {OpenSockets} without those that are gone and may be
   * @throws {import("../platform/counters.js").ContainerGone}
   */
  readSockets() {
    const read = WITH_SOCKETS.flatMap((role) => this.ofRole(role));
    return this.#readEach(read, (counters) => counters.sockets());
  }

  /**
   * @template T
   * @param {[name: string, counters: ReadableContainer][]} list
   * @param {(counters: ReadableContainer) => T} read
   * @returns {Record<string, T>} by name
   */
  #readEach(list, read) {
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

  /**
   * Outside of a measured phase.
   *
   * @param {{without?: Role}} [options]
   * @returns {Moment}
   */
  read(options) {
    return frozen({ ...this.readUsage(options), sockets: this.readSockets() });
  }
}

/** @returns {HostUsage} */
export function readThisHost() {
  return {
    machine: machineCpu(),
    benchSeconds: locate({ pid: "self" }).read().cpu.totalSeconds,
    boot: bootId(),
  };
}

/**
 * @template T
 * @param {T} value of plain objects and arrays
 * @returns {T} the same, which nobody can change any more
 */
export function frozen(value) {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

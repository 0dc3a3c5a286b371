/**
 * The containers whose counters a cell reads, by name and role.
 */
import { locate, machineCpu } from "../platform/counters.js";

/** @import { Counters, Reading } from "../platform/counters.js" */
/** @import { ContainerState } from "../platform/docker.js" */
/** @import { Role, SocketReading } from "../record/types.js" */

/** Roles whose sockets are read: they carry the connections. */
const WITH_SOCKETS = /** @type {Role[]} */ (["proxy", "echo"]);

/**
 * @typedef {object} MeasuredContainer
 * @property {string} name in the record: its service, of a load with its number
 * @property {Role} role
 * @property {string} image as in the configuration
 * @property {boolean} sharesNetwork it has none of its own, but another container's
 *
 * @typedef {object} Usage what all containers had used at one moment
 * @property {number} ms since 1970
 * @property {Readonly<Record<string, Reading>>} containers by name
 * @property {ReturnType<typeof machineCpu>} machine
 * @property {number} benchSeconds CPU time of this program's container
 *
 * @typedef {Readonly<Record<string, SocketReading>>} OpenSockets by name, of those that carry connections
 *
 * @typedef {Usage & {sockets: OpenSockets}} Moment
 *
 * @typedef {Pick<Counters, "read" | "sockets">} ReadableContainer
 */

export class MeasuredContainers {
  /** By name; a container that is added while a phase is open is sampled from then on. @type {Map<string, ReadableContainer>} */
  counters = new Map();
  /** @type {Map<string, MeasuredContainer>} */
  #about = new Map();
  #locate;
  #readHost;

  /**
   * @param {object} [sources] default: of this machine
   * @param {(pid: number) => ReadableContainer} [sources.locate]
   * @param {() => Pick<Usage, "machine" | "benchSeconds">} [sources.readHost]
   */
  constructor({ locate: find = (pid) => locate({ pid }), readHost = readThisHost } = {}) {
    this.#locate = find;
    this.#readHost = readHost;
  }

  /**
   * @param {string} name
   * @param {Role} role
   * @param {ContainerState} state one that does not run is left out
   */
  add(name, role, { running, pid, image, sharesNetwork }) {
    if (!running) return;
    this.counters.set(name, this.#locate(pid));
    this.#about.set(name, Object.freeze({ name, role, image, sharesNetwork }));
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
   * @param {{without?: Role}} [options]
   * @returns {Usage}
   * @throws {import("../platform/counters.js").ContainerGone}
   */
  readUsage({ without } = {}) {
    const read = [...this.counters].filter(([name]) => this.#about.get(name)?.role !== without);
    return {
      ms: Date.now(),
      containers: Object.fromEntries(read.map(([name, counters]) => [name, counters.read()])),
      ...this.#readHost(),
    };
  }

  /**
   * Takes some 30 ms a container.
   *
   * @returns {OpenSockets}
   * @throws {import("../platform/counters.js").ContainerGone}
   */
  readSockets() {
    return Object.fromEntries(
      WITH_SOCKETS.flatMap((role) => this.ofRole(role)).map(([name, counters]) => [
        name,
        counters.sockets(),
      ]),
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

function readThisHost() {
  return {
    machine: machineCpu(),
    benchSeconds: locate({ pid: "self" }).read().cpu.totalSeconds,
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

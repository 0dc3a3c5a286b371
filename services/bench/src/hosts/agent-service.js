/**
 * Reads the counters of containers for a runner on another machine: a line is asked, a line is answered.
 */
import { lookup } from "node:dns/promises";
import { ContainerGone, locate } from "../platform/counters.js";
import { UserError } from "../errors.js";
import { wallClock } from "./clock.js";
import { readThisHost } from "../run/measured-containers.js";
import { openDoor } from "./relay.js";
import { Sampler } from "../run/sampler.js";

/** @import { Counters, Reading } from "../platform/counters.js" */
/** @import { SocketReading } from "../model/container.ts" */
/** @import { HostUsage } from "../run/measured-containers.js" */
/** @import { RelayedPorts } from "../run/host-network.js" */
/** @import { Sample } from "../run/samples.js" */

/**
 * @typedef {Record<string, {id: string, pid: number, onHostNetwork?: boolean}>} Asked containers by their names in the record; onHostNetwork: it
 *   has no network of its own
 *
 * What is asked, and what is answered to each:
 *
 * @typedef {{do: "clock"}} AskClock number: ms since 1970
 * @typedef {{do: "usage", containers: Asked}} AskUsage HostUsage & {containers: Record<string, Reading>}
 * @typedef {{do: "sockets", containers: Asked}} AskSockets Record<string, SocketReading>
 * @typedef {{do: "start", containers: Asked, intervalMs: number}} AskStart null, when the first sample is taken
 * @typedef {{do: "samples"}} AskSamples {samples: Sample[], gone: [name: string, ms: number][]}: those that were not told yet
 * @typedef {{do: "stop"}} AskStop the same, after a last sample
 * @typedef {{do: "lookup", name: string}} AskLookup string[]: addresses of that name
 * @typedef {{do: "open", ports: RelayedPorts}} AskOpen Door: that of the agent, which stays open
 * @typedef {AskClock | AskUsage | AskSockets | AskStart | AskSamples | AskStop | AskLookup | AskOpen} Request
 *
 * @typedef {{value: unknown} | {gone: number | "self"} | {error: string, next: string}} Answer gone: the container of that process is no more
 */

export class CountersService {
  #locate;
  #readHost;
  #now = wallClock();
  /** By container and process: one that was started again is another. @type {Map<string, Pick<Counters, "read" | "sockets">>} */
  #known = new Map();
  /** @type {Sampler | undefined} */
  #sampler;
  /** Samples of it that were told. */
  #told = 0;

  /**
   * @param {object} [sources] default: of this machine
   * @param {(pid: number, about: {hasNetwork: boolean}) => Pick<Counters, "read" | "sockets">} [sources.locate]
   * @param {() => HostUsage} [sources.readHost]
   */
  constructor({
    locate: find = (pid, about) => locate({ pid, ...about }),
    readHost = readThisHost,
  } = {}) {
    this.#locate = find;
    this.#readHost = readHost;
  }

  /**
   * @param {string} line a `Request`
   * @returns {Promise<string>} an `Answer`
   */
  async answer(line) {
    /** @type {Answer} */
    let answer;
    try {
      answer = { value: (await this.#do(JSON.parse(line))) ?? null };
    } catch (error) {
      answer =
        error instanceof ContainerGone
          ? { gone: error.pid }
          : {
              error: error instanceof Error ? error.message : String(error),
              next: error instanceof UserError ? error.next : "",
            };
    }
    return JSON.stringify(answer);
  }

  /** Ends what still goes on. */
  close() {
    this.#sampler?.abandon();
  }

  /** @param {Request} request */
  #do(request) {
    switch (request.do) {
      case "clock":
        return this.#now();
      case "usage":
        return {
          containers: this.#each(request.containers, (counters) => counters.read()),
          ...this.#readHost(),
        };
      case "sockets":
        return this.#each(request.containers, (counters) => counters.sockets());
      case "start":
        return this.#start(request);
      case "samples":
        return this.#newOf(this.#sampler);
      case "stop":
        return this.#stop();
      case "lookup":
        return addressesOf(request.name);
      case "open":
        return openDoor(request.ports);
    }
  }

  /**
   * @template T
   * @param {Asked} containers
   * @param {(counters: Pick<Counters, "read" | "sockets">) => T} read
   * @returns {Record<string, T>}
   */
  #each(containers, read) {
    return Object.fromEntries(
      Object.entries(containers).map(([name, one]) => [name, read(this.#countersOf(one))]),
    );
  }

  /** @param {Asked[string]} container */
  #countersOf({ id, pid, onHostNetwork = false }) {
    const key = `${id} ${pid}`;
    const known = this.#known.get(key);
    if (known) return known;
    const found = this.#locate(pid, { hasNetwork: !onHostNetwork });
    this.#known.set(key, found);
    return found;
  }

  /** @param {AskStart} request */
  #start({ containers, intervalMs }) {
    // That of a load that failed may still run.
    this.#sampler?.abandon();
    const counters = Object.entries(containers).map(
      ([name, one]) => /** @type {const} */ ([name, this.#countersOf(one)]),
    );
    this.#told = 0;
    this.#sampler = new Sampler(new Map(counters), { intervalMs });
    this.#sampler.start();
  }

  #stop() {
    const sampler = this.#sampler;
    this.#sampler = undefined;
    sampler?.stop();
    return this.#newOf(sampler);
  }

  /** @param {Sampler | undefined} sampler */
  #newOf(sampler) {
    const samples = sampler?.samples.slice(this.#told) ?? [];
    this.#told += samples.length;
    return { samples, gone: [...(sampler?.gone ?? [])] };
  }
}

/** @param {string} name @returns {Promise<string[]>} []: nobody is called so */
async function addressesOf(name) {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

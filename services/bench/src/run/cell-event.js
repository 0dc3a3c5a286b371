/**
 * The event of one cell, from the first edge of its measured phase until what it left behind has been read.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EVENTS } from "../plan/events.js";
import { readWorkersOfAll, workersOfServer } from "./echo-workers.js";
import { EventDriver } from "./event-driver.js";
import { ProxyObserver } from "./proxy-observer.js";
import { survivalOf } from "./survival.js";

/** @import { ContainerState } from "../platform/docker.js" */
/** @import { Survival } from "../model/cell.ts" */
/** @import { SurvivalOfLoad } from "../model/load.ts" */
/** @import { EchoWorker } from "./echo-workers.js" */
/** @import { Happened } from "./event-driver.js" */
/** @import { MeasuredContainers } from "./measured-containers.js" */

/** From the end of the load, and of all connections with it, until what is left is read. */
const AFTERWARDS_MS = 3000;

/** @typedef {Omit<ConstructorParameters<typeof EventDriver>[1], "observer" | "containers" | "atEvent" | "tell">} About */

export class CellEvent {
  #name;
  #signal;
  #driver;
  #observer;
  /** Connections that each server had got when the event came, by its container's id. @type {Map<string, {startedAt: string, connections: number}>} */
  #before = new Map();
  /** @type {Promise<Happened> | undefined} */
  #happened;

  /**
   * @param {string} name of the event
   * @param {MeasuredContainers} containers
   * @param {About & {tell: (event: {type: "event", event: string, what: string, ms: number}) => void}} about
   */
  constructor(name, containers, about) {
    this.#name = name;
    this.#signal = about.signal;
    this.#observer = new ProxyObserver(containers);
    this.#driver = new EventDriver(name, {
      ...about,
      containers,
      observer: this.#observer,
      atEvent: () => this.#noteShares(),
      tell: (step) => about.tell({ type: "event", event: name, ...step }),
    });
  }

  /**
   * At the first edge.
   *
   * @param {number} quietMs until it happens
   * @returns {Promise<Happened>} when all of it is done; rejects when it cannot be
   */
  begin(quietMs) {
    this.#observer.start();
    this.#happened = this.#driver.run(Date.now() + quietMs);
    // Whether it is waited for in the end or not.
    this.#happened.catch(() => {});
    return this.#happened;
  }

  /**
   * When the load has ended.
   *
   * @param {SurvivalOfLoad} load
   * @param {number} toMs last edge
   * @returns {Promise<Survival>}
   */
  async end(load, toMs) {
    const happened = /** @type {Happened} */ (await this.#happened);
    const echoShare = this.#hasServers ? await this.#sharesSince() : undefined;
    await sleep(AFTERWARDS_MS, undefined, { signal: this.#signal });
    const afterwards = this.#observer.read();
    this.#observer.stop();
    return survivalOf(load, {
      event: this.#name,
      happened,
      readings: this.#observer.readings,
      old: { any: this.#observer.replacesAny, goneMs: this.#observer.oldGoneMs },
      toMs,
      afterwards,
      echoShare,
    });
  }

  /** Ends it wherever it is; nothing of it goes on after that. */
  async abandon() {
    this.#observer.abandon();
    this.#driver.abandon();
    await this.#happened?.catch(() => {});
  }

  /** @returns {Promise<EchoWorker[]>} of all servers that answer */
  async echoWorkers() {
    return readWorkersOfAll(this.#driver.servers, workersOf);
  }

  /** Whether there are several servers behind the proxy, as the event is about them. */
  get #hasServers() {
    return (EVENTS[this.#name].servers ?? 1) > 1;
  }

  async #noteShares() {
    if (!this.#hasServers) return;
    for (const server of this.#driver.servers) {
      const { id, startedAt } = server;
      this.#before.set(id, { startedAt, connections: await connectionsOf(server) });
    }
  }

  /** @returns {Promise<NonNullable<Survival["echoShare"]>>} */
  async #sharesSince() {
    return Promise.all(
      this.#driver.servers.map(async (server) => {
        const before = this.#before.get(server.id);
        const isNew = before?.startedAt !== server.startedAt;
        const earlier = isNew ? 0 : (before?.connections ?? 0);
        const connections = (await connectionsOf(server)) - earlier;
        return { address: server.address, connections, isNew };
      }),
    );
  }
}

/** @param {ContainerState} server */
async function connectionsOf(server) {
  const workers = await workersOf(server);
  return workers.reduce((sum, { connectionsTotal }) => sum + connectionsTotal, 0);
}

/**
 * @param {{address: string}} server
 * @returns {Promise<EchoWorker[]>} []: it does not answer
 */
function workersOf(server) {
  return workersOfServer(server).catch(() => []);
}

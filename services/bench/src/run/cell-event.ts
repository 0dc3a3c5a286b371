/**
 * The event of one cell, from the first edge of its measured phase until what it left behind has
 * been read.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EVENTS } from "../plan/events.ts";
import { readWorkersOfAll, workersOfServer } from "./echo-workers.ts";
import { EventDriver } from "./event-driver.ts";
import { ProxyObserver } from "./proxy-observer.ts";
import { ServerShares } from "./server-shares.ts";
import { survivalOf } from "./survival.ts";
import type { Survival } from "../model/cell.ts";
import type { SurvivalOfLoad } from "../model/load.ts";
import type { EchoWorker } from "./echo-workers.ts";
import type { Happened } from "./event-driver.ts";
import type { MeasuredContainers } from "./measured-containers.ts";

/** From the end of the load, and of all connections with it, until what is left is read. */
const AFTERWARDS_MS = 3000;

type About = Omit<
  ConstructorParameters<typeof EventDriver>[1],
  "observer" | "containers" | "atEvent" | "tell"
>;

export class CellEvent {
  #name: string;
  #signal: AbortSignal;
  #driver: EventDriver;
  #observer: ProxyObserver;
  /** null: the event is not about several servers behind the proxy. */
  #shares: ServerShares | null;
  #happened: Promise<Happened> | undefined;

  /** @param name of the event */
  constructor(
    name: string,
    containers: MeasuredContainers,
    about: About & {
      tell: (event: { type: "event"; event: string; what: string; ms: number }) => void;
    },
  ) {
    this.#name = name;
    this.#signal = about.signal;
    this.#observer = new ProxyObserver(containers);
    this.#driver = new EventDriver(name, {
      ...about,
      containers,
      observer: this.#observer,
      atEvent: async () => this.#shares?.read(),
      tell: (step) => about.tell({ type: "event", event: name, ...step }),
    });
    const hasServers = (EVENTS[name].servers ?? 1) > 1;
    this.#shares = hasServers ? new ServerShares(() => this.#driver.servers) : null;
  }

  /**
   * At the first edge.
   *
   * @param quietMs until it happens
   * @returns when all of it is done; rejects when it cannot be
   */
  begin(quietMs: number): Promise<Happened> {
    this.#observer.start();
    this.#shares?.start();
    this.#happened = this.#driver.run(Date.now() + quietMs);
    // Whether anything waits for it in the end or not.
    this.#happened.catch(() => {});
    return this.#happened;
  }

  /**
   * When the load has ended.
   *
   * @param toMs last edge
   */
  async end(load: SurvivalOfLoad, toMs: number): Promise<Survival> {
    const happened = (await this.#happened) as Happened;
    this.#shares?.stop();
    await this.#shares?.read();
    const echoShare = this.#shares?.since(happened.eventMs, toMs);
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
    this.#shares?.stop();
    this.#driver.abandon();
    await this.#happened?.catch(() => {});
  }

  /** @returns of all servers that answer */
  async echoWorkers(): Promise<EchoWorker[]> {
    return readWorkersOfAll(this.#driver.servers, workersOf);
  }
}

/** @returns []: it does not answer */
function workersOf(server: { address: string }): Promise<EchoWorker[]> {
  return workersOfServer(server).catch(() => []);
}

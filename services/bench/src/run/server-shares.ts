/**
 * What each server behind the proxy gets and holds around an event, which may add one or end one.
 */
import { openIn, workersOfServer } from "./echo-workers.ts";
import type { Survival } from "../model/cell.ts";
import type { ContainerState } from "../platform/engine.ts";

const INTERVAL_MS = 1000;

interface Reading {
  ms: number;
  /** since its start */
  connections: number;
  open: number;
}

export class ServerShares {
  #servers: () => ContainerState[];
  #workersOf: typeof workersOfServer;
  /** Of each life of a container. */
  #readings: Map<string, Reading[]> = new Map();
  #timer: NodeJS.Timeout | undefined;

  /** @param servers those that run now */
  constructor(
    servers: () => ContainerState[],
    workersOf: typeof workersOfServer = workersOfServer,
  ) {
    this.#servers = servers;
    this.#workersOf = workersOf;
  }

  start() {
    this.#timer = setInterval(() => void this.read(), INTERVAL_MS);
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** Of those that answer. */
  async read(): Promise<void> {
    const ms = Date.now();
    await Promise.all(
      this.#servers().map(async (server) => {
        const workers = await this.#workersOf(server).catch(() => null);
        if (!workers) return;
        const connections = workers.reduce((sum, one) => sum + one.connectionsTotal, 0);
        const own = this.#readings.get(lifeOf(server)) ?? [];
        // One that was slow to answer may come after a later one.
        const readings = [...own, { ms, connections, open: openIn(workers) }];
        this.#readings.set(
          lifeOf(server),
          readings.sort((a, b) => a.ms - b.ms),
        );
      }),
    );
  }

  /**
   * @param eventMs since 1970
   * @param toMs the end of the load
   * @returns of those that run now
   */
  since(eventMs: number, toMs: number): NonNullable<Survival["echoShare"]> {
    return this.#servers().map((server) => {
      const readings = this.#readings.get(lifeOf(server)) ?? [];
      const before = readings.findLast(({ ms }) => ms <= eventMs);
      return {
        address: server.address,
        connections: (readings.at(-1)?.connections ?? 0) - (before?.connections ?? 0),
        isNew: !before,
        open: readings.filter(({ ms }) => ms <= toMs).map(({ ms, open }) => ({ ms, count: open })),
      };
    });
  }
}

function lifeOf({ id, startedAt }: ContainerState): string {
  return `${id} ${startedAt}`;
}

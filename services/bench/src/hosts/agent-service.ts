/**
 * Reads the counters of containers for a runner on another machine: a line is asked, a line is
 * answered.
 */
import { lookup } from "node:dns/promises";
import { ContainerGone, locate } from "../platform/counters.ts";
import { UserError } from "../errors.ts";
import { wallClock } from "./clock.ts";
import { readThisHost } from "../run/measured-containers.ts";
import { openDoor } from "./relay.ts";
import { Sampler } from "../run/sampler.ts";
import type { Counters } from "../platform/counters.ts";
import type { HostUsage } from "../run/measured-containers.ts";
import type { RelayedPorts } from "../run/host-network.ts";

/** containers by their names in the record; onHostNetwork: it has no network of its own */
export type Asked = Record<string, { id: string; pid: number; onHostNetwork?: boolean }>;

/**
 * What is asked, and what is answered to each:
 *
 * number: ms since 1970
 */
type AskClock = { do: "clock" };

/** HostUsage & {containers: Record<string, Reading>} */
type AskUsage = { do: "usage"; containers: Asked };

/** Record<string, SocketReading> */
type AskSockets = { do: "sockets"; containers: Asked };

/** null, when the first sample is taken */
type AskStart = { do: "start"; containers: Asked; intervalMs: number };

/** {samples: Sample[], gone: [name: string, ms: number][]}: those that were not told yet */
type AskSamples = { do: "samples" };

/** the same, after a last sample */
type AskStop = { do: "stop" };

/** string[]: addresses of that name */
type AskLookup = { do: "lookup"; name: string };

/** Door: that of the agent, which stays open */
type AskOpen = { do: "open"; ports: RelayedPorts };

export type Request =
  | AskClock
  | AskUsage
  | AskSockets
  | AskStart
  | AskSamples
  | AskStop
  | AskLookup
  | AskOpen;

/** gone: the container of that process is no more */
export type Answer =
  | { value: unknown }
  | { gone: number | "self" }
  | { error: string; next: string };

export class CountersService {
  #locate: (pid: number, about: { hasNetwork: boolean }) => Pick<Counters, "read" | "sockets">;
  #readHost: () => HostUsage;
  #now = wallClock();
  /** By container and process: one that was started again is another. */
  #known: Map<string, Pick<Counters, "read" | "sockets">> = new Map();
  #sampler: Sampler | undefined;
  /** Samples of it that were sent. */
  #told = 0;

  /** @param sources default: of this machine */
  constructor({
    locate: find = (pid, about) => locate({ pid, ...about }),
    readHost = readThisHost,
  }: {
    locate?: (pid: number, about: { hasNetwork: boolean }) => Pick<Counters, "read" | "sockets">;
    readHost?: () => HostUsage;
  } = {}) {
    this.#locate = find;
    this.#readHost = readHost;
  }

  /**
   * @param line a `Request`
   * @returns an `Answer`
   */
  async answer(line: string): Promise<string> {
    let answer: Answer;
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

  #do(request: Request) {
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

  #each<T>(
    containers: Asked,
    read: (counters: Pick<Counters, "read" | "sockets">) => T,
  ): Record<string, T> {
    return Object.fromEntries(
      Object.entries(containers).map(([name, one]) => [name, read(this.#countersOf(one))]),
    );
  }

  #countersOf({ id, pid, onHostNetwork = false }: Asked[string]) {
    const key = `${id} ${pid}`;
    const known = this.#known.get(key);
    if (known) return known;
    const found = this.#locate(pid, { hasNetwork: !onHostNetwork });
    this.#known.set(key, found);
    return found;
  }

  #start({ containers, intervalMs }: AskStart) {
    // That of a load that failed may still run.
    this.#sampler?.abandon();
    const counters = Object.entries(containers).map(
      ([name, one]) => [name, this.#countersOf(one)] as const,
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

  #newOf(sampler: Sampler | undefined) {
    const samples = sampler?.samples.slice(this.#told) ?? [];
    this.#told += samples.length;
    return { samples, gone: [...(sampler?.gone ?? [])] };
  }
}

/** @returns []: nobody is called so */
async function addressesOf(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

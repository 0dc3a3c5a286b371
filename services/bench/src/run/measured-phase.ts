/**
 * One measured phase: opened at its first edge, closed at its last, and what was read in it.
 */
import { frozen } from "./measured-containers.ts";
import type { Log } from "./causes.ts";
import type { EchoWorker } from "./echo-workers.ts";
import type { LiveReadings } from "./live-readings.ts";
import type { Containers, Moment, OpenSockets } from "./measured-containers.ts";
import type { Reading } from "../platform/counters.ts";
import type { Sample } from "./samples.ts";
import type { Sampling } from "./sampler.ts";

/** nobody can change them */
export interface PhaseReadings {
  /** edge */
  first: Moment;
  /** edge */
  last: Moment;
  /** between the edges, both included */
  samples: readonly Sample[];
  /** in between, ms since 1970; empty unless it was asked for */
  openSockets: readonly { ms: number; sockets: OpenSockets }[];
  /** at both edges; null: another server stands in the echo server's place */
  echoWorkers: { first: EchoWorker[]; last: EchoWorker[] } | null;
  /** written between the edges */
  logs: readonly Log[];
}

export class MeasuredPhase {
  #containers: Containers;
  #readEchoWorkers: () => Promise<EchoWorker[] | null>;
  #readLogs: (fromMs: number) => Promise<Log[]>;
  #live: Pick<LiveReadings, "open" | "close" | "abandon">;
  #sampler: Sampling;
  #state: "waiting" | "open" | "closed" | "abandoned" = "waiting";
  #echoWorkers: EchoWorker[] | null = null;
  #first: Moment | undefined;
  #socketIntervalMs: number | null;
  #openSockets: { ms: number; sockets: OpenSockets }[] = [];
  #socketTimer: NodeJS.Timeout | undefined;
  #fault: unknown;

  /**
   * @param containers those of the load may be added until it opens
   * @param sources what is read besides their counters
   */
  constructor(
    containers: Containers,
    {
      readEchoWorkers,
      readLogs,
      live,
      sampleIntervalMs,
      socketIntervalMs = null,
    }: {
      /** null: another server stands in the echo server's place */
      readEchoWorkers: () => Promise<EchoWorker[] | null>;
      /** what was written since, ms since 1970 */
      readLogs: (fromMs: number) => Promise<Log[]>;
      live: Pick<LiveReadings, "open" | "close" | "abandon">;
      sampleIntervalMs: number;
      /** how often sockets are read in between: it takes 30 ms a container. null: not at all */
      socketIntervalMs?: number | null;
    },
  ) {
    this.#containers = containers;
    this.#readEchoWorkers = readEchoWorkers;
    this.#readLogs = readLogs;
    this.#live = live;
    this.#sampler = containers.sampler({ intervalMs: sampleIntervalMs });
    this.#socketIntervalMs = socketIntervalMs;
  }

  /** Whether it has been open: there are samples. */
  get hasOpened() {
    return this.#first !== undefined;
  }

  get isClosed() {
    return this.#state === "closed";
  }

  /** @returns so far */
  get samples(): readonly Sample[] {
    return this.#sampler.samples;
  }

  /**
   * @returns whether the counters of a container vanished while it was open that no event was to
   *   end
   */
  get hasLost(): boolean {
    if (this.#state !== "open") return false;
    return [...this.#sampler.gone.keys()].some((name) => !this.#containers.mayGo(name));
  }

  /**
   * @returns rejects as soon as it is known, while it is open, that its readings will not be had
   */
  get broken(): Promise<never> {
    return this.#sampler.broken;
  }

  /**
   * At the first edge: all of the load stands still and waits. What takes its time is read first,
   * the counters last.
   *
   * @throws when something cannot be read, or the phase was abandoned meanwhile
   */
  async open() {
    this.#assertIs("waiting");
    this.#echoWorkers = await this.#readEchoWorkers();
    await this.#live.open();
    this.#assertIs("waiting");
    const sockets = await this.#containers.readSockets();
    const usage = await this.#containers.readUsage();
    this.#assertIs("waiting");
    this.#first = frozen({ ...usage, sockets });
    await this.#sampler.start();
    this.#assertIs("waiting");
    this.#state = "open";
    if (this.#socketIntervalMs !== null)
      this.#socketTimer = setInterval(() => this.#readSockets(), this.#socketIntervalMs);
  }

  async #readSockets() {
    const ms = Date.now();
    try {
      const sockets = await this.#containers.readSockets();
      if (this.#state === "open") this.#openSockets.push({ ms, sockets });
    } catch (error) {
      // In a timer nobody would catch it. That a container is gone, the sampler notices as well.
      this.#fault ??= error;
      clearInterval(this.#socketTimer);
    }
  }

  /**
   * At the last edge: all of the load stands still and waits. The counters are read first.
   *
   * @throws when something cannot be read, or the phase was abandoned meanwhile
   */
  async close(): Promise<PhaseReadings> {
    this.#assertIs("open");
    const first = this.#first as Moment;
    const usage = await this.#containers.readUsage();
    await this.#sampler.stop();
    clearInterval(this.#socketTimer);
    if (this.#fault) throw this.#fault;
    const sockets = await this.#containers.readSockets();
    const containers = { ...this.#lastOfGone(), ...usage.containers };
    const last = { ...usage, containers, sockets };
    const logs = await this.#readLogs(first.ms);
    const echoWorkers = await this.#readEchoWorkers();
    await this.#live.close();
    this.#assertIs("open");
    this.#state = "closed";
    return frozen({
      first,
      last,
      samples: this.samples,
      openSockets: this.#openSockets,
      echoWorkers: this.#echoWorkers &&
        echoWorkers && { first: this.#echoWorkers, last: echoWorkers },
      logs,
    });
  }

  /** Ends it wherever it is, without a reading; one that has closed stays as it is. */
  abandon() {
    if (this.#state === "closed") return;
    this.#state = "abandoned";
    this.#sampler.abandon();
    clearInterval(this.#socketTimer);
    this.#live.abandon();
  }

  /** @returns of those that an event has ended: what had been read of them last */
  #lastOfGone(): Record<string, Reading> {
    return Object.fromEntries(
      this.samples
        .filter(({ service }) => this.#containers.mayGo(service))
        .map(({ service, reading }) => [service, reading]),
    );
  }

  #assertIs(expected: "waiting" | "open") {
    if (this.#state !== expected)
      throw new Error(`the measured phase is ${this.#state}, expected ${expected}`);
  }
}

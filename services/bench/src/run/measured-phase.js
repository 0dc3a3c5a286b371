/**
 * One measured phase: opened at its first edge, closed at its last, and what was read in it.
 */
import { frozen } from "./measured-containers.js";

/** @import { Log } from "./causes.js" */
/** @import { EchoWorker } from "./echo-workers.js" */
/** @import { LiveReadings } from "./live-readings.js" */
/** @import { Containers, Moment, OpenSockets } from "./measured-containers.js" */
/** @import { Reading } from "../platform/counters.js" */
/** @import { Sample } from "./samples.js" */

/**
 * @typedef {object} PhaseReadings nobody can change them
 * @property {Moment} first edge
 * @property {Moment} last edge
 * @property {readonly Sample[]} samples between the edges, both included
 * @property {readonly {ms: number, sockets: OpenSockets}[]} openSockets in between, ms since 1970; empty unless it was asked for
 * @property {{first: EchoWorker[], last: EchoWorker[]} | null} echoWorkers at both edges; null: another server stands in the echo server's
 *   place
 * @property {readonly Log[]} logs written between the edges
 */

export class MeasuredPhase {
  #containers;
  #readEchoWorkers;
  #readLogs;
  #live;
  #sampler;
  /** @type {"waiting" | "open" | "closed" | "abandoned"} */
  #state = "waiting";
  /** @type {EchoWorker[] | null} */
  #echoWorkers = null;
  /** @type {Moment | undefined} */
  #first;
  #socketIntervalMs;
  /** @type {{ms: number, sockets: OpenSockets}[]} */
  #openSockets = [];
  /** @type {NodeJS.Timeout | undefined} */
  #socketTimer;
  /** @type {unknown} */
  #fault;

  /**
   * @param {Containers} containers those of the load may be added until it opens
   * @param {object} sources what is read besides their counters
   * @param {() => Promise<EchoWorker[] | null>} sources.readEchoWorkers null: another server stands in the echo server's place
   * @param {(fromMs: number) => Promise<Log[]>} sources.readLogs what was written since, ms since 1970
   * @param {Pick<LiveReadings, "open" | "close" | "abandon">} sources.live
   * @param {number} sources.sampleIntervalMs
   * @param {number | null} [sources.socketIntervalMs] how often sockets are read in between: it takes 30 ms a container. null: not at all
   */
  constructor(
    containers,
    { readEchoWorkers, readLogs, live, sampleIntervalMs, socketIntervalMs = null },
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

  /** @returns {readonly Sample[]} so far */
  get samples() {
    return this.#sampler.samples;
  }

  /** @returns {boolean} whether the counters of a container vanished while it was open that no event was to end */
  get hasLost() {
    if (this.#state !== "open") return false;
    return [...this.#sampler.gone.keys()].some((name) => !this.#containers.mayGo(name));
  }

  /** @returns {Promise<never>} rejects as soon as it is known, while it is open, that its readings will not be had */
  get broken() {
    return this.#sampler.broken;
  }

  /**
   * At the first edge: all of the load stands still and waits. What takes its time is read first, the counters last.
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
   * @returns {Promise<PhaseReadings>}
   * @throws when something cannot be read, or the phase was abandoned meanwhile
   */
  async close() {
    this.#assertIs("open");
    const first = /** @type {Moment} */ (this.#first);
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

  /** @returns {Record<string, Reading>} of those that an event has ended: what had been read of them last */
  #lastOfGone() {
    return Object.fromEntries(
      this.samples
        .filter(({ service }) => this.#containers.mayGo(service))
        .map(({ service, reading }) => [service, reading]),
    );
  }

  /** @param {"waiting" | "open"} expected */
  #assertIs(expected) {
    if (this.#state !== expected)
      throw new Error(`the measured phase is ${this.#state}, expected ${expected}`);
  }
}

/**
 * Looks at the proxy around an event, once a second: all its containers together, those of before
 * it and those that it starts.
 */
import { ContainerGone } from "../platform/counters.ts";
import { isRunning } from "../platform/processes.ts";
import type { MeasuredContainers } from "./measured-containers.ts";
import type { ProxyReading } from "../model/cell.ts";

const INTERVAL_MS = 1000;
/** How often it is asked whether the old processes have gone. */
const OLD_INTERVAL_MS = 100;

export class ProxyObserver {
  readings: ProxyReading[] = [];
  /**
   * When the last of the old processes was gone, ms since 1970; null: there is one, or there was
   * none.
   */
  oldGoneMs: number | null = null;
  #containers: MeasuredContainers;
  #isRunning: (pid: number) => boolean;
  /** CPU time of each container at the beginning, and when it was last read. */
  #cpu: Map<string, { first: number; last: number }> = new Map();
  #old: Set<number> = new Set();
  #timers: NodeJS.Timeout[] = [];
  #hasBegun = false;
  #fault: unknown;

  constructor(
    containers: MeasuredContainers,
    { isRunning: ask = isRunning }: { isRunning?: (pid: number) => boolean } = {},
  ) {
    this.#containers = containers;
    this.#isRunning = ask;
  }

  /** At the first edge: the first reading is taken at once. */
  start() {
    this.read();
    this.#hasBegun = true;
    this.#timers = [
      setInterval(() => this.#try(() => this.read()), INTERVAL_MS),
      setInterval(() => this.#try(() => this.#lookForOld()), OLD_INTERVAL_MS),
    ];
  }

  /** @throws the first error that was not the end of a container; readings end there */
  stop() {
    this.abandon();
    if (this.#fault) throw this.#fault;
  }

  /** Ends without a word. */
  abandon() {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** @param look in a timer, where nobody would catch what it throws */
  #try(look: () => void) {
    try {
      look();
    } catch (error) {
      this.#fault ??= error;
      this.abandon();
    }
  }

  /**
   * @param names of containers; left out: all of the proxy's
   * @returns their processes now, as the host numbers them
   */
  processes(names?: string[]): number[] {
    return this.#containers.ofRole("proxy").flatMap(([name, counters]) => {
      if (names && !names.includes(name)) return [];
      try {
        return counters.processes().filter((pid) => this.#isRunning(pid));
      } catch (error) {
        if (error instanceof ContainerGone) return [];
        throw error;
      }
    });
  }

  /** @returns whether any process was to go */
  get replacesAny(): boolean {
    return this.#old.size > 0;
  }

  /** @param pids of processes that the event is to replace, beside those told before */
  expectToGo(pids: number[]) {
    for (const pid of pids) this.#old.add(pid);
    this.oldGoneMs = null;
  }

  /** @returns which is also kept */
  read(): ProxyReading {
    const ms = Date.now();
    let memoryBytes = 0;
    for (const [name, counters] of this.#containers.ofRole("proxy")) {
      try {
        const { cpu, memory } = counters.read();
        memoryBytes += memory.usageBytes;
        // One that was not there at the beginning has used all of it since.
        const { first } = this.#cpu.get(name) ?? { first: this.#hasBegun ? 0 : cpu.totalSeconds };
        this.#cpu.set(name, { first, last: cpu.totalSeconds });
      } catch (error) {
        // What it had used is still used.
        if (!(error instanceof ContainerGone)) throw error;
      }
    }
    const reading = {
      ms,
      processes: this.processes().length,
      oldProcesses: this.#oldNow(),
      memoryBytes,
      cpuSeconds: [...this.#cpu.values()].reduce((sum, { first, last }) => sum + last - first, 0),
    };
    this.readings.push(reading);
    return reading;
  }

  #oldNow() {
    return [...this.#old].filter((pid) => this.#isRunning(pid)).length;
  }

  #lookForOld() {
    if (this.#old.size === 0 || this.oldGoneMs !== null) return;
    if (this.#oldNow() === 0) this.oldGoneMs = Date.now();
  }
}

/**
 * Ends waits that would be in vain: the run was aborted, the time is over, or a container that has
 * to live does not.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ContainerGone } from "../platform/counters.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { CellFailure } from "./cell-failure.ts";
import type { ContainerState } from "../platform/engine.ts";
import type { FailureKind } from "../model/cell.ts";

/** Between two looks at containers of which one is suspected to have died. */
const LOOK_INTERVAL_MS = 1000;
/**
 * The kernel takes a container's processes away before the engine says that it has ended: so long
 * the engine is asked again.
 */
const ENGINE_DELAY_MS = 5000;
const ASK_INTERVAL_MS = 100;

export class Watch {
  /** By id, as they were when they had started. */
  #required: Map<string, ContainerState> = new Map();
  #signal: AbortSignal;
  #observers: string[];
  #look: (ids: string[]) => Promise<ContainerState[]>;
  #lookIntervalMs: number;
  #engineDelayMs: number;

  constructor({
    signal,
    observers,
    look = (ids) => OWN_ENGINE.inspect(ids),
    lookIntervalMs = LOOK_INTERVAL_MS,
    engineDelayMs = ENGINE_DELAY_MS,
  }: {
    /** aborted: every wait ends with its reason */
    signal: AbortSignal;
    /** services whose loss is no fault of the cell's */
    observers: string[];
    /** those that exist, as they are now */
    look?: (ids: string[]) => Promise<ContainerState[]>;
    lookIntervalMs?: number;
    engineDelayMs?: number;
  }) {
    this.#signal = signal;
    this.#observers = observers;
    this.#look = look;
    this.#lookIntervalMs = lookIntervalMs;
    this.#engineDelayMs = engineDelayMs;
  }

  /**
   * From now on these have to run as they do.
   *
   * @param containers just started
   * @throws {CellFailure} when one of them does not
   */
  require(containers: ContainerState[]) {
    for (const container of containers) this.#required.set(container.id, container);
    this.#assertAll(containers, containers);
  }

  /**
   * From now on these may end: an event is about to end them. What starts again is required again.
   */
  release(containers: ContainerState[]) {
    for (const { id } of containers) this.#required.delete(id);
  }

  /**
   * @throws {CellFailure} that names the first one that died or was restarted
   * @throws {UserError} when the engine does not answer
   */
  async assertAlive() {
    const required = [...this.#required.values()];
    this.#assertAll(required, await this.#look(required.map(({ id }) => id)));
  }

  /**
   * Waits for an action, which continues when the wait ends early; if it fails then,
   * nothing reports it.
   *
   * @param isSuspicious whether something hints at a death; then containers are looked at, at a
   *   cost that must not come without need
   * @throws {CellFailure} when it takes longer, or a container has died
   * @throws the reason of the abort
   */
  async within<T>(
    seconds: number,
    action: Promise<T>,
    isSuspicious: () => boolean = () => false,
  ): Promise<T> {
    const ended = Promise.withResolvers();
    const stop = () => ended.reject(this.#signal.reason);
    this.#signal.addEventListener("abort", stop);
    if (this.#signal.aborted) stop();
    const timer = setTimeout(
      () => ended.reject(new CellFailure("timeout", `not through after ${seconds} s`)),
      seconds * 1000,
    );
    let isLooking = false;
    const looking = setInterval(async () => {
      // An engine that is lost answers later than the next look would be.
      if (isLooking || !isSuspicious()) return;
      isLooking = true;
      await this.assertAlive().catch(ended.reject);
      isLooking = false;
    }, this.#lookIntervalMs);
    try {
      return (await Promise.race([ended.promise, action])) as T;
    } finally {
      clearInterval(looking);
      clearTimeout(timer);
      this.#signal.removeEventListener("abort", stop);
    }
  }

  /**
   * What is behind an error: a container that died explains the connections that failed.
   *
   * @returns the same, unless there is something behind it
   */
  async explain(error: unknown): Promise<unknown> {
    if (error instanceof CellFailure && !["load", "timeout", "verify"].includes(error.kind))
      return error;
    const untilMs = error instanceof ContainerGone ? Date.now() + this.#engineDelayMs : 0;
    try {
      await this.assertAlive();
      while (Date.now() < untilMs) {
        await sleep(ASK_INTERVAL_MS, undefined, { signal: this.#signal });
        await this.assertAlive();
      }
    } catch (behind) {
      return behind;
    }
    if (error instanceof ContainerGone) return new CellFailure("container-died", error.message);
    return error;
  }

  #assertAll(required: ContainerState[], found: ContainerState[]) {
    for (const before of required) {
      const loss = lossOf(
        before,
        found.find(({ id }) => id === before.id),
      );
      if (!loss) continue;
      const kind = this.#observers.includes(before.service) ? "observer" : loss.kind;
      throw new CellFailure(kind, `${before.service} ${loss.what}`);
    }
  }
}

/**
 * @param now none: there is no such container any more
 * @returns null: it runs as it did
 */
function lossOf(
  before: ContainerState,
  now?: ContainerState,
): { kind: FailureKind; what: string } | null {
  if (!now) return { kind: "container-died", what: "was removed" };
  if (now.outOfMemory)
    return { kind: "out-of-memory", what: "was ended by the kernel: out of memory" };
  if (!now.running) return { kind: "container-died", what: `ended with status ${now.exitCode}` };
  if (now.startedAt !== before.startedAt || now.restarts > 0)
    return { kind: "container-restarted", what: "was restarted" };
  return null;
}

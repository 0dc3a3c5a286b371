/**
 * Counters of another machine: a container of this program there, which is asked line by line
 * through docker's own connection, and ends with it. Nobody else is answered: it listens nowhere,
 * but as the door to what is measured on that machine's own network.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { BENCH_IMAGE, HARDENED } from "../machine/engine.ts";
import { offsetOf } from "./clock.ts";
import { RUN_LABEL } from "./swarm.ts";
import { ContainerGone } from "../platform/counters.ts";
import { converse } from "../platform/subprocess.ts";
import { CellFailure } from "../run/cell-failure.ts";
import { engineName } from "../run/placement.ts";
import type { Offset } from "./clock.ts";
import type { Answer, Request } from "./agent-service.ts";
import type { Door, RelayedPorts } from "../run/host-network.ts";
import type { Site } from "../run/placement.ts";

/**
 * The longest that an answer may take. The slowest looks at every process and socket of a busy
 * machine.
 */
const ANSWER_LIMIT_MS = 15_000;
/** Until the container has started. */
const START_LIMIT_MS = 60_000;
/** Until a name is known on all machines. */
const NAME_LIMIT_MS = 10_000;
const NAME_INTERVAL_MS = 100;

export type Conversation = Pick<ReturnType<typeof converse>, "ask" | "end" | "kill" | "hasEnded">;

export class CountersAgent {
  #site: Site;
  #start: () => Conversation;
  #limitMs: number;
  #ports: RelayedPorts | null;
  #door: Door | undefined;
  #conversation: Conversation | undefined;
  /** Of the machine's clock against this one's, when it was asked last. */
  clock: Offset = { offsetMs: 0, uncertaintyMs: 0 };

  /**
   * @param about project: name of the Compose project; network: over all machines; ports: of the
   *   door; none: nothing is on the machine's own network
   */
  constructor(
    site: Site,
    {
      project,
      network,
      ports = null,
      start,
      limitMs = ANSWER_LIMIT_MS,
    }: {
      project: string;
      network: string;
      ports?: RelayedPorts | null;
      start?: () => Conversation;
      limitMs?: number;
    },
  ) {
    this.#site = site;
    this.#ports = ports;
    this.#limitMs = limitMs;
    this.#start =
      start ??
      (() =>
        converse([
          ...[...site.engine.client, "run", "--rm", "--interactive"],
          ...["--label", `${RUN_LABEL}=${project}`, "--network", network, ...HARDENED],
          ...["--cgroupns", "host", "--volume", "/sys/fs/cgroup:/host/sys/fs/cgroup:ro"],
          ...["--volume", "/proc:/host/proc:ro", BENCH_IMAGE, "counters"],
        ]));
  }

  /** Whether it was there, and is no more. */
  get isLost() {
    return this.#conversation?.hasEnded() ?? false;
  }

  /**
   * @returns of the machine, once it is ready; that of a restarted agent is another
   */
  get door(): Door {
    if (this.#door) return this.#door;
    throw new Error(`the agent of ${this.#site.name} has no door`);
  }

  /**
   * Starts it, where it does not run, and asks for the clock.
   *
   * @throws {CellFailure} when it does not answer
   */
  async ready() {
    if (this.isLost) this.#conversation = undefined;
    if (!this.#conversation) {
      this.#door = undefined;
      this.#conversation = this.#start();
      await this.#ask({ do: "clock" }, START_LIMIT_MS);
    }
    if (this.#ports) this.#door ??= await this.ask({ do: "open", ports: this.#ports });
    this.clock = await offsetOf(async () => Number(await this.ask({ do: "clock" })));
  }

  /**
   * @returns its value
   * @throws {ContainerGone} when a container that was asked for is no more
   * @throws {CellFailure} when no answer comes
   */
  ask(request: Request): Promise<any> {
    return this.#ask(request, this.#limitMs);
  }

  async #ask(request: Request, limitMs: number) {
    const conversation = this.#conversation;
    if (!conversation) throw new Error(`the agent of ${this.#site.name} was not started`);
    const answered = conversation.ask(JSON.stringify(request));
    answered.catch(() => {});
    const limit = new AbortController();
    const late = sleep(limitMs, null, { signal: limit.signal }).catch(() => null);
    let line;
    try {
      line = await Promise.race([answered, late]);
    } catch (error) {
      throw await this.#lost(error instanceof UserError ? error.next || error.message : error);
    } finally {
      limit.abort();
    }
    if (line === null) {
      // What comes later would be taken for another's answer.
      conversation.kill();
      throw await this.#lost(`no answer within ${limitMs / 1000} s`);
    }
    const answer: Answer = JSON.parse(line);
    if ("value" in answer) return answer.value;
    if ("gone" in answer) throw new ContainerGone(answer.gone);
    throw new UserError(`the machine ${this.#site.name}: ${answer.error}`, answer.next);
  }

  async #lost(why: unknown): Promise<CellFailure> {
    const { engine, name } = this.#site;
    const limit = AbortSignal.timeout(this.#limitMs);
    const { code, output } = await engine
      .run(["docker", "version", "--format", "{{.Server.Version}}"], { signal: limit })
      .catch((error) => ({ code: 1, output: String(error) }));
    return code === 0
      ? new CellFailure("observer", `the machine ${name} does not report its counters: ${why}`)
      : new CellFailure("engine", `${engineName(this.#site)} does not answer: ${output.trim()}`);
  }

  /**
   * @param address that it is to have there
   * @returns those that it has there in the end
   */
  async awaitName(name: string, address: string): Promise<string[]> {
    const untilMs = Date.now() + NAME_LIMIT_MS;
    for (;;) {
      const found: string[] = await this.ask({ do: "lookup", name });
      // A container that has ended may still be known by it.
      if ((found.length === 1 && found[0] === address) || Date.now() > untilMs) return found;
      await sleep(NAME_INTERVAL_MS);
    }
  }

  /** Ends it. */
  async close() {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    if (!conversation || conversation.hasEnded()) return;
    const kill = setTimeout(() => conversation.kill(), this.#limitMs);
    await conversation.end().catch(() => {});
    clearTimeout(kill);
  }
}

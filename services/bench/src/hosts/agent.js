/**
 * Counters of another machine: a container of this program there, which is asked line by line through docker's own connection, and ends with
 * it. Nobody else is answered: it listens nowhere, but as the door to what is measured on that machine's own network.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.js";
import { BENCH_IMAGE, HARDENED } from "../machine/engine.js";
import { offsetOf } from "./clock.js";
import { RUN_LABEL } from "./swarm.js";
import { ContainerGone } from "../platform/counters.js";
import { converse } from "../platform/docker.js";
import { CellFailure } from "../run/cell-failure.js";
import { engineName } from "../run/placement.js";

/** @import { Offset } from "./clock.js" */
/** @import { Answer, Request } from "./agent-service.js" */
/** @import { Door, RelayedPorts } from "../run/host-network.js" */
/** @import { Site } from "../run/placement.js" */

/** The longest that an answer may take. The slowest looks at every process and socket of a busy machine. */
const ANSWER_LIMIT_MS = 15_000;
/** Until the container has started. */
const START_LIMIT_MS = 60_000;
/** Until a name is known on all machines. */
const NAME_LIMIT_MS = 10_000;
const NAME_INTERVAL_MS = 100;

/** @typedef {Pick<ReturnType<typeof converse>, "ask" | "end" | "kill" | "hasEnded">} Conversation */

export class CountersAgent {
  #site;
  #start;
  #limitMs;
  #ports;
  /** @type {Door | undefined} */
  #door;
  /** @type {Conversation | undefined} */
  #conversation;
  /** Of the machine's clock against this one's, when it was asked last. @type {Offset} */
  clock = { offsetMs: 0, uncertaintyMs: 0 };

  /**
   * @param {Site} site
   * @param {{project: string, network: string, ports?: RelayedPorts | null, start?: () => Conversation, limitMs?: number}} about project: name of
   *   the Compose project; network: over all machines; ports: of the door; none: nothing is on the machine's own network
   */
  constructor(site, { project, network, ports = null, start, limitMs = ANSWER_LIMIT_MS }) {
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

  /** @returns {Door} of the machine, once it is ready; that of an agent that was started anew is another */
  get door() {
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
   * @param {Request} request
   * @returns {Promise<any>} its value
   * @throws {ContainerGone} when a container that was asked for is no more
   * @throws {CellFailure} when no answer comes
   */
  ask(request) {
    return this.#ask(request, this.#limitMs);
  }

  /**
   * @param {Request} request
   * @param {number} limitMs
   */
  async #ask(request, limitMs) {
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
    /** @type {Answer} */
    const answer = JSON.parse(line);
    if ("value" in answer) return answer.value;
    if ("gone" in answer) throw new ContainerGone(answer.gone);
    throw new UserError(`the machine ${this.#site.name}: ${answer.error}`, answer.next);
  }

  /**
   * @param {unknown} why
   * @returns {Promise<CellFailure>}
   */
  async #lost(why) {
    const { engine, name } = this.#site;
    const limit = AbortSignal.timeout(this.#limitMs);
    const { code, output } = await engine
      .run(["docker", "version", "--format", "{{.Server.Version}}"], { signal: limit })
      .catch((error) => ({ code: 1, output: String(error) }));
    return code === 0
      ? new CellFailure("observer", `the machine ${name} does not tell its counters: ${why}`)
      : new CellFailure("engine", `${engineName(this.#site)} does not answer: ${output.trim()}`);
  }

  /**
   * @param {string} name
   * @param {string} address that it is to have there
   * @returns {Promise<string[]>} those that it has there in the end
   */
  async awaitName(name, address) {
    const untilMs = Date.now() + NAME_LIMIT_MS;
    for (;;) {
      /** @type {string[]} */
      const found = await this.ask({ do: "lookup", name });
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

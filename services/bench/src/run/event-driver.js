/**
 * Makes an event of plan/events.json happen to the containers of a cell.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EVENTS } from "../plan/events.js";
import { serviceOf } from "../plan/proxies.js";
import { OWN_ENGINE } from "../platform/docker.js";
import { busiestChild } from "../platform/processes.js";
import { statusOf, until } from "../platform/wait.js";
import { CellFailure } from "./cell-failure.js";

/**
 * @import { Change, ProxyEvent, Step } from "../plan/events.js"
 * @import { Proxy } from "../plan/proxies.js"
 * @import { ContainerState, Engine as DockerEngine, Project } from "../platform/docker.js"
 * @import { GenerationFolder } from "../platform/generation.js"
 * @import { Survival } from "../model/cell.ts"
 * @import { Role } from "../model/container.ts"
 * @import { MeasuredContainers } from "./measured-containers.js"
 * @import { ProxyObserver } from "./proxy-observer.js"
 * @import { Watch } from "./watch.js"
 */

/** The service behind the proxies. */
const SERVER = "echo";
/** How long a container that was told to may take to end, and a new one to answer. */
const LIMIT_MS = 30_000;
/** A proxy whose worker was killed may end itself, as HAProxy's master does: by then. */
const ENDS_ITSELF_MS = 2000;

/**
 * What the engine does for it.
 *
 * @typedef {Pick<DockerEngine, "containersOf" | "inspect" | "signal" | "signalInside" | "stop" | "start" | "hasEnded">} Engine
 *
 * @typedef {object} Clock
 * @property {() => number} now ms since 1970
 * @property {(ms: number, signal: AbortSignal) => Promise<unknown>} sleep
 *
 * @typedef {object} Life one life of a container
 * @property {ContainerState} state as it was when it had started
 * @property {string} name in the record
 *
 * @typedef {object} Happened
 * @property {number} eventMs since 1970
 * @property {Survival["steps"]} steps
 * @property {{ms: number, value: string} | null} newest configuration, and when the proxy was told of it; null: none was made
 */

/** @type {Clock} */
const CLOCK = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

export class EventDriver {
  #event;
  #name;
  #proxy;
  #project;
  #projectName;
  #generation;
  #containers;
  #observer;
  #watch;
  #signal;
  #atEvent;
  #tell;
  #engine;
  #busiestChild;
  #statusOf;
  #clock;
  /** Of the proxy, the one whose network others share first. @type {Life[]} */
  #lives;
  /** Beside those, until the old ones have gone. @type {Life[]} */
  #beside = [];
  /** Behind the proxy. @type {Life[]} */
  #servers;
  #number = 1;
  /** @type {Survival["steps"]} */
  #steps = [];
  /** @type {Happened["newest"]} */
  #newest = null;
  #isAbandoned = false;

  /**
   * @param {string} name of the event
   * @param {object} about
   * @param {Proxy} about.proxy
   * @param {Pick<Project, "check">} about.project
   * @param {string} about.projectName
   * @param {Pick<GenerationFolder, "write">} about.generation has written 1
   * @param {Life[]} about.proxies containers of the proxy, as they run
   * @param {Life[]} about.servers containers behind it
   * @param {Pick<MeasuredContainers, "add" | "allowLoss">} about.containers
   * @param {Pick<ProxyObserver, "processes" | "expectToGo">} about.observer
   * @param {Pick<Watch, "require" | "release">} about.watch
   * @param {AbortSignal} about.signal ends waits
   * @param {() => Promise<void>} about.atEvent called just before it
   * @param {(step: {what: string, ms: number}) => void} about.tell
   * @param {Engine} [about.engine]
   * @param {typeof busiestChild} [about.child]
   * @param {typeof statusOf} [about.statusOf]
   * @param {Clock} [about.clock]
   */
  constructor(name, about) {
    this.#name = name;
    this.#event = EVENTS[name];
    this.#proxy = about.proxy;
    this.#project = about.project;
    this.#projectName = about.projectName;
    this.#generation = about.generation;
    this.#lives = about.proxies.toSorted(networkOwnersFirst);
    this.#servers = about.servers;
    this.#containers = about.containers;
    this.#observer = about.observer;
    this.#watch = about.watch;
    this.#signal = about.signal;
    this.#atEvent = about.atEvent;
    this.#tell = about.tell;
    this.#engine = about.engine ?? OWN_ENGINE;
    this.#busiestChild = about.child ?? busiestChild;
    this.#statusOf = about.statusOf ?? statusOf;
    this.#clock = about.clock ?? CLOCK;
  }

  /** @returns {ContainerState[]} those behind the proxy that run now */
  get servers() {
    return this.#servers.map(({ state }) => state);
  }

  /**
   * @param {number} dueMs when it is to happen, since 1970; what has to be made ready for it comes then, and it right after
   * @returns {Promise<Happened>} when all is done
   * @throws {CellFailure | UserError} when something cannot be done
   * @throws the reason of the abort
   */
  async run(dueMs) {
    const { before, steps, repeat = { times: 1, everySeconds: 0 } } = this.#event;
    await this.#sleep(dueMs - this.#clock.now());
    for (const step of before) await this.#do(step);
    await this.#atEvent();
    const eventMs = this.#clock.now();
    for (let i = 0; i < repeat.times; i++) {
      await this.#sleep(eventMs + 1000 * i * repeat.everySeconds - this.#clock.now());
      for (const step of steps) await this.#do(step);
    }
    return { eventMs, steps: this.#steps, newest: this.#newest };
  }

  /** No step begins any more. */
  abandon() {
    this.#isAbandoned = true;
  }

  /** @param {number} ms */
  async #sleep(ms) {
    if (ms > 0) await this.#clock.sleep(ms, this.#signal);
  }

  /** @param {Step} step */
  async #do(step) {
    this.#signal.throwIfAborted();
    if (this.#isAbandoned) throw new Error(`${this.#name} was broken off`);
    switch (step.do) {
      case "renew":
        this.#number += 1;
        return this.#generation.write(this.#proxy.generation, this.#number);
      case "reload":
        return this.#reload();
      case "start-beside":
        return this.#startBeside();
      case "drain":
        return this.#drain(step.seconds);
      case "stop":
      case "kill":
        return this.#end(step);
      case "start":
        return step.of === "proxy" ? this.#startProxy() : this.#startServer();
      case "kill-worker":
        return this.#killWorker();
      case "wait":
        return this.#sleep(1000 * step.seconds);
      case "scale":
        return this.#scale(step.servers);
    }
  }

  /** @param {string} what begins now */
  #note(what) {
    const step = { ms: this.#clock.now(), what };
    this.#steps.push(step);
    this.#tell(step);
  }

  /** The proxy takes the newest configuration from now on. */
  #noteNewest() {
    if (this.#proxy.generation && this.#number > 1)
      this.#newest = { ms: this.#clock.now(), value: String(this.#number) };
  }

  async #reload() {
    const { signals } = /** @type {NonNullable<Proxy["reload"]>} */ (this.#proxy.reload);
    const mains = this.#lives.map(({ state }) => state.pid);
    // The first process stays, and has others in place of those.
    this.#observer.expectToGo(this.#observer.processes().filter((pid) => !mains.includes(pid)));
    this.#noteNewest();
    await this.#signalEach(signals, this.#lives);
  }

  async #startBeside() {
    const service = this.#proxy.name;
    if (this.#lives.length > 1)
      throw new Error(`${service} has several containers: none can stand beside them`);
    this.#note(`another ${service} starts`);
    this.#noteNewest();
    const [state] = await this.#scaleTo(service, 2, this.#lives);
    this.#beside = [this.#add(state, "proxy")];
    const { address } = state;
    const url = this.#proxy.schemes.includes("ws")
      ? `http://${address}:8080/healthz`
      : `https://${address}:8443/healthz`;
    const ask = () => {
      this.#signal.throwIfAborted();
      return this.#statusOf(url);
    };
    const answer = await until(Date.now() + LIMIT_MS, ask, (status) => status === "200");
    if (answer !== "200")
      throw new CellFailure("start", `another ${service} did not answer 200; last: ${answer}`);
  }

  /** @param {number} seconds */
  async #drain(seconds) {
    const { signals } = /** @type {NonNullable<Proxy["drain"]>} */ (this.#proxy.drain);
    const old = this.#lives;
    const endMs = this.#clock.now() + 1000 * seconds;
    this.#allowEnd(old);
    this.#observer.expectToGo(this.#observer.processes(old.map(({ name }) => name)));
    await this.#signalEach(signals, old);
    for (const { state, name } of old) {
      const { id } = state;
      if (await this.#engine.hasEnded(id, Math.max(1, endMs - this.#clock.now()))) continue;
      this.#note(`KILL to ${name}, which has not ended`);
      await this.#engine.signal([id], "KILL");
      await this.#ended(state);
    }
    this.#lives = this.#beside;
    this.#beside = [];
  }

  /** @param {Change} change */
  async #end({ do: how, of }) {
    const ending = of === "proxy" ? this.#lives : this.#servers.slice(-1);
    const ids = ending.map(({ state }) => state.id);
    this.#allowEnd(ending);
    if (of === "proxy") this.#observer.expectToGo(this.#observer.processes());
    this.#note(`${how === "stop" ? "stop" : "KILL"} to ${namesOf(ending)}`);
    if (how === "stop") await this.#engine.stop(ids);
    else await this.#engine.signal(ids, "KILL");
    for (const { state } of ending) await this.#ended(state);
  }

  async #startProxy() {
    this.#note(`start of ${namesOf(this.#lives)}`);
    this.#noteNewest();
    this.#lives = await this.#startAgain(this.#lives, "proxy");
  }

  async #startServer() {
    const stopped = this.#servers.slice(-1);
    this.#note(`start of ${namesOf(stopped)}`);
    this.#servers = [...this.#servers.slice(0, -1), ...(await this.#startAgain(stopped, "echo"))];
  }

  async #killWorker() {
    const mains = this.#lives.map(({ state }) => state.pid);
    const worker = this.#busiestChild(this.#observer.processes(), mains);
    if (!worker) throw new CellFailure("start", `${this.#proxy.name} has no worker process`);
    const life = /** @type {Life} */ (this.#lives.find(({ state }) => state.pid === worker.parent));
    // Its first process may follow it.
    this.#allowEnd([life]);
    this.#note(`KILL to worker ${worker.inner} of ${life.name}`);
    await this.#engine.signalInside(life.state.id, worker.inner, "KILL");
    if (!(await this.#engine.hasEnded(life.state.id, ENDS_ITSELF_MS))) {
      this.#watch.require([life.state]);
      return;
    }
    // Those that share its network have lost it.
    const alone = this.#lives.filter((one) => one !== life && one.state.sharesNetwork);
    const sharing = life.state.sharesNetwork ? [] : alone;
    if (sharing.length > 0) {
      this.#allowEnd(sharing);
      this.#note(`stop to ${namesOf(sharing)}, whose network has gone`);
      await this.#engine.stop(sharing.map(({ state }) => state.id));
    }
    const ended = [life, ...sharing];
    this.#note(`start of ${namesOf(ended)}: ${life.name} has ended with its worker`);
    const rest = this.#lives.filter((one) => !ended.includes(one));
    this.#lives = [...rest, ...(await this.#startAgain(ended, "proxy"))].sort(networkOwnersFirst);
  }

  /** @param {ContainerState} state of one that was told to end */
  async #ended({ id, service }) {
    if (await this.#engine.hasEnded(id, LIMIT_MS)) return;
    throw new CellFailure("timeout", `${service} has not ended after ${LIMIT_MS / 1000} s`);
  }

  /** @param {number} servers */
  async #scale(servers) {
    this.#note(`${servers} servers`);
    const added = await this.#scaleTo(SERVER, servers, this.#servers);
    this.#servers = [...this.#servers, ...added.map((state) => this.#add(state, "echo"))];
  }

  /**
   * @param {NonNullable<Proxy["drain"]>["signals"]} signals
   * @param {Life[]} lives
   */
  async #signalEach(signals, lives) {
    for (const signal of signals) {
      const service = serviceOf(this.#proxy, signal);
      const life = lives.find(({ state }) => state.service === service);
      if (!life) throw new Error(`${this.#proxy.name} has no container ${service}`);
      this.#note(`${signal.signal} to ${life.name}`);
      await this.#engine.signal([life.state.id], signal.signal);
    }
  }

  /**
   * @param {string} service
   * @param {number} count of its containers from now on
   * @param {Life[]} known those that there are
   * @returns {Promise<ContainerState[]>} new ones
   */
  async #scaleTo(service, count, known) {
    await this.#project.check([
      ...["up", "--detach", "--no-deps", "--no-recreate"],
      ...["--scale", `${service}=${count}`, service],
    ]);
    const ids = new Set(known.map(({ state }) => state.id));
    const all = await this.#engine.containersOf(this.#projectName);
    return all.filter((state) => state.service === service && !ids.has(state.id));
  }

  /**
   * @param {Life[]} ended
   * @param {Role} role
   * @returns {Promise<Life[]>} of the same containers
   */
  async #startAgain(ended, role) {
    const ids = ended.map(({ state }) => state.id);
    await this.#engine.start(ids);
    const states = await this.#engine.inspect(ids);
    return ids.map((id) =>
      this.#add(
        /** @type {ContainerState} */ (states.find((state) => state.id === id)),
        role,
      ),
    );
  }

  /**
   * @param {ContainerState} state
   * @param {Role} role
   * @returns {Life}
   * @throws {CellFailure} when it does not run
   */
  #add(state, role) {
    this.#watch.require([state]);
    return { state, name: this.#containers.add(state.service, role, state) };
  }

  /** @param {Life[]} lives */
  #allowEnd(lives) {
    this.#watch.release(lives.map(({ state }) => state));
    this.#containers.allowLoss(lives.map(({ name }) => name));
  }
}

/**
 * @param {Life} a
 * @param {Life} b
 */
function networkOwnersFirst(a, b) {
  return Number(a.state.sharesNetwork) - Number(b.state.sharesNetwork);
}

/** @param {Life[]} lives */
function namesOf(lives) {
  return lives.map(({ name }) => name).join(" and ");
}

/**
 * Makes an event of plan/events.json happen to the containers of a cell.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EVENTS } from "../plan/events.ts";
import { serviceOf } from "../plan/proxies.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { busiestChild } from "../platform/processes.ts";
import { statusOf, until } from "../platform/wait.ts";
import { CellFailure } from "./cell-failure.ts";
import type { EndProxy, ProxyEvent, Step } from "../plan/events.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Project } from "../platform/compose.ts";
import type { ContainerState, Engine as DockerEngine } from "../platform/engine.ts";
import type { Worker } from "../platform/processes.ts";
import type { CertificateFolder } from "../platform/certificates.ts";
import type { GenerationFolder } from "../platform/generation.ts";
import type { Survival } from "../model/cell.ts";
import type { Role } from "../model/container.ts";
import type { MeasuredContainers } from "./measured-containers.ts";
import type { ProxyObserver } from "./proxy-observer.ts";
import type { Watch } from "./watch.ts";

/** The service behind the proxies. */
const SERVER = "echo";
/** How long a container may take to end when asked, and a new one to answer. */
const LIMIT_MS = 30_000;
/** From SIGTERM to SIGKILL: stop_grace_period in proxies/proxy.yaml. */
const GRACE_MS = 2000;
/** Between two looks at whether a process has ended. */
const LOOK_MS = 20;

/** What the engine does for it. */
type Engine = Pick<
  DockerEngine,
  "containersOf" | "inspect" | "signal" | "signalInside" | "stop" | "start" | "hasEnded"
>;

interface Clock {
  /** ms since 1970 */
  now: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** one life of a container */
export interface Life {
  /** as it was when it had started */
  state: ContainerState;
  /** in the record */
  name: string;
}

export interface Happened {
  /** since 1970 */
  eventMs: number;
  steps: Survival["steps"];
  /** configurations that were made, and when the proxy got each */
  renewals: { ms: number; value: string }[];
}

const CLOCK: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

export class EventDriver {
  #event: ProxyEvent;
  #name: string;
  #proxy: Proxy;
  #project: Pick<Project, "check">;
  #projectName: string;
  #generation: Pick<GenerationFolder, "write">;
  #certificates: Pick<CertificateFolder, "write"> | null;
  #containers: Pick<MeasuredContainers, "add" | "allowLoss">;
  #observer: Pick<ProxyObserver, "processes" | "expectToGo">;
  #watch: Pick<Watch, "require" | "release">;
  #signal: AbortSignal;
  #atEvent: () => Promise<void>;
  #tell: (step: { what: string; ms: number }) => void;
  #engine: Engine;
  #busiestChild: typeof busiestChild;
  #statusOf: typeof statusOf;
  #clock: Clock;
  /** Of the proxy. */
  #lives: Life[];
  /** Beside those, until the old ones have gone. */
  #beside: Life[] = [];
  /** Behind the proxy. */
  #servers: Life[];
  #number = 1;
  #steps: Survival["steps"] = [];
  #renewals: Happened["renewals"] = [];
  #eventMs = 0;
  #isAbandoned = false;

  /** @param name of the event */
  constructor(
    name: string,
    about: {
      proxy: Proxy;
      project: Pick<Project, "check">;
      projectName: string;
      /** has written 1 */
      generation: Pick<GenerationFolder, "write">;
      /** has written 1; null: the proxy keeps its certificate */
      certificates: Pick<CertificateFolder, "write"> | null;
      /** containers of the proxy, as they run */
      proxies: Life[];
      /** containers behind it */
      servers: Life[];
      containers: Pick<MeasuredContainers, "add" | "allowLoss">;
      observer: Pick<ProxyObserver, "processes" | "expectToGo">;
      watch: Pick<Watch, "require" | "release">;
      /** ends waits */
      signal: AbortSignal;
      /** called just before it */
      atEvent: () => Promise<void>;
      tell: (step: { what: string; ms: number }) => void;
      engine?: Engine;
      child?: typeof busiestChild;
      statusOf?: typeof statusOf;
      clock?: Clock;
    },
  ) {
    this.#name = name;
    this.#event = EVENTS[name];
    this.#proxy = about.proxy;
    this.#project = about.project;
    this.#projectName = about.projectName;
    this.#generation = about.generation;
    this.#certificates = about.certificates;
    this.#lives = about.proxies;
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

  /** @returns those behind the proxy that run now */
  get servers(): ContainerState[] {
    return this.#servers.map(({ state }) => state);
  }

  /**
   * @param dueMs when it is to happen, since 1970; preparations come then, and
   *   it right after
   * @returns when all is done
   * @throws {CellFailure | UserError} when something cannot be done
   * @throws the reason of the abort
   */
  async run(dueMs: number): Promise<Happened> {
    const { before, steps, repeat = { times: 1, everySeconds: 0 } } = this.#event;
    await this.#sleep(dueMs - this.#clock.now());
    for (const step of before) await this.#do(step);
    await this.#atEvent();
    const startMs = this.#clock.now();
    this.#eventMs = startMs;
    for (let i = 0; i < repeat.times; i++) {
      await this.#sleep(startMs + 1000 * i * repeat.everySeconds - this.#clock.now());
      for (const step of steps) await this.#do(step);
    }
    return { eventMs: this.#eventMs, steps: this.#steps, renewals: this.#renewals };
  }

  /** No step begins any more. */
  abandon() {
    this.#isAbandoned = true;
  }

  async #sleep(ms: number) {
    if (ms > 0) await this.#clock.sleep(ms, this.#signal);
  }

  async #do(step: Step) {
    this.#signal.throwIfAborted();
    if (this.#isAbandoned) throw new Error(`${this.#name} was broken off`);
    switch (step.do) {
      case "renew":
        this.#number += 1;
        this.#certificates?.write(this.#number);
        return this.#generation.write(this.#proxy.generation, this.#number);
      case "reload":
        return this.#reload();
      case "start-beside":
        return this.#startBeside();
      case "drain":
        return this.#drain(step.seconds);
      case "stop":
      case "kill":
        return step.of === "proxy" ? this.#endProxy(step) : this.#endServer(step.do);
      case "start":
        return this.#startServer();
      case "kill-worker":
        return this.#killWorker();
      case "wait":
        return this.#sleep(1000 * step.seconds);
      case "scale":
        return this.#scale(step.servers);
    }
  }

  /** @param what begins now, or began then */
  #note(what: string, ms = this.#clock.now()) {
    const step = { ms, what };
    this.#steps.push(step);
    this.#tell(step);
  }

  /** The proxy takes the newest configuration from now on. */
  #noteNewest(ms = this.#clock.now()) {
    if (this.#proxy.generation && this.#number > 1)
      this.#renewals.push({ ms, value: String(this.#number) });
  }

  async #reload() {
    const { signals, inPlace } = this.#proxy.reload as NonNullable<Proxy["reload"]>;
    const mains = this.#lives.map(({ state }) => state.pid);
    // The first process stays, and starts others instead of those.
    if (!inPlace)
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
      throw new CellFailure("start", `a second ${service} did not answer 200; last: ${answer}`);
  }

  async #drain(seconds: number) {
    const { signals } = this.#proxy.drain as NonNullable<Proxy["drain"]>;
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

  async #endServer(how: "stop" | "kill") {
    const ending = this.#servers.slice(-1);
    const ids = ending.map(({ state }) => state.id);
    this.#allowEnd(ending);
    this.#note(`${how === "stop" ? "stop" : "KILL"} to ${namesOf(ending)}`);
    if (how === "stop") await this.#engine.stop(ids);
    else await this.#engine.signal(ids, "KILL");
    for (const { state } of ending) await this.#ended(state);
  }

  /** What is left of a killed one its supervisor kills, which goes on itself. */
  async #endProxy({ do: how }: EndProxy) {
    const supervisors = this.#lives.map(({ state }) => state.pid);
    const processes = this.#observer.processes();
    this.#observer.expectToGo(processes.filter((pid) => !supervisors.includes(pid)));
    const mains = this.#mains();
    await this.#signalInside(mains, how === "stop" ? "TERM" : "KILL");
    this.#noteNewest(this.#eventMs);
    if (how === "kill") return;
    const endMs = this.#clock.now() + GRACE_MS;
    const staying = () => {
      const running = this.#observer.processes();
      return mains.filter(({ main }) => running.includes(main.pid));
    };
    while (staying().length > 0 && this.#clock.now() < endMs) await this.#sleep(LOOK_MS);
    const late = staying();
    if (late.length > 0) await this.#signalInside(late, "KILL");
  }

  /** @returns of each container what its supervisor has started */
  #mains(): { life: Life; main: Worker }[] {
    const processes = this.#observer.processes();
    return this.#lives.map((life) => {
      const main = this.#busiestChild(processes, [life.state.pid]);
      if (!main) throw new CellFailure("start", `${life.name} has ended under its supervisor`);
      return { life, main };
    });
  }

  /** The event is when the first signal arrives: what the engine takes to send it is no part. */
  async #signalInside(
    to: { life: Life; main: Worker }[],
    signal: string,
    whom = namesOf(to.map(({ life }) => life)),
  ) {
    const sent = await Promise.all(
      to.map(({ life, main }) => this.#engine.signalInside(life.state.id, main.inner, signal)),
    );
    const ms = Math.min(...sent);
    if (this.#steps.length === 0) this.#eventMs = ms;
    this.#note(`${signal} to ${whom}`, ms);
  }

  async #startServer() {
    const stopped = this.#servers.slice(-1);
    this.#note(`start of ${namesOf(stopped)}`);
    const ids = stopped.map(({ state }) => state.id);
    await this.#engine.start(ids);
    const started = (await this.#engine.inspect(ids)).map((state) => this.#add(state, "echo"));
    this.#servers = [...this.#servers.slice(0, -1), ...started];
  }

  async #killWorker() {
    const mains = this.#mains();
    const pids = mains.map(({ main }) => main.pid);
    const worker = this.#busiestChild(this.#observer.processes(), pids);
    if (!worker) throw new CellFailure("start", `${this.#proxy.name} has no worker process`);
    const life = mains.find(({ main }) => main.pid === worker.parent)?.life as Life;
    const whom = `worker ${worker.inner} of ${life.name}`;
    await this.#signalInside([{ life, main: worker }], "KILL", whom);
  }

  /** @param state of one that was asked to end */
  async #ended({ id, service }: ContainerState) {
    if (await this.#engine.hasEnded(id, LIMIT_MS)) return;
    throw new CellFailure("timeout", `${service} has not ended after ${LIMIT_MS / 1000} s`);
  }

  async #scale(servers: number) {
    this.#note(`${servers} servers`);
    const added = await this.#scaleTo(SERVER, servers, this.#servers);
    this.#servers = [...this.#servers, ...added.map((state) => this.#add(state, "echo"))];
  }

  async #signalEach(signals: NonNullable<Proxy["drain"]>["signals"], lives: Life[]) {
    for (const signal of signals) {
      const service = serviceOf(this.#proxy, signal);
      const life = lives.find(({ state }) => state.service === service);
      if (!life) throw new Error(`${this.#proxy.name} has no container ${service}`);
      this.#note(`${signal.signal} to ${life.name}`);
      await this.#engine.signal([life.state.id], signal.signal);
    }
  }

  /**
   * @param count of its containers from now on
   * @param known those that there are
   * @returns new ones
   */
  async #scaleTo(service: string, count: number, known: Life[]): Promise<ContainerState[]> {
    await this.#project.check([
      ...["up", "--detach", "--no-deps", "--no-recreate"],
      ...["--scale", `${service}=${count}`, service],
    ]);
    const ids = new Set(known.map(({ state }) => state.id));
    const all = await this.#engine.containersOf(this.#projectName);
    return all.filter((state) => state.service === service && !ids.has(state.id));
  }

  /** @throws {CellFailure} when it does not run */
  #add(state: ContainerState, role: Role): Life {
    this.#watch.require([state]);
    return { state, name: this.#containers.add(state.service, role, state) };
  }

  #allowEnd(lives: Life[]) {
    this.#watch.release(lives.map(({ state }) => state));
    this.#containers.allowLoss(lives.map(({ name }) => name));
  }
}

function namesOf(lives: Life[]) {
  return lives.map(({ name }) => name).join(" and ");
}

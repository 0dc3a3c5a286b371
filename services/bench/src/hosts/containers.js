/**
 * The containers whose counters a cell reads, where they are on several machines: `MeasuredContainers` of each, asked at once.
 */
import { frozen, MeasuredContainers, WITH_SOCKETS } from "../run/measured-containers.js";
import { Sampler } from "../run/sampler.js";

/** @import { Reading } from "../platform/counters.js" */
/** @import { Role } from "../model/container.ts" */
/** @import { CountersAgent } from "./agent.js" */
/** @import { Asked } from "./agent-service.js" */
/** @import { HostUsage, MeasuredContainer, Moment, OpenSockets, Usage } from "../run/measured-containers.js" */
/** @import { PlacedContainer, Site } from "../run/placement.js" */
/** @import { Sample } from "../run/samples.js" */

/** @typedef {Pick<CountersAgent, "ask" | "clock" | "isLost">} Agent */

/** Between two questions to an agent while it samples. */
const ASK_INTERVAL_MS = 1000;

export class SpreadContainers {
  #siteOf;
  #agentOf;
  #here;
  /** @type {Map<string, MeasuredContainer & {machine: string}>} */
  #about = new Map();
  /** Those of other machines. @type {Map<Site, Asked>} */
  #there = new Map();
  /** Some are elsewhere. */
  own = null;

  /**
   * @param {object} about
   * @param {(role: Role, name?: string, machine?: string) => Site} about.siteOf name: of the container; machine: on which it was found
   * @param {(site: Site) => Agent} about.agentOf
   * @param {MeasuredContainers} [about.here] those of this machine
   */
  constructor({ siteOf, agentOf, here = new MeasuredContainers() }) {
    this.#siteOf = siteOf;
    this.#agentOf = agentOf;
    this.#here = here;
  }

  /** As of `MeasuredContainers`; no name comes twice. @param {string} name @param {Role} role @param {PlacedContainer} state */
  add(name, role, state) {
    if (!state.running) return name;
    const site = this.#siteOf(role, name, state.machine);
    const { id, pid, image, sharesNetwork, onHostNetwork } = state;
    if (this.#about.has(name)) throw new Error(`${name} is measured already`);
    this.#about.set(name, Object.freeze({ name, role, image, sharesNetwork, machine: site.name }));
    if (site.isHere) this.#here.add(name, role, state);
    else {
      const asked = { id, pid, ...(onHostNetwork && { onHostNetwork }) };
      this.#there.set(site, { ...this.#there.get(site), [name]: asked });
    }
    return name;
  }

  /** Nothing is ended on purpose. */
  mayGo() {
    return false;
  }

  /** @returns {MeasuredContainer[]} in the order in which they were added */
  list() {
    return [...this.#about.values()];
  }

  /**
   * @param {{without?: Role}} [options]
   * @returns {Promise<Usage>} its machine is that of the proxy
   */
  async readUsage(options = {}) {
    const ms = Date.now();
    const asked = this.#onEach(async (agent, containers) => {
      /** @type {HostUsage & {containers: Record<string, Reading>}} */
      const told = await agent.ask({ do: "usage", containers: this.#without(containers, options) });
      const readings = Object.entries(told.containers);
      return {
        ...told,
        containers: Object.fromEntries(readings.map(([name, one]) => [name, here(one, agent)])),
      };
    });
    const { ms: _, ...own } = this.#here.readUsage(options);
    const told = new Map(await asked);
    const sites = [this.#siteOf("observer"), ...told.keys()];
    const of = (/** @type {Site} */ site) => told.get(site) ?? own;
    return {
      ms,
      containers: Object.assign({}, ...sites.map((site) => of(site).containers)),
      machine: of(this.#siteOf("proxy")).machine,
      benchSeconds: of(this.#siteOf("proxy")).benchSeconds,
      machines: Object.fromEntries(
        sites.map((site) => {
          const { machine, benchSeconds, boot } = of(site);
          return [site.name, { machine, benchSeconds, boot }];
        }),
      ),
    };
  }

  /** @returns {Promise<OpenSockets>} */
  async readSockets() {
    const asked = this.#onEach((agent, containers) => {
      const carrying = this.#those(containers, ({ role }) => WITH_SOCKETS.includes(role));
      return agent.ask({ do: "sockets", containers: carrying });
    });
    const own = this.#here.readSockets();
    return Object.assign({}, own, ...(await asked).map(([, sockets]) => sockets));
  }

  /**
   * Outside of a measured phase.
   *
   * @param {{without?: Role}} [options]
   * @returns {Promise<Moment>}
   */
  async read(options) {
    return frozen({ ...(await this.readUsage(options)), sockets: await this.readSockets() });
  }

  /**
   * @param {Role} role
   * @returns {Promise<Reading[]>} of each container that has it
   */
  async readRole(role) {
    const site = this.#siteOf(role);
    if (site.isHere) return this.#here.readRole(role);
    const containers = this.#those(this.#there.get(site) ?? {}, (about) => about.role === role);
    const told = await this.#agentOf(site).ask({ do: "usage", containers });
    return Object.values(told.containers);
  }

  /** @param {{intervalMs: number}} options */
  sampler(options) {
    const own = new Sampler(this.#here.counters, options);
    const agents = () =>
      [...this.#there].map(([site, containers]) => ({
        name: site.name,
        agent: this.#agentOf(site),
        containers,
      }));
    return new SpreadSampler(own, agents, options);
  }

  /**
   * @template T
   * @param {(agent: Agent, containers: Asked) => Promise<T>} ask
   * @returns {Promise<[Site, T][]>}
   */
  #onEach(ask) {
    const asked = Promise.all(
      [...this.#there].map(
        async ([site, containers]) =>
          /** @type {[Site, T]} */ ([site, await ask(this.#agentOf(site), containers)]),
      ),
    );
    // Should this machine's own fail meanwhile, nobody waits for it.
    asked.catch(() => {});
    return asked;
  }

  /**
   * @param {Asked} containers
   * @param {{without?: Role}} options
   */
  #without(containers, { without }) {
    return this.#those(containers, ({ role }) => role !== without);
  }

  /**
   * @param {Asked} containers
   * @param {(about: MeasuredContainer) => boolean} isWanted
   * @returns {Asked}
   */
  #those(containers, isWanted) {
    return Object.fromEntries(
      Object.entries(containers).filter(([name]) => {
        const about = this.#about.get(name);
        return about && isWanted(about);
      }),
    );
  }
}

/** As `Sampler`, on all machines. */
class SpreadSampler {
  /** @type {Sample[]} */
  #samples = [];
  /** @type {Map<string, number>} */
  #gone = new Map();
  #own;
  #agents;
  #intervalMs;
  #isOpen = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** What is asked by the timer. @type {Promise<void> | undefined} */
  #asked;
  /** @type {PromiseWithResolvers<never>} */
  #broken = Promise.withResolvers();

  /**
   * @param {Sampler} own
   * @param {() => {name: string, agent: Agent, containers: Asked}[]} agents
   * @param {{intervalMs: number}} options
   */
  constructor(own, agents, { intervalMs }) {
    this.#own = own;
    this.#agents = agents;
    this.#intervalMs = intervalMs;
    // Whether it is waited for or not.
    this.#broken.promise.catch(() => {});
  }

  /** @returns {Promise<never>} rejects as soon as an agent does not answer between start and stop, with what `ask` says of it */
  get broken() {
    return this.#broken.promise;
  }

  /** @returns {ReadonlyMap<string, number>} containers, and machines whose agent is lost */
  get gone() {
    const lost = this.#isOpen ? this.#agents().filter(({ agent }) => agent.isLost) : [];
    return new Map([
      ...[...this.#own.gone, ...this.#gone],
      ...lost.map(({ name }) => /** @type {const} */ ([name, Date.now()])),
    ]);
  }

  /** @returns {readonly Sample[]} so far: of other machines until they were asked last, in the order in which they were taken */
  get samples() {
    if (this.#samples.length === 0) return this.#own.samples;
    return [...this.#own.samples, ...this.#samples].sort((a, b) => a.reading.atMs - b.reading.atMs);
  }

  async start() {
    const intervalMs = this.#intervalMs;
    this.#isOpen = true;
    const started = this.#agents().map(({ agent, containers }) =>
      agent.ask({ do: "start", containers, intervalMs }),
    );
    this.#own.start();
    await Promise.all(started);
    if (this.#isOpen) this.#timer = setInterval(() => this.#ask(), ASK_INTERVAL_MS);
  }

  /** A machine that has lost its power says nothing: who is asked and does not answer is noticed, and what it told before is kept. */
  #ask() {
    this.#asked ??= this.#collect("samples")
      .catch((error) => {
        clearInterval(this.#timer);
        this.#broken.reject(error);
      })
      .finally(() => (this.#asked = undefined));
  }

  /** @param {"samples" | "stop"} what is asked */
  async #collect(what) {
    await Promise.all(
      this.#agents().map(async ({ agent }) => {
        const { samples, gone } = await agent.ask({ do: what });
        for (const { service, reading } of samples)
          this.#samples.push({ service, reading: here(reading, agent) });
        for (const [name, ms] of gone) this.#gone.set(name, ms);
      }),
    );
  }

  async stop() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearInterval(this.#timer);
    const stopped = Promise.all([this.#asked, this.#collect("stop")]);
    stopped.catch(() => {});
    this.#own.stop();
    await stopped;
  }

  /** What runs on other machines ends with the next start, or with the agent. */
  abandon() {
    this.#isOpen = false;
    clearInterval(this.#timer);
    this.#own.abandon();
  }
}

/**
 * @param {Reading} reading
 * @param {Agent} agent that took it
 * @returns {Reading} at the time that this machine's clock showed
 */
function here(reading, { clock }) {
  return { ...reading, atMs: reading.atMs - clock.offsetMs };
}

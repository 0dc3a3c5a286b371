/**
 * The containers whose counters a cell reads, where they are on several machines:
 * `MeasuredContainers` of each, asked at once.
 */
import { frozen, MeasuredContainers, WITH_SOCKETS } from "../run/measured-containers.ts";
import { Sampler } from "../run/sampler.ts";
import type { Reading } from "../platform/counters.ts";
import type { Role } from "../model/container.ts";
import type { CountersAgent } from "./agent.ts";
import type { Asked } from "./agent-service.ts";
import type {
  HostUsage,
  MeasuredContainer,
  Moment,
  OpenSockets,
  Usage,
} from "../run/measured-containers.ts";
import type { PlacedContainer, Site } from "../run/placement.ts";
import type { Sample } from "../run/samples.ts";

type Agent = Pick<CountersAgent, "ask" | "clock" | "isLost">;

/** Between two questions to an agent while it samples. */
const ASK_INTERVAL_MS = 1000;

export class SpreadContainers {
  #siteOf: (role: Role, name?: string, machine?: string) => Site;
  #agentOf: (site: Site) => Agent;
  #here: MeasuredContainers;
  #about: Map<string, MeasuredContainer & { machine: string }> = new Map();
  /** Those of other machines. */
  #there: Map<Site, Asked> = new Map();
  /** Some are elsewhere. */
  own = null;

  constructor({
    siteOf,
    agentOf,
    here = new MeasuredContainers(),
  }: {
    /** name: of the container; machine: on which it was found */
    siteOf: (role: Role, name?: string, machine?: string) => Site;
    agentOf: (site: Site) => Agent;
    /** those of this machine */
    here?: MeasuredContainers;
  }) {
    this.#siteOf = siteOf;
    this.#agentOf = agentOf;
    this.#here = here;
  }

  /** As of `MeasuredContainers`; no name comes twice. */
  add(name: string, role: Role, state: PlacedContainer) {
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

  /** @returns in the order in which they were added */
  list(): MeasuredContainer[] {
    return [...this.#about.values()];
  }

  /** @returns its machine is that of the proxy */
  async readUsage(options: { without?: Role } = {}): Promise<Usage> {
    const ms = Date.now();
    const asked = this.#onEach(async (agent, containers) => {
      const told: HostUsage & { containers: Record<string, Reading> } = await agent.ask({
        do: "usage",
        containers: this.#without(containers, options),
      });
      const readings = Object.entries(told.containers);
      return {
        ...told,
        containers: Object.fromEntries(readings.map(([name, one]) => [name, here(one, agent)])),
      };
    });
    const { ms: _, ...own } = this.#here.readUsage(options);
    const told = new Map(await asked);
    const sites = [this.#siteOf("observer"), ...told.keys()];
    const of = (site: Site) => told.get(site) ?? own;
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

  async readSockets(): Promise<OpenSockets> {
    const asked = this.#onEach((agent, containers) => {
      const carrying = this.#those(containers, ({ role }) => WITH_SOCKETS.includes(role));
      return agent.ask({ do: "sockets", containers: carrying });
    });
    const own = this.#here.readSockets();
    return Object.assign({}, own, ...(await asked).map(([, sockets]) => sockets));
  }

  /** Outside of a measured phase. */
  async read(options?: { without?: Role }): Promise<Moment> {
    return frozen({ ...(await this.readUsage(options)), sockets: await this.readSockets() });
  }

  /** @returns of each container that has it */
  async readRole(role: Role): Promise<Reading[]> {
    const site = this.#siteOf(role);
    if (site.isHere) return this.#here.readRole(role);
    const containers = this.#those(this.#there.get(site) ?? {}, (about) => about.role === role);
    const told = await this.#agentOf(site).ask({ do: "usage", containers });
    return Object.values(told.containers);
  }

  sampler(options: { intervalMs: number }) {
    const own = new Sampler(this.#here.counters, options);
    const agents = () =>
      [...this.#there].map(([site, containers]) => ({
        name: site.name,
        agent: this.#agentOf(site),
        containers,
      }));
    return new SpreadSampler(own, agents, options);
  }

  #onEach<T>(ask: (agent: Agent, containers: Asked) => Promise<T>): Promise<[Site, T][]> {
    const asked = Promise.all(
      [...this.#there].map(
        async ([site, containers]) =>
          [site, await ask(this.#agentOf(site), containers)] as [Site, T],
      ),
    );
    // Should this machine's own fail meanwhile, nobody waits for it.
    asked.catch(() => {});
    return asked;
  }

  #without(containers: Asked, { without }: { without?: Role }) {
    return this.#those(containers, ({ role }) => role !== without);
  }

  #those(containers: Asked, isWanted: (about: MeasuredContainer) => boolean): Asked {
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
  #samples: Sample[] = [];
  #gone: Map<string, number> = new Map();
  #own: Sampler;
  #agents: () => { name: string; agent: Agent; containers: Asked }[];
  #intervalMs: number;
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;
  /** What is asked by the timer. */
  #asked: Promise<void> | undefined;
  #broken: PromiseWithResolvers<never> = Promise.withResolvers();

  constructor(
    own: Sampler,
    agents: () => { name: string; agent: Agent; containers: Asked }[],
    { intervalMs }: { intervalMs: number },
  ) {
    this.#own = own;
    this.#agents = agents;
    this.#intervalMs = intervalMs;
    // Whether anything waits for it or not.
    this.#broken.promise.catch(() => {});
  }

  /**
   * @returns rejects as soon as an agent does not answer between start and stop, with what `ask`
   *   says of it
   */
  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  /** @returns containers, and machines whose agent is lost */
  get gone(): ReadonlyMap<string, number> {
    const lost = this.#isOpen ? this.#agents().filter(({ agent }) => agent.isLost) : [];
    return new Map([
      ...[...this.#own.gone, ...this.#gone],
      ...lost.map(({ name }) => [name, Date.now()] as const),
    ]);
  }

  /**
   * @returns so far: of other machines until they were asked last, in the order in which they were
   *   taken
   */
  get samples(): readonly Sample[] {
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

  /**
   * A machine that has lost its power says nothing: who is asked and does not answer is noticed,
   * and what it told before is kept.
   */
  #ask() {
    this.#asked ??= this.#collect("samples")
      .catch((error) => {
        clearInterval(this.#timer);
        this.#broken.reject(error);
      })
      .finally(() => (this.#asked = undefined));
  }

  /** @param what is asked */
  async #collect(what: "samples" | "stop") {
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
 * @param agent that took it
 * @returns at the time that this machine's clock showed
 */
function here(reading: Reading, { clock }: Agent): Reading {
  return { ...reading, atMs: reading.atMs - clock.offsetMs };
}

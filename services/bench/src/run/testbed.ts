/**
 * What surrounds the cells of a run: network, observers, edges; and that nothing of it stays
 * behind.
 */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { BENCH_IMAGE } from "../machine/engine.ts";
import { refuseTakenPorts } from "../machine/host-network-ports.ts";
import { startBudgetGroup } from "../platform/budget-group.ts";
import { ensureCertificates } from "../platform/certificates.ts";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { UserError } from "../errors.ts";
import { estimateRemaining } from "../plan/estimate.ts";
import { needsOneBudget, quotaOf } from "../plan/cpu-budget.ts";
import { workersEnv } from "../plan/knobs.ts";
import { cellsOnHostNetwork } from "../plan/network.ts";
import { keyTypeOf, workloadOf } from "../plan/workload.ts";
import { allEnded } from "../platform/wait.ts";
import { cellsToRepeat } from "../record/repeats.ts";
import { projectsBeside, removeBeside, SideBySide } from "./cell-projects.ts";
import { EDGE_HOST, Edges } from "./edges.ts";
import { ASKED_PORTS } from "./host-network.ts";
import { Observers } from "./observers.ts";
import { OwnMachine } from "./placement.ts";
import { runCells } from "./sequence.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { ContainerState } from "../platform/engine.ts";
import type { Influx } from "../platform/influx.ts";
import type { Store } from "../record/store.ts";
import type { Listener } from "../model/run-event.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Plan } from "../model/plan.ts";
import type { Placement } from "./placement.ts";
import type { RunContext } from "./run-context.ts";

/** cells */
type Outcome = { failed: number; untried: number };

/** Who follows a run. */
export interface Follower {
  /** what happens */
  tell: Listener;
  /** when the observers are up, before the first cell */
  begin: (influx: Influx) => Promise<void>;
  /** when all cells have ended, before the observers do */
  end: (influx: Influx, outcome: Outcome) => Promise<void>;
  /** before the observers end, however the run did */
  close: () => Promise<void>;
}

/** The run was ended by Ctrl-C or SIGTERM. */
export class Interrupted extends Error {}

export class Testbed {
  #directory: string;
  #config: ComposeConfig;
  #services: Record<string, string[]>;
  #proxies: Proxy[];
  #signal: AbortSignal;
  #network: string;
  #observers: Observers;
  #placement: Placement;
  #beside: SideBySide;
  #edges = new Edges();
  /** Containers that observe and were up before the run: it uses them and leaves them up. */
  #kept: string[] = [];
  /** Whether nothing of the run is left on the engine. */
  isClear = true;
  /** Whether everything stood for the first cell. */
  hasBegun = false;

  constructor({
    directory,
    config,
    services,
    proxies,
    signal,
    placement = new OwnMachine(),
  }: {
    /** the project's */
    directory: string;
    /** with every profile */
    config: ComposeConfig;
    /** of each profile */
    services: Record<string, string[]>;
    /** every folder of proxies/ */
    proxies: Proxy[];
    /** ends the run */
    signal: AbortSignal;
    /** who carries what of it; left out: this machine all */
    placement?: Placement;
  }) {
    this.#directory = directory;
    this.#config = config;
    this.#services = services;
    this.#proxies = proxies;
    this.#signal = signal;
    this.#placement = placement;
    this.#network = config.networks.default.name;
    this.#beside = new SideBySide(directory, config.name);
    this.#observers = new Observers(directory, config, signal);
  }

  /** @throws {Interrupted} when the signal is aborted */
  async run(
    store: Store,
    {
      clear,
      keepGoing,
      follower,
    }: {
      /** containers that an earlier run left running are removed too */
      clear: boolean;
      keepGoing: boolean;
      follower: Follower;
    },
  ): Promise<Outcome> {
    const say = (text: string) => follower.tell({ type: "note", text });
    await this.#assertFree(clear);
    if (isOnHost(store))
      for (const site of this.#placement.listening()) await refuseTakenPorts(site.ports, site);
    this.isClear = false;
    try {
      const context = await this.#begin(store, follower);
      this.hasBegun = true;
      const outcome = await this.#runCells(store, context, keepGoing);
      await this.#observers.keepCurves(store, say);
      await follower.end(this.#observers.influx, outcome);
      return outcome;
    } catch (error) {
      throw this.#signal.aborted ? this.#signal.reason : error;
    } finally {
      await follower.close();
      this.isClear = await this.#end(say);
    }
  }

  /** @returns with all that cells need */
  async #begin(store: Store, follower: Follower): Promise<RunContext> {
    const { plan } = store.results;
    const { tell } = follower;
    await this.#observers.start();
    for (const network of this.#networks) await OWN_ENGINE.joinNetwork(network, EDGE_HOST);
    await this.#edges.listen();
    const [authorities] = await allEnded([
      this.#certificates(plan),
      this.#observers.ready().then(() => follower.begin(this.#observers.influx)),
    ]);
    await this.#placement.equip({
      ...{ config: this.#config, directory: this.#directory, services: this.#services, plan },
      keyTypes: keyTypesOf(plan),
      ports: isOnHost(store) ? { edges: this.#edges.port, own: ASKED_PORTS } : null,
      say: (text) => tell({ type: "note", text }),
    });
    const budgetGroup = await this.#oneBudget(plan);
    const hostNetwork = isOnHost(store) ? await this.#hostNetwork() : null;
    return this.#context(store, { authorities, budgetGroup, hostNetwork, tell });
  }

  async #runCells(store: Store, context: RunContext, keepGoing: boolean): Promise<Outcome> {
    const { plan } = store.results;
    if (plan.sideBySide) await this.#beside.begin(plan.cells, context);
    return runCells(store, context, {
      keepGoing,
      ...(plan.sideBySide && { contextOf: (cell) => this.#beside.contextOf(context, cell) }),
      remaining: () =>
        estimateRemaining(plan, store.results.cells, cellsToRepeat(store.results, store.before)),
    });
  }

  /** @returns whether nothing of the run is left */
  async #end(say: (text: string) => void): Promise<boolean> {
    const { name } = this.#config;
    this.#edges.close();
    this.#beside.close();
    const noneBeside = await removeBeside(this.#directory, name);
    for (const network of this.#networks) await OWN_ENGINE.leaveNetwork(network);
    const containers = (await OWN_ENGINE.containersOf(name).catch(() => [])).map(
      (container) => container.name,
    );
    const kept = containers.filter((container) => this.#kept.includes(container));
    await OWN_ENGINE.remove(containers.filter((container) => !kept.includes(container)));
    const project = new Project(this.#directory, { name });
    await project.readOnce();
    // Volumes stay, and with them what InfluxDB holds.
    const down = ["down", "--remove-orphans", "--timeout", "0"];
    const code = kept.length > 0 ? 0 : (await project.run(down)).code;
    await OWN_ENGINE.remove([this.#budgetHolder]);
    const left = await this.#placement.release(name);
    for (const text of left) say(text);
    return code === 0 && left.length === 0 && noneBeside;
  }

  /** Those in which this program is found. */
  get #networks() {
    return [this.#network, ...this.#placement.networks];
  }

  async #hostNetwork(): Promise<NonNullable<RunContext["hostNetwork"]>> {
    const machine = await OWN_ENGINE.gatewayOf(this.#network);
    return { machine, bench: await OWN_ENGINE.ownAddress(), inside: machine };
  }

  async #certificates(plan: Plan): Promise<RunContext["authorities"]> {
    const authorities: RunContext["authorities"] = {};
    for (const type of keyTypesOf(plan)) {
      const project = new Project(this.#directory, {
        name: this.#config.name,
        env: { TLS_KEY_TYPE: type },
      });
      authorities[type] = await ensureCertificates(project, { signal: this.#signal });
    }
    return authorities;
  }

  get #budgetHolder() {
    return `${this.#config.name}-budget`;
  }

  /**
   * @returns the cgroup with the budget that several containers of a proxy share; null: none has to
   */
  async #oneBudget(plan: Plan): Promise<string | null> {
    if (!needsOneBudget(this.#services, plan)) return null;
    const quota = quotaOf(plan.proxyCpus);
    return startBudgetGroup(this.#budgetHolder, { image: BENCH_IMAGE, quota });
  }

  #context(
    store: Store,
    {
      authorities,
      budgetGroup,
      hostNetwork,
      tell,
    }: Pick<RunContext, "authorities" | "budgetGroup" | "hostNetwork" | "tell">,
  ): RunContext {
    const { plan, run } = store.results;
    const { env, loadCores, cpuLimited } = this.#placement.shares({
      ownCores: cpus().length,
      proxyCpus: plan.proxyCpus,
    });
    return {
      directory: this.#directory,
      project: this.#config.name,
      network: this.#network,
      placement: this.#placement,
      hostNetwork,
      run: run.name,
      env: {
        ...env,
        ...workersEnv(plan.workers),
        TLS_KEY_TYPE: plan.keyType,
        RUN: run.name,
      },
      services: this.#services,
      proxies: this.#proxies,
      observers: this.#observers.services,
      loadCores,
      cpuLimited,
      proxyCpus: plan.proxyCpus,
      budgetGroup,
      keyType: plan.keyType,
      scenarios: plan.scenarios,
      referenceShare: plan.referenceShare,
      promise: plan.promise,
      authorities,
      policy: JSON.parse(readFileSync(join(this.#directory, "certs/policy.json"), "utf8")),
      edges: this.#edges,
      tell,
      signal: this.#signal,
    };
  }

  async #assertFree(clear: boolean) {
    const { name } = this.#config;
    const containers = await this.#placement.left(name);
    const beside = await projectsBeside(name);
    const besides = await Promise.all(beside.map((each) => OWN_ENGINE.containersOf(each)));
    // What a broken-off run has left is removed, its observers too.
    const kept = clear ? [] : containers.filter((each) => this.#isOwnObserver(each));
    const running = [...containers, ...besides.flat()].filter(
      (each) => each.running && !kept.includes(each),
    );
    if (running.length > 0 && !clear) throw alreadyUp(name, running, this.#directory);
    this.#kept = kept.map((each) => each.name);
    // Those that have ended still hold their names.
    const others = containers.filter((each) => !kept.includes(each));
    await OWN_ENGINE.remove(others.map((each) => each.name));
    await removeBeside(this.#directory, name);
    await this.#placement.clear(name);
  }

  /**
   * A run starts the same ones. Those of another checkout are not this run's: a run of its own may
   * be between two cells there.
   */
  #isOwnObserver({ running, service, directory }: ContainerState) {
    return running && this.#observers.services.includes(service) && directory === this.#directory;
  }
}

/** @param running what is up */
function alreadyUp(project: string, running: ContainerState[], directory: string): UserError {
  const elsewhere = running.find((each) => each.directory && each.directory !== directory);
  const from = elsewhere ? `, started from ${elsewhere.directory}` : "";
  return new UserError(
    `the project ${project} is already up: ${running.map(({ service }) => service).join(", ")}${from}`,
    elsewhere
      ? "Both would measure each other. Wait for its end, or stop it there: ./bench down keeps its data."
      : "Its load would be measured too. Stop it: ./bench down keeps the data in InfluxDB.",
  );
}

function isOnHost(store: Store) {
  return cellsOnHostNetwork(store.results.plan).length > 0;
}

/** @returns of the certificates that its cells use */
function keyTypesOf(plan: Plan): ("ecdsa" | "rsa")[] {
  return [...new Set(plan.cells.map((cell) => keyTypeOf(workloadOf(plan, cell), plan.keyType)))];
}

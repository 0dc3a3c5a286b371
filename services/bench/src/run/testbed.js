/**
 * What surrounds the cells of a run: network, observers, edges; and that nothing of it stays behind.
 */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { BENCH_IMAGE } from "../machine/engine.js";
import { refuseTakenPorts } from "../machine/host-network-ports.js";
import { startBudgetGroup } from "../platform/budget-group.js";
import { ensureCertificates } from "../platform/certificates.js";
import { OWN_ENGINE, Project } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { estimateRemaining } from "../plan/estimate.js";
import { needsOneBudget, quotaOf } from "../plan/cpu-budget.js";
import { workersEnv } from "../plan/knobs.js";
import { cellsOnHostNetwork } from "../plan/network.js";
import { keyTypeOf, workloadOf } from "../plan/workload.js";
import { allEnded } from "../platform/wait.js";
import { cellsToRepeat } from "../record/repeats.js";
import { projectsBeside, removeBeside, SideBySide } from "./cell-projects.js";
import { EDGE_HOST, Edges } from "./edges.js";
import { ASKED_PORTS } from "./host-network.js";
import { Observers } from "./observers.js";
import { OwnMachine } from "./placement.js";
import { runCells } from "./sequence.js";

/** @import { ComposeConfig } from "../platform/docker.js" */
/** @import { Influx } from "../platform/influx.js" */
/** @import { Store } from "../record/store.js" */
/** @import { Listener } from "../model/run-event.ts" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { Plan } from "../model/plan.ts" */
/** @import { Placement } from "./placement.js" */
/** @import { RunContext } from "./run-context.js" */

/** @typedef {{failed: number, untried: number}} Outcome cells */

/**
 * Who follows a run.
 *
 * @typedef {object} Follower
 * @property {Listener} tell what happens
 * @property {(influx: Influx) => Promise<void>} begin when the observers are up, before the first cell
 * @property {(influx: Influx, outcome: Outcome) => Promise<void>} end when all cells have ended, before the observers do
 * @property {() => Promise<void>} close before the observers end, however the run did
 */

/** The run was ended by Ctrl-C or SIGTERM. */
export class Interrupted extends Error {}

export class Testbed {
  #directory;
  #config;
  #services;
  #proxies;
  #signal;
  #network;
  #observers;
  #placement;
  #beside;
  #edges = new Edges();
  /** Whether nothing of the run is left on the engine. */
  isClear = true;

  /**
   * @param {object} options
   * @param {string} options.directory the project's
   * @param {ComposeConfig} options.config with every profile
   * @param {Record<string, string[]>} options.services of each profile
   * @param {Proxy[]} options.proxies every folder of proxies/
   * @param {AbortSignal} options.signal ends the run
   * @param {Placement} [options.placement] who carries what of it; left out: this machine all
   */
  constructor({ directory, config, services, proxies, signal, placement = new OwnMachine() }) {
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

  /**
   * @param {Store} store
   * @param {object} options
   * @param {boolean} options.clear containers that an earlier run left running are removed too
   * @param {boolean} options.keepGoing
   * @param {Follower} options.follower
   * @returns {Promise<Outcome>}
   * @throws {Interrupted} when the signal is aborted
   */
  async run(store, { clear, keepGoing, follower }) {
    const say = (/** @type {string} */ text) => follower.tell({ type: "note", text });
    await this.#assertFree(clear);
    if (isOnHost(store))
      for (const site of this.#placement.listening()) await refuseTakenPorts(site.ports, site);
    this.isClear = false;
    try {
      const context = await this.#begin(store, follower);
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

  /**
   * @param {Store} store
   * @param {Follower} follower
   * @returns {Promise<RunContext>} with all that cells need
   */
  async #begin(store, follower) {
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

  /**
   * @param {Store} store
   * @param {RunContext} context
   * @param {boolean} keepGoing
   * @returns {Promise<Outcome>}
   */
  async #runCells(store, context, keepGoing) {
    const { plan } = store.results;
    if (plan.sideBySide) await this.#beside.begin(plan.cells, context);
    return runCells(store, context, {
      keepGoing,
      ...(plan.sideBySide && { contextOf: (cell) => this.#beside.contextOf(context, cell) }),
      remaining: () => estimateRemaining(plan, store.results.cells, cellsToRepeat(store.results)),
    });
  }

  /**
   * @param {(text: string) => void} say
   * @returns {Promise<boolean>} whether nothing of the run is left
   */
  async #end(say) {
    const { name } = this.#config;
    this.#edges.close();
    this.#beside.close();
    const noneBeside = await removeBeside(this.#directory, name);
    for (const network of this.#networks) await OWN_ENGINE.leaveNetwork(network);
    const containers = await OWN_ENGINE.containersOf(name).catch(() => []);
    await OWN_ENGINE.remove(containers.map((container) => container.name));
    const project = new Project(this.#directory, { name, profile: "*" });
    const { code } = await project.run(["down", "--remove-orphans", "--timeout", "0"]);
    await OWN_ENGINE.remove([this.#budgetHolder]);
    const left = await this.#placement.release(name);
    for (const text of left) say(text);
    return code === 0 && left.length === 0 && noneBeside;
  }

  /** Those in which this program is found. */
  get #networks() {
    return [this.#network, ...this.#placement.networks];
  }

  /** @returns {Promise<NonNullable<RunContext["hostNetwork"]>>} */
  async #hostNetwork() {
    const machine = await OWN_ENGINE.gatewayOf(this.#network);
    return { machine, bench: await OWN_ENGINE.ownAddress(), inside: machine };
  }

  /**
   * @param {Plan} plan
   * @returns {Promise<RunContext["authorities"]>}
   */
  async #certificates(plan) {
    /** @type {RunContext["authorities"]} */
    const authorities = {};
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
   * @param {Plan} plan
   * @returns {Promise<string | null>} the cgroup with the budget that several containers of a proxy share; null: none has to
   */
  async #oneBudget(plan) {
    if (!needsOneBudget(this.#services, plan)) return null;
    const quota = quotaOf(plan.proxyCpus);
    return startBudgetGroup(this.#budgetHolder, { image: BENCH_IMAGE, quota });
  }

  /**
   * @param {Store} store
   * @param {Pick<RunContext, "authorities" | "budgetGroup" | "hostNetwork" | "tell">} shared
   * @returns {RunContext}
   */
  #context(store, { authorities, budgetGroup, hostNetwork, tell }) {
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

  /** @param {boolean} clear */
  async #assertFree(clear) {
    const containers = await this.#placement.left(this.#config.name);
    const beside = await projectsBeside(this.#config.name);
    const besides = await Promise.all(beside.map((name) => OWN_ENGINE.containersOf(name)));
    const running = [...containers, ...besides.flat()].filter(({ running }) => running);
    if (running.length > 0 && !clear) {
      throw new UserError(
        `the project ${this.#config.name} is already up: ${running.map(({ service }) => service).join(", ")}`,
        "Its load would be measured too. Stop it: ./bench down (that removes its data), or docker compose --profile '*' down.",
      );
    }
    // Those that have ended still hold their names.
    await OWN_ENGINE.remove(containers.map(({ name }) => name));
    await removeBeside(this.#directory, this.#config.name);
    await this.#placement.clear(this.#config.name);
  }
}

/** @param {Store} store */
function isOnHost(store) {
  return cellsOnHostNetwork(store.results.plan).length > 0;
}

/**
 * @param {Plan} plan
 * @returns {("ecdsa" | "rsa")[]} of the certificates that its cells use
 */
function keyTypesOf(plan) {
  return [...new Set(plan.cells.map((cell) => keyTypeOf(workloadOf(plan, cell), plan.keyType)))];
}

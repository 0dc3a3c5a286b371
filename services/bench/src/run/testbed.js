/**
 * What surrounds the cells of a run: network, observers, edges; and that nothing of it stays behind.
 */
import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BENCH_IMAGE } from "../machine/engine.js";
import { refuseTakenPorts } from "../machine/host-network-ports.js";
import { RUN_LABEL } from "../machine/hosts-swarm.js";
import { startBudgetGroup } from "../platform/budget-group.js";
import { ensureCertificates } from "../platform/certificates.js";
import { OWN_ENGINE, Project, sharedNetwork } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { Influx, INFLUXDB_URL } from "../platform/influx.js";
import { estimateRemaining } from "../plan/estimate.js";
import { needsOneBudget, quotaOf } from "../plan/cpu-budget.js";
import { workersEnv } from "../plan/knobs.js";
import { cellsOnHostNetwork } from "../plan/network.js";
import { keyTypeOf, workloadOf } from "../plan/workload.js";
import { allEnded, until } from "../platform/wait.js";
import { cellsToRepeat } from "../record/repeats.js";
import { keepCurves } from "./curves.js";
import { CellFailure } from "./cell-failure.js";
import { CountersAgent } from "./counters-agent.js";
import { EDGE_HOST, Edges } from "./edges.js";
import { startFurtherCadvisors } from "./further-cadvisor.js";
import { ASKED_PORTS } from "./host-network.js";
import { machineShares } from "./machine-shares.js";
import { Placement } from "./placement.js";
import { runCells } from "./sequence.js";
import { shipFiles } from "./shipped-files.js";
import { projectBeside, projectsBeside, removeBeside, SideBySide } from "./cell-projects.js";

/** @import { ComposeConfig, Engine } from "../platform/docker.js" */
/** @import { Store } from "../record/store.js" */
/** @import { Listener } from "../model/run-event.ts" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { Plan } from "../model/plan.ts" */
/** @import { RunContext } from "./cell.js" */
/** @import { Equipment, Site } from "./placement.js" */
/** @import { RelayedPorts } from "./relay.js" */

/** Services without a profile that are no observers: fresh in each cell, or part of `docker compose up` alone. */
const NOT_OBSERVERS = ["certs", "echo", "ready", "host-ports", "load"];
/** cAdvisor's last points are in InfluxDB so many ms after they were taken. */
const CADVISOR_DELAY_MS = 2500;
const INFLUXDB_LIMIT_MS = 30_000;

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
  /** Of machines that are not this one, while a run goes on. */
  #equipment;
  /** Whether nothing of the run is left on the engine. */
  isClear = true;

  /**
   * @param {object} options
   * @param {string} options.directory the project's
   * @param {ComposeConfig} options.config with every profile
   * @param {Record<string, string[]>} options.services of each profile
   * @param {Proxy[]} options.proxies every folder of proxies/
   * @param {AbortSignal} options.signal ends the run
   * @param {import("./hosts-of-run.js").HostsOfRun | null} [options.hosts] machines that carry its parts; null: this one carries all
   */
  constructor({ directory, config, services, proxies, signal, hosts = null }) {
    this.#directory = directory;
    this.#config = config;
    this.#services = services;
    this.#proxies = proxies;
    this.#signal = signal;
    /** @type {Map<Site, Equipment>} */
    this.#equipment = new Map();
    this.#placement = hosts
      ? new Placement(hosts.sites, {
          ...hosts,
          beside: Object.fromEntries(
            Object.entries(config.services).flatMap(([name, service]) => {
              const other = sharedNetwork(service);
              return other === undefined ? [] : [[name, other]];
            }),
          ),
          equipment: this.#equipment,
        })
      : Placement.here();
    this.#network = config.networks.default.name;
    this.#beside = new SideBySide(directory, config.name);
    this.#observers = Object.entries(config.services)
      .filter(([name, { profiles = [] }]) => profiles.length === 0 && !NOT_OBSERVERS.includes(name))
      .map(([name]) => name);
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
    const { tell } = follower;
    const project = new Project(this.#directory, { name: this.#config.name, profile: "*" });
    const edges = new Edges();
    await this.#assertFree(clear);
    const isOnHost = cellsOnHostNetwork(store.results.plan).length > 0;
    if (isOnHost) await this.#refuseHostNetwork();
    this.isClear = false;
    try {
      await this.#observe(project);
      for (const network of this.#networks) await OWN_ENGINE.joinNetwork(network, EDGE_HOST);
      await edges.listen();
      const influx = new Influx(INFLUXDB_URL);
      const { plan } = store.results;
      const [authorities] = await allEnded([
        this.#certificates(plan),
        this.#waitFor(influx).then(() => follower.begin(influx)),
      ]);
      await this.#equip(plan, isOnHost ? { edges: edges.port, own: ASKED_PORTS } : null);
      await startFurtherCadvisors(this.#placement, {
        config: this.#config,
        directory: this.#directory,
        say: (text) => tell({ type: "note", text }),
      });
      const budgetGroup = await this.#oneBudget(plan);
      const hostNetwork = isOnHost ? await this.#hostNetwork() : null;
      const shared = { edges, authorities, budgetGroup, hostNetwork, tell };
      const context = this.#context(store, shared);
      if (plan.sideBySide) await this.#beside.begin(plan.cells, context);
      const outcome = await runCells(store, context, {
        keepGoing,
        ...(plan.sideBySide && { contextOf: (cell) => this.#beside.contextOf(context, cell) }),
        remaining: () => estimateRemaining(plan, store.results.cells, cellsToRepeat(store.results)),
      });
      if (plan.cells.some(({ observed }) => !observed)) {
        // The last cell may have been one without; InfluxDB's volume still has the curves of the others.
        await this.#observe(project);
        await this.#waitFor(influx);
      }
      await sleep(CADVISOR_DELAY_MS, undefined, { signal: this.#signal });
      await this.#keepCurves(store, influx, tell);
      await follower.end(influx, outcome);
      return outcome;
    } catch (error) {
      throw this.#signal.aborted ? this.#signal.reason : error;
    } finally {
      await follower.close();
      edges.close();
      this.#beside.close();
      const noneBeside = await removeBeside(this.#directory, this.#config.name);
      for (const network of this.#networks) await OWN_ENGINE.leaveNetwork(network);
      await OWN_ENGINE.remove(
        (await OWN_ENGINE.containersOf(this.#config.name).catch(() => [])).map(({ name }) => name),
      );
      const { code } = await project.run(["down", "--remove-orphans", "--timeout", "0"]);
      await OWN_ENGINE.remove([this.#budgetHolder]);
      const left = await this.#clearFurther();
      for (const text of left) tell({ type: "note", text });
      this.isClear = code === 0 && left.length === 0 && noneBeside;
    }
  }

  /** @returns {string[]} those in which this program is found: that of the observers, and that over all machines */
  get #networks() {
    const { network } = this.#placement;
    return network === null ? [this.#network] : [this.#network, network];
  }

  /** @throws {UserError} when the machines' own network cannot carry what is measured */
  async #refuseHostNetwork() {
    for (const site of this.#placement.sites) {
      const ports = this.#placement.portsOn(site);
      if (ports.length === 0) continue;
      refuseOtherThanIpv4(site);
      await refuseTakenPorts(ports, site);
    }
  }

  /** @returns {Promise<NonNullable<RunContext["hostNetwork"]>>} */
  async #hostNetwork() {
    const machine = await OWN_ENGINE.gatewayOf(this.#network);
    return { machine, bench: await OWN_ENGINE.ownAddress(), inside: machine };
  }

  /**
   * Gives machines that are not this one what they need: files, certificates, and who reads their counters.
   *
   * @param {Plan} plan
   * @param {RelayedPorts | null} ports of their doors, where their own network is measured; null: it is not
   */
  async #equip(plan, ports) {
    const { network, further } = this.#placement;
    if (network === null) return;
    const profiles = [...new Set(plan.cells.map(({ profile }) => profile))];
    const services = ["echo", "load", "reference", ...profiles.flatMap((p) => this.#services[p])];
    const keyTypes = [
      ...new Set(plan.cells.map((cell) => keyTypeOf(workloadOf(plan, cell), plan.keyType))),
    ];
    const about = { config: this.#config, directory: this.#directory, keyTypes };
    await allEnded(
      further.map(async (site) => {
        const own = services.filter((name) => this.#placement.carries(site, name));
        const files = await shipFiles(site, { ...about, services: own });
        const agent = new CountersAgent(site, { project: this.#config.name, network, ports });
        this.#equipment.set(site, { files, agent });
      }),
    );
  }

  /** @returns {Promise<string[]>} what could not be removed from machines that are not this one */
  async #clearFurther() {
    for (const { agent } of this.#equipment.values()) await agent.close();
    this.#equipment.clear();
    const { further, silent } = this.#placement;
    const left = await Promise.all(
      further.map(async (site) => {
        const what = `not cleared, the machine ${site.name}`;
        // The next run there clears it.
        if (silent.has(site)) return [`${what}: its Docker engine does not answer`];
        try {
          await this.#clear(site.engine);
          return [];
        } catch (error) {
          return [`${what}: ${error instanceof Error ? error.message : error}`];
        }
      }),
    );
    return left.flat();
  }

  /** @param {Engine} engine of another machine */
  async #clear(engine) {
    const project = `com.docker.compose.project=${this.#config.name}`;
    const ours = `${RUN_LABEL}=${this.#config.name}`;
    const containers = (await engine.containersOf(this.#config.name)).map(({ name }) => name);
    const filter = ["--filter", `label=${ours}`];
    const helpers = await engine.check(["docker", "ps", "--all", "--quiet", ...filter]);
    await engine.remove([...containers, ...helpers.split("\n").filter(Boolean)]);
    for (const label of [project, ours]) await engine.removeVolumes(label);
  }

  /** @param {Project} project with every profile */
  async #observe(project) {
    await project.check(["up", "--detach", "--no-deps", ...this.#observers], {
      signal: this.#signal,
    });
  }

  /**
   * @param {Plan} plan
   * @returns {Promise<RunContext["authorities"]>}
   */
  async #certificates(plan) {
    const types = new Set(
      plan.cells.map((cell) => keyTypeOf(workloadOf(plan, cell), plan.keyType)),
    );
    /** @type {RunContext["authorities"]} */
    const authorities = {};
    for (const type of types) {
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
   * @param {Pick<RunContext, "edges" | "authorities" | "budgetGroup" | "hostNetwork" | "tell">} shared
   * @returns {RunContext}
   */
  #context(store, { edges, authorities, budgetGroup, hostNetwork, tell }) {
    const { plan, run } = store.results;
    const { env, loadCores, cpuLimited } = machineShares(this.#placement, {
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
      observers: this.#observers,
      loadCores,
      cpuLimited,
      proxyCpus: plan.proxyCpus,
      budgetGroup,
      keyType: plan.keyType,
      scenarios: plan.scenarios,
      referenceShare: plan.referenceShare,
      promise: plan.promise,
      authorities,
      policy: this.#policy(),
      edges,
      tell,
      signal: this.#signal,
    };
  }

  /** @param {boolean} clear */
  async #assertFree(clear) {
    const containers = await this.#placement
      .containersOf(this.#config.name)
      .catch((error) => Promise.reject(beforeCells(error)));
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
    // A run that was broken off leaves files there too.
    for (const { engine, name } of this.#placement.further) {
      await this.#clear(engine).catch((error) => {
        if (!(error instanceof UserError)) throw error;
        const fact = `the machine ${name} could not be cleared of an earlier run: ${error.message}`;
        throw new UserError(fact, error.next);
      });
    }
  }

  /** @param {Influx} influx */
  async #waitFor(influx) {
    const databases = await until(
      Date.now() + INFLUXDB_LIMIT_MS,
      () => {
        this.#signal.throwIfAborted();
        return influx.databases().catch(() => /** @type {string[]} */ ([]));
      },
      (names) => names.includes("cadvisor"),
    );
    if (!databases.includes("cadvisor")) {
      throw new UserError(
        `InfluxDB has no database cadvisor after ${INFLUXDB_LIMIT_MS / 1000} s`,
        "They are made when its volume is empty: ./bench down removes it. See also: docker compose logs influxdb",
      );
    }
  }

  /** @returns {import("../model/environment.ts").TlsPolicy} */
  #policy() {
    return JSON.parse(readFileSync(join(this.#directory, "certs/policy.json"), "utf8"));
  }

  /**
   * @param {Store} store
   * @param {Influx} influx
   * @param {Listener} tell
   */
  async #keepCurves(store, influx, tell) {
    try {
      const { sideBySide } = store.results.plan;
      const { name } = this.#config;
      const missing = await keepCurves(store, influx, (proxy) =>
        sideBySide ? projectBeside(name, proxy) : name,
      );
      if (missing > 0)
        tell({
          type: "note",
          text: `no curves of cAdvisor for ${missing} cells: InfluxDB has none`,
        });
    } catch (error) {
      // The figures do not rest on the curves.
      tell({
        type: "note",
        text: `the curves of cAdvisor are not kept: ${error instanceof Error ? error.message : error}`,
      });
    }
  }
}

/**
 * @param {unknown} error
 * @returns {unknown} a failure as the user's to mend: no cell has begun that could have it as its cause
 */
function beforeCells(error) {
  if (!(error instanceof CellFailure)) return error;
  return new UserError(
    error.message,
    "Expected every machine of the run to answer: ./bench hosts check says what is wrong with each.",
  );
}

/**
 * @param {Site} site
 * @throws {UserError} when the others do not reach it over IPv4, which is all that proxies and servers listen on
 */
function refuseOtherThanIpv4({ name, address }) {
  if (address === undefined || isIPv4(address)) return;
  throw new UserError(
    `the machine ${name} is reached at ${address || "no address"}, and its own network is measured over IPv4`,
    `Give ${name} its IPv4 address in the file, then ./bench hosts leave and join; or leave NETWORK=host out.`,
  );
}

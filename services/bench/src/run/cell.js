/**
 * One cell: start → verify → warm up → measure → stop. Echo server and proxy are fresh for each.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.js";
import { EVENTS } from "../plan/events.js";
import { NO_QUOTA, quotaEnv, quotaOf } from "../plan/cpu-budget.js";
import { isOnHostNetwork } from "../plan/network.js";
import { resolutionOf } from "../plan/plan.js";
import { CONTROL } from "../plan/proxies.js";
import {
  connectionsInAll,
  isSoak,
  keyTypeOf,
  rampSeconds,
  rateName,
  workloadOf,
} from "../plan/workload.js";
import { coresOfBudgetGroup } from "../platform/budget-group.js";
import { GenerationFolder } from "../platform/generation.js";
import { allEnded } from "../platform/wait.js";
import { generatorCores } from "../record/generator-cores.js";
import { LIVE_FILE, liveCsv } from "../record/live.js";
import { judge } from "../record/promise.js";
import { searchCapacity } from "../statistics/capacity-search.js";
import { causesIn } from "./causes.js";
import { CellEvent } from "./cell-event.js";
import { CellFailure } from "./cell-failure.js";
import { heldThrough, measuredPart, newRecord, probed, throttledIn } from "./cell-record.js";
import { readEchoWorkers, readWorkersOfAll } from "./echo-workers.js";
import { liveCounts } from "./k6.js";
import { LiveReadings } from "./live-readings.js";
import { CONNECTIONS_FAILED, isFewFailed, knobsOf, Loads } from "./loads.js";
import { PORTS } from "./host-network.js";
import { keptLog } from "./log.js";
import { measureLoad } from "./measure-load.js";
import { MeasuredContainers } from "./measured-containers.js";
import { MeasuredPhase } from "./measured-phase.js";
import { Pulse } from "./pulse.js";
import { samplesCsv } from "./samples.js";
import { slowReadersOf } from "./survival.js";
import { verify, waitForAnswer } from "./verification.js";
import { Watch } from "./watch.js";

/** @import { ContainerState } from "../platform/docker.js" */
/** @import { Listener, Phase } from "../model/run-event.ts" */
/** @import { LiveSample } from "../model/run-event.ts" */
/** @import { CellRecord, Judgement, Probe } from "../model/cell.ts" */
/** @import { Role } from "../model/container.ts" */
/** @import { CapacityPart, Parameters, Plan, PlannedCell, Workload } from "../model/plan.ts" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { LoadRun } from "./load-run.js" */
/** @import { Log } from "./causes.js" */
/** @import { EchoWorker } from "./echo-workers.js" */
/** @import { Edges } from "./edges.js" */
/** @import { PlacedContainer, Placement, Site } from "./placement.js" */
/** @import { SpreadContainers } from "./spread-containers.js" */
/** @import { PulseReading } from "./pulse.js" */
/** @import { Door } from "./relay.js" */

/** How long proxy and echo server may take to answer, and load to begin, in ms. */
const START_LIMIT_MS = 30_000;
/** Of the servers behind a proxy, the one that counts connections and messages. */
const ECHO = "echo";
/** Of counters; in a phase that is asked for its course a reading a second, as an hour of four a second takes 11 MB. */
const SAMPLE_INTERVAL_MS = { usual: 250, soak: 1000 };
/** Of sockets in a phase that is long enough for their course: 240 readings in an hour. */
const SOCKET_INTERVAL_MS = 15_000;
/** From one rate of a search to the next: after one that was too high, by then a proxy has let go of what it could not carry. */
const PAUSE_MS = { holds: 1000, fails: 3000, limited: 3000 };
/** The service of the reference proxy, and its role. */
const REFERENCE = "reference";
/** Of what stands in each role, on Docker's network. */
const NAMES = { proxy: "proxy", servers: ECHO };
/** What runs in the containers of the load: first the one, then the other. */
const WARM_UP = "warm-up";
const LOAD = "load";

/**
 * What all cells of a run share.
 *
 * @typedef {object} RunContext
 * @property {string} directory the project's
 * @property {string} project name of the Compose project
 * @property {string} network its name
 * @property {boolean} [isBeside] this program is in the networks of other cells too, where names such as `proxy` are theirs
 * @property {Placement} placement
 * @property {Door | null} hostNetwork for cells on the machines' own network, the door of that of ./bench itself; null: there is none
 * @property {string} run name of the run
 * @property {Record<string, string>} env knobs for Compose
 * @property {Record<string, string[]>} services of each proxy
 * @property {Proxy[]} proxies every folder of proxies/
 * @property {Plan["scenarios"]} scenarios of the plan
 * @property {Plan["referenceShare"]} referenceShare of the plan
 * @property {Plan["promise"]} promise of the plan
 * @property {string[]} observers services that stay up
 * @property {number} loadCores
 * @property {boolean} cpuLimited the plan limits the proxy's CPU time
 * @property {number} proxyCpus budget of the proxy in cores; 0: none
 * @property {string | null} budgetGroup the cgroup whose CPU budget the containers of a proxy share, where it has several; null: none has
 *   to
 * @property {"ecdsa" | "rsa"} keyType
 * @property {Record<string, string>} authorities certificate (PEM) of the one behind each type of key that the plan has
 * @property {import("../model/environment.ts").TlsPolicy} policy
 * @property {Edges} edges
 * @property {Listener} tell
 * @property {AbortSignal} signal aborted: the run is to end now
 */

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @param {RunContext} context
 * @param {string} folder where samples and logs go; it exists
 * @returns {Promise<CellRecord>} of a failure too
 * @throws when the run was aborted, or by a fault of this program
 */
export async function runCell(cell, attempt, context, folder) {
  const cellRun = new CellRun(cell, attempt, context, folder);
  try {
    await cellRun.drive();
  } catch (error) {
    context.signal.throwIfAborted();
    cellRun.record.status = "failed";
    cellRun.record.cause = await cellRun.causeOf(error);
  }
  await cellRun.stop();
  return cellRun.record;
}

class CellRun {
  /**
   * @param {PlannedCell} cell
   * @param {number} attempt
   * @param {RunContext} context
   * @param {string} folder
   */
  constructor(cell, attempt, context, folder) {
    this.cell = cell;
    this.workload = workloadOf(context, cell);
    this.context = context;
    this.folder = folder;
    this.record = newRecord(cell, attempt, context.loadCores);
    this.keyType = keyTypeOf(this.workload, context.keyType);
    /** Where load writes while it runs; results may lie on a slower disk, and get what is kept. */
    this.scratch = join(context.directory, ".bench", "samples", `${context.project}-${cell.id}`);
    /** Which configuration the proxy is to have, where an event changes it. */
    this.generation = cell.event
      ? new GenerationFolder(context.directory, context.project)
      : undefined;
    /** @type {CellEvent | undefined} while it is measured */
    this.event = undefined;
    /** null: it is on Docker's network. */
    this.hostNetwork = isOnHostNetwork(this.workload) ? hostNetworkOf(context) : null;
    this.project = context.placement.project(
      context.directory,
      {
        name: context.project,
        profile: cell.profile,
        env: {
          ...context.env,
          ...this.#budgetEnv(),
          ...this.generation?.env,
          ...knobsOf(cell, this.workload, cell.parameters),
          TLS_KEY_TYPE: this.keyType,
        },
      },
      this.hostNetwork && {
        own: this.hostNetwork,
        proxies: context.services[cell.profile],
      },
    );
    this.loads = new Loads(cell, this.workload, {
      context,
      project: this.project,
      scratch: this.scratch,
      hostNetwork: this.hostNetwork,
    });
    this.watch = new Watch({ ...context, look: (ids) => context.placement.inspect(ids) });
    /** @type {PlacedContainer[]} as they were when all had started */
    this.started = [];
  }

  async drive() {
    rmSync(this.scratch, { recursive: true, force: true });
    mkdirSync(this.scratch, { recursive: true });
    await this.#phase("start", "start", () => this.#start());
    await this.#phase("verify", "verify", () => this.#verify());
    const { warmUp } = this.cell;
    if (warmUp) await this.#phase("warm up", "warmUp", () => this.#warmUp(warmUp));
    const { capacity } = this.cell;
    if (capacity?.part === "search") await this.#search(capacity);
    else await this.#measure();
  }

  /**
   * @param {Phase} name
   * @param {keyof CellRecord["phases"]} key
   * @param {() => Promise<void>} action
   */
  async #phase(name, key, action) {
    this.context.signal.throwIfAborted();
    this.context.tell({ type: "phase", phase: name });
    const startedMs = performance.now();
    try {
      await action();
    } finally {
      this.record.phases[key] = (performance.now() - startedMs) / 1000;
    }
  }

  async #start() {
    const { observers, placement, project, services } = this.context;
    await placement.ready();
    Object.assign(this.record, placement.clocks());
    await this.project.readOnce();
    // What observes is up. Should some of it have died in the cell before, it starts again here.
    const wanted = [
      "echo",
      ...services[this.cell.profile],
      ...(this.workload.referenceShare > 0 ? [REFERENCE] : []),
      ...(this.cell.observed ? observers : []),
    ];
    if (!this.cell.observed)
      await placement.remove(observers.map((service) => `${project}-${service}-1`));
    const { event, servers = (event && EVENTS[event].servers) || 1 } = this.cell;
    this.generation?.write(this.#proxy.generation, 1);
    await allEnded([
      this.project.up(wanted, {
        observers,
        scale: servers > 1 ? ["--scale", `${ECHO}=${servers}`] : [],
        afterServers: () => this.#awaitNames(),
      }),
      this.loads.create(this.cell.loads),
    ]);
    this.started = await this.#containersOf(wanted);
    this.watch.require(this.started);
    if (placement.isSpread) await this.#awaitNames();
    this.#assertOneBudget();
  }

  /**
   * @param {string[]} services
   * @returns {Promise<PlacedContainer[]>}
   */
  async #containersOf(services) {
    const { placement, project } = this.context;
    const found = await placement.containersOf(project);
    return found.filter(({ service }) => services.includes(service));
  }

  /** Of several machines: until each knows what runs by now on the others by its name. */
  async #awaitNames() {
    const { placement, services } = this.context;
    const measured = await this.#containersOf([ECHO, REFERENCE, ...services[this.cell.profile]]);
    const named = measured.filter(({ running, address }) => running && address !== "");
    await placement.awaitNames(
      Object.fromEntries(named.map(({ service, address }) => [this.#roleOf(service), address])),
    );
  }

  /** @returns {Proxy} whose containers are started */
  get #proxy() {
    const proxy = this.context.proxies.find(({ name }) => name === this.cell.profile);
    if (!proxy) throw new Error(`there is no proxy ${this.cell.profile}`);
    return proxy;
  }

  /** Whether its containers share a budget, which is that of a cgroup around them. */
  get #sharesBudget() {
    const { budgetGroup, services } = this.context;
    return budgetGroup !== null && services[this.cell.profile].length > 1;
  }

  /** @returns {Record<string, string>} */
  #budgetEnv() {
    if (!this.#sharesBudget) return {};
    return { ...quotaEnv(NO_QUOTA), PROXY_CGROUP_PARENT: String(this.context.budgetGroup) };
  }

  /** @throws {CellFailure} when the engine did not put them there */
  #assertOneBudget() {
    const { budgetGroup, proxyCpus } = this.context;
    if (!this.#sharesBudget || budgetGroup === null) return;
    const { quotaMicroseconds, periodMicroseconds } = quotaOf(proxyCpus);
    for (const { service, pid } of this.started) {
      if (this.#roleOf(service) !== "proxy") continue;
      const cores = coresOfBudgetGroup(pid, { group: budgetGroup });
      if (cores !== quotaMicroseconds / periodMicroseconds)
        throw new CellFailure(
          "start",
          `${service} should share a CPU budget of ${proxyCpus} cores with the other containers of ${this.cell.proxy}, and has ${cores === null ? "none" : cores}`,
        );
    }
  }

  async #verify() {
    const { cell, context, workload, keyType } = this;
    const host = this.#insideOf("proxy");
    const patience = {
      // Two JVMs took 17 s on two cores that had other work.
      limitMs: workload.backend === ECHO ? START_LIMIT_MS : 2 * START_LIMIT_MS,
      signal: context.signal,
      assertAlive: () => this.watch.assertAlive(),
    };
    // A proxy that meets one of several before it listens leaves it out for some time: nginx for 10 s.
    for (const { address } of this.#severalServers)
      await waitForAnswer({ scheme: "ws" }, { ...patience, host: address });
    await waitForAnswer(cell, { ...patience, host });
    this.record.tls = await verify(cell, workload, {
      ...context,
      host,
      keyType,
      limitMs: START_LIMIT_MS,
    });
  }

  /** @param {Parameters} changes */
  async #warmUp(changes) {
    const parameters = { ...this.cell.parameters, ...changes };
    const load = this.loads.start(WARM_UP, parameters, 1, {});
    await this.watch.within(this.cell.limitSeconds, load.ended);
    await load.assertSuccess();
  }

  async #measure() {
    const { cell, context, record } = this;
    context.tell({ type: "phase", phase: "measure" });
    await this.#measureLoad(record, { parameters: cell.parameters, folder: this.folder });
    if (cell.capacity) record.judgement = this.#judged(record);
  }

  /**
   * One rate after the other, in one life of proxy and server. What is measured at each is in its probe.
   *
   * @param {Extract<CapacityPart, {part: "search"}>} range
   */
  async #search({ lowest, highest }) {
    const { cell, context, workload, record } = this;
    context.tell({ type: "phase", phase: "measure" });
    const startedMs = performance.now();
    const name = /** @type {string} */ (rateName(workload));
    /** @type {Probe[]} */
    const probes = [];
    record.probes = probes;
    const resolution = resolutionOf(this.#promise);
    const range = { from: cell.parameters[name], lowest, highest, resolution };
    await searchCapacity(async (rate) => {
      const before = probes.at(-1);
      if (before) await sleep(PAUSE_MS[before.verdict], undefined, { signal: context.signal });
      const probe = await this.#probe(
        { ...cell.parameters, [name]: rate },
        rate,
        probes.length + 1,
      );
      probes.push(probe);
      context.tell({ type: "probe", probe });
      return probe;
    }, range);
    record.phases.measure = (performance.now() - startedMs) / 1000;
  }

  /**
   * @param {Parameters} parameters
   * @param {number} rate
   * @param {number} number from 1
   * @returns {Promise<Probe>}
   */
  async #probe(parameters, rate, number) {
    const { cell, context } = this;
    const folder = join(this.folder, `probe-${String(number).padStart(2, "0")}`);
    mkdirSync(folder);
    const measured = newRecord({ ...cell, parameters }, this.record.attempt, context.loadCores);
    const load = await this.#measureLoad(measured, { parameters, folder });
    for (const [program, log] of await load.outputs())
      writeFileSync(join(folder, `${program}.log`), keptLog(log));
    return { rate, ...this.#judged(measured), ...probed(measured) };
  }

  get #promise() {
    const { promise } = this.context;
    if (!promise) throw new Error(`the plan of ${this.cell.id} has no promise to judge it by`);
    return promise;
  }

  /**
   * @param {CellRecord} record of a load at a rate
   * @returns {Judgement}
   */
  #judged(record) {
    return judge(record, this.#promise, {
      holdsConnections: this.workload.holdsConnections,
      generatorCores: generatorCores(record, this.workload),
    });
  }

  /**
   * @param {CellRecord} record gets what is measured
   * @param {{parameters: Parameters, folder: string}} about folder: for samples
   * @returns {Promise<LoadRun>} which has ended
   */
  async #measureLoad(record, { parameters, folder }) {
    const { cell, context, watch } = this;
    const workload = workloadOf(context, { ...cell, parameters });
    const loadStartedMs = performance.now();
    const containers = context.placement.containers();
    const lives = this.started.map((state) => ({
      state,
      name: this.#added(state, containers),
    }));
    const event = this.#eventOf(containers, lives);
    this.event = event;
    const before = await containers.read();
    const pulse = new Pulse({
      files: this.loads.csvFiles(LOAD, cell.loads),
      holds: workload.holdsConnections,
      messages: workload.messages,
    });
    const live = new LiveReadings(pulse, {
      read: () => this.#pulseReading(containers),
      tell: (sample) => this.#tellOf(sample, workload),
    });
    const phase = new MeasuredPhase(containers, {
      readEchoWorkers: () => this.#echoWorkers(),
      readLogs: (fromMs) => this.#logsSince(fromMs),
      live,
      sampleIntervalMs: isSoak(workload) ? SAMPLE_INTERVAL_MS.soak : SAMPLE_INTERVAL_MS.usual,
      socketIntervalMs: isSoak(workload) ? SOCKET_INTERVAL_MS : null,
    });
    const { timeoutSeconds = 0, settleSeconds, quietSeconds = 0 } = workload;
    try {
      const { readings, load } = await measureLoad(phase, {
        edges: context.edges,
        loads: cell.loads,
        start: () =>
          this.loads.start(LOAD, parameters, cell.loads, { EDGE_URL: context.edges.url }),
        beforeOpen: async () => {
          for (const state of await context.placement.inspect(this.loads.names))
            containers.add(this.#shortName(state.name), "load", state);
        },
        afterOpen: () => {
          record.phases.load = (performance.now() - loadStartedMs) / 1000;
          return event?.begin(1000 * quietSeconds);
        },
        watch,
        limits: {
          // The handshakes at the end of the ramp may take their time.
          openSeconds: START_LIMIT_MS / 1000 + 2 * rampSeconds(workload) + timeoutSeconds,
          closeSeconds: cell.limitSeconds,
          endSeconds: START_LIMIT_MS / 1000 + timeoutSeconds,
        },
      });
      const after =
        settleSeconds === undefined
          ? undefined
          : await this.#settled(containers, settleSeconds * 1000);
      await watch.assertAlive();
      const read = { before, phase: readings, after };
      Object.assign(record, measuredPart(read, containers.list(), workload));
      record.phases.measure = (readings.last.ms - readings.first.ms) / 1000;
      const { survival, slowReaders, ...counted } = await this.loads.read(load, folder);
      Object.assign(record, counted);
      if (event && survival) record.survival = await event.end(survival, readings.last.ms);
      if (slowReaders)
        record.slowReaders = slowReadersOf(slowReaders, readings.samples, proxiesOf(containers));
      record.connectionsHeld = heldThrough(record, { isControl: cell.profile === CONTROL });
      // The client that looked before opened one connection: nothing to resume. What the load did, each of its connections asserts.
      if (record.tls) record.tls.resumed = workload.resumed === 1;
      // By now k6 has written every latency, and every count is known for good.
      live.finish(countsOf(record));
      this.#noteCauses(record, readings.logs);
      await load.assertSuccess(this.#mayHaveFailed(record) ? [CONNECTIONS_FAILED] : []);
      this.#assertNotThrottled(record);
      return load;
    } finally {
      if (phase.hasOpened) {
        writeFileSync(join(folder, "samples.csv"), samplesCsv(phase.samples));
        writeFileSync(join(folder, LIVE_FILE), liveCsv(pulse.samples));
      }
      await event?.abandon();
    }
  }

  /**
   * @param {PlacedContainer} state
   * @param {MeasuredContainers | SpreadContainers} containers it is one of them from now on
   * @returns {string} its name in the record
   */
  #added(state, containers) {
    const role = this.#roleOf(state.service);
    return containers.add(this.context.placement.nameOf(state, role), role, state);
  }

  /**
   * @param {MeasuredContainers | SpreadContainers} containers
   * @param {{state: ContainerState, name: string}[]} lives of all that was started
   * @returns {CellEvent | undefined} undefined: its scenario knows none
   */
  #eventOf(containers, lives) {
    const { cell, context, generation } = this;
    if (!cell.event || !generation) return undefined;
    if (!(containers instanceof MeasuredContainers))
      throw new Error(`the event ${cell.event} is for one machine`);
    const ofRole = (/** @type {Role} */ role) =>
      lives.filter(({ state }) => this.#roleOf(state.service) === role);
    return new CellEvent(cell.event, containers, {
      proxy: this.#proxy,
      project: this.project.here,
      projectName: context.project,
      generation,
      proxies: ofRole("proxy"),
      servers: ofRole("echo"),
      watch: this.watch,
      signal: context.signal,
      tell: context.tell,
    });
  }

  /**
   * @param {CellRecord} record
   * @returns {boolean} connections may have failed in it
   */
  #mayHaveFailed({ connections }) {
    // What fails at a rate that is searched is what is judged.
    if (this.cell.capacity) return true;
    if (!connections || this.loads.referenceFailed > 0) return false;
    return isFewFailed(this.workload, connections);
  }

  /** @param {string} container @returns {string} its name without the project's */
  #shortName(container) {
    return container.slice(this.context.project.length + 1);
  }

  /**
   * @param {MeasuredContainers | SpreadContainers} containers
   * @param {number} ms from the end of the load
   */
  async #settled(containers, ms) {
    await sleep(ms, undefined, { signal: this.context.signal });
    return containers.read({ without: "load" });
  }

  /** @param {string} service @returns {Role} */
  #roleOf(service) {
    if (service === "echo" || service === REFERENCE) return service;
    return this.context.observers.includes(service) ? "observer" : "proxy";
  }

  /**
   * To be called at the last edge: what comes after it, a pass that counts statuses among it, may push older lines out of the logs, of
   * which the engine keeps the last 10 MB (compose.yaml).
   *
   * @param {number} fromMs first edge
   * @returns {Promise<Log[]>} what proxy and server have written since; []: the load sends no requests
   */
  async #logsSince(fromMs) {
    if (this.workload.protocol !== "http") return [];
    return Promise.all(
      this.#ofCellAlone().map(async ({ name, service }) => ({
        service,
        text: await this.#engineOf(service).logOf(name, fromMs),
      })),
    );
  }

  /**
   * Requests that went wrong fail no cell: they are what was found.
   *
   * @param {CellRecord} record
   * @param {readonly Log[]} logs of the measured phase
   */
  #noteCauses({ requests }, logs) {
    if (!requests) return;
    const wrong = sum([requests.non2xx, ...Object.values(requests.socketErrors)]);
    if (wrong > 0) requests.causes = causesIn(logs);
  }

  /** @param {string} service of proxy or server */
  #engineOf(service) {
    return this.context.placement.siteOfService(service).engine;
  }

  /** @returns {ContainerState[]} proxy and server */
  #ofCellAlone() {
    return this.started.filter(({ service }) => !this.context.observers.includes(service));
  }

  /** @returns {ContainerState[]} []: one server stands behind the proxy */
  get #severalServers() {
    const servers = this.started.filter(({ service }) => service === ECHO);
    return servers.length > 1 ? servers : [];
  }

  /** @returns {Promise<EchoWorker[] | null>} null: another server stands in its place, which does not count them */
  async #echoWorkers() {
    if (this.workload.backend !== ECHO) return null;
    if (this.event && this.cell.profile !== CONTROL) return this.event.echoWorkers();
    const isControl = this.cell.profile === CONTROL;
    if (!this.hostNetwork && this.#severalServers.length > 0)
      return readWorkersOfAll(this.#severalServers);
    const role = isControl ? "proxy" : "servers";
    const port = this.hostNetwork && !isControl ? PORTS.server : PORTS.proxy.ws;
    return readEchoWorkers(`http://${this.#insideOf(role) ?? NAMES[role]}:${port}`);
  }

  /**
   * @param {"proxy" | "servers"} role
   * @returns {string | undefined} where this program finds what is on its machine's own network, or in one of several on Docker's;
   *   undefined: by its name
   */
  #insideOf(role) {
    const { placement, isBeside, network } = this.context;
    if (this.hostNetwork) return placement.doorOf(placement.siteOf(role), this.hostNetwork).inside;
    // Docker's own DNS server knows each name with that of its network behind it, too.
    return isBeside ? `${NAMES[role]}.${network}` : undefined;
  }

  /**
   * @param {MeasuredContainers | SpreadContainers} containers
   * @returns {Promise<PulseReading>}
   * @throws {Error} when the load does not answer, or a container is gone
   */
  async #pulseReading(containers) {
    const counts = await Promise.all(this.loads.apis.map((api) => liveCounts(api)));
    const proxy = (await containers.readRole("proxy")).map(({ cpu }) => cpu);
    return {
      ms: Date.now(),
      opened: sum(counts.map(({ opened }) => opened)),
      failed: sum(counts.map(({ failed }) => failed)),
      reference: sum(counts.map(({ reference }) => reference)),
      messages: sum(counts.map(({ messages }) => messages)),
      echoedByEnded: sum(counts.map(({ echoedByEnded }) => echoedByEnded)),
      proxyCpuSeconds: sum(proxy.map(({ totalSeconds }) => totalSeconds)),
      proxyThrottledSeconds: sum(proxy.map(({ throttledSeconds }) => throttledSeconds ?? 0)),
    };
  }

  /**
   * @param {LiveSample} sample
   * @param {Workload} workload
   */
  #tellOf(sample, workload) {
    this.context.tell({ type: "live", sample });
    const { opened, failed, connections_per_second: perSecond, proxy_cores: proxyCores } = sample;
    if (perSecond === undefined || proxyCores === undefined) return;
    const asked = connectionsInAll(workload);
    this.context.tell({ type: "progress", opened, asked, failed, perSecond, proxyCores });
  }

  /** @param {CellRecord} record */
  #assertNotThrottled({ containers }) {
    const throttled = throttledIn(containers);
    if (this.context.cpuLimited || !throttled) return;
    throw new CellFailure(
      "throttled",
      `${throttled.name} was throttled for ${throttled.seconds.toFixed(2)} s by a CPU limit that this plan did not set`,
    );
  }

  /**
   * @param {unknown} error
   * @returns {Promise<NonNullable<CellRecord["cause"]>>}
   * @throws the error, where it is a fault of this program
   */
  async causeOf(error) {
    const cause = await this.watch.explain(error);
    if (cause instanceof CellFailure) return { kind: cause.kind, message: cause.message };
    if (cause instanceof UserError) {
      const silence = await this.context.placement.silence();
      if (silence) return { kind: "engine", message: silence };
      return { kind: "start", message: `${cause.message}\n${cause.next}`.trim() };
    }
    throw cause;
  }

  /** Keeps the logs, then removes everything that belongs to this cell. */
  async stop() {
    await this.#phaseOfStop(async () => {
      const { placement } = this.context;
      // One that was lost keeps what it has until it is back.
      const sites = this.record.status === "failed" ? await placement.answering() : placement.sites;
      const names = await this.#names(sites);
      const logs = join(this.folder, "logs");
      mkdirSync(logs, { recursive: true });
      await Promise.all(
        names.map(async (name) => {
          // Of several containers of a service, the first has its name alone.
          const file = this.#shortName(name).replace(/-1$/, "");
          const service = this.started.find((state) => state.name === name)?.service ?? "";
          const site = placement.siteOfService(service);
          if (!sites.includes(site)) return;
          writeFileSync(join(logs, `${file}.log`), keptLog(await site.engine.logOf(name)));
        }),
      );
      await placement.remove([...names, ...this.loads.names], sites);
      for (const [program, log] of await this.loads.logs())
        writeFileSync(join(logs, `${program}.log`), keptLog(log));
      rmSync(this.scratch, { recursive: true, force: true });
      this.generation?.remove();
    });
  }

  /**
   * @param {Site[]} sites machines that answer
   * @returns {Promise<string[]>} of proxy and server, and of those that an event has started beside them
   */
  async #names(sites) {
    const started = this.#ofCellAlone().map(({ name }) => name);
    const { observers, placement, project } = this.context;
    // Of several machines some may have started theirs, and others not.
    if (!this.cell.event && !placement.isSpread) return started;
    const all = await placement.containersOf(project, sites).catch(() => []);
    const others = all
      .filter(
        ({ name, service }) => !observers.includes(service) && !this.loads.names.includes(name),
      )
      .map(({ name }) => name);
    return [...new Set([...started, ...others])];
  }

  /** @param {() => Promise<void>} action */
  async #phaseOfStop(action) {
    this.context.tell({ type: "phase", phase: "stop" });
    const startedMs = performance.now();
    await action();
    this.record.phases.stop = (performance.now() - startedMs) / 1000;
  }
}

/**
 * @param {RunContext} context
 * @returns {Door}
 */
function hostNetworkOf({ hostNetwork }) {
  if (hostNetwork) return hostNetwork;
  throw new Error("nobody has looked for the machine's own network");
}

/**
 * @param {CellRecord} record
 * @returns {Partial<PulseReading>} of k6's own summary; {}: it has none
 */
function countsOf({ connections, messagesEchoed, reference }) {
  if (!connections) return {};
  const { opened, failed } = connections;
  const beside = reference ?? { connections: 0, messages: 0 };
  const messages = (messagesEchoed ?? 0) + beside.messages;
  return {
    opened,
    failed,
    reference: beside.connections,
    echoedByEnded: messages,
    ...(messagesEchoed !== null && { messages }),
  };
}

/**
 * @param {MeasuredContainers | SpreadContainers} containers
 * @returns {string[]} names of the proxy's
 */
function proxiesOf(containers) {
  return containers.list().flatMap(({ name, role }) => (role === "proxy" ? [name] : []));
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

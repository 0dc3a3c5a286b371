/**
 * One cell: start → verify → warm up → measure → stop. Echo server and proxy are fresh for each.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { containersOf, inspect, Project, remove, run } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { connectionsInAll, keyTypeOf, rampSeconds, workloadOf } from "../plan/workload.js";
import { CONTROL } from "../plan/proxies.js";
import { LIVE_FILE, liveCsv } from "../record/live.js";
import { causesIn } from "./causes.js";
import { ContainerGone, difference, locate, machineCpu } from "../platform/counters.js";
import { CellFailure } from "./cell-failure.js";
import { liveCounts } from "./k6.js";
import { keptLog } from "./log.js";
import { K6_PORT, knobsOf, LOAD_SERVICES, Loads, logOf } from "./loads.js";
import { Pulse } from "./pulse.js";
import { Sampler } from "./sampler.js";
import { verify, waitForAnswer } from "./verification.js";

/** @import { ContainerState } from "../platform/docker.js" */
/** @import { CellRecord, ContainerRecord, Parameters, Plan, PlannedCell, Role, SocketReading } from "../record/types.js" */
/** @import { Log } from "./causes.js" */
/** @import { Counters, Reading } from "../platform/counters.js" */
/** @import { Edges } from "./edges.js" */
/** @import { Listener, Phase } from "../record/events.js" */
/** @import { LiveSample } from "../record/live.js" */
/** @import { PulseReading } from "./pulse.js" */

/** How long proxy and echo server may take to answer, and load to begin, in ms. */
const START_LIMIT_MS = 30_000;
/** Of the servers behind a proxy, the one that counts connections and messages. */
const ECHO = "echo";
const SAMPLE_INTERVAL_MS = 250;
const PROGRESS_INTERVAL_MS = 1000;

/**
 * What was read of all containers at one moment.
 *
 * @typedef {ReturnType<Driver["readEdge"]> & {sockets: Map<string, SocketReading>}} Edge
 *
 * @typedef {object} Readings
 * @property {Edge} before the load is started
 * @property {Edge} first edge of the measured phase
 * @property {Edge} last edge
 * @property {Edge} [after] settleSeconds after the load has ended
 */

/**
 * What all cells of a run share.
 *
 * @typedef {object} Stage
 * @property {string} directory the project's
 * @property {string} project name of the Compose project
 * @property {string} network its name
 * @property {string} run name of the run
 * @property {Record<string, string>} env knobs for Compose
 * @property {Record<string, string[]>} services of each proxy
 * @property {Plan["scenarios"]} scenarios of the plan
 * @property {string[]} observers services that stay up
 * @property {number} loadCores
 * @property {boolean} cpuLimited the plan limits the proxy's CPU time
 * @property {"ecdsa" | "rsa"} keyType
 * @property {Record<string, string>} authorities certificate (PEM) of the one behind each type of key that the plan has
 * @property {import("../record/types.js").TlsPolicy} policy
 * @property {Edges} edges
 * @property {Listener} tell
 * @property {AbortSignal} signal aborted: the run is to end now
 */

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @param {Stage} stage
 * @param {string} folder where samples and logs go; it exists
 * @returns {Promise<CellRecord>} of a failure too
 * @throws when the run was aborted, or by a fault of this program
 */
export async function runCell(cell, attempt, stage, folder) {
  const driver = new Driver(cell, attempt, stage, folder);
  try {
    await driver.drive();
  } catch (error) {
    stage.signal.throwIfAborted();
    driver.record.status = "failed";
    driver.record.cause = await driver.causeOf(error);
  }
  await driver.stop();
  return driver.record;
}

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @param {number} loadCores
 * @returns {CellRecord} of a cell of which nothing is known yet
 */
export function newRecord({ id, round, proxy, scenario, scheme, parameters }, attempt, loadCores) {
  return {
    schema: 1,
    id,
    attempt,
    status: "ok",
    cause: null,
    round,
    proxy,
    scenario,
    scheme,
    parameters,
    startedAt: new Date().toISOString(),
    phases: {},
    measured: null,
    connections: null,
    connectionsHeld: null,
    messagesEchoed: null,
    sends: null,
    totalSeconds: null,
    handshakeMs: null,
    echoLatencyMs: null,
    requests: null,
    requestMs: null,
    containers: {},
    echoWorkers: null,
    tls: null,
    machine: null,
    loadCores,
  };
}

class Driver {
  /**
   * @param {PlannedCell} cell
   * @param {number} attempt
   * @param {Stage} stage
   * @param {string} folder
   */
  constructor(cell, attempt, stage, folder) {
    this.cell = cell;
    this.workload = workloadOf(stage, cell);
    this.stage = stage;
    this.folder = folder;
    this.record = newRecord(cell, attempt, stage.loadCores);
    this.keyType = keyTypeOf(this.workload, stage.keyType);
    /** Where load writes while it runs; results may lie on a slower disk, and get what is kept. */
    this.scratch = join(stage.directory, ".bench", "samples", `${stage.project}-${cell.id}`);
    this.project = new Project(stage.directory, {
      name: stage.project,
      profile: cell.profile,
      env: {
        ...stage.env,
        ...knobsOf(cell, this.workload, cell.parameters),
        TLS_KEY_TYPE: this.keyType,
      },
    });
    this.loads = new Loads(cell, this.workload, {
      stage,
      project: this.project,
      scratch: this.scratch,
    });
    /** @type {ContainerState[]} as they were when all had started */
    this.started = [];
  }

  async drive() {
    rmSync(this.scratch, { recursive: true, force: true });
    mkdirSync(this.scratch, { recursive: true });
    await this.#phase("start", "start", () => this.#start());
    await this.#phase("verify", "verify", () => this.#verify());
    const { warmUp } = this.cell;
    if (warmUp) await this.#phase("warm up", "warmUp", () => this.#warmUp(warmUp));
    await this.#measure();
  }

  /**
   * @param {Phase} name
   * @param {keyof CellRecord["phases"]} key
   * @param {() => Promise<void>} action
   */
  async #phase(name, key, action) {
    this.stage.signal.throwIfAborted();
    this.stage.tell({ type: "phase", phase: name });
    const startedMs = performance.now();
    try {
      await action();
    } finally {
      this.record.phases[key] = (performance.now() - startedMs) / 1000;
    }
  }

  async #start() {
    const { observers, project, services } = this.stage;
    // What observes is up. Should some of it have died in the cell before, it starts again here.
    const wanted = [
      "echo",
      ...services[this.cell.profile],
      ...(this.cell.observed ? observers : []),
    ];
    if (!this.cell.observed) await remove(observers.map((service) => `${project}-${service}-1`));
    await this.project.check(["up", "--detach", "--no-deps", ...wanted]);
    this.started = (await containersOf(project)).filter(({ service }) => wanted.includes(service));
    this.#assertAlive(this.started);
  }

  async #verify() {
    const { cell, stage, workload, keyType } = this;
    await waitForAnswer(cell, {
      // Two JVMs took 17 s on two cores that had other work.
      limitMs: workload.backend === ECHO ? START_LIMIT_MS : 2 * START_LIMIT_MS,
      signal: stage.signal,
      assertAlive: async () => this.#assertAlive(await this.#now()),
    });
    this.record.tls = await verify(cell, workload, { ...stage, keyType, limitMs: START_LIMIT_MS });
  }

  /** @param {Parameters} changes */
  async #warmUp(changes) {
    const parameters = { ...this.cell.parameters, ...changes };
    const [name] = await this.loads.start("warm-up", parameters, 1, {});
    const code = await this.#within(this.cell.limitSeconds, this.loads.exitOf(name));
    if (code !== 0) throw await this.loads.failure("the warm-up", code, [name]);
    await remove([name]);
  }

  async #measure() {
    const { cell, stage, record, workload } = this;
    this.stage.tell({ type: "phase", phase: "measure" });
    const loadStartedMs = performance.now();
    /** @type {Map<string, Counters>} */
    const counters = new Map();
    /** @type {Map<string, Role>} */
    const roles = new Map();
    /** @type {Map<string, ContainerState>} */
    const states = new Map();
    /** @type {Partial<Readings>} */
    const readings = {};
    /** @type {EchoWorker[] | null} */
    let echoBefore = null;
    /** @type {EchoWorker[] | null} */
    let echoAfter = null;
    /** @type {Log[]} */
    let logs = [];
    const find = (/** @type {ContainerState} */ state) => {
      if (!state.running) return;
      const isLoad = LOAD_SERVICES.includes(state.service);
      const name = isLoad ? state.name.slice(stage.project.length + 1) : state.service;
      counters.set(name, locate({ pid: state.pid }));
      roles.set(name, this.#roleOf(state.service));
      states.set(name, state);
    };
    for (const state of this.started) find(state);
    const sockets = () => this.readSockets(counters, roles);
    readings.before = { ...this.readEdge(counters), sockets: sockets() };
    const sampler = new Sampler(counters, { intervalMs: SAMPLE_INTERVAL_MS });
    const pulse = new Pulse({
      files: Array.from({ length: cell.loads }, (_, i) => join(this.scratch, `load-${i + 1}.csv`)),
      holds: workload.holdsConnections,
    });
    // Who looks on sees nothing where it cannot be read: the load has just ended, or a container; the next step says so.
    const pulseNow = () => this.#pulseReading(counters, roles).catch(() => undefined);
    const beat = (/** @type {PulseReading | undefined} */ reading, isLast = false) =>
      this.#tellOf(reading && pulse.beat(reading, { isLast }));
    /** @type {PulseReading | undefined} */
    let lastPulse;
    /** @type {NodeJS.Timeout | undefined} */
    let progress;

    const begun = stage.edges.expect("start", cell.loads, async () => {
      for (const state of await inspect(this.loads.names)) find(state);
      echoBefore = await this.#echoWorkers();
      const firstPulse = await pulseNow();
      if (firstPulse) pulse.start(firstPulse);
      // Looking at all sockets takes its time: outside of the measured phase.
      const open = sockets();
      readings.first = { ...this.readEdge(counters), sockets: open };
      sampler.start();
    });
    const done = begun.then(() =>
      stage.edges.expect("end", cell.loads, async () => {
        const edge = this.readEdge(counters);
        sampler.stop();
        readings.last = { ...edge, sockets: sockets() };
        logs = await this.#logsSince(/** @type {Edge} */ (readings.first).ms);
        echoAfter = await this.#echoWorkers();
        lastPulse = await pulseNow();
      }),
    );
    // Whichever is not waited for in the end is no error of its own.
    done.catch(() => {});
    try {
      const names = await this.loads.start("load", cell.parameters, cell.loads, {
        EDGE_URL: stage.edges.url,
      });
      const exits = names.map((name) => this.loads.exitOf(name));
      const exit = Promise.all(exits);
      // Whether it is waited for in the end or not.
      exit.catch(() => {});
      // Each on its own: where one has failed, the others stand at an edge that it will never reach.
      const failedEarly = Promise.all(
        names.map(async (name, i) => {
          const code = await exits[i];
          if (code !== 0 || !readings.last)
            throw await this.loads.failure("the load", code, [name]);
        }),
      );
      failedEarly.catch(() => {});
      // The handshakes at the end of the ramp may take their time.
      const { timeoutSeconds = 0, settleSeconds } = workload;
      const rampLimit = 2 * rampSeconds(workload) + timeoutSeconds;
      await this.#within(START_LIMIT_MS / 1000 + rampLimit, Promise.race([begun, failedEarly]));
      record.phases.load = (performance.now() - loadStartedMs) / 1000;
      const died = new Promise((_, reject) => {
        progress = setInterval(() => {
          if (sampler.gone.size > 0 && !readings.last)
            this.#now()
              .then((states) => this.#assertAlive(states))
              .catch(reject);
          pulseNow().then((reading) => beat(reading));
        }, PROGRESS_INTERVAL_MS);
      });
      await this.#within(cell.limitSeconds, Promise.race([done, failedEarly, died]));
      clearInterval(progress);
      await this.#within(START_LIMIT_MS / 1000 + timeoutSeconds, exit);
      if (settleSeconds !== undefined) {
        await sleep(settleSeconds * 1000, undefined, { signal: stage.signal });
        for (const [name, role] of roles) if (role === "load") counters.delete(name);
        readings.after = { ...this.readEdge(counters), sockets: sockets() };
      }
      this.#assertAlive(await this.#now());
      this.#note(/** @type {Readings} */ (readings), sampler, { roles, states });
      if (echoBefore && echoAfter) {
        record.echoWorkers = workersBetween(echoBefore, echoAfter);
        if (workload.holdsConnections)
          record.connectionsHeld = { from: openAt(echoBefore), to: openAt(echoAfter) };
      }
      Object.assign(record, await this.loads.read(names, this.folder));
      // The client that looked before opened one connection: nothing to resume. What the load did, each of its connections asserts.
      if (record.tls) record.tls.resumed = workload.resumed === 1;
      // By now k6 has written every latency, and every count is known for good.
      beat(lastPulse && atEnd(lastPulse, record), true);
      this.#noteCauses(logs);
      const status = (await exit).find((code) => code !== 0);
      if (status) throw await this.loads.failure("the load", status, names);
      this.#assertNotThrottled();
    } finally {
      clearInterval(progress);
      sampler.stop();
      stage.edges.reset();
      if (readings.first) {
        writeFileSync(join(this.folder, "samples.csv"), sampler.toCsv());
        writeFileSync(join(this.folder, LIVE_FILE), liveCsv(pulse.samples));
      }
    }
  }

  /** @param {Map<string, Counters>} counters */
  readEdge(counters) {
    return {
      ms: Date.now(),
      containers: new Map([...counters].map(([name, counter]) => [name, counter.read()])),
      machine: machineCpu(),
      bench: locate({ pid: "self" }).read().cpu.totalSeconds,
    };
  }

  /**
   * @param {Map<string, Counters>} counters
   * @param {Map<string, Role>} roles
   * @returns {Map<string, SocketReading>} of proxy and echo server, which carry the connections
   */
  readSockets(counters, roles) {
    return new Map(
      [...counters]
        .filter(([name]) => ["proxy", "echo"].includes(roles.get(name) ?? ""))
        .map(([name, counter]) => [name, counter.sockets()]),
    );
  }

  /** @param {string} service @returns {Role} */
  #roleOf(service) {
    if (service === "echo") return service;
    if (LOAD_SERVICES.includes(service)) return "load";
    return this.stage.observers.includes(service) ? "observer" : "proxy";
  }

  /**
   * @param {Readings} readings
   * @param {Sampler} sampler
   * @param {{roles: Map<string, Role>, states: Map<string, ContainerState>}} about
   */
  #note({ before, first, last, after }, sampler, { roles, states }) {
    const { record } = this;
    let ours = last.bench - first.bench;
    for (const [name, to] of last.containers) {
      const { cpu, network } = difference(/** @type {Reading} */ (first.containers.get(name)), to);
      const sharesNetwork = states.get(name)?.sharesNetwork ?? false;
      const sockets = (/** @type {Edge} */ edge) =>
        socketsOf(/** @type {SocketReading} */ (edge.sockets.get(name)), sharesNetwork);
      ours += cpu.totalSeconds;
      record.containers[name] = {
        role: roles.get(name) ?? "observer",
        image: states.get(name)?.image ?? "",
        cpu,
        network: sharesNetwork ? null : network,
        memory: sampler.memoryOf(name, {
          before: before.containers.get(name),
          after: after?.containers.get(name),
        }),
        sockets: last.sockets.has(name)
          ? {
              baseline: sockets(before),
              from: sockets(first),
              to: sockets(last),
              after: after ? sockets(after) : null,
            }
          : null,
      };
    }
    const busySeconds = last.machine.busySeconds - first.machine.busySeconds;
    record.measured = { fromMs: first.ms, toMs: last.ms };
    record.phases.measure = (last.ms - first.ms) / 1000;
    record.machine = {
      cores: last.machine.cores,
      busySeconds,
      stealSeconds: last.machine.stealSeconds - first.machine.stealSeconds,
      // The machine counts in ticks of 10 ms, the cgroups in nanoseconds.
      foreignSeconds: Math.max(0, busySeconds - ours),
      benchSeconds: last.bench - first.bench,
    };
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
        text: await logOf(name, fromMs),
      })),
    );
  }

  /**
   * Requests that went wrong fail no cell: they are what was found.
   *
   * @param {Log[]} logs of the measured phase
   */
  #noteCauses(logs) {
    const { requests } = this.record;
    if (!requests) return;
    const wrong = sum([requests.non2xx, ...Object.values(requests.socketErrors)]);
    if (wrong > 0) requests.causes = causesIn(logs);
  }

  /** @returns {ContainerState[]} proxy and server */
  #ofCellAlone() {
    return this.started.filter(({ service }) => !this.stage.observers.includes(service));
  }

  /** @returns {Promise<EchoWorker[] | null>} null: another server stands in its place, which does not count them */
  async #echoWorkers() {
    if (this.workload.backend !== ECHO) return null;
    const host = this.cell.profile === CONTROL ? "proxy" : "echo";
    const response = await fetch(`http://${host}:8080/stats`, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(5000),
    });
    return /** @type {any} */ (await response.json()).workers;
  }

  /**
   * @param {Map<string, Counters>} counters
   * @param {Map<string, Role>} roles
   * @returns {Promise<PulseReading>}
   * @throws {Error} when the load does not answer, or a container is gone
   */
  async #pulseReading(counters, roles) {
    const names = this.loads.names.slice(-this.cell.loads);
    const counts = await Promise.all(names.map((name) => liveCounts(`http://${name}:${K6_PORT}`)));
    const proxy = [...counters]
      .filter(([name]) => roles.get(name) === "proxy")
      .map(([, counter]) => counter.read().cpu);
    return {
      ms: Date.now(),
      opened: sum(counts.map(({ opened }) => opened)),
      failed: sum(counts.map(({ failed }) => failed)),
      messages: sum(counts.map(({ messages }) => messages)),
      iterations: sum(counts.map(({ iterations }) => iterations)),
      proxyCpuSeconds: sum(proxy.map(({ totalSeconds }) => totalSeconds)),
      proxyThrottledSeconds: sum(proxy.map(({ throttledSeconds }) => throttledSeconds ?? 0)),
    };
  }

  /** @param {LiveSample | null | undefined} sample */
  #tellOf(sample) {
    if (!sample) return;
    this.stage.tell({ type: "live", sample });
    const { opened, failed, connections_per_second: perSecond, proxy_cores: proxyCores } = sample;
    if (perSecond === undefined || proxyCores === undefined) return;
    const asked = connectionsInAll(this.workload);
    this.stage.tell({ type: "progress", opened, asked, failed, perSecond, proxyCores });
  }

  /**
   * @template T
   * @param {number} seconds
   * @param {Promise<T>} action
   * @returns {Promise<T>}
   */
  async #within(seconds, action) {
    const { signal } = this.stage;
    /** @type {(reason?: any) => void} */
    let stop = () => {};
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const ended = new Promise((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop);
      timer = setTimeout(
        () => reject(new CellFailure("timeout", `not through after ${seconds} s`)),
        seconds * 1000,
      );
    });
    try {
      return /** @type {T} */ (await Promise.race([action, ended]));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** The containers that were started, as they are now. */
  async #now() {
    return inspect(this.started.map(({ id }) => id));
  }

  /** @param {ContainerState[]} states */
  #assertAlive(states) {
    for (const before of this.started) {
      const now = states.find(({ id }) => id === before.id);
      const kind = this.stage.observers.includes(before.service) ? "observer" : undefined;
      if (!now) throw new CellFailure(kind ?? "container-died", `${before.service} was removed`);
      if (now.outOfMemory)
        throw new CellFailure(
          kind ?? "out-of-memory",
          `${now.service} was ended by the kernel: out of memory`,
        );
      if (!now.running)
        throw new CellFailure(
          kind ?? "container-died",
          `${now.service} ended with status ${now.exitCode}`,
        );
      if (now.startedAt !== before.startedAt || now.restarts > 0)
        throw new CellFailure(kind ?? "container-restarted", `${now.service} was restarted`);
    }
  }

  #assertNotThrottled() {
    if (this.stage.cpuLimited) return;
    for (const [name, { cpu }] of Object.entries(this.record.containers)) {
      if (cpu.throttledSeconds > 0)
        throw new CellFailure(
          "throttled",
          `${name} was throttled for ${cpu.throttledSeconds.toFixed(2)} s by a CPU limit that this plan did not set`,
        );
    }
  }

  /**
   * What is behind a failure: a container that died explains the connections that failed.
   *
   * @param {unknown} error
   * @returns {Promise<NonNullable<CellRecord["cause"]>>}
   */
  async causeOf(error) {
    let cause = error;
    try {
      if (!(error instanceof CellFailure) || ["load", "timeout", "verify"].includes(error.kind))
        this.#assertAlive(await this.#now());
    } catch (behind) {
      cause = behind;
    }
    if (cause instanceof ContainerGone) return { kind: "container-died", message: cause.message };
    if (cause instanceof CellFailure) return { kind: cause.kind, message: cause.message };
    if (cause instanceof UserError) {
      const { code, output } = await run(["docker", "version", "--format", "{{.Server.Version}}"]);
      if (code !== 0)
        return { kind: "engine", message: `the Docker engine does not answer: ${output.trim()}` };
      return { kind: "start", message: `${cause.message}\n${cause.next}`.trim() };
    }
    throw cause;
  }

  /** Keeps the logs, then removes everything that belongs to this cell. */
  async stop() {
    await this.#phaseOfStop(async () => {
      const names = [...this.#ofCellAlone().map(({ name }) => name), ...this.loads.names];
      const logs = join(this.folder, "logs");
      mkdirSync(logs, { recursive: true });
      await Promise.all(
        names.map(async (name) => {
          const file = name
            .slice(this.stage.project.length + 1)
            .replace(/-\d+$/, (n) => (this.loads.names.includes(name) ? n : ""));
          writeFileSync(join(logs, `${file}.log`), keptLog(await logOf(name)));
        }),
      );
      await remove(names);
      rmSync(this.scratch, { recursive: true, force: true });
    });
  }

  /** @param {() => Promise<void>} action */
  async #phaseOfStop(action) {
    this.stage.tell({ type: "phase", phase: "stop" });
    const startedMs = performance.now();
    await action();
    this.record.phases.stop = (performance.now() - startedMs) / 1000;
  }
}

/**
 * @typedef {{id: number, connectionsOpen: number, connectionsTotal: number, messages: number, upgradesRefused: number}} EchoWorker
 */

/**
 * @param {PulseReading} reading at the last edge: k6 counts with a delay
 * @param {CellRecord} record
 * @returns {PulseReading} with the counts of k6's own summary
 */
function atEnd(reading, { connections, messagesEchoed }) {
  if (!connections) return reading;
  const { opened, failed } = connections;
  const messages = messagesEchoed ?? reading.messages;
  return { ...reading, opened, failed, messages, iterations: opened + failed };
}

/**
 * @param {EchoWorker[]} before
 * @param {EchoWorker[]} after
 * @returns {CellRecord["echoWorkers"]} null: a worker was replaced in between, and its counts are lost
 */
export function workersBetween(before, after) {
  const counts = after.map((worker) => {
    const earlier = before.find(({ id }) => id === worker.id);
    return (
      earlier && {
        connections: worker.connectionsTotal - earlier.connectionsTotal,
        messages: worker.messages - earlier.messages,
        refused: worker.upgradesRefused - earlier.upgradesRefused,
      }
    );
  });
  return counts.includes(undefined) ? null : /** @type {CellRecord["echoWorkers"]} */ (counts);
}

/**
 * @param {SocketReading} reading
 * @param {boolean} sharesNetwork
 * @returns {SocketReading} without TCP sockets that are another container's
 */
function socketsOf(reading, sharesNetwork) {
  if (!sharesNetwork) return reading;
  return { ...reading, tcpInUse: null, tcpTimeWait: null, tcpCloseWait: null };
}

/** @param {EchoWorker[]} workers */
function openAt(workers) {
  return sum(workers.map(({ connectionsOpen }) => connectionsOpen));
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

/**
 * One cell: start → verify → warm up → measure → stop. Echo server and proxy are fresh for each.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectTls, negotiated, openWebSocket } from "../conformance/index.js";
import { containersOf, inspect, Project, remove, run } from "../docker.js";
import { UserError } from "../errors.js";
import { connectionsOf, holdsConnections, rampSeconds } from "../plan/load.js";
import { CONTROL, healthUrl } from "../proxies.js";
import { summarise } from "../statistics/index.js";
import { statusOf, until } from "../wait.js";
import { ContainerGone, difference, locate, machineCpu } from "./counters.js";
import { keepSamples, liveCounts, mergeSummaries, readLatencies, readSummary } from "./k6.js";
import { Sampler } from "./sampler.js";

/** @import { ContainerState } from "../docker.js" */
/** @import { CellRecord, ContainerRecord, FailureKind, Parameters, PlannedCell, Role, SocketReading } from "../record/types.js" */
/** @import { Counters, Reading } from "./counters.js" */
/** @import { Edges } from "./edges.js" */
/** @import { Listener, Phase } from "./events.js" */

/** How long proxy and echo server may take to answer, and k6 to begin, in ms. */
const START_LIMIT_MS = 30_000;
/** Of k6's REST API, for the live view. */
const K6_PORT = 6565;
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
 * @property {Edge} [after] SETTLE_SECONDS after the load has ended
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
 * @property {string[]} observers services that stay up
 * @property {number} loadCores
 * @property {boolean} cpuLimited the plan limits the proxy's CPU time
 * @property {string} keyType
 * @property {import("../conformance/connect.js").TlsPolicy} policy
 * @property {Edges} edges
 * @property {Listener} tell
 * @property {AbortSignal} signal aborted: the run is to end now
 */

/** A cell that cannot be counted. */
export class CellFailure extends Error {
  /**
   * @param {FailureKind} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

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
    this.stage = stage;
    this.folder = folder;
    this.record = newRecord(cell, attempt, stage.loadCores);
    /** Where k6 writes while it runs; results may lie on a slower disk, and get what is kept. */
    this.scratch = join(stage.directory, ".bench", "samples", `${stage.project}-${cell.id}`);
    this.project = new Project(stage.directory, {
      name: stage.project,
      profile: cell.profile,
      env: { ...stage.env, ...this.#knobs(cell.parameters) },
    });
    /** @type {string[]} */
    this.loads = [];
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

  /** @param {Parameters} parameters */
  #knobs(parameters) {
    const { scenario, scheme, round } = this.cell;
    return {
      SCENARIO: scenario,
      SCHEME: scheme,
      TRIAL: String(round),
      ...Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, String(value)])),
    };
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
    const { scheme } = this.cell;
    const url = healthUrl(scheme);
    const last = await until(
      Date.now() + START_LIMIT_MS,
      async () => {
        this.stage.signal.throwIfAborted();
        const answer = await statusOf(url);
        if (answer !== "200") this.#assertAlive(await this.#now());
        return answer;
      },
      (answer) => answer === "200",
    );
    if (last !== "200")
      throw new CellFailure(
        "start",
        `${url} did not answer 200 within ${START_LIMIT_MS / 1000} s; last: ${last}`,
      );
    const end = new AbortController();
    const target = {
      scheme,
      host: "proxy",
      port: scheme === "wss" ? 8443 : 8080,
      ca: readFileSync(join(this.stage.directory, `certs/generated/${this.stage.keyType}/ca.pem`)),
      policy: this.stage.policy,
      keyType:
        this.stage.keyType === "rsa"
          ? /** @type {const} */ ("rsa")
          : /** @type {const} */ ("ecdsa"),
      forwarded: false,
      proxyProtocol: false,
      idleMs: 0,
      timeoutMs: START_LIMIT_MS,
      signal: AbortSignal.any([end.signal, AbortSignal.timeout(START_LIMIT_MS)]),
    };
    try {
      // Offers more than the policy allows: the answer is the server's choice.
      if (scheme === "wss") this.record.tls = negotiated(await connectTls(target));
      const client = await openWebSocket(target);
      const sent = `verify ${this.cell.id}`;
      client.ws.send(sent);
      const { data } = await client.nextMessage();
      if (data.toString() !== sent)
        throw new CellFailure(
          "verify",
          `an echo came back changed: ${JSON.stringify(data.toString())} for ${sent}`,
        );
    } catch (error) {
      if (error instanceof CellFailure) throw error;
      throw new CellFailure(
        "verify",
        `no echo over ${scheme}: ${error instanceof Error ? error.message : error}`,
      );
    } finally {
      end.abort();
    }
  }

  /** @param {Parameters} changes */
  async #warmUp(changes) {
    const parameters = { ...this.cell.parameters, ...changes };
    const [name] = await this.#startLoads("warm-up", parameters, 1, {});
    const code = await this.#within(this.cell.limitSeconds, this.#exitOf(name));
    if (code !== 0) throw await this.#loadFailure("the warm-up", code, [name]);
    await remove([name]);
  }

  /**
   * @param {string} name
   * @param {Parameters} parameters
   * @param {number} count containers that share the connections
   * @param {Record<string, string>} extra environment
   * @returns {Promise<string[]>} their names
   */
  async #startLoads(name, parameters, count, extra) {
    const names = Array.from({ length: count }, (_, i) => `${this.stage.project}-${name}-${i + 1}`);
    this.loads.push(...names);
    await Promise.all(
      names.map(async (container, i) => {
        const environment = {
          ...this.#knobs(share(parameters, i, count)),
          K6_OUT: `csv=/samples/${name}-${i + 1}.csv`,
          K6_CSV_TIME_FORMAT: "unix_micro",
          RUN: this.stage.run,
          PROXY: this.cell.proxy,
          ...extra,
        };
        await this.project.check([
          "run",
          "--detach",
          "--no-deps",
          "--no-TTY",
          "--name",
          container,
          // What it writes belongs to the caller.
          "--user",
          `${process.getuid?.()}:${process.getgid?.()}`,
          "--volume",
          `${this.scratch}:/samples`,
          ...Object.entries(environment).flatMap(([key, value]) => ["--env", `${key}=${value}`]),
          "load",
          ...[
            "run",
            "--quiet",
            "--address",
            `0.0.0.0:${K6_PORT}`,
            `/loadgen/${this.cell.scenario}.js`,
          ],
        ]);
      }),
    );
    return names;
  }

  async #measure() {
    const { cell, stage, record } = this;
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
    /** @type {EchoWorker[]} */
    let echoBefore = [];
    /** @type {EchoWorker[]} */
    let echoAfter = [];
    const find = (/** @type {ContainerState} */ state) => {
      if (!state.running) return;
      const name =
        state.service === "load" ? state.name.slice(stage.project.length + 1) : state.service;
      counters.set(name, locate({ pid: state.pid }));
      roles.set(name, this.#roleOf(state.service));
      states.set(name, state);
    };
    for (const state of this.started) find(state);
    const sockets = () => this.readSockets(counters, roles);
    readings.before = { ...this.readEdge(counters), sockets: sockets() };
    const sampler = new Sampler(counters, { intervalMs: SAMPLE_INTERVAL_MS });
    /** @type {NodeJS.Timeout | undefined} */
    let progress;

    const begun = stage.edges.expect("start", cell.loads, async () => {
      for (const state of await inspect(this.loads)) find(state);
      echoBefore = await this.#echoWorkers();
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
        echoAfter = await this.#echoWorkers();
      }),
    );
    // Whichever is not waited for in the end is no error of its own.
    done.catch(() => {});
    try {
      const names = await this.#startLoads("load", cell.parameters, cell.loads, {
        EDGE_URL: stage.edges.url,
      });
      const exits = names.map((name) => this.#exitOf(name));
      const exit = Promise.all(exits);
      // Whether it is waited for in the end or not.
      exit.catch(() => {});
      // Each on its own: where one has failed, the others stand at an edge that it will never reach.
      const failedEarly = Promise.all(
        names.map(async (name, i) => {
          const code = await exits[i];
          if (code !== 0 || !readings.last) throw await this.#loadFailure("the load", code, [name]);
        }),
      );
      failedEarly.catch(() => {});
      // The handshakes at the end of the ramp may take their time.
      const { TIMEOUT_SECONDS = 0 } = cell.parameters;
      const rampLimit = 2 * rampSeconds(cell.parameters) + TIMEOUT_SECONDS;
      await this.#within(START_LIMIT_MS / 1000 + rampLimit, Promise.race([begun, failedEarly]));
      record.phases.load = (performance.now() - loadStartedMs) / 1000;
      const died = new Promise((_, reject) => {
        progress = setInterval(() => {
          if (sampler.gone.size > 0 && !readings.last)
            this.#now()
              .then((states) => this.#assertAlive(states))
              .catch(reject);
          this.#progress(names, counters, roles);
        }, PROGRESS_INTERVAL_MS);
      });
      await this.#within(cell.limitSeconds, Promise.race([done, failedEarly, died]));
      clearInterval(progress);
      await this.#within(START_LIMIT_MS / 1000 + TIMEOUT_SECONDS, exit);
      const { SETTLE_SECONDS } = cell.parameters;
      if (SETTLE_SECONDS !== undefined) {
        await sleep(SETTLE_SECONDS * 1000, undefined, { signal: stage.signal });
        for (const [name, role] of roles) if (role === "load") counters.delete(name);
        readings.after = { ...this.readEdge(counters), sockets: sockets() };
      }
      this.#assertAlive(await this.#now());
      this.#note(/** @type {Readings} */ (readings), sampler, { roles, states });
      record.echoWorkers = workersBetween(echoBefore, echoAfter);
      if (holdsConnections(cell.parameters))
        record.connectionsHeld = { from: openAt(echoBefore), to: openAt(echoAfter) };
      await this.#readLoads(names);
      const status = (await exit).find((code) => code !== 0);
      if (status) throw await this.#loadFailure("the load", status, names);
      this.#assertNotThrottled();
    } finally {
      clearInterval(progress);
      sampler.stop();
      stage.edges.reset();
      if (readings.first) writeFileSync(join(this.folder, "samples.csv"), sampler.toCsv());
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
    if (service === "echo" || service === "load") return service;
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

  /** @param {string[]} names */
  async #readLoads(names) {
    const { record } = this;
    const summaries = [];
    for (const name of names) {
      const summary = readSummary(await logOf(name));
      if (!summary) throw new CellFailure("load", `${name} ended without a summary; see its log`);
      summaries.push(summary);
    }
    const { connections, messagesEchoed, sends, totalMs } = mergeSummaries(summaries);
    // A rate may come to one connection more than it should.
    const asked = Math.max(
      connectionsOf(this.cell.parameters),
      connections.opened + connections.failed,
    );
    record.connections = { asked, ...connections };
    record.messagesEchoed = messagesEchoed;
    record.sends = sends;
    record.totalSeconds = totalMs === null ? null : totalMs / 1000;
    const files = names.map((_, i) => join(this.scratch, `load-${i + 1}.csv`));
    const { handshakeMs, echoLatencyMs } = await readLatencies(files);
    record.handshakeMs = handshakeMs.length > 0 ? summarise(handshakeMs) : null;
    record.echoLatencyMs = echoLatencyMs.length > 0 ? summarise(echoLatencyMs) : null;
    await keepSamples(files, join(this.folder, "latencies.csv.gz"));
  }

  /** @returns {Promise<EchoWorker[]>} */
  async #echoWorkers() {
    const host = this.cell.profile === CONTROL ? "proxy" : "echo";
    const response = await fetch(`http://${host}:8080/stats`, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(5000),
    });
    return /** @type {any} */ (await response.json()).workers;
  }

  /**
   * @param {string[]} names
   * @param {Map<string, Counters>} counters
   * @param {Map<string, Role>} roles
   */
  async #progress(names, counters, roles) {
    try {
      const counts = await Promise.all(
        names.map((name) => liveCounts(`http://${name}:${K6_PORT}`)),
      );
      let proxyCpu = 0;
      for (const [name, counter] of counters)
        if (roles.get(name) === "proxy") proxyCpu += counter.read().cpu.totalSeconds;
      const now = {
        ms: performance.now(),
        opened: sum(counts.map(({ opened }) => opened)),
        proxyCpu,
      };
      const seconds = this.lastProgress ? (now.ms - this.lastProgress.ms) / 1000 : 0;
      if (this.lastProgress && seconds > 0) {
        this.stage.tell({
          type: "progress",
          opened: now.opened,
          asked: connectionsOf(this.cell.parameters),
          failed: sum(counts.map(({ failed }) => failed)),
          perSecond: (now.opened - this.lastProgress.opened) / seconds,
          proxyCores: (now.proxyCpu - this.lastProgress.proxyCpu) / seconds,
        });
      }
      this.lastProgress = now;
    } catch {
      // The load has just ended, or a container: the next step says so.
    }
  }

  /** @type {{ms: number, opened: number, proxyCpu: number} | undefined} */
  lastProgress;

  /**
   * @param {string} name
   * @returns {Promise<number>} its exit status
   */
  async #exitOf(name) {
    const { code, stdout, output } = await run(["docker", "wait", name], {
      signal: this.stage.signal,
    });
    if (code !== 0) throw new UserError("the Docker engine does not answer", output.trim());
    return Number(stdout.trim());
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
   * @param {string} what
   * @param {number} code
   * @param {string[]} names of containers
   */
  async #loadFailure(what, code, names) {
    const logs = await Promise.all(names.map(logOf));
    // The log of a k6 that was killed may end anywhere.
    const summaries = code === 99 ? logs.flatMap((log) => readSummary(log) ?? []) : [];
    const failed = summaries.length > 0 ? mergeSummaries(summaries).connections : null;
    if (failed?.failed) {
      const causes = Object.entries(failed.failedByCause).map(([cause, n]) => `${n} ${cause}`);
      return new CellFailure(
        "load",
        `${what}: ${failed.failed} connections failed (${causes.join(", ")})`,
      );
    }
    const lastLine = logs[0].trim().split("\n").at(-1) ?? "";
    return new CellFailure("load", `${what} ended with status ${code}: ${lastLine}`);
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
      const cellOnly = this.started.filter(
        ({ service }) => !this.stage.observers.includes(service),
      );
      const names = [...cellOnly.map(({ name }) => name), ...this.loads];
      const logs = join(this.folder, "logs");
      mkdirSync(logs, { recursive: true });
      await Promise.all(
        names.map(async (name) => {
          const file = name
            .slice(this.stage.project.length + 1)
            .replace(/-\d+$/, (n) => (this.loads.includes(name) ? n : ""));
          writeFileSync(join(logs, `${file}.log`), await logOf(name));
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
 * @param {Parameters} parameters
 * @param {number} index of the container, from 0
 * @param {number} count
 * @returns {Parameters} with this container's share of the connections, and of the rate at which they are opened
 */
export function share(parameters, index, count) {
  const part = (/** @type {number} */ whole) =>
    Math.floor(whole / count) + (index < whole % count ? 1 : 0);
  const shared = { ...parameters };
  for (const key of ["CONNECTIONS", "CONCURRENCY"])
    if (key in shared) shared[key] = part(shared[key]);
  if ("CONNECTIONS_PER_SECOND" in shared) shared.CONNECTIONS_PER_SECOND /= count;
  return shared;
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

/** @param {string} container */
async function logOf(container) {
  return (await run(["docker", "logs", container])).output;
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

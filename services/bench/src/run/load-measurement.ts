/**
 * One load, measured from its first edge to its last: what is read of containers, servers and the
 * load itself, and what is kept of it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CONTROL } from "../plan/proxies.ts";
import { connectionsInAll, isSoak, rampSeconds, workloadOf } from "../plan/workload.ts";
import { LIVE_FILE, liveCsv } from "../record/live.ts";
import { causesIn } from "./causes.ts";
import { ECHO } from "./cell-containers.ts";
import { CellEvent } from "./cell-event.ts";
import { CellFailure } from "./cell-failure.ts";
import { heldThrough, measuredPart, throttledIn } from "./cell-record.ts";
import { addressOf, proxyOf } from "./cell-setup.ts";
import { readEchoWorkers, readWorkersOfAll } from "./echo-workers.ts";
import { PORTS } from "./host-network.ts";
import { liveCounts } from "./k6.ts";
import { LiveReadings } from "./live-readings.ts";
import { CONNECTIONS_FAILED, isFewFailed } from "./loads.ts";
import { measureLoad } from "./measure-load.ts";
import { MeasuredPhase } from "./measured-phase.ts";
import { Pulse } from "./pulse.ts";
import { samplesCsv } from "./samples.ts";
import { slowReadersOf } from "./survival.ts";
import type { LiveSample } from "../model/run-event.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Parameters, Workload } from "../model/plan.ts";
import type { Log } from "./causes.ts";
import type { CellContainers } from "./cell-containers.ts";
import type { CellSetup } from "./cell-setup.ts";
import type { EchoWorker } from "./echo-workers.ts";
import type { LoadRun } from "./load-run.ts";
import type { Containers, Moment } from "./measured-containers.ts";
import type { PhaseReadings } from "./measured-phase.ts";
import type { PulseReading } from "./pulse.ts";
import type { Life } from "./event-driver.ts";

/** How long load may take to begin, in ms. */
const START_LIMIT_MS = 30_000;
/**
 * Of counters; in a phase that is asked for its course a reading a second, as an hour of four a
 * second takes 11 MB.
 */
const SAMPLE_INTERVAL_MS = { usual: 250, soak: 1000 };
/** Of sockets in a phase that is long enough for their course: 240 readings in an hour. */
const SOCKET_INTERVAL_MS = 15_000;
/** The name of the load among all that is started in its containers. */
const LOAD = "load";

export class LoadMeasurement {
  #setup: CellSetup;
  #cellContainers: CellContainers;
  #parameters: Record<string, number>;
  #folder: string;
  #workload: Workload;
  #containers: Containers;
  #event: CellEvent | undefined;
  #pulse: Pulse;
  #live: LiveReadings;
  #phase: MeasuredPhase;

  /**
   * @param cellContainers which have started
   * @param about folder: for samples
   */
  constructor(
    setup: CellSetup,
    cellContainers: CellContainers,
    { parameters, folder }: { parameters: Parameters; folder: string },
  ) {
    const { cell, context, loads } = setup;
    this.#setup = setup;
    this.#cellContainers = cellContainers;
    this.#parameters = parameters;
    this.#folder = folder;
    this.#workload = workloadOf(context, { ...cell, parameters });
    this.#containers = context.placement.containers();
    this.#event = this.#eventOf(this.#addStarted());
    this.#pulse = new Pulse(loads.csvFiles(LOAD, cell.loads));
    this.#live = new LiveReadings(this.#pulse, {
      read: () => this.#pulseReading(),
      tell: (sample) => this.#tellOf(sample),
    });
    this.#phase = this.#phaseOf();
  }

  #phaseOf() {
    const isLong = isSoak(this.#workload);
    return new MeasuredPhase(this.#containers, {
      readEchoWorkers: () => this.#echoWorkers(),
      readLogs: (fromMs) => this.#cellContainers.logsSince(fromMs),
      live: this.#live,
      sampleIntervalMs: isLong ? SAMPLE_INTERVAL_MS.soak : SAMPLE_INTERVAL_MS.usual,
      socketIntervalMs: isLong ? SOCKET_INTERVAL_MS : null,
    });
  }

  /** @returns all that was started, by its names in the record */
  #addStarted(): Life[] {
    return this.#cellContainers.started.map((state) => {
      const role = this.#cellContainers.roleOf(state.service);
      const name = this.#setup.context.placement.nameOf(state, role);
      return { state, name: this.#containers.add(name, role, state) };
    });
  }

  /**
   * @param lives of all that was started
   * @returns undefined: its scenario knows none
   */
  #eventOf(lives: Life[]): CellEvent | undefined {
    const { cell, context, certificates, generation, project, watch } = this.#setup;
    if (!cell.event || !generation) return undefined;
    const { own } = this.#containers;
    if (!own) throw new Error(`the event ${cell.event} is for one machine`);
    const ofRole = (role: "proxy" | "echo") =>
      lives.filter(({ state }) => this.#cellContainers.roleOf(state.service) === role);
    return new CellEvent(cell.event, own, {
      proxy: proxyOf(this.#setup),
      project: project.here,
      projectName: context.project,
      generation,
      certificates,
      proxies: ofRole("proxy"),
      servers: ofRole("echo"),
      watch,
      signal: context.signal,
      tell: context.tell,
    });
  }

  /**
   * @param record gets what is measured
   * @returns which has ended
   */
  async into(record: CellRecord): Promise<LoadRun> {
    const startedMs = performance.now();
    const before = await this.#containers.read();
    try {
      const { readings, load } = await this.#through(() => {
        record.phases.load = (performance.now() - startedMs) / 1000;
      });
      const after = await this.#settled();
      await this.#setup.watch.assertAlive();
      this.#noteReadings(record, { before, readings, after });
      await this.#noteLoad(record, load, readings);
      this.#noteCauses(record, readings.logs);
      await load.assertSuccess(this.#mayHaveFailed(record) ? [CONNECTIONS_FAILED] : []);
      this.#assertNotThrottled(record);
      return load;
    } finally {
      this.#keepSamples();
      await this.#event?.abandon();
    }
  }

  /** @param opened called when the load goes on from its first edge */
  #through(opened: () => void) {
    const { cell, context, loads, watch } = this.#setup;
    const { timeoutSeconds = 0, quietSeconds = 0 } = this.#workload;
    const { url: EDGE_URL } = context.edges;
    return measureLoad(this.#phase, {
      edges: context.edges,
      loads: cell.loads,
      start: () => loads.start(LOAD, this.#parameters, cell.loads, { EDGE_URL }),
      beforeOpen: () => this.#addLoads(),
      afterOpen: () => {
        opened();
        return this.#event?.begin(1000 * quietSeconds);
      },
      watch,
      limits: {
        // The handshakes at the end of the ramp may take their time.
        openSeconds: START_LIMIT_MS / 1000 + 2 * rampSeconds(this.#workload) + timeoutSeconds,
        closeSeconds: cell.limitSeconds,
        endSeconds: START_LIMIT_MS / 1000 + timeoutSeconds,
      },
    });
  }

  async #addLoads() {
    const { context, loads } = this.#setup;
    for (const state of await context.placement.inspect(loads.names))
      this.#containers.add(this.#cellContainers.shortName(state.name), "load", state);
  }

  /** @returns so long after the load as its scenario asks; undefined: it does not */
  async #settled(): Promise<Moment | undefined> {
    const { settleSeconds } = this.#workload;
    if (settleSeconds === undefined) return undefined;
    await sleep(settleSeconds * 1000, undefined, { signal: this.#setup.context.signal });
    return this.#containers.read({ without: "load" });
  }

  #noteReadings(
    record: CellRecord,
    {
      before,
      readings,
      after,
    }: { before: Moment; readings: PhaseReadings; after: Moment | undefined },
  ) {
    const read = { before, phase: readings, after };
    Object.assign(record, measuredPart(read, this.#containers.list(), this.#workload));
    record.phases.measure = (readings.last.ms - readings.first.ms) / 1000;
  }

  async #noteLoad(record: CellRecord, load: LoadRun, readings: PhaseReadings) {
    const { cell, loads } = this.#setup;
    const { survival, slowReaders, ...counted } = await loads.read(load, this.#folder);
    Object.assign(record, counted);
    if (this.#event && survival)
      record.survival = await this.#event.end(survival, readings.last.ms);
    if (slowReaders) {
      const proxies = proxiesOf(this.#containers);
      record.slowReaders = slowReadersOf(slowReaders, readings.samples, proxies);
    }
    record.connectionsHeld = heldThrough(record, { isControl: cell.profile === CONTROL });
    // The client that looked before opened one connection: nothing to resume. What the load did,
    // each of its connections asserts.
    if (record.tls) record.tls.resumed = this.#workload.resumed === 1;
    // By now k6 has written every latency, and every count is known for good.
    this.#live.finish(this.#lateCounts(record));
  }

  /** @returns what k6 had not counted yet at the last edge; clients in Node count at once */
  #lateCounts(record: CellRecord): Partial<PulseReading> {
    const { runner, holdsConnections } = this.#workload;
    if (runner === "node") return {};
    return { ...countsOf(record), ...(!holdsConnections && { open: 0 }) };
  }

  #keepSamples() {
    if (!this.#phase.hasOpened) return;
    writeFileSync(join(this.#folder, "samples.csv"), samplesCsv(this.#phase.samples));
    writeFileSync(join(this.#folder, LIVE_FILE), liveCsv(this.#pulse.samples));
  }

  /** @returns connections may have failed in it */
  #mayHaveFailed({ connections }: CellRecord): boolean {
    const { cell, loads } = this.#setup;
    // What fails at a rate that is searched is what is judged.
    if (cell.capacity) return true;
    if (!connections || loads.referenceFailed > 0) return false;
    return isFewFailed(this.#workload, connections);
  }

  /**
   * Requests that went wrong fail no cell: they are what was found.
   *
   * @param logs of the measured phase
   */
  #noteCauses({ requests }: CellRecord, logs: readonly Log[]) {
    if (!requests) return;
    const wrong = sum([requests.non2xx, ...Object.values(requests.socketErrors)]);
    if (wrong > 0) requests.causes = causesIn(logs);
  }

  #assertNotThrottled({ containers }: CellRecord) {
    const throttled = throttledIn(containers);
    if (this.#setup.context.cpuLimited || !throttled) return;
    throw new CellFailure(
      "throttled",
      `${throttled.name} was throttled for ${throttled.seconds.toFixed(2)} s by a CPU limit that this plan did not set`,
    );
  }

  /** @returns null: another server stands in its place, which does not count them */
  async #echoWorkers(): Promise<EchoWorker[] | null> {
    const { cell, hostNetwork } = this.#setup;
    if (this.#workload.backend !== ECHO) return null;
    const isControl = cell.profile === CONTROL;
    if (this.#event && !isControl) return this.#event.echoWorkers();
    const { severalServers } = this.#cellContainers;
    if (!hostNetwork && severalServers.length > 0) return readWorkersOfAll(severalServers);
    const port = hostNetwork && !isControl ? PORTS.server : PORTS.proxy.ws;
    return readEchoWorkers(
      `http://${addressOf(this.#setup, isControl ? "proxy" : "servers")}:${port}`,
    );
  }

  /** @throws {Error} when the load does not answer, or a container is gone */
  async #pulseReading(): Promise<PulseReading> {
    const counts = await Promise.all(this.#setup.loads.apis.map((api) => liveCounts(api)));
    const proxy = (await this.#containers.readRole("proxy")).map(({ cpu }) => cpu);
    return {
      ms: Date.now(),
      opened: sum(counts.map(({ opened }) => opened)),
      failed: sum(counts.map(({ failed }) => failed)),
      open: sum(counts.map(({ open }) => open)),
      messages: sum(counts.map(({ messages }) => messages)),
      proxyCpuSeconds: sum(proxy.map(({ totalSeconds }) => totalSeconds)),
      proxyThrottledSeconds: sum(proxy.map(({ throttledSeconds }) => throttledSeconds ?? 0)),
    };
  }

  #tellOf(sample: LiveSample) {
    const { tell } = this.#setup.context;
    tell({ type: "live", sample });
    const { opened, failed, connections_per_second: perSecond, proxy_cores: proxyCores } = sample;
    if (perSecond === undefined || proxyCores === undefined) return;
    const asked = connectionsInAll(this.#workload);
    tell({ type: "progress", opened, asked, failed, perSecond, proxyCores });
  }
}

/** @returns of k6's own summary; {}: it has none */
function countsOf({ connections, messagesEchoed, reference }: CellRecord): Partial<PulseReading> {
  if (!connections) return {};
  const { opened, failed } = connections;
  return {
    opened,
    failed,
    ...(messagesEchoed !== null && { messages: messagesEchoed + (reference?.messages ?? 0) }),
  };
}

/** @returns names of the proxy's */
function proxiesOf(containers: Containers): string[] {
  return containers.list().flatMap(({ name, role }) => (role === "proxy" ? [name] : []));
}

function sum(values: number[]) {
  return values.reduce((a, b) => a + b, 0);
}

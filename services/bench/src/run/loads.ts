/**
 * The load of a cell: containers that wait, the programs that run in them, and what those say when
 * they have ended. A scenario's script is run by k6 in the service `load`, or by Node in
 * `load-http`.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { allEnded } from "../platform/wait.ts";
import { connectionsInAll, FAILED_LIMIT_PERCENT } from "../plan/workload.ts";
import { Histogram, summarise } from "../statistics/index.ts";
import { CellFailure } from "./cell-failure.ts";
import { PORTS } from "./host-network.ts";
import { readHttpSummary, referenceOf } from "./http-load.ts";
import { LoadRun } from "./load-run.ts";
import { engineName } from "./placement.ts";
import { keepSamples, mergeSummaries, ownOf, readLatencies, readSummary } from "./k6.ts";
import type { CellProject, Samples, Site } from "./placement.ts";
import type { Workload, ParameterNames, Parameters, PlannedCell } from "../model/plan.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Summary } from "./k6.ts";
import type { RunContext } from "./run-context.ts";
import type { Door } from "./host-network.ts";

/** What the load says of a cell; of an event and of memory the runner knows the rest. */
type LoadRecord = Partial<Omit<CellRecord, "survival" | "slowReaders">> &
  Pick<Summary, "survival" | "slowReaders">;

/** Of k6's REST API, or what Node's clients have in its place, for the live view. */
const K6_PORT = PORTS.k6;

/** The containers are called so, with their number. */
const NAME = "load";

/**
 * What a program in them begins with: theirs (proxies/proxy.yaml), as what comes later passes it
 * by.
 */
const ENTRYPOINT = ["sh", "/raise-limits.sh"];

/** What a load that watches connections writes beside its samples. */
const TIMELINE = "survival.csv";

/**
 * So long after its container is gone, what ran there is given up: with a lost machine it would
 * never end.
 */
const LOG_LIMIT_MS = 15_000;

/** What a load ends with when connections have failed. */
export const CONNECTIONS_FAILED = 99;

/**
 * What Compose makes other containers by. The load gets all when it is started, so that cells that
 * differ in nothing else have one configuration, which Compose takes a second to read.
 */
export const OF_OTHERS = ["BACKEND", "SERVER_WORKERS"];

/** @returns for Compose */
export function knobsOfOthers(cell: PlannedCell, workload: Workload): Record<string, string> {
  const knobs = Object.entries(knobsOf(cell, workload, cell.parameters));
  return Object.fromEntries(knobs.filter(([name]) => OF_OTHERS.includes(name)));
}

/**
 * @param parameters of this phase
 * @returns environment of the load
 */
function knobsOf(
  { scenario, scheme }: PlannedCell,
  { backend }: Pick<Workload, "backend">,
  parameters: Parameters,
): Record<string, string> {
  return {
    SCENARIO: scenario,
    SCHEME: scheme,
    BACKEND: backend,
    ...Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, String(value)])),
  };
}

/** The load of one cell. */
export class Loads {
  #cell: PlannedCell;
  #workload: Workload;
  #context: RunContext;
  #project: CellProject;
  #scratch: string;
  #hostNetwork: Door | null;
  /** Containers, whether anything runs in them or not. */
  names: string[] = [];
  /** What was started in them: the warm-up too. */
  #runs: LoadRun[] = [];
  /** Aborted: what still runs has to end. */
  #givenUp = new AbortController();
  /** Connections to the reference proxy that have failed, in the load that was read last. */
  referenceFailed = 0;

  /**
   * @param workload of its measured phase
   * @param about scratch: folder where they write while they run; hostNetwork: of this cell, the
   *   door of the machine of ./bench itself
   */
  constructor(
    cell: PlannedCell,
    workload: Workload,
    {
      context,
      project,
      scratch,
      hostNetwork,
    }: { context: RunContext; project: CellProject; scratch: string; hostNetwork: Door | null },
  ) {
    this.#cell = cell;
    this.#workload = workload;
    this.#context = context;
    this.#project = project;
    this.#scratch = scratch;
    this.#hostNetwork = hostNetwork;
  }

  /** @returns k6's REST APIs, one each */
  get apis(): string[] {
    return this.names.map((name, i) => `http://${this.#doorOf(i)?.inside ?? name}:${K6_PORT}`);
  }

  /**
   * @param index of a container, from 0
   * @returns of its machine; null: it is on Docker's network
   */
  #doorOf(index: number): Door | null {
    return (
      this.#hostNetwork && this.#context.placement.doorOf(this.#siteOf(index), this.#hostNetwork)
    );
  }

  /**
   * Starts the containers, in which nothing runs yet. One lasts for all that is started in it, as
   * making one costs more CPU time than many a load.
   */
  async create(count: number) {
    this.names = Array.from(
      { length: count },
      (_, i) => `${this.#context.project}-${NAME}-${i + 1}`,
    );
    const service = this.#workload.runner === "node" ? "load-http" : "load";
    await allEnded(
      this.names.map((name, i) =>
        this.#project.on(this.#siteOf(i)).check([
          ...["run", "--detach", "--no-deps", "--no-TTY", "--name", name],
          // What it writes belongs to the caller.
          ...["--user", `${process.getuid?.()}:${process.getgid?.()}`],
          ...["--volume", `${this.#samples.folderOn(this.#siteOf(i))}:/samples`],
          // Until it is removed: no sleep that is known on every system is longer.
          ...[service, "sleep", "2147483647"],
        ]),
      ),
    );
    await this.#samples.empty();
  }

  /**
   * @param index of a container, from 0
   * @returns its machine
   */
  #siteOf(index: number): Site {
    return this.#context.placement.siteOfLoad(index + 1);
  }

  /** @returns where they write */
  get #samples(): Samples {
    return this.#context.placement.samples(this.names, this.#scratch);
  }

  /**
   * @param count containers that share the connections, of those that there are
   * @param extra environment
   */
  start(
    name: string,
    parameters: Parameters,
    count: number,
    extra: Record<string, string>,
  ): LoadRun {
    const programs = this.names.slice(0, count).map((container, i) => {
      const environment = {
        ...knobsOf(
          this.#cell,
          this.#workload,
          share(parameters, this.#workload.parameterNames, i, count),
        ),
        RUN: this.#context.run,
        TRIAL: String(this.#cell.round),
        PROXY: this.#cell.proxy,
        REFERENCE_SHARE: String(this.#workload.referenceShare),
        ...this.#referencePort(),
        ...extra,
        ...this.#outputTo(`/samples/${csvName(name, i)}`),
      };
      const site = this.#siteOf(i);
      const ended = site.engine.runInside(container, [...ENTRYPOINT, ...this.#command(i)], {
        env: environment,
        signal: this.#context.signal,
        limit: this.#givenUp.signal,
      });
      return {
        name: `${name}-${i + 1}`,
        ended: ended.then((result) => refuseLost(result, site)),
      };
    });
    const load = new LoadRun(programs, this.csvFiles(name, count), (code, outputs) =>
      failureOf(`the ${name}`, code, outputs),
    );
    this.#runs.push(load);
    return load;
  }

  /** @returns environment; {}: it is the proxy's */
  #referencePort(): Record<string, string> {
    if (this.#hostNetwork === null) return {};
    return { REFERENCE_PORT: String(PORTS.reference[this.#cell.scheme]) };
  }

  /**
   * To be called when the containers are gone, and with them what ran there.
   *
   * @returns what each program wrote
   */
  async logs({ limitMs = LOG_LIMIT_MS }: { limitMs?: number } = {}): Promise<
    [name: string, log: string][]
  > {
    const limit = setTimeout(() => this.#givenUp.abort(), limitMs);
    const logs = await Promise.allSettled(this.#runs.map((load) => load.outputs()));
    clearTimeout(limit);
    return logs.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  }

  /**
   * @param name as for `start`
   * @returns where their raw samples are while they run
   */
  csvFiles(name: string, count: number): string[] {
    return Array.from({ length: count }, (_, i) => join(this.#scratch, csvName(name, i)));
  }

  /**
   * @param csv where the raw samples go
   * @returns environment
   */
  #outputTo(csv: string): Record<string, string> {
    const { runner, protocol } = this.#workload;
    // Of requests it counts nothing before its end.
    const port = protocol === "websocket" ? String(K6_PORT) : "";
    return runner === "node"
      ? { SAMPLES_CSV: csv, COUNTS_PORT: port }
      : { K6_OUT: `csv=${csv}`, K6_CSV_TIME_FORMAT: "unix_micro" };
  }

  /** @param index of a container, from 0 */
  #command(index: number): string[] {
    const { scenario: name } = this.#cell;
    // On the machine's own network not at all of its addresses: no other machine is to reach it.
    const address = this.#doorOf(index)?.machine ?? "0.0.0.0";
    return this.#workload.runner === "node"
      ? ["node", `/loadgen/${name}.mjs`]
      : ["k6", "run", "--quiet", "--address", `${address}:${K6_PORT}`, `/loadgen/${name}.js`];
  }

  /**
   * @param load that of the measured phase, which has ended
   * @param folder of the cell's results: raw samples are kept there
   * @returns what they counted
   * @throws {CellFailure} when one ended without a summary
   */
  async read(load: LoadRun, folder: string): Promise<LoadRecord> {
    await this.#samples.fetch();
    return this.#workload.protocol === "http"
      ? this.#readRequests(load)
      : this.#readConnections(load, folder);
  }

  /** @returns `requests` still without causes */
  async #readRequests(load: LoadRun): Promise<Partial<CellRecord>> {
    const [summary] = await summariesOf(load, readHttpSummary);
    return {
      requests: { ...summary.requests, causes: [] },
      reference: referenceOf(summary),
      requestMs: summary.requestMs,
      totalSeconds: summary.totalMs / 1000,
    };
  }

  async #readConnections(load: LoadRun, folder: string): Promise<LoadRecord> {
    const { csvFiles: files } = load;
    const summaries = await summariesOf(load, readSummary);
    refuseUncounted(summaries, this.#workload);
    const { connections, messagesEchoed, reference, sends, totalMs } = mergeSummaries(summaries);
    this.referenceFailed = reference?.failed ?? 0;
    const { handshakeMs, echoLatencyMs } = await readLatencies(files);
    await keepSamples(files, join(folder, "latencies.csv.gz"));
    const own = ownOf(summaries[0]);
    if (own.survival) copyFileSync(join(this.#scratch, TIMELINE), join(folder, TIMELINE));
    return {
      connections: { asked: connectionsAsked(this.#workload, sends), ...connections },
      messagesEchoed,
      reference: reference && {
        connections: reference.opened,
        ...(reference.held !== undefined && { held: reference.held }),
        messages: reference.messagesEchoed,
        requests: 0,
      },
      sends,
      totalSeconds: totalMs === null ? null : totalMs / 1000,
      handshakeMs: handshakeMs.length > 0 ? summarise(handshakeMs) : null,
      echoLatencyMs: echoLatencyMs.length > 0 ? summarise(echoLatencyMs) : null,
      // In a closed loop such times are a queue's as a rule, and their distribution tells nothing
      // of a proxy.
      ...(this.#workload.loop === "open" && {
        distributions: {
          handshakeMs: distributionOf(handshakeMs),
          echoLatencyMs: distributionOf(echoLatencyMs),
        },
      }),
      ...own,
    };
  }
}

/**
 * @param values in ms
 * @returns null: there are none
 */
function distributionOf(values: Float64Array): string | null {
  return values.length > 0 ? String(Histogram.of(values)) : null;
}

/** @throws {CellFailure} */
function refuseLost<T extends { isLost: boolean }>(ended: T, site: Site): T {
  if (!ended.isLost) return ended;
  throw new CellFailure("engine", `the connection to ${engineName(site)} broke while the load ran`);
}

/** @param logs of those that have ended so */
function failureOf(what: string, code: number, logs: string[]) {
  // The log of a load that was killed may end anywhere.
  const summaries =
    code === CONNECTIONS_FAILED ? logs.flatMap((log) => readSummary(log) ?? []) : [];
  const merged = summaries.length > 0 ? mergeSummaries(summaries) : null;
  if (merged?.connections.failed) {
    const { failed, failedByCause } = merged.connections;
    const causes = Object.entries(failedByCause).map(([cause, n]) => `${n} ${cause}`);
    return new CellFailure("load", `${what}: ${failed} connections failed (${causes.join(", ")})`);
  }
  if (merged?.reference?.failed)
    return new CellFailure(
      "load",
      `${what}: ${merged.reference.failed} connections to the reference proxy failed`,
    );
  return new CellFailure("load", `${what} ended with status ${code}: ${lastLine(logs[0])}`);
}

/**
 * @param name of the containers
 * @param index of the container, from 0
 */
function csvName(name: string, index: number) {
  return `${name}-${index + 1}.csv`;
}

function lastLine(log: string) {
  return log.trim().split("\n").at(-1) ?? "";
}

/**
 * @param load that has ended
 * @returns of each of its programs
 */
async function summariesOf<T>(load: LoadRun, read: (log: string) => T | null): Promise<T[]> {
  return (await load.outputs()).map(([name, log]) => {
    const summary = read(log);
    if (summary) return summary;
    throw new CellFailure(
      "load",
      `${name} ended without a summary; its last line: ${lastLine(log)}`,
    );
  });
}

/** @returns a rate, and a Poisson process all the more, comes to others than rate and time make */
export function connectionsAsked(workload: Workload, sends: Summary["sends"]): number {
  return sends && !workload.holdsConnections ? sends.due : connectionsInAll(workload);
}

/**
 * @returns some failed, and so few that the load counts; in a closed loop each holds up what comes
 *   after it
 */
export function isFewFailed(
  { loop }: Pick<Workload, "loop">,
  { asked, failed }: NonNullable<CellRecord["connections"]>,
): boolean {
  return loop === "open" && failed > 0 && 100 * failed <= FAILED_LIMIT_PERCENT * asked;
}

/**
 * @throws {CellFailure} when an open loop does not say what was due, late and dropped, or a closed
 *   one does
 */
export function refuseUncounted(
  summaries: Pick<Summary, "sends">[],
  { loop }: Pick<Workload, "loop">,
) {
  const isCounted = loop === "open";
  if (summaries.every(({ sends }) => (sends !== null) === isCounted)) return;
  throw new CellFailure(
    "load",
    `its summary ${isCounted ? "does not count" : "counts"} what was due, late and dropped, and its scenario is a${isCounted ? "n open" : " closed"} loop`,
  );
}

/**
 * @param names of them by what they mean
 * @param index of the container, from 0
 * @returns with this container's share of the connections and of the rates, and with a seed of its
 *   own
 */
export function share(
  parameters: Parameters,
  names: ParameterNames,
  index: number,
  count: number,
): Parameters {
  const part = (whole: number) => Math.floor(whole / count) + (index < whole % count ? 1 : 0);
  const shared = { ...parameters };
  for (const key of [names.connections, names.concurrency])
    if (key !== undefined && key in shared) shared[key] = part(shared[key]);
  for (const key of [names.connectionsPerSecond, names.messagesPerSecond, names.arrivalsPerSecond])
    if (key !== undefined && key in shared) shared[key] /= count;
  if (names.seed !== undefined && names.seed in shared) shared[names.seed] += index;
  return shared;
}

/**
 * Load containers: what starts them, and what they say when they have ended. A scenario's script is run by k6 in the service `load`,
 * or by Node in `load-http`.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { remove, run } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { connectionsInAll, FAILED_LIMIT_PERCENT } from "../plan/workload.js";
import { Histogram, summarise } from "../statistics/index.js";
import { CellFailure } from "./cell-failure.js";
import { readHttpSummary, referenceOf } from "./http-load.js";
import { LoadRun } from "./load-run.js";
import { keepSamples, mergeSummaries, ownOf, readLatencies, readSummary } from "./k6.js";

/** @import { Project } from "../platform/docker.js" */
/** @import { Workload } from "../plan/workload.js" */
/** @import { CellRecord, ParameterNames, Parameters, PlannedCell } from "../record/types.js" */
/** @import { Summary } from "./k6.js" */
/** @import { RunContext } from "./cell.js" */

/**
 * What the load says of a cell; of an event and of memory the runner knows the rest.
 *
 * @typedef {Partial<Omit<CellRecord, "survival" | "slowReaders">> & Pick<Summary, "survival" | "slowReaders">} LoadRecord
 */

/** Of k6's REST API, for the live view. */
export const K6_PORT = 6565;

/** What a load that watches connections writes beside its samples. */
const TIMELINE = "survival.csv";

/** What a load ends with when connections have failed. */
export const CONNECTIONS_FAILED = 99;

/**
 * @param {PlannedCell} cell
 * @param {Pick<Workload, "backend">} workload
 * @param {Parameters} parameters of this phase
 * @returns {Record<string, string>} knobs for Compose, and environment of the load
 */
export function knobsOf({ scenario, scheme, round }, { backend }, parameters) {
  return {
    SCENARIO: scenario,
    SCHEME: scheme,
    TRIAL: String(round),
    BACKEND: backend,
    ...Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, String(value)])),
  };
}

/** The load of one cell. */
export class Loads {
  #cell;
  #workload;
  #context;
  #project;
  #scratch;
  /** Containers that were started, the warm-up's too. @type {string[]} */
  names = [];
  /** Connections to the reference proxy that have failed, in the load that was read last. */
  referenceFailed = 0;

  /**
   * @param {PlannedCell} cell
   * @param {Workload} workload of its measured phase
   * @param {{context: RunContext, project: Project, scratch: string}} about scratch: folder where they write while they run
   */
  constructor(cell, workload, { context, project, scratch }) {
    this.#cell = cell;
    this.#workload = workload;
    this.#context = context;
    this.#project = project;
    this.#scratch = scratch;
  }

  /**
   * @param {string} name
   * @param {Parameters} parameters
   * @param {number} count containers that share the connections
   * @param {Record<string, string>} extra environment
   * @returns {Promise<LoadRun>}
   */
  async start(name, parameters, count, extra) {
    const names = Array.from(
      { length: count },
      (_, i) => `${this.#context.project}-${name}-${i + 1}`,
    );
    this.names.push(...names);
    await Promise.all(
      names.map((container, i) => {
        const environment = {
          ...knobsOf(
            this.#cell,
            this.#workload,
            share(parameters, this.#workload.parameterNames, i, count),
          ),
          RUN: this.#context.run,
          PROXY: this.#cell.proxy,
          REFERENCE_SHARE: String(this.#workload.referenceShare),
          ...extra,
        };
        return this.#project.check([
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
          `${this.#scratch}:/samples`,
          ...this.#command(`/samples/${csvName(name, i)}`, environment),
        ]);
      }),
    );
    return new LoadRun(names, this.csvFiles(name, count), {
      exitOf: (container) => this.#exitOf(container),
      failureOf: (code, failed) => failureOf(`the ${name}`, code, failed),
    });
  }

  /**
   * Removes containers that have ended; their names are free again.
   *
   * @param {LoadRun} load
   */
  async remove({ names }) {
    await remove(names);
    this.names = this.names.filter((name) => !names.includes(name));
  }

  /**
   * @param {string} name as for `start`
   * @param {number} count
   * @returns {string[]} where their raw samples are while they run
   */
  csvFiles(name, count) {
    return Array.from({ length: count }, (_, i) => join(this.#scratch, csvName(name, i)));
  }

  /**
   * @param {string} csv where the raw samples go
   * @param {Record<string, string>} environment
   * @returns {string[]} of Compose: environment, service and its command
   */
  #command(csv, environment) {
    const { scenario: name } = this.#cell;
    const set = (/** @type {Record<string, string>} */ variables) =>
      Object.entries(variables).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
    if (this.#workload.runner === "node")
      return [
        ...set({ ...environment, SAMPLES_CSV: csv }),
        "load-http",
        "node",
        `/loadgen/${name}.mjs`,
      ];
    return [
      ...set({ ...environment, K6_OUT: `csv=${csv}`, K6_CSV_TIME_FORMAT: "unix_micro" }),
      "load",
      ...["k6", "run", "--quiet", "--address", `0.0.0.0:${K6_PORT}`, `/loadgen/${name}.js`],
    ];
  }

  /**
   * @param {string} name
   * @returns {Promise<number>} its exit status
   */
  async #exitOf(name) {
    const { code, stdout, output } = await run(["docker", "wait", name], {
      signal: this.#context.signal,
    });
    if (code !== 0) throw new UserError("the Docker engine does not answer", output.trim());
    return Number(stdout.trim());
  }

  /**
   * @param {LoadRun} load that of the measured phase, which has ended
   * @param {string} folder of the cell's results: raw samples are kept there
   * @returns {Promise<LoadRecord>} what they counted
   * @throws {CellFailure} when one ended without a summary
   */
  async read(load, folder) {
    return this.#workload.protocol === "http"
      ? this.#readRequests(load)
      : this.#readConnections(load, folder);
  }

  /**
   * @param {LoadRun} load
   * @returns {Promise<Partial<CellRecord>>} `requests` still without causes
   */
  async #readRequests({ names: [name] }) {
    const summary = await summaryOf(name, readHttpSummary);
    return {
      requests: { ...summary.requests, causes: [] },
      reference: referenceOf(summary),
      requestMs: summary.requestMs,
      totalSeconds: summary.totalMs / 1000,
    };
  }

  /**
   * @param {LoadRun} load
   * @param {string} folder
   * @returns {Promise<LoadRecord>}
   */
  async #readConnections({ names, csvFiles: files }, folder) {
    const summaries = await Promise.all(names.map((name) => summaryOf(name, readSummary)));
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
        messages: reference.messagesEchoed,
        requests: 0,
      },
      sends,
      totalSeconds: totalMs === null ? null : totalMs / 1000,
      handshakeMs: handshakeMs.length > 0 ? summarise(handshakeMs) : null,
      echoLatencyMs: echoLatencyMs.length > 0 ? summarise(echoLatencyMs) : null,
      // In a closed loop such times are a queue's as a rule, and their distribution tells nothing of a proxy.
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
 * @param {Float64Array} values in ms
 * @returns {string | null} null: there are none
 */
function distributionOf(values) {
  return values.length > 0 ? String(Histogram.of(values)) : null;
}

/**
 * @param {string} what
 * @param {number} code
 * @param {string[]} names of containers
 */
async function failureOf(what, code, names) {
  const logs = await Promise.all(names.map((name) => logOf(name)));
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
 * @param {string} name of the containers
 * @param {number} index of the container, from 0
 */
function csvName(name, index) {
  return `${name}-${index + 1}.csv`;
}

/** @param {string} log */
function lastLine(log) {
  return log.trim().split("\n").at(-1) ?? "";
}

/**
 * @template T
 * @param {string} name of a container
 * @param {(log: string) => T | null} read
 * @returns {Promise<T>}
 */
async function summaryOf(name, read) {
  const log = await logOf(name);
  const summary = read(log);
  if (!summary)
    throw new CellFailure(
      "load",
      `${name} ended without a summary; its last line: ${lastLine(log)}`,
    );
  return summary;
}

/**
 * @param {Workload} workload
 * @param {Summary["sends"]} sends
 * @returns {number} a rate, and a Poisson process all the more, comes to others than rate and time make
 */
export function connectionsAsked(workload, sends) {
  return sends && !workload.holdsConnections ? sends.due : connectionsInAll(workload);
}

/**
 * @param {Pick<Workload, "loop">} workload
 * @param {NonNullable<CellRecord["connections"]>} connections
 * @returns {boolean} some failed, and so few that the load counts; in a closed loop each holds up what comes after it
 */
export function isFewFailed({ loop }, { asked, failed }) {
  return loop === "open" && failed > 0 && 100 * failed <= FAILED_LIMIT_PERCENT * asked;
}

/**
 * @param {Pick<Summary, "sends">[]} summaries
 * @param {Pick<Workload, "loop">} workload
 * @throws {CellFailure} when an open loop does not say what was due, late and dropped, or a closed one does
 */
export function refuseUncounted(summaries, { loop }) {
  const isCounted = loop === "open";
  if (summaries.every(({ sends }) => (sends !== null) === isCounted)) return;
  throw new CellFailure(
    "load",
    `its summary ${isCounted ? "does not count" : "counts"} what was due, late and dropped, and its scenario is a${isCounted ? "n open" : " closed"} loop`,
  );
}

/**
 * @param {Parameters} parameters
 * @param {ParameterNames} names of them by what they mean
 * @param {number} index of the container, from 0
 * @param {number} count
 * @returns {Parameters} with this container's share of the connections and of the rates, and with a seed of its own
 */
export function share(parameters, names, index, count) {
  const part = (/** @type {number} */ whole) =>
    Math.floor(whole / count) + (index < whole % count ? 1 : 0);
  const shared = { ...parameters };
  for (const key of [names.connections, names.concurrency])
    if (key !== undefined && key in shared) shared[key] = part(shared[key]);
  for (const key of [names.connectionsPerSecond, names.messagesPerSecond])
    if (key !== undefined && key in shared) shared[key] /= count;
  if (names.seed !== undefined && names.seed in shared) shared[names.seed] += index;
  return shared;
}

/**
 * @param {string} container
 * @param {number} [fromMs] ms since 1970; default: all of it
 */
export async function logOf(container, fromMs) {
  const since = fromMs === undefined ? [] : ["--since", new Date(fromMs).toISOString()];
  return (await run(["docker", "logs", ...since, container])).output;
}

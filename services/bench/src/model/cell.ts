/**
 * What one attempt at one cell gave: `cells/…/cell.json`, and an entry in `results.json`.
 */
import type { Static } from "typebox";
import { ContainerRecord, MemoryReading } from "./container.ts";
import { ClockOffset, MachineUsage } from "./environment.ts";
import {
  Distribution,
  LatencySummary,
  ms,
  ReferenceLoad,
  RequestLatency,
  Requests,
  SlowReadersOfLoad,
  Storm,
  SurvivalOfLoad,
} from "./load.ts";
import { Parameters, Scheme } from "./plan.ts";
import * as shape from "./shapes.ts";

/** Why a cell failed. */
const FAILURES = [
  "start", // a container did not start, or the proxy did not answer in time
  "verify", // the proxy does not do what it should: wrong echo, wrong TLS
  "container-died",
  "container-restarted",
  "out-of-memory",
  "throttled", // by a CPU limit that the plan did not set
  "load", // k6 failed, or connections did
  "timeout",
  "observer", // InfluxDB, cAdvisor, or who reads another machine's counters died
  "engine", // the Docker engine did not answer
] as const;
export type FailureKind = (typeof FAILURES)[number];

const Broken = shape.oneOf(["p99", "failures", "sending"]);
export type Broken = Static<typeof Broken>;

const Limit = shape.oneOf(["generator", "machine", "samples"]);
export type Limit = Static<typeof Limit>;

const judgement = {
  verdict: shape.oneOf(
    ["holds", "fails", "limited"],
    "holds: the promise was kept; fails: the proxy broke it; limited: what measures was at its limit, or latencies were too few for a p99, which says nothing about the proxy",
  ),
  broken: shape.list(Broken, "what of the promise was not kept; empty: it holds"),
  limits: shape.list(
    Limit,
    "what measures, and was at its limit; samples: fewer than 299 latencies; empty unless it is limited",
  ),
};

/** Whether a load kept the promise. */
export const Judgement = shape.object(
  judgement,
  "of a fresh cell at a rate that a search found: whether it kept the promise",
);
export interface Judgement extends Static<typeof Judgement> {}

/** What is measured of a load: once per cell, or at every rate of a search. */
const measurements = {
  startedAt: shape.text("ISO 8601, UTC"),
  measured: shape.nullable(
    shape.object({ fromMs: shape.number(), toMs: shape.number() }),
    "edges of the measured phase, ms since 1970",
  ),
  connections: shape.nullable(
    shape.object({
      asked: shape.count(),
      opened: shape.count(),
      failed: shape.count(),
      failedByCause: shape.counts(),
    }),
  ),
  connectionsHeld: shape.nullable(
    shape.object({ from: shape.count(), to: shape.count() }),
    "WebSockets open at both edges, as the echo server counted; null: not opened before the measured phase",
  ),
  messagesEchoed: shape.nullable(shape.count()),
  reference: shape.optional(
    shape.nullable(
      ReferenceLoad,
      "operations that the reference proxy carried beside the proxy, in no other count of the load; null or absent: it had no part in this cell",
    ),
  ),
  sends: shape.nullable(
    shape.object({ due: shape.count(), late: shape.count(), dropped: shape.count() }),
    "of an open loop; dropped: the last echo was not there yet, or the time was over; null: a closed loop",
  ),
  totalSeconds: shape.nullable(
    shape.amount(),
    "first connection to last close; of connections that are held, first message to last echo",
  ),
  handshakeMs: shape.nullable(LatencySummary),
  echoLatencyMs: shape.nullable(LatencySummary),
  containers: shape.map(ContainerRecord, "by service"),
  machine: shape.nullable(MachineUsage, "between the edges; of several that of the proxy"),
  machines: shape.optional(
    shape.map(
      MachineUsage,
      "all, the runner's among them, by their names in hosts.yaml; absent: there is one alone",
    ),
  ),
};

export const Probe = shape.object(
  { rate: shape.positive("asked for, per second"), ...judgement, ...measurements },
  "one rate of a search",
);
export interface Probe extends Static<typeof Probe> {}

export const CourseReading = shape.object(
  {
    seconds: shape.amount("since the first edge"),
    usageBytes: shape.amount("all that its cgroups are charged for, mean since the reading before"),
    rssBytes: shape.amount("anonymous memory, mean since the reading before"),
    tcpInUse: shape.nullable(
      shape.count(),
      "TCP sockets without those in TIME_WAIT; null: they could not be read",
    ),
    descriptors: shape.nullable(
      shape.count(),
      "open files of all processes; null: they could not be read",
    ),
  },
  "what a proxy had at a moment of a long phase",
);
export interface CourseReading extends Static<typeof CourseReading> {}

export const ProxyReading = shape.object(
  {
    ms,
    processes: shape.count(),
    oldProcesses: shape.count("those that ran when the event came and that it is to replace"),
    memoryBytes: shape.amount("all that the cgroups are charged for"),
    cpuSeconds: shape.amount("since the first edge of the measured phase"),
  },
  "one reading of the proxy, all its containers together, old and new",
);
export interface ProxyReading extends Static<typeof ProxyReading> {}

export const Survival = shape.object(
  {
    ...SurvivalOfLoad.properties,
    event: shape.text("a name of the plan's events"),
    eventMs: shape.amount("when its first step began, since 1970"),
    steps: shape.list(
      shape.object({ ms, what: shape.text() }),
      "what was done, and when it began, preparations before the event included",
    ),
    newGenerationMs: shape.nullable(
      shape.number(),
      "from the step that made a configuration known to the proxy to its first answer or that of a later one, the slowest of all; null: one did not come, or none was made",
    ),
    around: shape.list(ProxyReading, "once per second in the measured phase"),
    oldProcessesGoneMs: shape.optional(
      shape.nullable(
        shape.number(),
        "from the event until the last of the processes that it is to replace had ended; null: at the end of the watch there still was one; absent: it replaces none",
      ),
    ),
    afterwards: shape.nullable(
      ProxyReading,
      "after the load had ended, and every connection with it: what is left of old processes then is leaked; null: nothing could be read",
    ),
    echoShare: shape.optional(
      shape.list(
        shape.object({
          address: shape.text(),
          connections: shape.count(),
          isNew: shape.flag("it started in the event"),
          open: shape.optional(
            shape.list(
              shape.object({ ms, count: shape.count() }),
              "connections that it held, once per second; absent: the record is older",
            ),
          ),
        }),
        "connections that each server behind the proxy got since the event, of an event with several",
      ),
    ),
  },
  "what became of open connections in an event",
);
export interface Survival extends Static<typeof Survival> {}

export const SlowReaders = shape.object(
  {
    ...SlowReadersOfLoad.properties,
    memory: shape.nullable(
      shape.object({ quiet: MemoryReading, stalled: MemoryReading }),
      "of the proxy's containers together: mean of the samples in the last half of the time before the first stalled, and the highest from then until they read again; null: there are no samples of either",
    ),
  },
  "clients that stop reading among healthy ones, and what they cost",
);
export interface SlowReaders extends Static<typeof SlowReaders> {}

const seconds = shape.optional(shape.amount());

/** What is null was not reached. */
export const CellRecord = shape.object(
  {
    schema: shape.only(1),
    id: shape.text(),
    attempt: shape.count("1, or more where it was tried again", 1),
    status: shape.oneOf(["ok", "failed", "skipped"], "only ok is counted"),
    cause: shape.nullable(
      shape.object({ kind: shape.oneOf([...FAILURES, "skipped"]), message: shape.text() }),
      "of a failure or skip",
    ),
    round: shape.count(),
    proxy: shape.text(),
    scenario: shape.text(),
    scheme: Scheme,
    parameters: Parameters,
    phases: shape.object(
      {
        start: seconds,
        verify: seconds,
        warmUp: seconds,
        load: shape.optional(shape.amount("k6's start")),
        measure: seconds,
        stop: seconds,
      },
      "wall-clock seconds of each that was reached",
    ),
    ...measurements,
    distributions: shape.optional(
      shape.object(
        { handshakeMs: Distribution, echoLatencyMs: Distribution },
        "of an open loop: how often each latency was recorded, for Histogram.parse of statistics/; absent: a closed loop, or the record is of before they were kept",
      ),
    ),
    requests: shape.nullable(Requests, "of HTTP; null: the scenario opens WebSockets"),
    requestMs: shape.nullable(
      RequestLatency,
      "from the start of a request (of files: of its connection) to the last byte of its answer; null: WebSockets, or nothing was answered",
    ),
    echoWorkers: shape.nullable(
      shape.list(
        shape.object({
          connections: shape.count(),
          messages: shape.count(),
          refused: shape.count(),
        }),
      ),
      "counted by the echo server between the edges, a worker each; null: a worker was replaced",
    ),
    tls: shape.nullable(
      shape.object({
        version: shape.text(),
        cipher: shape.text(),
        group: shape.text(),
        keyType: shape.text(),
        resumed: shape.flag(),
      }),
      "negotiated before the load by a client that offers what the policy allows and more; null over ws",
    ),
    clocks: shape.optional(
      shape.map(
        ClockOffset,
        "of each machine but the runner's, when the cell began; absent: there is one alone",
      ),
    ),
    loadCores: shape.number("cores that the load could use: its CPU set, or the machine"),
    probes: shape.optional(
      shape.list(
        Probe,
        "of a search, in their order; what is measured at a rate is here alone; absent: it is none",
      ),
    ),
    judgement: shape.optional(Judgement),
    course: shape.optional(
      shape.list(
        CourseReading,
        "of the proxy, all its containers together, in a phase of two minutes or more that holds connections at a steady load; absent: it is none",
      ),
    ),
    survival: shape.optional(Survival),
    storm: shape.optional(Storm),
    slowReaders: shape.optional(SlowReaders),
  },
  "one attempt at one cell",
);
export interface CellRecord extends Static<typeof CellRecord> {}

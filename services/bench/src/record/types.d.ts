/**
 * What passes from step to step: plan → run → record → analyse → render. Each step sees only what the one before wrote.
 * The files of a run (`plan.json`, `environment.json`, `cells/…/cell.json`, `results.json`) hold exactly these.
 */

/** Another proxy that does the same work over one scheme. */
export interface SameWork {
  proxy: string;
  scheme: Scheme;
}

/** Another proxy, and in one line what this one has in place of what that has. */
export interface VariantOf {
  proxy: string;
  differs: string;
}

/** `ws` or `wss`. */
export type Scheme = "ws" | "wss";

/** Parameters of a scenario: the k6 script's environment variables. */
export type Parameters = Record<string, number>;

/** What a parameter means to runner and report, whatever it is called: plan/scenario.schema.json describes each. */
export type Meaning =
  | "connections"
  | "concurrency"
  | "connectionsPerSecond"
  | "requests"
  | "messages"
  | "intervalSeconds"
  | "messagesPerSecond"
  | "messageBytes"
  | "fileBytes"
  | "poisson"
  | "seed"
  | "phaseSeconds"
  | "quietSeconds"
  | "watchSeconds"
  | "stallSeconds"
  | "stalled"
  | "streams"
  | "backoff"
  | "backoffSeconds"
  | "settleSeconds"
  | "timeoutSeconds"
  | "threads"
  | "serverWorkers"
  | "tlsVersion"
  | "rsaBits"
  | "resumed"
  /** Of no scenario: of a cell that says its network (plan/network.js). */
  | "hostNetwork";

/** Names of a scenario's parameters, by what they mean; a meaning that it has no parameter for is absent. */
export type ParameterNames = Partial<Record<Meaning, string>>;

/** What a scenario's file, loadgen/<scenario>.json, says of it: plan/scenario.schema.json describes each key. */
export interface ScenarioDescription {
  description: string;
  /** Of its script: the Compose services load and load-http. */
  runner: "k6" | "node";
  protocol: "websocket" | "http";
  loop: "closed" | "open";
  holdsConnections: boolean;
  dropsConnections: boolean;
  /** Absent: the record is of before there was a reference proxy. */
  usesReference?: boolean;
  compares: "proxies" | "servers" | "handshakes" | "survival" | "storm" | "stalls";
  generatorThreads: "one" | "all";
  /** The image that stands behind the proxy: ws-proxy-bench/<backend>. */
  backend: string;
  parameterNames: ParameterNames;
}

/** What a proxy has to keep to at a rate of an open loop. */
export interface LoadPromise {
  /** p99 of the handshake, or on connections that are held of the echo, at most, in ms. */
  sloMs: number;
  /** Connections that may fail, in % of those asked for. */
  failedPercent: number;
  /** Of what was due, so many % have to be sent. */
  sentPercent: number;
  /** What a search leaves open of the rate. Absent: 5, the record is of before it could be another. */
  resolutionPercent?: number;
}

/** What of a promise was not kept. */
export type Broken = "p99" | "failures" | "sending";

/** What measures, and was at its limit. */
export type Limit = "generator" | "machine";

/** Whether a load kept the promise. */
export interface Judgement {
  /** holds: it did; fails: it did not; limited: it did not, but what measures was at its limit, so that says nothing about the proxy. */
  verdict: "holds" | "fails" | "limited";
  /** Empty: it holds. */
  broken: Broken[];
  /** Empty unless it is limited. */
  limits: Limit[];
}

/** What a cell has to do with the search for the highest rate that keeps the promise. */
export type CapacityPart =
  /** It is the search: one life of the containers, several probes, the first at the rate of its parameters. */
  | { part: "search"; lowest: number; highest: number }
  /** A fresh cell at the rate that the cell `search` found, times `factor`: that of its parameters is the first one of the search. */
  | { part: "fresh"; search: string; factor: number };

/** What a battle's file says, with the command line's changes, before this machine is looked at. */
export interface Plan {
  schema: 2;
  /** Name of the battle's file, without its ending. */
  battle: string;
  title: string;
  /** A file in battles/published/ whose figures are shown beside these. */
  published: string | null;
  /** In the order of proxies/; always with the control, `none`. */
  proxies: string[];
  rounds: number;
  /** Seed of the order in which the cells run. */
  seed: number;
  /** CPU budget of the proxy in cores; 0: none. */
  proxyCpus: number;
  /** Share of the load that goes to the reference proxy, where a scenario uses it; 0 or absent: there is none. */
  referenceShare?: number;
  /** All proxies of a setting and round run at once; absent: one after the other. */
  sideBySide?: true;
  /** Of a battle that searches the highest rate that keeps to it; absent: it does not. */
  promise?: LoadPromise;
  /** Processes or threads of the proxy, and of the echo server; null: as in .env. */
  workers: number | null;
  keyType: "ecdsa" | "rsa";
  /** Its cells are to tell the rates of another plan; absent: they are not. */
  isPilot?: true;
  /** Rates of its cells that a pilot told; absent: it has none. */
  pilot?: {
    /** The most that the machine was to be busy. */
    busyPercent: number;
    /** Name of the pilot's own run; null: it was not run yet, and its cells have the default rates. */
    run: string | null;
    rates: PilotedRate[];
  };
  /** What is done in each event of its cells, by the event's name, in the battle's order; absent: it has none. */
  events?: Record<string, string>;
  /** Those of the cells, by name. */
  scenarios: Record<string, ScenarioDescription>;
  /** In the order in which they run. */
  cells: PlannedCell[];
}

/** The rate of one load, and what the pilot showed. */
export interface PilotedRate {
  scenario: string;
  scheme: Scheme;
  /** Of the pilot's cells. */
  parameters: Parameters;
  /** Of the parameter. */
  name: string;
  /** A second: the lowest of all proxies, with two digits. */
  rate: number;
  /** Those that carried it: offered a second; how busy the machine was, and by what observes alone; the rate that follows. */
  proxies: {
    proxy: string;
    offered: number;
    busyPercent: number;
    observingPercent: number;
    rate: number;
  }[];
}

export interface PlannedCell {
  /** Unique in the plan, and a folder's name: `r1-nginx-short-lived-wss-5000`. */
  id: string;
  /** From 1. */
  round: number;
  proxy: string;
  /** Compose profile that is started: the proxy's, unless a proxy is held against a copy of itself. */
  profile: string;
  scenario: string;
  scheme: Scheme;
  parameters: Parameters;
  /** Parameters that differ while warming up; null: no warm-up. */
  warmUp: Parameters | null;
  /** Load containers that share the work. */
  loads: number;
  /** Echo servers that share what comes from the proxy, as one address has too few ports. Absent: one, or as many as the event says. */
  servers?: number;
  /** What observes is up, InfluxDB and cAdvisor; false only in `./bench selfbench`, which measures their cost. */
  observed: boolean;
  /** The measured phase has failed when it takes longer. */
  limitSeconds: number;
  /**
   * Why it is not run; null: it is. The plan says what a proxy cannot do (of an event it begins with `has none`), the preflight what this
   * machine cannot.
   */
  skip: string | null;
  /** Absent: it has no part in such a search. */
  capacity?: CapacityPart;
  /** What happens in it once: a name of plan/events.json. Absent: its scenario knows no events. */
  event?: string;
}

export type Role = "proxy" | "echo" | "load" | "observer" | "reference";

/** Counters of one container over the measured phase: differences of its edges, and memory sampled in between. */
export interface ContainerRecord {
  role: Role;
  /** Image as in the configuration. */
  image: string;
  /** That it ran on, as in hosts.yaml; absent: there was one machine alone. */
  machine?: string;
  cpu: {
    userSeconds: number;
    systemSeconds: number;
    totalSeconds: number;
    throttledSeconds: number;
  };
  /** null: the container's cgroup was gone before it could be read. */
  memory: {
    /** Before the load began: warmed up, without a connection. Of the load itself, at the first edge. */
    baseline: MemoryReading;
    mean: MemoryReading;
    /** Each the highest sample. */
    peak: MemoryReading;
    /** settleSeconds of its scenario after the load has ended; null: it has none, or it is load. */
    after: MemoryReading | null;
    /** The kernel's own high-water mark of usage since the container started, in bytes. */
    highWaterBytes: number | null;
  } | null;
  /** What it holds open: before the load began, at both edges, and as `memory.after`; null: it is load, or an observer. */
  sockets: {
    baseline: SocketReading;
    from: SocketReading;
    to: SocketReading;
    after: SocketReading | null;
  } | null;
  /** null: it has none of its own, but another container's, as the part of `haproxy-hitch` that does TLS, or the machine's. */
  network: NetworkReading | null;
}

/** In bytes; null: this kernel does not count it. */
export interface MemoryReading {
  /** All that the cgroup is charged for. */
  usageBytes: number;
  /** Usage without inactive file cache, as cAdvisor and Kubernetes define it. */
  workingSetBytes: number;
  /** Anonymous memory. */
  rssBytes: number;
  kernelBytes: number | null;
  socketBytes: number | null;
}

/** null: it could not be read; of TCP also where the container shares the network of another, which has them, or of the machine. */
export interface SocketReading {
  /** Sockets, IPv4 and IPv6, listening ones and half closed ones among them, without those in TIME_WAIT. */
  tcpInUse: number | null;
  tcpTimeWait: number | null;
  /** Closed by the other side, and still held by this one: what a leak looks like. */
  tcpCloseWait: number | null;
  /** Open files of all processes, sockets among them; since Linux 6.2. */
  descriptors: number | null;
}

export interface NetworkReading {
  rxBytes: number;
  txBytes: number;
  rxPackets: number;
  txPackets: number;
}

/** null where there is no value: no latency was recorded. All in ms. */
export interface LatencySummary {
  count: number;
  mean: number;
  sd: number;
  min: number;
  median: number;
  p90: number;
  p95: number;
  p99: number;
  p999: number;
  max: number;
}

export type FailureKind =
  | "start" // a container did not start, or the proxy did not answer in time
  | "verify" // the proxy does not do what it should: wrong echo, wrong TLS
  | "container-died"
  | "container-restarted"
  | "out-of-memory"
  | "throttled" // by a CPU limit that the plan did not set
  | "load" // k6 failed, or connections did
  | "timeout"
  | "observer" // InfluxDB or cAdvisor died: curves are missing; or who reads another machine's counters
  | "engine"; // the Docker engine did not answer

export interface Requests {
  /** Answered, whatever the status. */
  completed: number;
  /** Of those, the ones whose status was neither 2xx nor 3xx. */
  non2xx: number;
  /**
   * What those were, by status, counted in a short second pass of the same load after the measured phase (wrk itself counts no
   * statuses, and a script that did would cost CPU); {}: there were none, or the second pass saw none.
   */
  statuses: Record<string, number>;
  /** By kind, as the generator calls it: connect, read, write, timeout; of ab connect, receive, length, exceptions. */
  socketErrors: Record<string, number>;
  /** What the logs of proxy and server say about it: distinct lines, the most frequent first, with how often; []: nothing. */
  causes: { service: string; line: string; count: number }[];
}

/** Operations of the load that went through the reference proxy in the measured phase. */
export interface ReferenceLoad {
  /** Of connections that are held, those that were opened before the phase. */
  connections: number;
  messages: number;
  requests: number;
}

/** One rate of a search: what was measured at it, as in a cell's record, and the judgement. */
export interface Probe
  extends
    Judgement,
    Pick<
      CellRecord,
      | "startedAt"
      | "measured"
      | "connections"
      | "connectionsHeld"
      | "messagesEchoed"
      | "reference"
      | "sends"
      | "totalSeconds"
      | "handshakeMs"
      | "echoLatencyMs"
      | "containers"
      | "machine"
      | "machines"
    > {
  /** Asked for, a second. */
  rate: number;
}

/** What the load saw of connections that it held around an event: the summary of loadgen/survive.mjs. All `ms` are since 1970. */
export interface SurvivalOfLoad {
  /**
   * Held connections that ended, in steps of 100 ms. `how`: `close CODE REASON` (a close frame came), `reset`, `end` (FIN without a close
   * frame), `timeout` (echoes nothing any more), `error NAME`; of those that did not open also `refused`, `status CODE`.
   */
  ends: { ms: number; how: string; count: number }[];
  /** New connections with a message each, by the second in which they were due; slow: the echo came after SLOW_MS, and they have not failed. */
  probes: { ms: number; asked: number; failed: number; slow: number }[];
  probesFailedByCause: Record<string, number>;
  /** The first answer with each generation of the proxy's configuration. */
  generations: { ms: number; value: string }[];
  /** Held connections that are open, at the edges of the phase and once a second. */
  open: { ms: number; count: number }[];
  /** Messages on held connections; lost: not echoed in TIMEOUT_SECONDS, or not before the end of the connection. */
  sent: number;
  echoed: number;
  lost: number;
  /** The longest that a message waited for its echo on a connection that survived; null: none survived. */
  silenceMs: number | null;
  echoP99Ms: { before: number | null; after: number | null };
}

/** What a proxy had at a moment of a long phase. */
export interface CourseReading {
  /** Since the first edge. */
  seconds: number;
  /** Means since the reading before. */
  usageBytes: number;
  rssBytes: number;
  /** As of `SocketReading`. */
  tcpInUse: number | null;
  descriptors: number | null;
}

/** One reading of the proxy, all its containers together, old and new. */
export interface ProxyReading {
  /** Since 1970. */
  ms: number;
  processes: number;
  /** Of those, the ones that ran when the event came and that it is to replace. */
  oldProcesses: number;
  /** All that the cgroups are charged for. */
  memoryBytes: number;
  /** Since the first edge of the measured phase. */
  cpuSeconds: number;
}

/** What became of open connections in an event. */
export interface Survival extends SurvivalOfLoad {
  /** A name of plan/events.json. */
  event: string;
  /** When its first step began, since 1970. */
  eventMs: number;
  /** What was done, and when it began, since 1970; what was made ready before the event is among it. */
  steps: { ms: number; what: string }[];
  /** From the step that made the newest configuration known to the proxy to its first answer; null: it did not come, or none was made. */
  newGenerationMs: number | null;
  /** Once a second in the measured phase. */
  around: ProxyReading[];
  /** From the event until the last of the processes that it is to replace had ended; null: at the end of the watch there still was one; absent: it replaces none. */
  oldProcessesGoneMs?: number | null;
  /** After the load had ended and every connection with it: what is left of old processes then is leaked. null: nothing could be read. */
  afterwards: ProxyReading | null;
  /** Connections that each server behind the proxy got since the event, of an event with several. isNew: it started in the event. */
  echoShare?: { address: string; connections: number; isNew: boolean }[];
}

/** Everyone comes back: the summary of loadgen/storm.mjs. */
export interface Storm {
  /** When all connections were cut, since 1970. */
  cutMs: number;
  /** Connections that were back, ms after the cut: counts of 100 ms each, which begin then. */
  back: { ms: number; count: number }[];
  attempts: number;
  failedByCause: Record<string, number>;
  /** From the cut until so many percent were back; null: they were not. */
  backMs: { p50: number | null; p99: number | null; p100: number | null };
}

/** Stalled clients among healthy ones: the summary of loadgen/slow-readers.mjs. */
export interface SlowReadersOfLoad {
  /**
   * Since 1970: from when they read nothing; from when each was held back, or had sent LIMIT_BYTES, and sent no more; to when they read
   * again. Before `from` the load is its own control.
   */
  stalledMs: { from: number; held: number; to: number };
  /** What the kernel took of each of them, in whole messages. */
  sentBytes: { min: number; median: number; max: number };
  /** All were held back before they had sent LIMIT_BYTES: what is between is bounded. */
  heldBack: boolean;
  /** All that came back once they read again was as it was sent, and in order. */
  deliveredInOrder: boolean;
  /** Of what they sent, never echoed. */
  lostBytes: number;
  /** Those of them that ended, by how, as of `SurvivalOfLoad`. */
  ends: Record<string, number>;
  /** Echo latency of those that always read, before `from`, and between `held` and `to`; null: no echo. */
  echoMs: { quiet: LatencySummary | null; stalled: LatencySummary | null };
}

/** And what they cost. */
export interface SlowReaders extends SlowReadersOfLoad {
  /**
   * The proxy's containers together. quiet: mean of the samples in the last half of the time before the first stalled; stalled: the highest
   * from then until they read again. null: there are no samples of either.
   */
  memory: { quiet: MemoryReading; stalled: MemoryReading } | null;
}

/** One attempt at one cell. What is null was not reached. */
export interface CellRecord {
  schema: 1;
  id: string;
  /** 1, or 2 for the second try after a failure. */
  attempt: number;
  status: "ok" | "failed" | "skipped";
  /** null when ok. */
  cause: { kind: FailureKind | "skipped"; message: string } | null;
  round: number;
  proxy: string;
  scenario: string;
  scheme: Scheme;
  parameters: Parameters;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** Wall-clock seconds of each phase that was reached. */
  phases: Partial<Record<"start" | "verify" | "warmUp" | "load" | "measure" | "stop", number>>;
  /** Edges of the measured phase, ms since 1970. */
  measured: { fromMs: number; toMs: number } | null;
  connections: {
    asked: number;
    opened: number;
    failed: number;
    failedByCause: Record<string, number>;
  } | null;
  /**
   * WebSockets open at both edges, as the echo server counted: proof that all are held at once; null: the scenario does not open
   * them before the measured phase.
   */
  connectionsHeld: { from: number; to: number } | null;
  messagesEchoed: number | null;
  /** What the reference proxy carried beside the proxy, in no other count of the load; null or absent: it had no part in this cell. */
  reference?: ReferenceLoad | null;
  /** Of an open loop: due; sent late; not sent, as the last echo was not there yet or the time was over. null: a closed loop. */
  sends: { due: number; late: number; dropped: number } | null;
  /** First connection to last close, in seconds; of connections that are held, first message to last echo. */
  totalSeconds: number | null;
  handshakeMs: LatencySummary | null;
  echoLatencyMs: LatencySummary | null;
  /**
   * Of an open loop: how often each latency was recorded, as `Histogram.parse` of statistics/ reads it, to the µs below 2.048 ms and to a
   * 1,024th above. null: there is none; absent: a closed loop, or the record is of before they were kept.
   */
  distributions?: { handshakeMs: string | null; echoLatencyMs: string | null };
  /** Of HTTP; null: the scenario opens WebSockets. */
  requests: Requests | null;
  /** From the start of a request (of `files`: of its connection) to the last byte of its answer; null: no HTTP. */
  requestMs: Omit<LatencySummary, "p999"> | null;
  /** By service. */
  containers: Record<string, ContainerRecord>;
  /** What the echo server counted over the measured phase, a worker each. */
  echoWorkers: { connections: number; messages: number; refused: number }[] | null;
  /** Negotiated before the measured phase by a client that offers what the policy allows and more; null over ws. */
  tls: { version: string; cipher: string; group: string; keyType: string; resumed: boolean } | null;
  /** Of several that of the proxy. */
  machine: MachineUsage | null;
  /** Every machine, by its name in hosts.yaml, the runner's among them; absent: there is one alone. */
  machines?: Record<string, MachineUsage>;
  /** Of each machine but the runner's, when the cell began; absent: there is one machine alone. */
  clocks?: Record<string, ClockOffset>;
  /** Cores that load may use at most: its CPU set or the machine. */
  loadCores: number;
  /** Of a search, in their order; what is measured at a rate is here alone, and null above. Absent: it is none. */
  probes?: Probe[];
  /** Of a fresh cell at a rate that a search found. */
  judgement?: Judgement;
  /** Of a phase of two minutes or more that holds connections at a steady load: the proxy, all its containers together. */
  course?: CourseReading[];
  /** Of a scenario that holds connections through an event. */
  survival?: Survival;
  /** Of a scenario that cuts all connections at once. */
  storm?: Storm;
  /** Of a scenario whose clients stop to read. */
  slowReaders?: SlowReaders;
}

/** What a machine did over the measured phase. */
export interface MachineUsage {
  cores: number;
  /** All CPU time used by the whole machine, steal excluded. */
  busySeconds: number;
  /** Taken away by the hypervisor. */
  stealSeconds: number;
  /** Used by nothing that this benchmark started. */
  foreignSeconds: number;
  /** Used by this program. */
  benchSeconds: number;
  /** Other names in hosts.yaml whose engines run on this machine too. Absent: none. */
  sameMachineAs?: string[];
}

/** In ms, against the runner's clock. */
export interface ClockOffset {
  /** That of the machine is ahead by so much. */
  offsetMs: number;
  /** The truth is at most so far from that. */
  uncertaintyMs: number;
}

/** A machine of hosts.yaml. */
export interface MachineOfRun {
  name: string;
  roles: ("proxy" | "servers" | "load" | "observe")[];
  /** Version of its engine. */
  engine: string;
  cores: number;
  memoryBytes: number;
  kernel: string;
  /** When the run began; null: it is the runner's machine. */
  clock: ClockOffset | null;
}

/** What the results were made on. A run may only be resumed where all of `identity` is the same. */
export interface Environment {
  schema: 1;
  /** Differs: figures must not be mixed. Flat, so that a difference can be named. */
  identity: Record<string, string | number | boolean>;
  /** Recorded, and shown in the report: groups of label and value. */
  details: Record<string, Record<string, string | number | boolean | null>>;
  /** Host settings that are not as this benchmark advises. */
  advice: Advice[];
  /** In the order of hosts.yaml; absent: there is one machine alone, that of `details`. */
  machines?: MachineOfRun[];
}

/** A finding of `./bench doctor`. */
export interface Advice {
  /** `net.ipv4.tcp_max_tw_buckets`, `cpu governor`. */
  setting: string;
  found: string;
  expected: string;
  /** Why it matters to the figures. */
  why: string;
  /** A command, or what to do. */
  fix: string;
  severity: "stop" | "warn" | "note";
}

/** `results.json`: all that analysis and report need. */
export interface Results {
  schema: 2;
  run: {
    /** Folder of the run. */
    name: string;
    startedAt: string;
    /** null: not complete; `--resume` goes on. */
    endedAt: string | null;
    /** Repeats the run. */
    command: string;
    /** The file of its machines, from the project's folder: `--resume` reads it again. Absent: it has one alone. */
    hosts?: string;
    /** What its publisher knows and no counter tells; a sentence. Absent: nothing. */
    remark?: string;
  };
  plan: Plan;
  environment: Environment;
  /** Title and colour of each proxy of the plan, as proxies/ had them. */
  proxies: {
    name: string;
    title: string;
    colour: string;
    parts: string[];
    /** As proxy.json has it; absent: there is none, or the record is of before it was kept. */
    sameWorkAs?: SameWork;
    /** As proxy.json has it; absent: it is no variant, or the record is of before it was kept. */
    variantOf?: VariantOf;
    /** false: it takes the cipher of TLS 1.3 that the client prefers; absent: it chooses that of the policy. */
    choosesTls13Cipher?: false;
  }[];
  /** Every attempt, in the order in which they ended. */
  cells: CellRecord[];
  /** Of a published run: the file that holds raw samples and logs, in place of the folder `cells/`. */
  archive?: { file: string; sha256: string; bytes: number; files: number };
}

/** What every proxy is held to on its TLS port: certs/policy.json. */
export interface TlsPolicy {
  minVersion: import("node:tls").SecureVersion;
  maxVersion: import("node:tls").SecureVersion;
  cipherSuitesTls13: string[];
  ciphersTls12: string[];
  groups: string[];
  sessionResumption: boolean;
}

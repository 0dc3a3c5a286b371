/**
 * The table of questions: every `Comparison.question`, in the order in which a report answers them.
 * A new one is a row here; an estimator (percentile.ts, slope.ts, ratio.ts, search.ts, events.ts)
 * only where rounds do not answer it.
 */
import type { Setting } from "../model/comparison.ts";
import type { Plan, Workload } from "../model/plan.ts";
import { isPaced, isReadAfter } from "../plan/workload.ts";
import { BESIDE, isVoidedBy } from "./flags.ts";
import { measure } from "./measures.ts";
import { sourcesOf } from "./operation-costs.ts";
import { comparesServers, holdsForSeconds } from "./settings.ts";

export type Group =
  | "cost"
  | "delay"
  | "throughput"
  | "memory"
  | "capacity"
  | "failures"
  | "tls"
  | "network"
  | "tuning"
  | "noise";

/** What stands in a column of its own beside a figure, from `Figure.extra`. */
export type ExtraColumn =
  | "control"
  | "places"
  | "samples"
  | "added"
  | "baseline"
  | "before"
  | "ended"
  | "fromTo"
  | "grows"
  | "medians"
  | "search"
  | "counted"
  | "causes"
  | "steps"
  | "slow-reader";

/**
 * bars and recovery stand open, others are folded. distribution, slope: of `extra.curve`; around,
 * recovery: of `extra.around`; search: of `extra.search`; over-time: of the proxy over a cell.
 */
type Chart = "bars" | "recovery" | "distribution" | "slope" | "around" | "over-time" | "search";

export interface Question {
  id: string;
  /** What it asks; heading of its tables. */
  title: string;
  group: Group;
  /** Those of one topic share tables, under the title of the first. */
  topic?: string;
  charts?: Chart[];
  /** Stands in the first table of a report, the lowest number first. */
  answer?: number;
  /** It stands there only where no more than so many events were tried: then there is room. */
  mostEvents?: number;
  /** Title of a report that answers it first. */
  asks?: string;
  columns?: ExtraColumn[];
  /** Of several measures the one that it is ranked by; without, the first. */
  rankBy?: string;
  /**
   * Asked of the rounds of each setting, under the measure of that name; without, an estimator of
   * its own answers it.
   */
  rounds?: Rounds;
}

/**
 * What the control means under a measure. `bound`: it does the same work without a proxy, so no
 * proxy can do better, and the difference is what the proxy adds. `own`: it is the cost of the
 * control's own server. `beside`: it does as any other does, and bounds nothing: of files it is
 * one of the servers, and over TLS it encrypts in Node's own thread.
 */
export type Control = "bound" | "own" | "beside";

interface Rounds {
  control: Control;
  /** Whether anyone is the best. */
  isRanked: boolean;
  /** Loads that it is asked of, beside those from which its measure is derived. */
  applies: Applies;
}

type Applies = (load: Workload) => boolean;

const BARS: Chart[] = ["bars"];

const TABLE: Record<Group, Record<string, Omit<Question, "id" | "group">>> = {
  cost: {
    cpu_us_per_message: {
      title: "CPU per message",
      charts: BARS,
      answer: 5,
      asks: "What does a message cost in CPU?",
      columns: ["places"],
      // Elsewhere it is derived from two settings, or not known.
      rounds: own(sendsOnHeld),
    },
    cpu_us_per_handshake: {
      title: "CPU per handshake",
      charts: BARS,
      answer: 4,
      asks: "What does a handshake cost in CPU?",
      // Always derived.
      rounds: own(() => false),
    },
    cpu_us_per_connection: {
      title: "CPU per connection",
      charts: BARS,
      answer: 3,
      asks: "What does a connection cost in CPU?",
      columns: ["places"],
      rounds: own(opensConnections),
    },
    proxy_cpu_us_per_request: {
      title: "CPU per request",
      charts: BARS,
      answer: 3,
      asks: "What does a request cost in CPU?",
      columns: ["places"],
      // Of files, it would hold a proxy's part of the work against a server's whole.
      rounds: own((load) => sendsRequests(load) && !comparesServers(load)),
    },
    servers_cpu_seconds: {
      title: "CPU of proxy and server",
      charts: BARS,
      answer: 4,
      asks: "What do proxy and server cost in CPU together?",
      columns: ["places"],
      rounds: beside(comparesServers),
    },
    proxy_cpu_cores: {
      title: "CPU of the proxy, cores",
      rounds: own(holdsForSeconds),
    },
  },
  delay: {
    "handshake-at-rate": {
      title: "Connect time p99 at a fixed rate",
      rankBy: "handshake_ms_p99",
      charts: ["bars", "distribution"],
      answer: 1,
      asks: "How long does a new connection take at a fixed rate?",
      columns: ["samples", "added"],
    },
    "echo-at-rate": {
      title: "Echo time p99 at a fixed rate",
      rankBy: "echo_latency_ms_p99",
      charts: ["bars", "distribution"],
      answer: 2,
      asks: "How long does an echo take at a fixed rate?",
      columns: ["samples", "added"],
    },
    handshake_ms_mean: {
      title: "Connect time, mean",
      topic: "handshake",
      charts: BARS,
      columns: ["control"],
      rounds: bound(opensConnections),
    },
    handshake_ms_median: {
      title: "Connect time, median",
      topic: "handshake",
      rounds: bound(opensConnections),
    },
    handshake_ms_p99: {
      title: "Connect time, p99",
      topic: "handshake",
      rounds: bound(opensConnections),
    },
    handshake_ms_p999: {
      title: "Connect time, p99.9",
      topic: "handshake",
      rounds: bound((load) => opensConnections(load) && isOpen(load)),
    },
    echo_latency_ms_mean: {
      title: "Echo time, mean",
      topic: "echo",
      charts: BARS,
      columns: ["control"],
      rounds: bound(sendsMessages),
    },
    echo_latency_ms_median: {
      title: "Echo time, median",
      topic: "echo",
      rounds: bound(sendsMessages),
    },
    echo_latency_ms_p99: {
      title: "Echo time, p99",
      topic: "echo",
      rounds: bound(sendsMessages),
    },
    echo_latency_ms_p999: {
      title: "Echo time, p99.9",
      topic: "echo",
      rounds: bound((load) => sendsMessages(load) && isOpen(load)),
    },
    request_ms_mean: {
      title: "Request time, mean",
      topic: "request",
      charts: BARS,
      answer: 5,
      asks: "How long does a request take?",
      columns: ["control"],
      rounds: bound(sendsRequests),
    },
    request_ms_median: {
      title: "Request time, median",
      topic: "request",
      rounds: bound(sendsRequests),
    },
    request_ms_p99: {
      title: "Request time, p99",
      topic: "request",
      rounds: bound(sendsRequests),
    },
    total_seconds: {
      title: "Time for the whole load",
      columns: ["control"],
      rounds: bound(isUntimed),
    },
  },
  throughput: {
    connections_per_second: {
      title: "Connections per second",
      charts: BARS,
      answer: 6,
      asks: "How many connections per second get through?",
      rounds: bound((load) => opensConnections(load) && isUntimed(load)),
    },
    messages_per_second: {
      title: "Messages per second",
      charts: BARS,
      answer: 6,
      asks: "How many messages per second get through?",
      rounds: bound((load) => load.holdsConnections && isUntimed(load)),
    },
    requests_per_second: {
      title: "Requests per second",
      charts: BARS,
      answer: 4,
      asks: "How many requests per second get through?",
      rounds: bound(sendsRequests),
    },
    non_2xx_percent: {
      title: "Error answers",
      topic: "errors",
      columns: ["causes"],
      rounds: beside(sendsRequests),
    },
    socket_errors_per_1000_requests: {
      title: "Socket errors per 1,000 requests",
      topic: "errors",
      rounds: beside(sendsRequests),
    },
  },
  memory: {
    "memory-per-connection": {
      title: "Memory per idle connection",
      charts: ["bars", "slope"],
      answer: 1,
      asks: "How much memory does an idle connection take?",
      columns: ["baseline", "ended"],
    },
    proxy_memory_growth_bytes: {
      title: "Memory growth under load",
      topic: "memory",
      charts: ["bars", "over-time"],
      // What a configuration reserves is most of a small load's memory: slopes rank.
      rounds: unranked(isOfProxy),
    },
    proxy_memory_baseline_usage_bytes: {
      title: "Memory before the load",
      topic: "memory",
      rounds: unranked(isOfProxy),
    },
    proxy_memory_peak_usage_bytes: {
      title: "Memory, peak",
      topic: "memory",
      rounds: unranked(isOfProxy),
    },
    proxy_memory_per_connection_bytes: {
      title: "Memory per open connection",
      topic: "per-connection",
      rounds: unranked((load) => !isReadAfter(load) && !sendsRequests(load) && !isPaced(load)),
    },
    proxy_memory_user_per_connection_bytes: {
      title: "User memory per open connection",
      topic: "per-connection",
      rounds: unranked(holds),
    },
    proxy_memory_kernel_per_connection_bytes: {
      title: "Kernel memory per open connection",
      topic: "per-connection",
      rounds: unranked(holds),
    },
    trend: {
      title: "Memory growth per hour",
      charts: ["bars", "over-time"],
      answer: 7,
      asks: "Does memory grow over time?",
      columns: ["fromTo", "grows"],
    },
  },
  capacity: {
    capacity: {
      title: "Highest rate within the promise",
      charts: ["bars", "search"],
      answer: 1,
      asks: "Which rate does a proxy carry within the promise?",
      columns: ["search"],
    },
  },
  failures: {
    lost: {
      title: "Connections lost",
      charts: ["around"],
      answer: 1,
      asks: "Which connections are lost when something changes or breaks?",
      columns: ["counted", "causes", "steps"],
    },
    kept: { title: "Events that kept every connection" },
    again: { title: "Until new connections succeeded again" },
    failed: {
      title: "New connections failed",
      answer: 2,
      mostEvents: 2,
      columns: ["counted", "causes"],
    },
    slow: { title: "Slow new connections", answer: 3, mostEvents: 1 },
    "messages-lost": { title: "Messages lost" },
    silence: { title: "Longest silence of a surviving connection" },
    newcomers: {
      title: "Share of new connections sent to a new backend",
      answer: 2,
      asks: "Does a new backend get new connections?",
    },
    "new-configuration": {
      title: "Until the new configuration answered",
      answer: 6,
      mostEvents: 1,
    },
    "added-share": {
      title: "Until a new backend held 90 % of its share",
      charts: ["around"],
      answer: 3,
      asks: "How soon does a new backend hold its share of long-lived connections?",
    },
    imbalance: { title: "Fullest backend as a multiple of the average" },
    "old-processes": { title: "Until the old processes had ended" },
    "most-old": { title: "Most old processes at once", answer: 4, mostEvents: 1 },
    "event-memory": { title: "Highest memory after the event", answer: 5, mostEvents: 1 },
    "event-cpu": { title: "CPU after the event", columns: ["fromTo"] },
    "event-cpu-seconds": {
      title: "CPU time from the first event on",
      answer: 7,
      mostEvents: 1,
    },
    storm: {
      title: "Time until 99 % are back",
      charts: ["bars", "recovery"],
      answer: 1,
      asks: "How soon is everyone back after a cut?",
      columns: ["control", "causes"],
    },
    "slow-readers": {
      title: "Memory per slow reader",
      charts: BARS,
      answer: 1,
      asks: "How much memory does a slow reader take?",
      columns: ["slow-reader"],
    },
    proxy_memory_left_bytes: {
      title: "Memory left after the load",
      topic: "left",
      charts: BARS,
      answer: 1,
      asks: "How much memory is left after the load?",
      rounds: own(isReadAfter),
    },
    proxy_sockets_left: {
      title: "Sockets left",
      topic: "left",
      answer: 2,
      asks: "How many sockets are left after the load?",
      rounds: own(isReadAfter),
    },
    proxy_close_wait_left: {
      title: "Half closed sockets left",
      topic: "left",
      rounds: own(isReadAfter),
    },
    proxy_descriptors_left: {
      title: "Descriptors left",
      topic: "left",
      rounds: own(isReadAfter),
    },
  },
  tls: {
    tls: {
      title: "TLS: wss as a multiple of ws",
      charts: BARS,
      answer: 8,
      asks: "How much more does TLS cost?",
    },
    "resumed-handshake": {
      title: "Resumed handshake as a multiple of a full one",
      charts: BARS,
      answer: 3,
      asks: "What does a resumed handshake save?",
    },
    "rsa-handshake": {
      title: "RSA key as a multiple of ECDSA",
      charts: BARS,
      answer: 3,
      asks: "How much more does an RSA key cost?",
    },
    "tls12-handshake": {
      title: "TLS 1.2 as a multiple of TLS 1.3",
      charts: BARS,
      answer: 3,
      asks: "Does TLS 1.2 cost more than TLS 1.3?",
    },
  },
  network: {
    "bridge-network": {
      title: "Docker's network as a multiple of the machine's own",
      charts: BARS,
      answer: 1,
      asks: "What does Docker's network cost?",
      columns: ["medians"],
    },
    "overlay-network": {
      title: "Overlay network as a multiple of the machine's own",
      charts: BARS,
      answer: 1,
      asks: "What does an overlay network cost?",
      columns: ["medians"],
    },
    multiplexed: {
      title: "Shared HTTP/2 connections as a multiple of separate ones",
      charts: BARS,
      answer: 1,
      asks: "What do shared HTTP/2 connections save?",
      columns: ["medians"],
    },
  },
  tuning: {
    baseline: {
      title: "CPU per connection as a multiple of the baseline's",
      charts: BARS,
      answer: 0,
      asks: "Does your configuration cost more CPU?",
      columns: ["medians"],
    },
    releases: {
      title: "A release as a multiple of the one before",
      charts: BARS,
      answer: 0,
      asks: "Which release made a proxy more expensive?",
      columns: ["before", "medians"],
    },
    defaults: {
      title: "Defaults as a multiple of tuned",
      charts: BARS,
      answer: 1,
      asks: "What do defaults cost?",
      columns: ["medians"],
    },
    variants: {
      title: "A variant as a multiple of its original",
      charts: BARS,
      answer: 0,
      asks: "What does each variant cost?",
      columns: ["medians"],
    },
  },
  noise: {
    aa: { title: "A proxy against a copy of itself", answer: 0, asks: "How large is the noise?" },
    observers: {
      title: "A proxy against itself without observers",
      answer: 0,
      asks: "What do the observers cost?",
    },
    "same-work": { title: "Two proxies that do the same work" },
  },
};

export const QUESTIONS: Question[] = (Object.keys(TABLE) as Group[]).flatMap((group) =>
  Object.entries(TABLE[group]).map(([id, row]) => ({ id, group, ...row })),
);

/** Measures of a question that has several. */
const TITLES = new Map([
  ...QUESTIONS.map(({ id, title }): [string, string] => [id, title]),
  ["proxy_memory_mean_usage_bytes", "Memory per idle connection"],
  ["proxy_memory_mean_rss_bytes", "Anonymous memory per idle connection"],
  ["proxy_memory_mean_kernel_bytes", "Kernel memory per idle connection"],
]);

/** A measure by the name that it has as a question, so that a report calls it by one. */
export function measureTitle({ key, title }: { key: string; title: string }): string {
  return TITLES.get(key) ?? title;
}

/** What is asked of the rounds of a setting, in the order of the table. */
export interface Asked extends Omit<Rounds, "applies"> {
  /** Of the measure, and of the question. */
  key: string;
}

export function askedIn(
  setting: Setting,
  { settings, plan }: { settings: Setting[]; plan: Pick<Plan, "sideBySide"> },
): Asked[] {
  const { scheme, workload } = setting;
  return QUESTIONS.flatMap(({ id, rounds }) => {
    if (!rounds) return [];
    const { control, isRanked, applies } = rounds;
    const isAsked = applies(workload) || sourcesOf(setting, id, settings) !== null;
    if (!isAsked || (plan.sideBySide && isVoidedBy(BESIDE, measure(id).kind))) return [];
    // Over TLS the control encrypts in the thread that answers, and of files it is a server.
    const bounds = control === "bound" && scheme === "ws" && !comparesServers(workload);
    return { key: id, isRanked, control: control === "bound" && !bounds ? "beside" : control };
  });
}

function bound(applies: Applies): Rounds {
  return { control: "bound", isRanked: true, applies };
}

function beside(applies: Applies): Rounds {
  return { control: "beside", isRanked: true, applies };
}

function own(applies: Applies): Rounds {
  return { control: "own", isRanked: true, applies };
}

function unranked(applies: Applies): Rounds {
  return { control: "own", isRanked: false, applies };
}

/** WebSockets in the measured phase. */
function opensConnections({ protocol, holdsConnections }: Workload): boolean {
  return protocol === "websocket" && !holdsConnections;
}

function sendsMessages({ protocol, intervalSeconds }: Workload): boolean {
  return protocol === "websocket" && intervalSeconds !== 0;
}

function sendsOnHeld(load: Workload): boolean {
  const { messages = 1, intervalSeconds = 0, messagesPerSecond = 0 } = load;
  const sends = messages > 1 || intervalSeconds > 0 || messagesPerSecond > 0;
  // Beside connections that come and go, nobody knows what of it messages cost.
  return load.holdsConnections && sends && !load.arrivalsPerSecond;
}

function sendsRequests({ protocol }: Workload): boolean {
  return protocol === "http";
}

function holds({ holdsConnections }: Workload): boolean {
  return holdsConnections;
}

function isOfProxy(load: Workload): boolean {
  return !comparesServers(load);
}

/** The measured phase lasts until the work is done, and the proxy says how long that is. */
function isUntimed({ loop, phaseSeconds }: Workload): boolean {
  return loop === "closed" && phaseSeconds === undefined;
}

/** Its times are delays at a rate, and their tail is worth a comparison. */
function isOpen({ loop }: Workload): boolean {
  return loop === "open";
}

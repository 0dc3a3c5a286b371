/**
 * The table of questions: every `Comparison.question`, in the order in which a report answers them.
 */

export const GROUPS = {
  cost: "CPU",
  delay: "Latency",
  throughput: "Throughput",
  memory: "Memory",
  capacity: "Capacity",
  failures: "Failures",
  tls: "TLS",
  network: "Network",
  noise: "Noise",
};

export type Group = keyof typeof GROUPS;

/** What stands in a column of its own beside a figure, from `Figure.extra`. */
export type ExtraColumn =
  | "control"
  | "places"
  | "samples"
  | "added"
  | "baseline"
  | "ended"
  | "fromTo"
  | "grows"
  | "medians"
  | "search"
  | "counted"
  | "causes"
  | "steps"
  | "slow-reader";

/** distribution, slope: of `extra.curve`; around, search: of the same; over-time: of the proxy over a cell. */
export type Chart = "bars" | "distribution" | "slope" | "around" | "over-time" | "search";

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
  columns?: ExtraColumn[];
  /** Of several measures the one that it is ranked by; without, the first. */
  rankBy?: string;
}

const BARS: Chart[] = ["bars"];

const TABLE: Record<Group, Record<string, Omit<Question, "id" | "group">>> = {
  cost: {
    cpu_us_per_message: { title: "CPU per message", charts: BARS, answer: 5, columns: ["places"] },
    cpu_us_per_handshake: { title: "CPU per handshake", charts: BARS, answer: 4 },
    cpu_us_per_connection: {
      title: "CPU per connection",
      charts: BARS,
      answer: 3,
      columns: ["places"],
    },
    proxy_cpu_us_per_request: {
      title: "CPU per request",
      charts: BARS,
      answer: 3,
      columns: ["places"],
    },
    servers_cpu_seconds: {
      title: "CPU of proxy and server",
      charts: BARS,
      answer: 4,
      columns: ["places"],
    },
    proxy_cpu_cores: { title: "CPU of the proxy, cores" },
  },
  delay: {
    "handshake-at-rate": {
      title: "Connect time p99 at a fixed rate",
      rankBy: "handshake_ms_p99",
      charts: ["bars", "distribution"],
      answer: 1,
      columns: ["samples", "added"],
    },
    "echo-at-rate": {
      title: "Echo time p99 at a fixed rate",
      rankBy: "echo_latency_ms_p99",
      charts: ["bars", "distribution"],
      answer: 2,
      columns: ["samples", "added"],
    },
    handshake_ms_mean: {
      title: "Connect time, mean",
      topic: "handshake",
      charts: BARS,
      columns: ["control"],
    },
    handshake_ms_median: { title: "Connect time, median", topic: "handshake" },
    handshake_ms_p99: { title: "Connect time, p99", topic: "handshake" },
    handshake_ms_p999: { title: "Connect time, p99.9", topic: "handshake" },
    echo_latency_ms_mean: {
      title: "Echo time, mean",
      topic: "echo",
      charts: BARS,
      columns: ["control"],
    },
    echo_latency_ms_median: { title: "Echo time, median", topic: "echo" },
    echo_latency_ms_p99: { title: "Echo time, p99", topic: "echo" },
    echo_latency_ms_p999: { title: "Echo time, p99.9", topic: "echo" },
    request_ms_mean: {
      title: "Request time, mean",
      topic: "request",
      charts: BARS,
      answer: 5,
      columns: ["control"],
    },
    request_ms_median: { title: "Request time, median", topic: "request" },
    request_ms_p99: { title: "Request time, p99", topic: "request" },
    total_seconds: { title: "Time for the whole load", columns: ["control"] },
  },
  throughput: {
    connections_per_second: { title: "Connections per second", charts: BARS, answer: 6 },
    messages_per_second: { title: "Messages per second", charts: BARS, answer: 6 },
    requests_per_second: { title: "Requests per second", charts: BARS, answer: 4 },
    non_2xx_percent: { title: "Error answers", topic: "errors", columns: ["causes"] },
    socket_errors_per_1000_requests: { title: "Socket errors per 1,000 requests", topic: "errors" },
  },
  memory: {
    "memory-per-connection": {
      title: "Memory per idle connection",
      charts: ["bars", "slope"],
      answer: 1,
      columns: ["baseline", "ended"],
    },
    proxy_memory_growth_bytes: {
      title: "Memory growth under load",
      topic: "memory",
      charts: ["bars", "over-time"],
    },
    proxy_memory_baseline_usage_bytes: { title: "Memory before the load", topic: "memory" },
    proxy_memory_peak_usage_bytes: { title: "Memory, peak", topic: "memory" },
    proxy_memory_per_connection_bytes: {
      title: "Memory per open connection",
      topic: "per-connection",
    },
    proxy_memory_user_per_connection_bytes: {
      title: "User memory per open connection",
      topic: "per-connection",
    },
    proxy_memory_kernel_per_connection_bytes: {
      title: "Kernel memory per open connection",
      topic: "per-connection",
    },
    trend: {
      title: "Growth over time",
      charts: ["bars", "over-time"],
      answer: 7,
      columns: ["fromTo", "grows"],
    },
  },
  capacity: {
    capacity: {
      title: "Highest rate within the promise",
      charts: ["bars", "search"],
      answer: 1,
      columns: ["search"],
    },
  },
  failures: {
    lost: {
      title: "Connections lost",
      charts: ["around"],
      answer: 1,
      columns: ["counted", "causes", "steps"],
    },
    failed: { title: "New connections failed", columns: ["counted", "causes"] },
    slow: { title: "Slow new connections" },
    "failing-seconds": { title: "Until new connections stopped failing" },
    "messages-lost": { title: "Messages lost" },
    silence: { title: "Longest silence of a surviving connection" },
    newcomers: { title: "Share of new connections sent to an added backend", answer: 2 },
    "new-configuration": { title: "Until the new configuration answered" },
    "old-processes": { title: "Until the old processes had ended" },
    "event-memory": { title: "Highest memory after the event" },
    "event-cpu": { title: "CPU after the event", columns: ["fromTo"] },
    storm: {
      title: "Time until 99 % are back",
      charts: ["bars", "around"],
      answer: 1,
      columns: ["control", "causes"],
    },
    "slow-readers": {
      title: "Memory per slow reader",
      charts: BARS,
      answer: 1,
      columns: ["slow-reader"],
    },
    proxy_memory_left_bytes: {
      title: "Memory left after the load",
      topic: "left",
      charts: BARS,
      answer: 1,
    },
    proxy_sockets_left: { title: "Sockets left", topic: "left", answer: 2 },
    proxy_close_wait_left: { title: "Half closed sockets left", topic: "left" },
    proxy_descriptors_left: { title: "Descriptors left", topic: "left" },
  },
  tls: {
    tls: { title: "TLS: wss as a multiple of ws", charts: BARS, answer: 8 },
    "resumed-handshake": {
      title: "Resumed handshake as a multiple of a full one",
      charts: BARS,
      answer: 3,
    },
    "rsa-handshake": { title: "RSA key as a multiple of ECDSA", charts: BARS, answer: 3 },
    "tls12-handshake": { title: "TLS 1.2 as a multiple of TLS 1.3", charts: BARS, answer: 3 },
  },
  network: {
    "bridge-network": {
      title: "Docker's network as a multiple of the machine's own",
      charts: BARS,
      answer: 1,
      columns: ["medians"],
    },
    "overlay-network": {
      title: "Overlay network as a multiple of the machine's own",
      charts: BARS,
      answer: 1,
      columns: ["medians"],
    },
    multiplexed: {
      title: "Shared HTTP/2 connections as a multiple of separate ones",
      charts: BARS,
      answer: 1,
      columns: ["medians"],
    },
  },
  noise: {
    aa: { title: "A proxy against a copy of itself", answer: 0 },
    observers: { title: "A proxy against itself without observers", answer: 0 },
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

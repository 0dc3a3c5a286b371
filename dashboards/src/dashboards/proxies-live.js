import {
  BytesIEC,
  BytesPerSecondSI,
  Milliseconds,
  Short,
} from "@grafana/grafana-foundation-sdk/units";
import { containersOf, LOAD_SERVICES, OBSERVER_SERVICES, proxyContainers } from "../containers.js";
import { dashboard } from "../dashboard.js";
import { bars, curves, latest, totals } from "../panels.js";
import { containerGauge, containerRate, eventCount, eventRate, percentiles } from "../queries.js";
import { dashed, dots, downwards, proxyColours, serviceColours, thin } from "../series.js";
import { proxyVariable, runVariable } from "../variables.js";

const CORES = "suffix:cores";
const PER_SECOND = "suffix:/s";
const NS_PER_S = 1_000_000_000;

const NO_CONTAINER = "No sample of these containers in this range";
const NO_LOAD = "No sample of k6 in this range";
const NOTHING_NOW = "–";

/**
 * What every container costs while a proxy runs, and what its clients see: the proxy first, what loads it next, what
 * watches it last.
 * @param {import("../proxies.js").Proxy[]} proxies
 */
export function proxiesLive(proxies) {
  const colours = proxyColours(proxies);
  const proxy = proxyContainers(proxies);
  return dashboard({
    uid: "proxies-live",
    title: "Proxies live",
    description:
      "CPU, memory and network of every container, and what clients see. " +
      "Run and Proxy choose samples of k6; of containers, Proxy alone, as cAdvisor knows no runs. " +
      "While it is open, each refresh makes InfluxDB sort every latency in the range: " +
      "where InfluxDB's CPU shows below, take a shorter range or close this page before you measure.",
    variables: [runVariable(), proxyVariable()],
    sections: [
      {
        id: 100,
        title: "Proxy",
        panels: [...nowPanels(proxy, colours), ...containerPanels(proxy, colours, 8)],
      },
      { id: 200, title: "Clients", panels: clientPanels(colours) },
      {
        id: 300,
        title: "Load generator and echo server",
        panels: containerPanels(containersOf(LOAD_SERVICES), serviceColours(), 7),
      },
      {
        id: 400,
        title: "Observers",
        panels: containerPanels(containersOf(OBSERVER_SERVICES), serviceColours(), 7),
      },
    ],
  });
}

/**
 * @param {string} proxy a condition from containers.js
 * @param {import("../series.js").Override[]} overrides
 */
function nowPanels(proxy, overrides) {
  const size = { width: 4, height: 4, whenEmpty: NOTHING_NOW, overrides };
  return [
    latest({
      ...size,
      title: "Proxy CPU",
      description: "CPU cores in use, from the CPU time that cAdvisor reads from the cgroup.",
      unit: CORES,
      queries: [containerRate("cpu_usage_total", proxy, { divisor: NS_PER_S })],
    }).decimals(2),
    latest({
      ...size,
      title: "Proxy memory",
      description: "Working set in bytes: memory that the kernel could not take back at once.",
      unit: BytesIEC,
      queries: [containerGauge("memory_working_set", proxy)],
    }),
    latest({
      ...size,
      title: "Connections opened",
      description: "WebSocket connections opened per second, as k6 counts them.",
      unit: PER_SECOND,
      queries: [eventRate("connections_opened")],
    }),
    latest({
      ...size,
      title: "Handshake p95",
      description:
        "95 % of handshakes took no longer than this, in milliseconds, as k6 measures them.",
      unit: Milliseconds,
      queries: [percentiles("handshake_ms", [95])],
    }),
    latest({
      ...size,
      title: "Echo latency p95",
      description:
        "95 % of messages were back within this time, in milliseconds, as k6 measures them.",
      unit: Milliseconds,
      queries: [percentiles("echo_latency_ms", [95])],
    }),
    totals({
      ...size,
      title: "Connections failed",
      description: "Connections that failed in the whole time range, as k6 counts them.",
      unit: Short,
      whenEmpty: "0",
      overrides: [],
      queries: [eventCount("connections_failed", "proxy")],
    }),
  ];
}

/**
 * @param {string} containers a condition from containers.js
 * @param {import("../series.js").Override[]} colours
 * @param {number} height
 */
function containerPanels(containers, colours, height) {
  const size = { width: 8, height, whenEmpty: NO_CONTAINER };
  return [
    curves({
      ...size,
      title: "CPU",
      description:
        "CPU cores in use, per container: the rate of the CPU time that cAdvisor reads from the cgroup.",
      unit: CORES,
      queries: [containerRate("cpu_usage_total", containers, { divisor: NS_PER_S })],
      overrides: colours,
    }),
    curves({
      ...size,
      title: "Memory: working set bold, usage thin, RSS dashed",
      description:
        "Bytes per container, from cAdvisor. Usage is all memory of the cgroup, with page cache and kernel memory; " +
        "the working set leaves out cache that could go at once; RSS is what the processes hold themselves.",
      unit: BytesIEC,
      queries: [
        containerGauge("memory_working_set", containers),
        containerGauge("memory_usage", containers, { suffix: " usage" }),
        containerGauge("memory_rss", containers, { suffix: " RSS" }),
      ],
      overrides: [...colours, thin(" usage"), dashed(" RSS")],
    }),
    curves({
      ...size,
      title: "Network: received ↑, sent ↓",
      description:
        "Bytes per second per container, from cAdvisor: received upwards, sent downwards. It covers the first " +
        "interface. Containers that share one network stack count as 0 but for its owner, which counts for all.",
      unit: BytesPerSecondSI,
      queries: [
        containerRate("rx_bytes", containers),
        containerRate("tx_bytes", containers, { suffix: " sent" }),
      ],
      overrides: [...colours, downwards(" sent")],
    }),
  ];
}

/** @param {import("../series.js").Override[]} colours */
function clientPanels(colours) {
  const size = { width: 6, height: 8, whenEmpty: NO_LOAD };
  return [
    curves({
      ...size,
      title: "Connections opened",
      description: "WebSocket connections opened per second, as k6 counts them.",
      unit: PER_SECOND,
      queries: [eventRate("connections_opened")],
      overrides: colours,
    }),
    latencyPanel({
      ...size,
      title: "Handshake",
      description:
        "Milliseconds from the start of a connection to the answer that makes it a WebSocket",
      metric: "handshake_ms",
      colours,
    }),
    latencyPanel({
      ...size,
      title: "Echo latency",
      description: "Milliseconds from sending a message to its echo",
      metric: "echo_latency_ms",
      colours,
    }),
    bars({
      ...size,
      title: "Connections failed, by cause",
      description:
        "Connections that failed in each step of the time axis (10 s at least), as k6 counts them.",
      unit: Short,
      whenEmpty: "0 failures in this range",
      queries: [eventCount("connections_failed", "cause")],
    }),
  ];
}

/**
 * @param {Omit<import("../panels.js").PanelOptions, "unit" | "queries"> &
 *   { metric: string, colours: import("../series.js").Override[] }} options
 */
function latencyPanel({ metric, colours, title, description, ...size }) {
  return curves({
    ...size,
    title: `${title}: p50 bold, p95 thin, p99 dots`,
    description: `${description}, as k6 measures it: the median, and what 95 % and 99 % stayed within.`,
    unit: Milliseconds,
    queries: [percentiles(metric, [50, 95, 99])],
    overrides: [...colours, thin(" p95"), dots(" p99")],
  });
}

import {
  BytesIEC,
  BytesPerSecondSI,
  Milliseconds,
  PercentUnit,
  Short,
} from "@grafana/grafana-foundation-sdk/units";
import { containersOf, LOAD_SERVICES, OBSERVER_SERVICES, proxyContainers } from "../containers.ts";
import { dashboard } from "../dashboard.ts";
import { CORES } from "../measures.ts";
import { bars, curves, latest, totals } from "../panels.ts";
import {
  BENCH,
  containerGauge,
  containerRate,
  eventCount,
  eventRate,
  failureCount,
  liveFigure,
  livePercentiles,
  liveThrottling,
  percentiles,
  phases,
  proxyEvents,
} from "../queries.ts";
import { dashed, dots, downwards, proxyColours, serviceColours, thin } from "../series.ts";
import { proxyVariable } from "../variables.ts";
import type { Proxy } from "../proxies.ts";
import type { Override } from "../series.ts";
import type { PanelOptions } from "../panels.ts";

const PER_SECOND = "suffix:/s";
const NS_PER_S = 1_000_000_000;

const NO_CONTAINER = "No sample of these containers in this range";
const NO_LOAD = "No load in this range";
const ONLY_IN_BATTLES = "Known in battles alone: ./bench run";
const NOTHING_NOW = "–";

const PERCENTILES = [50, 95, 99];

/** Of the lines where a cell and where a phase begins: faint, as there is one every few seconds. */
const CELL_COLOUR = "rgba(128, 128, 128, 0.5)";
/** Of what is done to a proxy: it is to be seen among those. */
const EVENT_COLOUR = "#E02F44";
const PHASE_COLOUR = "rgba(128, 128, 128, 0.25)";

/**
 * What every container costs while a proxy runs, and what its clients see: the proxy first, what
 * loads it next, what watches it last.
 */
export function proxiesLive(proxies: Proxy[]) {
  const colours = proxyColours(proxies);
  const proxy = proxyContainers(proxies);
  return dashboard({
    uid: "proxies-live",
    title: "Proxies live",
    description:
      "CPU, memory and network of every container, and what clients see, under a single load and in a battle. " +
      "While it is open, each refresh makes InfluxDB read the whole range, and of a single load sort every latency: " +
      "where InfluxDB's CPU shows below, take a shorter range or close this page before you measure.",
    time: { from: "now-15m", to: "now" },
    refresh: "5s",
    variables: [proxyVariable(proxies)],
    events: [
      { name: "Cells", colour: CELL_COLOUR, shown: true, datasource: BENCH, query: phases("=") },
      {
        name: "Events",
        colour: EVENT_COLOUR,
        shown: true,
        datasource: BENCH,
        query: proxyEvents(),
      },
      {
        name: "Phases",
        colour: PHASE_COLOUR,
        shown: false,
        datasource: BENCH,
        query: phases("!="),
      },
    ],
    sections: [
      {
        id: 100,
        title: "Proxy",
        panels: [
          ...nowPanels(proxy, colours),
          ...containerPanels(proxy, colours, { width: 6, height: 8 }),
          throttlingPanel(colours),
        ],
      },
      { id: 200, title: "Clients", panels: clientPanels(colours) },
      {
        id: 300,
        title: "Load generator and echo server",
        panels: containerPanels(containersOf(LOAD_SERVICES), serviceColours(), {
          width: 8,
          height: 7,
        }),
      },
      {
        id: 400,
        title: "Observers",
        panels: containerPanels(containersOf(OBSERVER_SERVICES), serviceColours(), {
          width: 8,
          height: 7,
        }),
      },
    ],
  });
}

/** @param proxy a condition from containers.ts */
function nowPanels(proxy: string, overrides: Override[]) {
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
      description: "WebSocket connections opened per second, as the load generator counts them.",
      unit: PER_SECOND,
      queries: [eventRate("connections_opened"), liveFigure("connections_per_second")],
    }),
    latest({
      ...size,
      title: "Handshake p95",
      description:
        "95 % of handshakes took no longer than this, in milliseconds, as the load generator measures them.",
      unit: Milliseconds,
      queries: [percentiles("handshake_ms", [95]), livePercentiles("handshake", [95])],
    }),
    latest({
      ...size,
      title: "Echo latency p95",
      description:
        "95 % of messages were back within this time, in milliseconds, as the load generator measures them.",
      unit: Milliseconds,
      queries: [percentiles("echo_latency_ms", [95]), livePercentiles("echo", [95])],
    }),
    totals({
      ...size,
      title: "Connections failed",
      description:
        "Connections that failed in the whole time range. In a battle they are known when the cell has ended.",
      unit: Short,
      whenEmpty: "0",
      overrides: [],
      queries: [eventCount("connections_failed", "proxy"), failureCount("proxy")],
    }),
  ];
}

/** @param containers a condition from containers.ts */
function containerPanels(
  containers: string,
  colours: Override[],
  shape: { width: number; height: number },
) {
  const size = { ...shape, whenEmpty: NO_CONTAINER };
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

function throttlingPanel(colours: Override[]) {
  return curves({
    width: 6,
    height: 8,
    whenEmpty: ONLY_IN_BATTLES,
    title: "Throttled by the CPU budget",
    description:
      "Share of the time for which the kernel held the proxy back, as its CPU budget (PROXY_CPUS) was used up; of several " +
      "containers the sum. 0 where there is no budget. The runner reads it in battles; under a single load it is unknown.",
    unit: PercentUnit,
    queries: [liveThrottling()],
    overrides: colours,
  }).axisSoftMax(1);
}

function clientPanels(colours: Override[]) {
  const size = { width: 8, height: 8, whenEmpty: NO_LOAD };
  return [
    curves({
      ...size,
      title: "Connections opened",
      description:
        "WebSocket connections opened per second, as the load generator counts them. Where the next is opened when one has " +
        "closed, a slow proxy is asked less.",
      unit: PER_SECOND,
      queries: [eventRate("connections_opened"), liveFigure("connections_per_second")],
      overrides: colours,
    }),
    latencyPanel({
      ...size,
      title: "Handshake",
      description:
        "Milliseconds from the start of a connection to the answer that makes it a WebSocket",
      queries: [
        percentiles("handshake_ms", PERCENTILES),
        livePercentiles("handshake", PERCENTILES),
      ],
      colours,
    }),
    latencyPanel({
      ...size,
      title: "Echo latency",
      description: "Milliseconds from sending a message to its echo",
      queries: [percentiles("echo_latency_ms", PERCENTILES), livePercentiles("echo", PERCENTILES)],
      colours,
    }),
    bars({
      ...size,
      title: "Connections failed, by cause",
      description:
        "Connections that failed in each step of the time axis (10 s at least), as the load generator counts them. In a battle " +
        "they are known when the cell has ended.",
      unit: Short,
      whenEmpty: "0 failures in this range",
      queries: [eventCount("connections_failed", "cause"), failureCount("cause")],
    }),
    curves({
      ...size,
      title: "Connections open",
      whenEmpty: ONLY_IN_BATTLES,
      description:
        "WebSocket connections open at the time; of several seconds in a step of the axis the most. The runner counts them in the " +
        "measured phase of a battle's cell; under a single load it is unknown.",
      unit: Short,
      queries: [liveFigure("open", "max")],
      overrides: colours,
    }),
    curves({
      ...size,
      title: "Messages echoed",
      description: "Messages that came back per second, as the load generator counts them.",
      unit: PER_SECOND,
      queries: [eventRate("messages_echoed"), liveFigure("messages_per_second")],
      overrides: colours,
    }),
  ];
}

function latencyPanel({
  colours,
  title,
  description,
  ...options
}: Omit<PanelOptions, "unit"> & { colours: Override[] }) {
  return curves({
    ...options,
    title: `${title}: p50 bold, p95 thin, p99 dots`,
    description:
      `${description}, as the load generator measures it: the median, and what 95 % and 99 % stayed within. In a battle, of ` +
      "each second; where a step of the axis is longer, the middle p50 and the highest p95 and p99 of its seconds.",
    unit: Milliseconds,
    overrides: [...colours, thin(" p95"), dots(" p99")],
  });
}

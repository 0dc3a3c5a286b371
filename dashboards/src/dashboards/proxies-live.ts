import {
  BytesIEC,
  BytesPerSecondSI,
  BytesSI,
  DateTimeFromNow,
  Microseconds,
  Milliseconds,
  PercentUnit,
  Seconds,
  Short,
} from "@grafana/grafana-foundation-sdk/units";
import {
  containersOf,
  CONTROLS,
  LOAD_SERVICES,
  OBSERVER_SERVICES,
  proxyContainers,
} from "../containers.ts";
import { dashboard } from "../dashboard.ts";
import { CORES } from "../measures.ts";
import { alarms, bars, curves, figures, table } from "../panels.ts";
import {
  BENCH,
  containerGauge,
  containerRate,
  eventCount,
  failureCount,
  glance,
  liveFigure,
  liveNow,
  livePercentiles,
  liveThrottling,
  loadParts,
  memoryNow,
  phases,
  proxyEvents,
} from "../queries.ts";
import {
  column,
  dashed,
  dots,
  downwards,
  OKABE_ITO_GREEN,
  OKABE_ITO_VERMILLION,
  proxyColours,
  serviceColours,
  thin,
} from "../series.ts";
import { inColour } from "../result-panels.ts";
import { proxyVariable } from "../variables.ts";
import type { PanelOptions } from "../panels.ts";
import type { Proxy } from "../proxies.ts";
import type { Override } from "../series.ts";

const PER_SECOND = "suffix:/s";
/** A count in full, such as 2,000. */
const LOCALE = "locale";
const NS_PER_S = 1_000_000_000;

const NO_CONTAINER = "No sample of these containers in this range";
const NO_LOAD = "No load in this range: choose one in the table above";
const NO_LOAD_YET = "No load yet: docker compose --profile haproxy up";
const NOT_TOLD = "Told in battles alone: ./bench run";
const UNKNOWN = "–";

const PERCENTILES = [50, 95, 99];
/** Loads in the header. */
const LAST_LOADS = 2;

/** Of the lines where a cell and where a phase begins: faint, as there is one every few seconds. */
const CELL_COLOUR = "rgba(128, 128, 128, 0.5)";
/** Of what is done to a proxy: strong, to stand out among those. */
const EVENT_COLOUR = "#E02F44";
const PHASE_COLOUR = "rgba(128, 128, 128, 0.25)";
/** Of the parts of a load. */
const PART_COLOUR = "#56B4E9";

const RANGES = ["2", "5", "15"].map((minutes) => ({
  title: `${minutes} min`,
  tooltip: `The last ${minutes} minutes`,
  time: { from: `now-${minutes}m`, to: "now" },
}));

/**
 * What every container costs while a proxy runs, and what its clients see: the load and its answers
 * first, the proxy next, what loads it and what watches it last.
 */
export function proxiesLive(proxies: Proxy[]) {
  const colours = proxyColours(proxies);
  const proxy = proxyContainers(proxies);
  const load = containersOf(LOAD_SERVICES);
  const observers = containersOf(OBSERVER_SERVICES);
  return dashboard({
    uid: "proxies-live",
    title: "Proxies live",
    description:
      "CPU, memory and network of every container, and what clients see, under a single load and in a battle. " +
      "While it is open, each refresh makes InfluxDB read the whole range: where InfluxDB's CPU shows below, take a shorter " +
      "range or close this page before you measure.",
    time: { from: "now-3m", to: "now" },
    refresh: "5s",
    ranges: RANGES,
    variables: [proxyVariable(proxies)],
    events: [
      {
        name: "Parts",
        colour: PART_COLOUR,
        shown: true,
        datasource: BENCH,
        query: loadParts(),
        timeEnd: "end_ms",
      },
      {
        name: "Events",
        colour: EVENT_COLOUR,
        shown: true,
        datasource: BENCH,
        query: proxyEvents(),
      },
      { name: "Cells", colour: CELL_COLOUR, shown: false, datasource: BENCH, query: phases("=") },
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
          [loadsPanel(), 111],
          [failedPanel(), 106],
          ...figurePanels(proxy),
          [cpuPanel(proxy, colours, { width: 6, height: 8 }), 107],
          [memoryPanel(proxy, colours, { width: 6, height: 8 }), 108],
          [openPanel(colours), 205],
          [connectPanel(colours), 202],
        ],
      },
      {
        id: 200,
        title: "Clients",
        panels: clientPanels(colours),
      },
      {
        id: 300,
        title: "Load generator, echo server, control and reference",
        panels: [
          cpuPanel(load, serviceColours(), { width: 12, height: 7 }),
          memoryPanel(load, serviceColours(), { width: 12, height: 7 }),
        ],
      },
      {
        id: 500,
        title: "Network and throttling",
        isFolded: true,
        panels: [
          [networkPanel(proxy, colours, "Network of the proxy"), 109],
          [networkPanel(load, serviceColours(), "Network of load and echo server"), 303],
          [throttlingPanel(colours), 110],
        ],
      },
      {
        id: 400,
        title: "Observers",
        isFolded: true,
        panels: [
          cpuPanel(observers, serviceColours(), { width: 8, height: 7 }),
          memoryPanel(observers, serviceColours(), { width: 8, height: 7 }),
          networkPanel(observers, serviceColours(), "Network of the observers"),
        ],
      },
    ],
  });
}

/** The load that is on or was last, and those before it: each leads to its own time. */
function loadsPanel() {
  const optional = { noValue: UNKNOWN };
  const range = "from=${__data.fields.Started.numeric}&to=${__data.fields.Until.numeric}";
  return table({
    width: 22,
    height: 5,
    title: "Load",
    description:
      `The ${LAST_LOADS} last loads and cells that had begun by the end of the time range, the newest first. A click on a load shows ` +
      "its time. What a connection costs: CPU time of the proxy divided by connections, of the last part that opened some; what " +
      "its working set grew by while connections were held, divided by those.",
    unit: Short,
    whenEmpty: NO_LOAD_YET,
    queries: [
      glance(
        {
          state: "State",
          proxy: "Proxy",
          version: "Version",
          scheme: "Scheme",
          load: "Load",
          from_ms: "Started",
          to_ms: "Until",
          opened: "Opened",
          cpu_us_per_connection: "CPU per connection",
          memory_bytes_per_connection: "Memory per held",
        },
        LAST_LOADS,
      ),
    ],
    overrides: [
      column("State", { mappings: [STATES], "custom.width": 90, ...inColour("text") }),
      column("Proxy", { "custom.width": 110, mappings: [CONTROL_MAPPING] }),
      column("Version", { noValue: UNKNOWN, "custom.width": 115 }),
      column("Scheme", { "custom.width": 70 }),
      column("Load", {
        links: [{ title: "Show its time", url: `/d/proxies-live?${range}` }],
      }),
      // There for the link alone.
      column("Started", { "custom.hidden": true }),
      column("Until", { unit: DateTimeFromNow, "custom.width": 150 }),
      column("Opened", { ...optional, decimals: 0, unit: LOCALE, "custom.width": 80 }),
      column("CPU per connection", {
        ...{ ...optional, unit: Microseconds, decimals: 0, "custom.width": 155 },
      }),
      column("Memory per held", { ...optional, unit: BytesSI, decimals: 1, "custom.width": 135 }),
    ],
  });
}

const STATES = {
  type: "value",
  options: {
    running: { text: "● running", color: OKABE_ITO_GREEN, index: 0 },
    failed: { text: "✗ failed", color: OKABE_ITO_VERMILLION, index: 1 },
  },
};

const CONTROL_MAPPING = {
  type: "value",
  options: { none: { text: CONTROLS.none, index: 0 } },
};

function failedPanel() {
  return alarms({
    width: 2,
    height: 5,
    title: "Failed",
    description: "Connections that failed in the load that is on or was last.",
    unit: LOCALE,
    whenEmpty: UNKNOWN,
    queries: [glance({ failed: "connections" })],
  });
}

/**
 * Each with what is now, over its course, and what the load came to, which stays when it has ended.
 *
 * @param proxy a condition from containers.ts
 */
function figurePanels(proxy: string): [ReturnType<typeof figures>, number][] {
  const size = { width: 4, height: 5, whenEmpty: UNKNOWN };
  return [
    [
      figures({
        ...size,
        title: "Connections open",
        description:
          "WebSocket connections open now, and the most at once in the load that is on or was last, as the load generator counts them.",
        unit: LOCALE,
        queries: [liveNow("open", "now", "max"), glance({ open_most: "most" })],
      }),
      112,
    ],
    [
      figures({
        ...size,
        title: "New connections",
        description:
          "WebSocket connections opened per second: now, and in the best second of the load that is on or was last.",
        unit: PER_SECOND,
        queries: [
          liveNow("connections_per_second", "now"),
          glance({ connections_per_second_most: "most" }),
        ],
      }).decimals(0),
      103,
    ],
    [
      figures({
        ...size,
        title: "Messages",
        description:
          "Messages per second that came back: now, and in the best second of the load that is on or was last.",
        unit: PER_SECOND,
        queries: [
          liveNow("messages_per_second", "now"),
          glance({ messages_per_second_most: "most" }),
        ],
      }).decimals(0),
      113,
    ],
    [
      figures({
        ...size,
        title: "Connect p99",
        description:
          "99 % of connections took no longer than this, in milliseconds, from their start to the answer that makes them WebSockets: " +
          "in the last second that had some, and in the running or latest whole load, once it has ended.",
        unit: Milliseconds,
        queries: [
          liveNow("handshake_p99_ms", "last second", "max"),
          glance({ connect_p99_ms: "whole load" }),
        ],
      }).decimals(1),
      104,
    ],
    [
      figures({
        ...size,
        title: "CPU",
        description:
          "CPU cores that the proxy uses now, and its CPU time for a connection of the load that is on or was last: of its last part " +
          "that opened some, with their messages.",
        unit: CORES,
        queries: [
          liveNow("proxy_cores", "now"),
          // In seconds: Grafana draws the course of the cores on one scale with it.
          glance({ '"cpu_us_per_connection" / 1000000': "per connection" }),
        ],
        overrides: [column("per connection", { unit: Seconds, decimals: 0 })],
      }).decimals(2),
      101,
    ],
    [
      figures({
        ...size,
        title: "Memory",
        description:
          "Working set of the proxy in bytes: memory that the kernel could not take back at once. And what each held connection has " +
          "added to it in the load that is on or was last.",
        unit: BytesIEC,
        queries: [memoryNow(proxy, "now"), glance({ memory_bytes_per_connection: "per held" })],
        overrides: [column("per held", { unit: BytesSI, decimals: 1 })],
      }).decimals(1),
      102,
    ],
  ];
}

interface Size {
  width: number;
  height: number;
}

/** @param containers a condition from containers.ts */
function cpuPanel(containers: string, overrides: Override[], size: Size) {
  return curves({
    ...size,
    whenEmpty: NO_CONTAINER,
    title: "CPU",
    description:
      "CPU cores in use, per container: the rate of the CPU time that cAdvisor reads from the cgroup.",
    unit: CORES,
    queries: [containerRate("cpu_usage_total", containers, { divisor: NS_PER_S })],
    overrides,
  });
}

/** @param containers a condition from containers.ts */
function memoryPanel(containers: string, colours: Override[], size: Size) {
  return curves({
    ...size,
    whenEmpty: NO_CONTAINER,
    title: "Memory",
    description:
      "Bytes per container, from cAdvisor. Bold: the working set, which leaves out cache that could go at once. Thin: usage, all memory of " +
      "the cgroup, with page cache and kernel memory. Dashed: RSS, what the processes hold themselves.",
    unit: BytesIEC,
    queries: [
      containerGauge("memory_working_set", containers),
      containerGauge("memory_usage", containers, { suffix: " usage" }),
      containerGauge("memory_rss", containers, { suffix: " RSS" }),
    ],
    overrides: [...colours, thin(" usage"), dashed(" RSS")],
  });
}

/** @param containers a condition from containers.ts */
function networkPanel(containers: string, colours: Override[], title: string) {
  return curves({
    ...{ width: 8, height: 7, whenEmpty: NO_CONTAINER },
    title,
    description:
      "Bytes per second per container, from cAdvisor: received upwards, sent downwards. It covers the first " +
      "interface. Containers that share one network stack count as 0 but for its owner, which counts for all.",
    unit: BytesPerSecondSI,
    queries: [
      containerRate("rx_bytes", containers),
      containerRate("tx_bytes", containers, { suffix: " sent" }),
    ],
    overrides: [...colours, downwards(" sent")],
  });
}

function throttlingPanel(colours: Override[]) {
  return curves({
    width: 8,
    height: 7,
    whenEmpty: NOT_TOLD,
    title: "Throttled by the CPU budget",
    description:
      "Share of the time for which the kernel held the proxy back, as its CPU budget (PROXY_CPUS) was used up; of several " +
      "containers the sum. 0 where there is no budget. The runner reads it in battles; under a single load it is unknown.",
    unit: PercentUnit,
    queries: [liveThrottling()],
    overrides: colours,
  }).axisSoftMax(1);
}

function openPanel(overrides: Override[]) {
  return curves({
    ...{ width: 6, height: 8, whenEmpty: NO_LOAD },
    title: "Connections open",
    description:
      "WebSocket connections open at the time, as the load generator counts them; of several seconds in a step of the axis the most.",
    unit: LOCALE,
    queries: [liveFigure("open", "max")],
    overrides,
  });
}

function connectPanel(colours: Override[]) {
  return latencyPanel({
    ...{ width: 6, height: 8, whenEmpty: NO_LOAD },
    title: "Connect",
    description:
      "Milliseconds from the start of a connection to the answer that makes it a WebSocket",
    queries: [livePercentiles("handshake", PERCENTILES)],
    colours,
  });
}

function clientPanels(colours: Override[]) {
  const size = { width: 6, height: 8, whenEmpty: NO_LOAD };
  return [
    curves({
      ...size,
      title: "New connections",
      description:
        "WebSocket connections opened per second, as the load generator counts them. Where the next is opened when one has " +
        "closed, a slow proxy is asked less.",
      unit: PER_SECOND,
      queries: [liveFigure("connections_per_second")],
      overrides: colours,
    }),
    [
      curves({
        ...size,
        title: "Messages echoed",
        description:
          "Messages per second, each counted when it comes back, as the load generator counts them.",
        unit: PER_SECOND,
        queries: [liveFigure("messages_per_second")],
        overrides: colours,
      }),
      206,
    ] as [ReturnType<typeof curves>, number],
    latencyPanel({
      ...size,
      title: "Echo latency",
      description: "Milliseconds from sending a message to its echo",
      queries: [livePercentiles("echo", PERCENTILES)],
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
    title: `${title}: p50, p95 thin, p99 dots`,
    description:
      `${description}, as the load generator measures it: of each second the median, and what 95 % and 99 % stayed within. Where a ` +
      "step of the axis is longer, the middle p50 and the highest p95 and p99 of its seconds.",
    unit: Milliseconds,
    overrides: [...colours, thin(" p95"), dots(" p99")],
  });
}

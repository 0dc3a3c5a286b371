import {
  BytesIEC,
  Milliseconds,
  Short,
  String as Text,
} from "@grafana/grafana-foundation-sdk/units";
import { dashboard } from "../dashboard.ts";
import { CORES, panelOf } from "../measures.ts";
import { compared, curves, table } from "../panels.ts";
import { alignedCurve, cellMedian, cells, cellsByValidity, probes } from "../result-queries.ts";
import { column, proxyColours, validityColours } from "../series.ts";
import { runVariable, settingVariable } from "../variables.ts";
import type { Override } from "../series.ts";
import type { Proxy } from "../proxies.ts";

const NOT_MEASURED = "Not measured in this setting";
const NO_CURVE = "No curve in this time range";

const OWN_COST =
  "Median of the rounds whose cells count. For `none`, which has no proxy, it is the cost of its own echo server.";
const WHAT_CLIENTS_SEE =
  "Median of the rounds whose cells count. `none` has no proxy: what is above it, the proxy adds.";

/** Curves begin at 1970-01-01: this much of them is shown. */
const RANGES = [10, 30, 120].map((seconds) => ({
  title: `First ${seconds} s`,
  tooltip: `The curves over the first ${seconds} s of the measured phase`,
  time: since1970(seconds),
}));

/** One run, every proxy side by side. */
export function battle(proxies: Proxy[]) {
  const colours = proxyColours(proxies);
  const bars = (measures: string[], note: string, width = 24 / measures.length) =>
    measures.map((key) => measureBars(key, note, { width, colours }));
  return dashboard({
    uid: "battle",
    title: "Battle",
    description:
      "What one run measured, every proxy side by side, in one setting; it fills as the run goes. The bars are medians of the " +
      "rounds and have no interval: which differences are real, the report of the run says. In Time the curves of all cells " +
      "begin at 00:00:00, as their measured phase does: the links at the top and dragging over a curve choose how much of it.",
    time: since1970(30),
    timezone: "utc",
    ranges: RANGES,
    variables: [runVariable("cells"), settingVariable("cells")],
    sections: [
      {
        id: 100,
        title: "CPU",
        panels: bars(
          [
            "proxy_cpu_cores",
            "cpu_us_per_connection",
            "cpu_us_per_message",
            "cpu_us_per_handshake",
          ],
          OWN_COST,
        ),
      },
      {
        id: 200,
        title: "Memory",
        panels: bars(
          [
            "proxy_memory_peak_usage_bytes",
            "proxy_memory_per_connection_bytes",
            "proxy_memory_user_per_connection_bytes",
            "proxy_memory_kernel_per_connection_bytes",
          ],
          OWN_COST,
        ),
      },
      {
        id: 300,
        title: "Latency and throughput",
        panels: bars(
          [
            "handshake_ms_median",
            "handshake_ms_p99",
            "connections_per_second",
            "echo_latency_ms_median",
            "echo_latency_ms_p99",
            "messages_per_second",
          ],
          WHAT_CLIENTS_SEE,
          8,
        ),
      },
      {
        id: 400,
        title: "Time: every cell from the start of its measured phase",
        panels: overTime(colours),
      },
      { id: 500, title: "Validity", panels: validity() },
      {
        id: 600,
        title: "HTTP requests",
        panels: [
          ...bars(
            ["requests_per_second", "request_ms_median", "request_ms_p99"],
            WHAT_CLIENTS_SEE,
            6,
          ),
          ...bars(["proxy_cpu_us_per_request"], OWN_COST, 6),
        ],
      },
      { id: 700, title: "The most under a promise", panels: [probeTable()] },
    ],
  });
}

/** @param key of a measure */
function measureBars(
  key: string,
  note: string,
  { width, colours }: { width: number; colours: Override[] },
) {
  const { title, unit, description } = panelOf(key);
  return compared({
    title,
    description: `${description} ${note}`,
    unit,
    queries: [cellMedian(key)],
    whenEmpty: NOT_MEASURED,
    width,
    height: 8,
    overrides: colours,
  });
}

function overTime(overrides: Override[]) {
  const size = { width: 12, height: 8, whenEmpty: NO_CURVE, overrides };
  const note =
    "Mean of the rounds, of several containers the sum, over the time since the measured phase began. Where rounds last " +
    "unequally long, only the longer ones are in the end of the curve.";
  return [
    curves({
      ...size,
      title: "CPU of the proxy",
      description: `CPU cores in use by the proxy. ${note}`,
      unit: CORES,
      queries: [alignedCurve("cpu_cores", "proxy")],
    }),
    curves({
      ...size,
      title: "Memory of the proxy: working set",
      description: `Memory of the proxy that the kernel could not take back at once. ${note}`,
      unit: BytesIEC,
      queries: [alignedCurve("working_set_bytes", "proxy")],
    }),
    curves({
      ...size,
      title: "CPU of the load generator, by proxy under load",
      description: `CPU cores in use by the load generator. Near all that it may use, it is what limits the rates. ${note}`,
      unit: CORES,
      queries: [alignedCurve("cpu_cores", "load")],
    }),
    curves({
      ...size,
      title: "CPU of the server behind the proxy, by proxy under load",
      description: `CPU cores in use by the echo server. The control has none behind it. ${note}`,
      unit: CORES,
      queries: [alignedCurve("cpu_cores", "echo")],
    }),
  ];
}

function probeTable() {
  return table({
    title: "Rates that were tried",
    description:
      "Each rate of a search for the most that a proxy carries under a promise, and the fresh cells at the rate found and above it, in all " +
      "settings. holds: the promise was kept; fails: the proxy broke it; limited: generator or machine were at their limit, or samples too few for a p99.",
    unit: Text,
    queries: [probes()],
    whenEmpty: "This run searches no rate, or has not ended",
    width: 24,
    height: 10,
    sortedBy: "Rate",
    descending: false,
    overrides: [
      column("Rate", { unit: Short }),
      column("p99", { unit: Milliseconds }),
      column("Why", { "custom.width": 300 }),
    ],
  });
}

function validity() {
  return [
    compared({
      title: "Cells of the run, by validity",
      description:
        "Attempts at a cell. Valid and weak ones count; weak ones are to be read with care. Invalid, failed and skipped ones are in " +
        "no figure, here and in the report.",
      unit: Short,
      queries: [cellsByValidity()],
      whenEmpty: "No cell has ended yet",
      width: 6,
      height: 10,
      overrides: validityColours(),
    }),
    table({
      title: "Cells of the run, and why they are not valid",
      description:
        "Each cell of the run in all settings, with each finding that weakens or voids it.",
      unit: Text,
      queries: [cells()],
      whenEmpty: "No cell has ended yet",
      width: 18,
      height: 10,
      // Those with a finding first.
      sortedBy: "Why",
      descending: true,
      overrides: [
        column("Validity", { mappings: [VALIDITY_MARKS], "custom.width": 110 }),
        column("Proxy", { "custom.width": 140 }),
        column("Setting", { "custom.width": 200 }),
        column("Round", { "custom.width": 80 }),
        column("Cell", { "custom.width": 280 }),
        column("Why", { noValue: "–" }),
      ],
    }),
  ];
}

const VALIDITY_MARKS = {
  type: "value",
  options: {
    valid: { text: "✓ valid", index: 0 },
    weak: { text: "~ weak", index: 1 },
    invalid: { text: "✗ invalid", index: 2 },
    failed: { text: "✗ failed", index: 3 },
    skipped: { text: "– skipped", index: 4 },
  },
};

function since1970(seconds: number) {
  return { from: new Date(0).toISOString(), to: new Date(1000 * seconds).toISOString() };
}

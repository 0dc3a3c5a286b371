import {
  BytesIEC,
  Milliseconds,
  Percent,
  Short,
  String as Text,
} from "@grafana/grafana-foundation-sdk/units";
import { dashboard } from "../dashboard.ts";
import { CORES } from "../measures.ts";
import { compared, curves, table } from "../panels.ts";
import { BENCH } from "../queries.ts";
import { inColour, noProxies, placed, proxyNames, ratioBars, text } from "../result-panels.ts";
import {
  alignedCurve,
  alignedEvents,
  cells,
  cellsByValidity,
  everySetting,
  probes,
  ranking,
} from "../result-queries.ts";
import { column, proxyColours, validityColours } from "../series.ts";
import { questionVariable, runVariable, settingVariable } from "../variables.ts";
import type { Override } from "../series.ts";
import type { Proxy } from "../proxies.ts";

const NO_BATTLE = "No battle yet: ./bench run";
const NO_FIGURES = "No figure yet: a battle has them when it has ended";
const NO_CURVE = "No curve in this setting";
const NO_EVENT = "No event in this setting";

/** Curves begin at 1970-01-01, of which the dashboard shows nothing but seconds. */
const RANGES = [2, 10, 30, 120].map((seconds) => ({
  title: `First ${seconds} s`,
  tooltip: `The curves over the first ${seconds} s of the measured phase`,
  time: since1970(seconds),
}));

/** One run, every proxy side by side. */
export function battle(proxies: Proxy[]) {
  const colours = [...proxyColours(proxies), ...noProxies()];
  const names = proxyNames(proxies);
  return dashboard({
    uid: "battle",
    title: "Battle",
    description:
      "What the report of one run says, every proxy side by side. Curves of all cells begin at 00:00:00, as their measured phase " +
      "does: the links at the top and dragging over a curve choose how much of it.",
    time: since1970(10),
    timezone: "utc",
    hasTimePicker: false,
    ranges: RANGES,
    events: [
      {
        name: "Events",
        colour: "#E02F44",
        shown: true,
        datasource: BENCH,
        query: alignedEvents(),
      },
    ],
    variables: [
      runVariable("cells"),
      settingVariable("cells"),
      questionVariable({ isOfSetting: true }),
      questionVariable({ isOfSetting: false }),
    ],
    sections: [
      { id: 1000, title: "All settings", panels: [matrix(names)] },
      { id: 1100, title: "One setting, best first", panels: [rankingTable(names)] },
      { id: 500, title: "Validity", panels: validity(names) },
      {
        id: 400,
        title: "Time: every cell from the start of its measured phase",
        panels: overTime(colours),
      },
      {
        id: 1200,
        title: "Connections in an event, over time",
        panels: inEvents(colours),
        isFolded: true,
      },
      {
        id: 700,
        title: "The most under a promise",
        panels: [probeTable(names)],
        isFolded: true,
      },
    ],
  });
}

type Names = ReturnType<typeof proxyNames>;

function matrix(names: Names) {
  return placed({
    title: "${everywhere:text}: all settings",
    description:
      "The figure that is chosen at the top, of every proxy in every setting of the run, as the report has it: of rounds the median. " +
      "Of an event, how many connections were lost.",
    queries: [everySetting()],
    whenEmpty: NO_BATTLE,
    width: 24,
    height: 9,
    matrix: { column: "Setting", row: "Proxy", value: "Figure" },
    overrides: [column("Proxy\\Setting", { displayName: "Proxy", "custom.width": 180, ...names })],
  });
}

function rankingTable(names: Names) {
  return placed({
    title: "${question:text}",
    description:
      "What the report says: the figure, of rounds their median; its interval of 95 % (of events the lowest and highest); its ratio " +
      "to the best. Proxies of one rank (=) cannot be told apart. The control has no proxy: what is above it, the proxy adds.",
    queries: [ranking()],
    whenEmpty: NO_FIGURES,
    width: 12,
    height: 9,
    repeated: { by: "question", perRow: 2 },
    overrides: [
      text("Rank", 55),
      column("Proxy", { "custom.width": 140, ...names }),
      text("Figure", 100, "right"),
      text("Interval", 105, "right"),
      ratioBars("To the best"),
      column("Why", { noValue: "–", "custom.inspect": true, ...inColour("text") }),
    ],
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

function inEvents(overrides: Override[]) {
  const size = { width: 12, height: 8, unit: Percent, whenEmpty: NO_EVENT, overrides };
  const note =
    "Mean of the rounds, over the time since the measured phase began; red lines are the steps of the event.";
  return [
    curves({
      ...size,
      title: "Connections still open",
      description: `Of those that were held when the measured phase began. ${note}`,
      queries: [alignedCurve("open_percent", "clients")],
    }),
    curves({
      ...size,
      title: "New connections that failed",
      description: `Of those that were tried in each second. ${note}`,
      queries: [alignedCurve("new_failed_percent", "clients")],
    }),
  ];
}

function probeTable(names: Names) {
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
    overrides: [
      column("Proxy", names),
      column("Rate", { unit: Short }),
      column("p99", { unit: Milliseconds }),
      column("Why", { "custom.width": 300 }),
    ],
  });
}

function validity(names: Names) {
  return [
    compared({
      title: "Cells of the run, by validity",
      description:
        "Attempts at a cell. Valid and weak ones count; weak ones are to be read with care. Invalid, failed and skipped ones are in " +
        "no figure, here and in the report.",
      unit: Short,
      queries: [cellsByValidity()],
      whenEmpty: NO_BATTLE,
      width: 6,
      height: 10,
      overrides: validityColours(),
    }),
    placed({
      title: "Cells of the run, and why they are not valid",
      description:
        "Each attempt at a cell in all settings, with each finding that weakens or voids it; the worst first.",
      queries: [cells()],
      whenEmpty: NO_BATTLE,
      width: 18,
      height: 10,
      overrides: [
        column("Validity", { mappings: [VALIDITY_MARKS], "custom.width": 100 }),
        column("Proxy", { "custom.width": 140, ...names }),
        column("Setting", { "custom.width": 190 }),
        column("Round", { "custom.width": 70 }),
        column("Attempt", { "custom.width": 80 }),
        column("Why", { noValue: "–", "custom.inspect": true }),
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

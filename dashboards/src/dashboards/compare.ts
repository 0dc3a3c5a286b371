import { Short, String as Text } from "@grafana/grafana-foundation-sdk/units";
import { dashboard } from "../dashboard.ts";
import { MEASURE_TITLES, panelOf } from "../measures.ts";
import { compared, comparedRatios, table } from "../panels.ts";
import { medians, ratio, ratios, summaries } from "../result-queries.ts";
import { column, intervalColour, proxyColours } from "../series.ts";
import { baselineVariable, runVariable, settingVariable } from "../variables.ts";
import type { Override } from "../series.ts";
import type { Proxy } from "../proxies.ts";

const TIMES = "suffix:×";
const NOT_COMPARED = "Compare two runs: ./bench compare RUN BASELINE";
/** Short, as it stands in place of the ends of an interval too, where too few rounds have none. */
const NOT_RATED = "–";
const NOT_MEASURED = "Not measured in this setting";
const NO_SUMMARY = "No finished run: ./bench run";

const MEASURES = [
  "cpu_us_per_connection",
  "cpu_us_per_message",
  "proxy_memory_peak_usage_bytes",
  "proxy_memory_per_connection_bytes",
  "handshake_ms_median",
  "handshake_ms_p99",
  "echo_latency_ms_median",
  "echo_latency_ms_p99",
];
const HTTP_MEASURES = [
  "proxy_cpu_us_per_request",
  "requests_per_second",
  "request_ms_median",
  "request_ms_p99",
];

/** Two runs that both had the reference proxy are compared by these, in place of µs. */
const AGAINST_REFERENCE = [
  "cpu_per_connection_to_reference",
  "cpu_per_message_to_reference",
  "cpu_per_request_to_reference",
];

/** Two runs, or two versions of something: what has changed between them. */
export function compare(proxies: Proxy[]) {
  const colours = proxyColours(proxies);
  return dashboard({
    uid: "compare",
    title: "Compare",
    description:
      "A run beside its baseline, in one setting. Ratios are run to baseline: above 1 the run has more. An interval that holds 1 is " +
      "no difference seen. Two runs tell something about a proxy only where the machine, the images and the load are the same: " +
      "./bench compare RUN BASELINE says what is not. Without a comparison the medians of the run stand alone.",
    time: { from: "now-30d", to: "now" },
    variables: [runVariable("summaries"), baselineVariable(), settingVariable("summaries")],
    sections: [
      { id: 100, title: "Ratios", panels: [ratioTable()] },
      {
        id: 200,
        title: "Ratio of a measure, run to baseline",
        panels: MEASURES.map((key) => measureRatio(key, colours)),
      },
      {
        id: 300,
        title: "Medians, run and baseline",
        panels: MEASURES.map((key) => measureMedians(key, colours)),
      },
      {
        id: 400,
        title: "What the reports say",
        panels: [
          summaryTable("run", "Figures of the run", NO_SUMMARY),
          summaryTable("baseline", "Figures of the baseline", NOT_COMPARED),
        ],
      },
      {
        id: 500,
        title: "HTTP requests",
        panels: [
          ...HTTP_MEASURES.map((key) => measureRatio(key, colours)),
          ...HTTP_MEASURES.map((key) => measureMedians(key, colours)),
        ],
      },
      {
        id: 600,
        title: "CPU against the reference proxy",
        panels: AGAINST_REFERENCE.map((key) => measureRatio(key, colours)),
      },
    ],
  });
}

function ratioTable() {
  return table({
    title: "Ratio of each measure, run to baseline, with its interval",
    description:
      "Ratio of the medians with its interval of 95 %, a line a proxy and measure. Run and baseline are medians in the unit beside " +
      "them. With fewer than six rounds there is no interval, and a ratio alone says little.",
    unit: Text,
    queries: [ratios()],
    whenEmpty: NOT_COMPARED,
    width: 24,
    height: 10,
    sortedBy: "Proxy",
    overrides: [
      column("Measure", { mappings: [MEASURE_TITLES], "custom.width": 300 }),
      column("Difference", { mappings: [DIFFERENCE_MARKS], noValue: "–" }),
      column("Ratio", { unit: TIMES, decimals: 3, noValue: "–" }),
      column("Low", { ...INTERVAL_END, decimals: 3 }),
      column("High", { ...INTERVAL_END, decimals: 3 }),
      column("Run", { unit: Short, decimals: 2, noValue: "–" }),
      column("Baseline", { unit: Short, decimals: 2, noValue: "–" }),
      column("Unit", { noValue: "–" }),
    ],
  });
}

/** @param key of a measure */
function measureRatio(key: string, colours: Override[]) {
  const { title, description } = panelOf(key);
  return comparedRatios({
    title: `${title}: ratio to the baseline`,
    description:
      `${description} Here its ratio, run to baseline, and above and below it in grey the ends of its interval of 95 %. A bar to ` +
      "the middle is 1, a full one 2 or more: where one grey bar ends before the middle and the other behind it, no difference " +
      "is seen.",
    unit: TIMES,
    queries: [ratio(key)],
    whenEmpty: NOT_RATED,
    width: 6,
    height: 14,
    overrides: [...colours, intervalColour()],
  });
}

/** @param key of a measure */
function measureMedians(key: string, colours: Override[]) {
  const { title, unit, description } = panelOf(key);
  return compared({
    title: `${title}: run and baseline`,
    description: `${description} Medians of the rounds that count: first those of the run, then those of the baseline.`,
    unit,
    queries: medians(key),
    whenEmpty: NOT_MEASURED,
    width: 6,
    height: 12,
    overrides: colours,
  });
}

function summaryTable(which: "run" | "baseline", title: string, whenEmpty: string) {
  return table({
    title,
    description:
      "What the report's tables say: median over the rounds with its interval of 95 % (none with fewer than six rounds), in the " +
      "unit beside it; its ratio to the control; the rank among the proxies of the setting.",
    unit: Text,
    queries: [summaries(which)],
    whenEmpty,
    width: 12,
    height: 12,
    sortedBy: "Measure",
    overrides: [
      column("Measure", { mappings: [MEASURE_TITLES], "custom.width": 240 }),
      column("Rank", { noValue: "–" }),
      column("Median", { unit: Short, decimals: 2, noValue: "–" }),
      column("Low", { ...INTERVAL_END, unit: Short, decimals: 2 }),
      column("High", { ...INTERVAL_END, unit: Short, decimals: 2 }),
      column("Unit", { noValue: "–" }),
      column("To the control", { unit: TIMES, decimals: 2, noValue: "–" }),
      column("Rounds", { unit: Short, noValue: "–" }),
    ],
  });
}

/**
 * With too few rounds the whole column is empty, and has no type: a plain cell would show `null`,
 * as JSON. 9.4 and later name the kind of a cell differently.
 */
const INTERVAL_END = {
  unit: TIMES,
  noValue: "–",
  color: { mode: "fixed", fixedColor: "text" },
  "custom.displayMode": "color-text",
  "custom.cellOptions": { type: "color-text" },
};

const DIFFERENCE_MARKS = {
  type: "value",
  options: {
    higher: { text: "▲ higher", index: 0 },
    lower: { text: "▼ lower", index: 1 },
    "no difference": { text: "= no difference", index: 2 },
    "cannot be told": { text: "? cannot be told", index: 3 },
  },
};

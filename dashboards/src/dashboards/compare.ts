import { dashboard } from "../dashboard.ts";
import { MEASURE_TITLES } from "../measures.ts";
import { inColour, placed, proxyNames, text } from "../result-panels.ts";
import { comparison } from "../result-queries.ts";
import { column, OKABE_ITO_GREEN, OKABE_ITO_VERMILLION } from "../series.ts";
import { baselineVariable, runVariable, settingVariable } from "../variables.ts";
import type { Proxy } from "../proxies.ts";

/** Two runs, or two versions of something: what has changed between them. */
export function compare(proxies: Proxy[]) {
  return dashboard({
    uid: "compare",
    title: "Compare",
    description:
      "A run beside its baseline, in one setting. Two runs tell something about a proxy only where the machine, the images and the " +
      "load are the same: ./bench compare RUN BASELINE says what is not.",
    time: { from: "now-30d", to: "now" },
    hasTimePicker: false,
    variables: [runVariable("comparisons"), baselineVariable(), settingVariable("comparisons")],
    sections: [{ id: 100, title: "Run to baseline", panels: [ratioTable(proxies)] }],
  });
}

function ratioTable(proxies: Proxy[]) {
  return placed({
    title: "What differs, run to baseline",
    description:
      "Ratio of the medians with its interval of 95 %, a line a measure and proxy, CPU first, the control last. With fewer than six " +
      "rounds there is no interval, and a ratio alone says little.",
    queries: [comparison()],
    whenEmpty: "No two runs were compared: ./bench compare RUN BASELINE",
    width: 24,
    height: 26,
    overrides: [
      column("Measure", { mappings: [MEASURE_TITLES], "custom.width": 280 }),
      column("Proxy", { "custom.width": 160, ...proxyNames(proxies) }),
      column("Difference", {
        ...{ mappings: [DIFFERENCES], "custom.width": 150, ...inColour("background") },
      }),
      text("Ratio", 90, "right"),
      text("Interval", 120, "right"),
      column("Run", { "custom.align": "right" }),
      column("Baseline", { "custom.align": "right" }),
    ],
  });
}

/** Okabe and Ito's: green and vermillion can be told apart by all; the mark says it too. */
const DIFFERENCES = {
  type: "value",
  options: {
    better: { text: "▲ better", color: OKABE_ITO_GREEN, index: 0 },
    worse: { text: "▼ worse", color: OKABE_ITO_VERMILLION, index: 1 },
    "no difference": { text: "= no difference", color: "transparent", index: 2 },
    "cannot be told": { text: "? too few rounds", color: "transparent", index: 3 },
  },
};

/**
 * Which charts the report has.
 *
 * @import { Analysis, Comparison, Row, Setting, Verdict } from "../analyse/types.js"
 * @import { Figure, Look, Point } from "./charts.js"
 * @import { Column, Curves } from "./model.js"
 */
import { median as middle } from "simple-statistics";
import { answersBadly } from "../analyse/bad-answers.js";
import { schemeName, without } from "../plan/workload.js";
import { count, number } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { axisType, dotChart, lineChart, pairChart } from "./charts.js";
import { buffersNote, withoutBuffers } from "./memory-texts.js";
import { capital, settingTitle } from "./words.js";
import { columnOf, comparisonOf, KEYS, looks, queueOf, tlsPairs } from "./model.js";

/**
 * @typedef {object} FigureGroup
 * @property {string} title
 * @property {string} note how to read it
 * @property {Figure[]} figures
 */

/** Ends of the measures' keys, and what they are called. */
const PERCENTILES = [
  ["median", "p50"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["p99", "p99"],
  ["p999", "p99.9"],
];

/** Of a curve: an hour has 14,400 samples. */
const MOST_POINTS = 1000;

/**
 * @param {Analysis} analysis
 * @param {Curves} curves
 * @returns {FigureGroup[]} without those that have nothing to show
 */
export function figureGroups(analysis, curves) {
  return [
    percentiles(analysis, "handshake_ms", "Handshake"),
    percentiles(analysis, "echo_latency_ms", "Echo latency"),
    percentiles(analysis, "request_ms", "Request"),
    ...costs(analysis),
    memoryOverTime(analysis, curves),
    ...overConnections(analysis),
  ].filter(({ figures }) => figures.length > 0);
}

/**
 * @param {Analysis} analysis
 * @param {"handshake_ms" | "echo_latency_ms" | "request_ms"} prefix of the measures' keys
 * @param {string} title
 * @returns {FigureGroup}
 */
function percentiles(analysis, prefix, title) {
  const { results, cells } = analysis;
  const all = looks(results);
  const width = 0.34;
  // wrk and ab tell no further.
  const shownPercentiles = PERCENTILES.filter(([key]) => prefix !== "request_ms" || key !== "p999");
  const perSetting = withCharts(analysis).map((setting) => {
    const series = results.proxies.map(({ name }, i) => {
      const own = cells.filter(({ counted, setting: key, record }) => {
        return counted && key === setting.key && record.proxy === name;
      });
      // Beside one another, so that no interval hides another.
      const offset = (i / Math.max(1, results.proxies.length - 1) - 0.5) * width;
      const points = shownPercentiles.flatMap(([key], position) => {
        const values = own
          .flatMap(({ measures }) => measures[`${prefix}_${key}`] ?? [])
          .filter((value) => value > 0);
        if (values.length === 0) return [];
        return [{ x: position + offset, y: middle(values), ...ends(values) }];
      });
      const row = setting.comparisons[0]?.rows.find(({ proxy }) => proxy === name);
      return { ...all[name], ...(row && badLabel(all[name], row)), points };
    });
    const queue = setting.comparisons
      .filter(({ measure }) => measure.startsWith(prefix))
      .map(queueOf)
      .find(Boolean);
    return { setting, series, queue };
  });
  const shown = perSetting.filter(({ series }) => series.some(({ points }) => points.length > 0));
  const values = shown.flatMap(({ series }) =>
    series.flatMap(({ points }) => points.flatMap(allOf)),
  );
  const type = axisType(values);
  const domain = sharedDomain(values, type);
  return {
    title: `${title} by percentile`,
    note: `Medians over the counted rounds; the bars reach from the lowest to the highest round.${queueNotes(shown)}${logNote(type)}`,
    figures: shown.map(({ setting, series, queue }) =>
      lineChart({
        title: settingTitle(setting, analysis.settings),
        x: {
          label: "percentile",
          domain: [-0.3, shownPercentiles.length - 0.7],
          ticks: shownPercentiles.map((_, i) => i),
          tickFormat: (position) => shownPercentiles[position]?.[1] ?? "",
        },
        y: { label: `${title}, ms${queue ? ", time in the queue" : ""}`, type, domain },
        series,
      }),
    ),
  };
}

/**
 * @param {Look} look
 * @param {Pick<Row, "badPercent">} row
 * @returns {{label?: string}} with its share of failed requests, where that is large; short, as the place is
 */
function badLabel({ label }, row) {
  return answersBadly(row) ? { label: `${label}, ${number(row.badPercent)} % err` } : {};
}

/**
 * Files and kinds of handshakes have sections of their own: ten settings need no chart each.
 *
 * @param {Analysis} analysis
 * @returns {Setting[]}
 */
function withCharts({ settings }) {
  return settings.filter(({ workload }) => workload.compares === "proxies");
}

/**
 * Requests per second, and CPU per operation.
 *
 * @param {Analysis} analysis
 * @returns {FigureGroup[]}
 */
function costs(analysis) {
  const all = looks(analysis.results);
  const answering = new Set(
    analysis.verdicts.flatMap((verdict) =>
      verdict.question === "best" ? verdict.answers.map(({ comparison }) => comparison) : [],
    ),
  );
  return [
    KEYS.requestsPerSecond,
    KEYS.cpuPerConnection,
    KEYS.cpuPerHandshake,
    KEYS.cpuPerMessage,
    KEYS.cpuPerRequest,
  ].map((key) => {
    // What a question is answered with by itself is drawn there.
    const shown = columnsOf({ ...analysis, settings: chartedFor(analysis, key) }, key).filter(
      ({ column }) => !answering.has(column.comparison),
    );
    // TLS costs so much that on a common axis the differences between proxies would vanish.
    const axes = Object.fromEntries(
      ["ws", "wss"].map((scheme) => {
        const values = shown
          .filter(({ setting }) => setting.scheme === scheme)
          .flatMap(({ column: { comparison, divisor } }) =>
            rivals(comparison).flatMap((row) =>
              [...row.values, ...(row.median?.interval ?? [])].map((value) => value / divisor),
            ),
          );
        const type = axisType(values, 3);
        return [scheme, { type, domain: sharedDomain(values, type) }];
      }),
    );
    return {
      title: shown[0]?.column.measure.title ?? "",
      note: `The shape is the median and the bar its interval; each ring is a round. The charts of one scheme share an axis.${
        Object.values(axes).some(({ type }) => type === "log")
          ? " Where 0 is missing it is logarithmic: equal steps are equal ratios."
          : ""
      }`,
      figures: shown.map(({ setting, column }) =>
        dotChart({
          title: settingTitle(setting, analysis.settings),
          x: { label: labelOf(column), ...axes[setting.scheme] },
          rows: dotRows(all, column),
        }),
      ),
    };
  });
}

/**
 * @param {Record<string, Look>} all looks by proxy
 * @param {Column} column
 * @returns {Parameters<typeof dotChart>[0]["rows"]}
 */
function dotRows(all, { comparison, divisor }) {
  return rivals(comparison).map(({ proxy, values, median, badPercent }) => ({
    ...all[proxy],
    ...badLabel(all[proxy], { badPercent }),
    values: values.map((value) => value / divisor),
    median: median && median.value / divisor,
    interval: median?.interval
      ? [median.interval[0] / divisor, median.interval[1] / divisor]
      : null,
  }));
}

/**
 * @param {Analysis} analysis
 * @param {Verdict} verdict
 * @returns {Figure[]} what its answers rest on, one a scheme; empty where it is not about which proxy is best
 */
export function questionFigures(analysis, verdict) {
  if (verdict.question !== "best") return [];
  const all = looks(analysis.results);
  return verdict.answers
    .filter(({ order }) => order.length > 1)
    .map(({ settings, comparison }) => {
      const column = columnOf(analysis, comparison);
      const rows = dotRows(all, column);
      const values = rows.flatMap((row) => [...row.values, ...(row.interval ?? [])]);
      const type = axisType(values, 3);
      const together = settings.length > 1 ? ", all numbers of connections together" : "";
      return dotChart({
        title: `${column.measure.title}, ${schemeName(settings[0])}${together}`,
        x: { label: labelOf(column), type, domain: sharedDomain(values, type) },
        rows,
      });
    });
}

/**
 * @param {Analysis} analysis
 * @param {string} key
 */
function chartedFor(analysis, key) {
  // Of handshakes it is what the chart is for; of files the ranking is by time.
  return key === KEYS.cpuPerConnection ? analysis.settings : withCharts(analysis);
}

/**
 * @param {Analysis} analysis
 * @param {Curves} curves
 * @returns {FigureGroup}
 */
function memoryOverTime(analysis, curves) {
  const { results, cells } = analysis;
  const all = looks(results);
  const perSetting = withCharts(analysis).map((setting) => ({
    setting,
    series: results.proxies
      .filter(({ name }) => name !== CONTROL)
      .map(({ name }) => {
        const candidates = cells
          .filter(({ counted, setting: key, record }) => {
            return counted && key === setting.key && record.proxy === name;
          })
          .map(({ record }) => curves[record.id])
          .filter((curve) => curve?.seconds.length > 0)
          .sort((a, b) => Math.max(...a.usageBytes) - Math.max(...b.usageBytes));
        const curve = candidates[Math.floor((candidates.length - 1) / 2)];
        const points = (curve?.seconds ?? []).map((x, i) => ({ x, y: curve.usageBytes[i] / 1e6 }));
        const step = Math.ceil(points.length / MOST_POINTS);
        return { ...all[name], points: points.filter((_, i) => i % step === 0) };
      }),
  }));
  const shown = perSetting.filter(({ series }) => series.some(({ points }) => points.length > 0));
  const values = shown.flatMap(({ series }) =>
    series.flatMap(({ points }) => points.map(({ y }) => y)),
  );
  const type = axisType(values);
  const domain = sharedDomain(values, type);
  return {
    title: "Memory over time",
    note: `The proxy's containers together, in the round with the middle peak.${memoryNote(analysis)}${logNote(type)}`,
    figures: shown.map(({ setting, series }) =>
      lineChart({
        title: settingTitle(setting, analysis.settings),
        x: { label: "seconds of the measured phase" },
        y: { label: `memory, MB${withoutBuffers(analysis)}`, type, domain },
        series,
        shapesEvery: Math.max(
          1,
          Math.ceil(Math.max(...series.map((one) => one.points.length)) / 5),
        ),
      }),
    ),
  };
}

/** @param {Setting} setting */
function connectionsOf({ workload }) {
  return workload.connections ?? 0;
}

/**
 * @param {Analysis} analysis
 * @returns {FigureGroup[]} memory and CPU over the number of connections, where that varies and all else does not
 */
function overConnections(analysis) {
  const all = looks(analysis.results);
  return [KEYS.memoryGrowth, KEYS.cpuPerConnection].map((key) => {
    /** @type {Map<string, {setting: Setting, column: Column}[]>} */
    const families = Map.groupBy(columnsOf(analysis, key), ({ setting }) => {
      const { scenario, scheme, parameters, workload } = setting;
      const others = without(parameters, [workload.parameterNames.connections]);
      return JSON.stringify([scenario, scheme, Object.entries(others).sort()]);
    });
    const drawn = [...families.values()]
      .filter((family) => new Set(family.map(({ setting }) => connectionsOf(setting))).size > 1)
      .map((family) => {
        const sorted = family.toSorted(
          (a, b) => connectionsOf(a.setting) - connectionsOf(b.setting),
        );
        // One unit for the whole chart: that of the largest.
        const { unit, divisor } = sorted[sorted.length - 1].column;
        const series = analysis.results.proxies.map(({ name }) => ({
          ...all[name],
          points: sorted.flatMap(({ setting, column }) => {
            const median = rivals(column.comparison).find(({ proxy }) => proxy === name)?.median;
            if (!median) return [];
            const interval = median.interval && {
              low: median.interval[0] / divisor,
              high: median.interval[1] / divisor,
            };
            return [{ x: connectionsOf(setting), y: median.value / divisor, ...interval }];
          }),
        }));
        return { sorted, unit, series };
      });
    const type = axisType(
      drawn.flatMap(({ series }) => series.flatMap(({ points }) => points.flatMap(allOf))),
    );
    const figures = drawn.map(({ sorted, unit, series }) => {
      const { setting, column } = sorted[0];
      const { measure } = column;
      return lineChart({
        title: `${measure.title}: ${setting.scenario}, ${setting.scheme}`,
        x: {
          label: "connections",
          ticks: sorted.map(({ setting }) => connectionsOf(setting)),
          tickFormat: count,
        },
        y: { label: labelOf({ measure, unit }) + (type === "log" ? ", log scale" : ""), type },
        series,
      });
    });
    const title = figures.length > 0 ? columnsOf(analysis, key)[0].column.measure.title : "";
    return {
      title: `${title} over connections`,
      note: `Medians, and the interval of each where there are rounds enough.${key === KEYS.memoryGrowth ? memoryNote(analysis) : ""}`,
      figures,
    };
  });
}

/**
 * @param {Analysis} analysis
 * @returns {Figure[]} what TLS costs, for each setting that ran with and without
 */
export function tlsFigures(analysis) {
  const all = looks(analysis.results);
  return tlsPairs(analysis).flatMap(({ ws, wss }) => {
    const key = ws.workload.protocol === "http" ? KEYS.cpuPerRequest : KEYS.cpuPerConnection;
    const plain = columnsOf({ ...analysis, settings: [ws] }, key)[0]?.column;
    const secured = columnsOf({ ...analysis, settings: [wss] }, key)[0]?.column;
    const rows = (plain ? rivals(plain.comparison) : []).flatMap(({ proxy, median }) => {
      const other = secured?.comparison.rows.find((row) => row.proxy === proxy)?.median;
      return median && other ? [{ ...all[proxy], from: median.value, to: other.value }] : [];
    });
    if (rows.length === 0) return [];
    return [
      pairChart({
        title: `${settingTitle(wss, analysis.settings)} beside ${schemeName(ws)}`,
        x: { label: labelOf(secured) },
        rows,
        names: [schemeName(ws), schemeName(wss)],
      }),
    ];
  });
}

/**
 * @param {Analysis} analysis
 * @param {string} key
 * @returns {{setting: Setting, column: Column}[]} of each setting that has it
 */
function columnsOf(analysis, key) {
  return analysis.settings.flatMap((setting) => {
    const comparison = comparisonOf(setting, key);
    return comparison && rivals(comparison).length > 0
      ? [{ setting, column: columnOf(analysis, comparison) }]
      : [];
  });
}

/**
 * @param {Comparison} comparison of CPU or memory, where the control's figures are those of its echo server
 * @returns {Row[]} of the proxies that have a figure
 */
function rivals({ rows }) {
  return rows.filter(({ proxy, median }) => proxy !== CONTROL && median);
}

/** @param {Pick<Column, "measure" | "unit">} column */
function labelOf({ measure, unit }) {
  return unit ? `${measure.title}, ${unit}` : measure.title;
}

/** @param {number[]} values */
function ends(values) {
  return values.length > 1 ? { low: Math.min(...values), high: Math.max(...values) } : {};
}

/** @param {Point} point */
function allOf({ y, low, high }) {
  return [y, low ?? y, high ?? y];
}

/**
 * @param {number[]} values
 * @param {"linear" | "log"} type
 * @returns {[number, number]}
 */
function sharedDomain(values, type) {
  const high = Math.max(...values);
  return type === "log" ? [Math.min(...values) / 1.15, high * 1.15] : [0, high * 1.05];
}

/**
 * @param {{queue?: string}[]} shown
 * @returns {string} a sentence about each kind of queue, with a space before it
 */
function queueNotes(shown) {
  const all = new Set(shown.flatMap(({ queue }) => queue || []));
  return [...all].map((queue) => ` ${capital(queue)}.`).join("");
}

/**
 * @param {Analysis} analysis
 * @returns {string} a sentence about what memory is without, with a space before it; empty where it is whole
 */
function memoryNote(analysis) {
  const note = buffersNote(analysis);
  return note && ` ${note}`;
}

/** @param {"linear" | "log"} type */
function logNote(type) {
  return type === "log"
    ? " All charts share one logarithmic axis: equal steps are equal ratios."
    : " All charts share one axis.";
}

/**
 * Curves over time, and bars that stand on each other.
 *
 * @import { Panel } from "./dashboards.js"
 * @import { Drawing, Surroundings } from "./draw.js"
 * @import { Shown } from "./frames.js"
 *
 * @typedef {{ms: number, value: number | null}} Point
 * @typedef {{name: string, colour: string, config: Record<string, any>, points: Point[]}} Line
 */
import * as Plot from "@observablehq/plot";
import { colourOf } from "./colours.js";
import { plot, withLegend } from "./picture.js";
import { reduced } from "./reduce.js";
import { axisOf, numberText, valueText } from "./units.js";

const CHART_HEIGHT = 380;
/** More of them would hide the curves. */
const MOST_ANNOTATIONS = 60;
/** More times would not fit beside each other. */
const MOST_TICKS = 8;
const TICK_STEPS_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600];

/** Curves that begin at 1970 are those of cells that lie over each other, and none lasts a day. */
const ALIGNED_BEFORE_MS = 86_400_000;
/** A line of fewer points shows each. */
const FEW_POINTS = 40;

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @param {Surroundings} around
 * @returns {Drawing}
 */
export function drawTimeSeries(panel, fields, { fromMs, toMs, annotations = [] }) {
  const lines = linesOf(panel, fields);
  const points = lines.flatMap((line) => line.points);
  const label = axisOf(
    panel,
    points.map(({ value }) => value ?? 0),
  );
  const isAligned = points.every(({ ms }) => ms < ALIGNED_BEFORE_MS);
  const greatestMs = points.reduce((most, { ms }) => Math.max(most, ms), 1);
  const time = isAligned
    ? {
        label: "Time since the measured phase began (s)",
        domain: [0, greatestMs / 1000],
        at: (/** @type {number} */ ms) => ms / 1000,
        tick: (/** @type {number} */ seconds) => numberText(seconds),
        ticks: MOST_TICKS,
      }
    : {
        label: "Time (UTC)",
        domain: [new Date(fromMs), new Date(toMs)],
        at: (/** @type {number} */ ms) => new Date(ms),
        tick: (/** @type {Date} */ date) => date.toISOString().slice(11, 19),
        ticks: timeTicks(fromMs, toMs),
      };
  const marked = isAligned || annotations.length > MOST_ANNOTATIONS ? [] : annotations;
  const place = {
    x: (/** @type {Point} */ { ms }) => time.at(ms),
    y: (/** @type {Point} */ { value }) => (value === null ? NaN : value / label.divisor),
  };
  const draw = () =>
    withLegend(
      plot({
        height: CHART_HEIGHT,
        ...{ marginLeft: 64, marginRight: 24, marginTop: 28, marginBottom: 48 },
        x: { type: isAligned ? "linear" : "utc", domain: time.domain },
        y: { zero: true, nice: true },
        marks: [
          Plot.gridY({ ticks: 6 }),
          Plot.axisX({
            label: time.label,
            labelAnchor: "center",
            labelArrow: "none",
            labelOffset: 40,
            ticks: time.ticks,
            tickFormat: time.tick,
          }),
          Plot.axisY({
            label: label.text,
            labelArrow: "none",
            ticks: 6,
            tickSize: 0,
            tickFormat: (/** @type {number} */ value) => numberText(value),
          }),
          Plot.ruleY([0], { strokeOpacity: 0.5 }),
          Plot.ruleX(marked, {
            x: ({ ms }) => time.at(ms),
            strokeOpacity: 0.45,
            strokeDasharray: "2 3",
            title: "text",
          }),
          ...stackedBars(
            lines.filter(({ config }) => isDrawnAs(config, "bars")),
            time.at,
            label.divisor,
          ),
          ...lines
            .filter(({ config }) => !isDrawnAs(config, "bars"))
            .flatMap((line) => curve(line, place)),
        ],
      }),
      lines.filter(({ config }) => !config.custom?.hideFrom?.legend),
    );
  const ranges = lines.flatMap(({ name, points, config }) => {
    const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
    const [least, most] = ["min", "max"].map((which) => valueText(reduced(values, which), config));
    return values.length > 0 ? [`${name}: ${least} to ${most}`] : [];
  });
  return { description: `${label.text}. ${ranges.join("; ")}.`, draw };
}

/**
 * @param {Record<string, any>} config
 * @param {string} style `line`, `bars` or `points`
 */
function isDrawnAs({ custom }, style) {
  return (custom?.drawStyle ?? "line") === style;
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Line[]}
 */
function linesOf(panel, fields) {
  return fields
    .filter(({ field }) => field.type === "number")
    .map(({ field, frame, name, config }, index) => {
      const times = frame.fields.find(({ type }) => type === "time")?.values ?? [];
      const sign = config.custom?.transform === "negative-Y" ? -1 : 1;
      const points = field.values.map((value, i) => ({
        ms: times[i],
        value: value === null ? null : sign * value,
      }));
      return { name, config, colour: colourOf(config, { index }), points };
    });
}

/**
 * @param {Line} line
 * @param {{x: (point: Point) => any, y: (point: Point) => number}} place
 */
function curve({ points, colour, config }, place) {
  const { lineWidth = 2, lineStyle, spanNulls = false, pointSize = 4 } = config.custom ?? {};
  const bridged = bridge(points, spanNulls);
  const present = points.filter(({ value }) => value !== null);
  const dots = Plot.dot(present, { ...place, fill: colour, r: Math.max(1.5, pointSize / 2) });
  if (isDrawnAs(config, "points")) return [dots];
  const line = Plot.line(bridged, {
    ...place,
    stroke: colour,
    strokeWidth: lineWidth,
    ...(lineStyle?.fill === "dash" && { strokeDasharray: (lineStyle.dash ?? [10, 10]).join(" ") }),
  });
  return present.length < FEW_POINTS && lineWidth > 1 ? [line, dots] : [line];
}

/**
 * @param {Point[]} points
 * @param {boolean | number} spanNulls true: over every gap; a number: over gaps of no more ms
 * @returns {Point[]} without the nulls that the line goes over
 */
function bridge(points, spanNulls) {
  if (spanNulls === false) return points;
  const present = points.filter(({ value }) => value !== null);
  return present.flatMap((point, i) => {
    const isGap = spanNulls !== true && i > 0 && point.ms - present[i - 1].ms > spanNulls;
    return isGap ? [{ ms: point.ms, value: null }, point] : [point];
  });
}

/**
 * @param {Line[]} lines
 * @param {(ms: number) => any} at
 * @param {number} divisor
 */
function stackedBars(lines, at, divisor) {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(({ ms }) => ms)))].sort(
    (a, b) => a - b,
  );
  const steps = times.slice(1).map((ms, i) => ms - times[i]);
  const stepMs = steps.length > 0 ? reduced(steps, "min") : 1000;
  /** @type {Map<number, number>} top of the stack at each time */
  const tops = new Map();
  return lines.map(({ points, colour }) => {
    const bars = points.flatMap(({ ms, value }) => {
      if (!value) return [];
      const from = tops.get(ms) ?? 0;
      tops.set(ms, from + value);
      return [{ ms, from: from / divisor, to: (from + value) / divisor }];
    });
    return Plot.rectY(bars, {
      x1: ({ ms }) => at(ms),
      x2: ({ ms }) => at(ms + stepMs),
      y1: "from",
      y2: "to",
      insetRight: 1,
      fill: colour,
    });
  });
}

/**
 * Of their own accord the ticks of a time axis may be twice as many as asked for, and stand on each other.
 *
 * @param {number} fromMs
 * @param {number} toMs
 * @returns {Date[]} round times, some 8 at most
 */
export function timeTicks(fromMs, toMs) {
  const fits = (/** @type {number} */ seconds) => toMs - fromMs <= 1000 * seconds * MOST_TICKS;
  const stepMs = 1000 * (TICK_STEPS_SECONDS.find(fits) ?? 86_400);
  const first = Math.ceil(fromMs / stepMs) * stepMs;
  const count = Math.max(0, Math.floor((toMs - first) / stepMs) + 1);
  return Array.from({ length: count }, (_, i) => new Date(first + i * stepMs));
}

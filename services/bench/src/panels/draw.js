/**
 * A panel as a picture, drawn by the chart library of the report with the panel's own title, units and colours.
 *
 * @import { Figure } from "../render/charts.js"
 * @import { Panel } from "./dashboards.js"
 * @import { Shown } from "./frames.js"
 */
import * as Plot from "@observablehq/plot";
import { colourOf } from "./colours.js";
import {
  canvas,
  element,
  plot,
  textAt,
  widthOf,
  WIDTH,
  withCaption,
  withLegend,
} from "./picture.js";
import { reduced } from "./reduce.js";
import { numberText, scaleOf, valueText } from "./units.js";

/**
 * @typedef {object} Surroundings
 * @property {number} fromMs
 * @property {number} toMs
 * @property {{ms: number, text: string}[]} [annotations]
 * @property {string} [caption] what is shown: run, proxy, load
 *
 * @typedef {{description: string, draw: () => SVGSVGElement}} Drawing
 * @typedef {{ms: number, value: number | null}} Point
 * @typedef {{name: string, colour: string, config: Record<string, any>, points: Point[]}} Line
 */

const CHART_HEIGHT = 380;
const ROW_HEIGHT = 26;
/** A table that is longer is cut in the picture; its data are whole. */
const MOST_ROWS = 60;
/** More of them would hide the curves. */
const MOST_ANNOTATIONS = 60;
/** More times would not fit beside each other. */
const MOST_TICKS = 8;
const TICK_STEPS_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600];

/** Curves that begin at 1970 are those of cells that lie over each other, and none lasts a day. */
const ALIGNED_BEFORE_MS = 86_400_000;
/** A line of fewer points shows each. */
const FEW_POINTS = 40;

/** @type {Record<string, (panel: Panel, fields: Shown[], around: Surroundings) => Drawing>} */
const KINDS = {
  timeseries: drawTimeSeries,
  barchart: drawBarChart,
  bargauge: drawBarGauge,
  stat: drawFigures,
  table: drawTable,
};

/**
 * @param {Panel} panel
 * @param {Shown[]} fields with a value at least
 * @param {Surroundings} around
 * @param {string} [title] where it says more than the panel's own, such as the setting
 * @returns {Figure} for `svgText`
 * @throws {Error} when this kind of panel cannot be drawn
 */
export function figureOf(panel, fields, around, title = panel.title) {
  const kind = KINDS[panel.type];
  if (!kind) {
    throw new Error(
      `a panel of the type ${panel.type} cannot be drawn; those that can: ${Object.keys(KINDS).join(", ")}`,
    );
  }
  const { description, draw } = kind(panel, fields, around);
  const { caption = "" } = around;
  return {
    title,
    description: [panel.description, description, caption && `${caption}.`]
      .filter(Boolean)
      .join(" "),
    draw: () => withCaption(draw(), caption),
  };
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @param {Surroundings} around
 * @returns {Drawing}
 */
function drawTimeSeries(panel, fields, { fromMs, toMs, annotations = [] }) {
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
 * @param {Panel} panel
 * @param {number[]} values
 * @returns {{text: string, divisor: number}} of the axis of values
 */
function axisOf({ title, fieldConfig }, values) {
  const { unit, custom } = fieldConfig?.defaults ?? {};
  const scale = scaleOf(unit, values);
  // A title goes on to say which line is what, behind a colon.
  const name = custom?.axisLabel || title.split(":")[0];
  return { text: scale.unit === "" ? name : `${name} (${scale.unit})`, divisor: scale.divisor };
}

/**
 * A group of bars for each row of a table, lying, so that names have room.
 *
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
function drawBarChart(panel, fields) {
  const { xField } = panel.options ?? {};
  const names =
    fields.find(({ name }) => name === xField) ??
    fields.find(({ field }) => field.type !== "number");
  const columns = fields.filter((one) => one !== names && one.field.type === "number");
  const groups = (names?.field.values ?? columns[0].field.values).map((value, i) =>
    names ? String(value) : String(i + 1),
  );
  const bars = groups.flatMap((group, row) =>
    columns.flatMap(({ name, field, config }, index) => {
      const value = field.values[row] ?? null;
      return value === null
        ? []
        : [{ group, name, value, config, colour: colourOf(config, { index, value }) }];
    }),
  );
  const legend = columns.map(({ name, config }, index) => ({
    name,
    colour: colourOf(config, { index }),
  }));
  return drawBars(panel, bars, columns.length > 1 ? legend : []);
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
function drawBarGauge(panel, fields) {
  const bars = figuresOf(panel, fields).flatMap(({ name, value, config, colour }) =>
    value === null ? [] : [{ group: name, name: "", value, config, colour }],
  );
  return drawBars(panel, bars, []);
}

/**
 * @param {Panel} panel
 * @param {{group: string, name: string, value: number, config: Record<string, any>, colour: string}[]} bars
 * @param {{name: string, colour: string}[]} legend
 * @returns {Drawing}
 */
function drawBars(panel, bars, legend) {
  const axis = axisOf(
    panel,
    bars.map(({ value }) => value),
  );
  const groups = [...new Set(bars.map(({ group }) => group))];
  const names = [...new Set(bars.map(({ name }) => name))];
  const steps = panel.fieldConfig?.defaults.thresholds?.steps ?? [];
  const isShown = panel.type === "barchart";
  const thresholds = isShown
    ? steps.slice(1).map((/** @type {{value: number}} */ { value }) => value / axis.divisor)
    : [];
  const barHeight = names.length > 1 ? 17 : ROW_HEIGHT;
  const draw = () =>
    withLegend(
      plot({
        height: 50 + groups.length * (names.length * barHeight + 12),
        marginLeft: 16 + Math.max(...groups.map(widthOf)),
        ...{ marginTop: 6, marginBottom: 40, marginRight: 110 },
        x: { zero: true, nice: true },
        y: { domain: names, axis: null, padding: 0.1 },
        fy: { domain: groups, padding: 0.12, label: null },
        marks: [
          Plot.gridX({ ticks: 6 }),
          Plot.axisX({
            label: axis.text,
            labelAnchor: "center",
            labelArrow: "none",
            labelOffset: 36,
            ticks: 6,
            tickFormat: (/** @type {number} */ value) => numberText(value),
          }),
          Plot.axisFy({ anchor: "left", label: null, tickSize: 0, textAnchor: "end", dx: -4 }),
          Plot.barX(bars, {
            x: ({ value }) => value / axis.divisor,
            y: "name",
            fy: "group",
            fill: "colour",
          }),
          Plot.text(bars, {
            x: ({ value }) => Math.max(0, value / axis.divisor),
            y: "name",
            fy: "group",
            text: ({ value, config }) => valueText(value, config),
            textAnchor: "start",
            dx: 5,
          }),
          Plot.ruleX([0], { strokeOpacity: 0.6 }),
          Plot.ruleX(thresholds, { strokeDasharray: "4 3", strokeOpacity: 0.8 }),
        ],
      }),
      legend,
    );
  const told = bars.map(
    ({ group, name, value, config }) =>
      `${[group, name].filter(Boolean).join(", ")}: ${valueText(value, config)}`,
  );
  return { description: `${axis.text}. ${told.join("; ")}.`, draw };
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {{name: string, value: any, config: Record<string, any>, colour: string}[]} one for each series
 */
function figuresOf(panel, fields) {
  const [calculation] = panel.options?.reduceOptions?.calcs ?? [];
  return fields
    .filter(({ field }) => field.type !== "time")
    .map(({ field, name, config }, index) => {
      const value = reduced(field.values, calculation);
      return { name, value, config, colour: colourOf(config, { index, value }) };
    });
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
function drawFigures(panel, fields) {
  const figures = figuresOf(panel, fields).map(({ value, config, ...rest }) => ({
    ...rest,
    text: valueText(value, config),
  }));
  const columns = Math.min(4, figures.length);
  const width = WIDTH / columns;
  const draw = () =>
    canvas(
      Math.ceil(figures.length / columns) * 96 + 12,
      figures.flatMap(({ name, text, colour }, i) => {
        const [x, y] = [16 + (i % columns) * width, Math.floor(i / columns) * 96];
        const size = Math.min(40, (width - 24) / (0.72 * text.length));
        return [
          textAt(x, y + 26, name, { "fill-opacity": 0.75 }),
          textAt(x, y + 72, text, { fill: colour, "font-size": size, "font-weight": 600 }),
        ];
      }),
    );
  return {
    description: `${figures.map(({ name, text }) => `${name}: ${text}`).join("; ")}.`,
    draw,
  };
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {Drawing}
 */
function drawTable(panel, fields) {
  const rows = fields[0].field.values.length;
  const shown = Math.min(rows, MOST_ROWS);
  const order = orderOf(panel, fields).slice(0, shown);
  const columns = fields.map(({ name, field, config }) => {
    const cells = order.map((row) => cellText(field.values[row], field.type, config));
    const width = 24 + Math.max(...[name, ...cells].map(widthOf));
    return { header: name, cells, width, isNumber: field.type === "number" };
  });
  const width = Math.max(
    WIDTH,
    columns.reduce((sum, column) => sum + column.width, 16),
  );
  const draw = () => {
    let left = 8;
    const texts = columns.flatMap(({ header, cells, width: columnWidth, isNumber }) => {
      const x = isNumber ? left + columnWidth - 16 : left;
      const anchor = { "text-anchor": isNumber ? "end" : "start" };
      left += columnWidth;
      return [
        textAt(x, 20, header, { ...anchor, "font-weight": 600 }),
        ...cells.map((text, i) => textAt(x, 20 + (i + 1) * ROW_HEIGHT, text, anchor)),
      ];
    });
    const ruled = Array.from({ length: shown + 1 }, (_, i) =>
      element("line", {
        ...{ x1: 8, x2: width - 8, y1: 28 + i * ROW_HEIGHT, y2: 28 + i * ROW_HEIGHT },
        ...{ stroke: "currentColor", "stroke-opacity": i === 0 ? 0.7 : 0.2 },
      }),
    );
    const more =
      rows > shown
        ? [textAt(8, 24 + (shown + 1) * ROW_HEIGHT, `and ${rows - shown} rows more, in the data`)]
        : [];
    return canvas(40 + (shown + more.length) * ROW_HEIGHT, [...ruled, ...texts, ...more], width);
  };
  return {
    description: `A table of ${rows} rows: ${columns.map(({ header }) => header).join(", ")}.`,
    draw,
  };
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {number[]} rows as the panel sorts them
 */
function orderOf({ options }, fields) {
  const order = fields[0].field.values.map((_, row) => row);
  const [sort] = options?.sortBy ?? [];
  const key = fields.find(({ name }) => name === sort?.displayName)?.field.values;
  if (!key) return order;
  const compare = (/** @type {any} */ a, /** @type {any} */ b) =>
    typeof a === "string" ? a.localeCompare(String(b)) : Number(a) - Number(b);
  return order.sort((a, b) => compare(key[a], key[b]) * (sort.desc ? -1 : 1));
}

/**
 * @param {any} value
 * @param {string} type
 * @param {Record<string, any>} config
 */
function cellText(value, type, config) {
  return type === "time"
    ? valueText(value, { unit: "dateTimeAsIso", ...config })
    : valueText(value, config);
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

/**
 * Charts as SVG, drawn by Observable Plot (https://observablehq.com/plot/) in a document of jsdom. Nothing here knows what is
 * measured. Text and axes are in `currentColor` and follow the page; a series has a colour and a shape, and its name beside it.
 */
import * as Plot from "@observablehq/plot";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { figure, number } from "../numbers.js";

/**
 * @typedef {{draw: (context: any, size: number) => void}} Shape as d3-shape and Plot understand it
 *
 * @typedef {object} Look of one thing in every chart
 * @property {string} label
 * @property {string} colour
 * @property {Shape} shape
 *
 * @typedef {object} Figure
 * @property {string} title with the unit of what is shown
 * @property {string} description the chart in words, with its figures
 * @property {(size: Size) => SVGSVGElement} draw
 *
 * @typedef {object} Size in CSS pixels
 * @property {number} width
 * @property {number} height of a chart with two axes
 * @property {number} fontSize
 * @property {number} characterWidth estimated, as nothing here can measure text: the widest fonts of the usual systems stay below
 * @property {number} labelHeight
 *
 * @typedef {{x: number, y: number, low?: number, high?: number}} Point low and high: ends of an interval of y
 * @typedef {Look & {points: Point[]}} Series
 * @typedef {Look & {median: number | null, interval: readonly [number, number] | null, values: number[]}} DotRow
 * @typedef {Look & {from: number, to: number}} PairRow
 *
 * @typedef {object} Axis
 * @property {string} label with its unit
 * @property {"linear" | "log"} [type]
 * @property {readonly [number, number]} [domain]
 * @property {number[]} [ticks]
 * @property {(value: any) => string} [tickFormat]
 * @property {{value: number, label: string}} [limit] a line across the chart
 */

const document = /** @type {Document} */ (new JSDOM("").window.document);

/**
 * As wide as a phone's page, and as half of a desktop's: drawn at the size at which it is seen, text stays legible.
 *
 * @type {Record<"narrow" | "wide", Size>}
 */
export const SIZES = {
  narrow: { width: 360, height: 240, fontSize: 11, characterWidth: 6.8, labelHeight: 13 },
  wide: { width: 550, height: 290, fontSize: 12, characterWidth: 7.4, labelHeight: 15 },
};
const LABEL_LENGTH = 20;

/** Corners on a circle of radius 1; none: the circle. Distinct in black and white. */
const SHAPES = [
  [],
  polygon(4, 1.25, 45),
  polygon(3, 1.35, -90),
  polygon(4, 1.35, 0),
  polygon(3, 1.35, 90),
  star(4, 1.6, 0.5),
  polygon(6, 1.2, 0),
  star(5, 1.5, 0.6),
].map(shapeOf);

/**
 * @param {number} index
 * @returns {Shape} the same for the same index
 */
export function shape(index) {
  return SHAPES[index % SHAPES.length];
}

/**
 * @param {number} corners
 * @param {number} radius
 * @param {number} degrees of the first corner, clockwise from the right
 * @returns {[number, number][]}
 */
function polygon(corners, radius, degrees) {
  return Array.from({ length: corners }, (_, i) => {
    const angle = ((degrees + (360 * i) / corners) * Math.PI) / 180;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/**
 * @param {number} points
 * @param {number} outer
 * @param {number} inner
 */
function star(points, outer, inner) {
  const corners = polygon(2 * points, 1, -90);
  return corners.map(([x, y], i) => {
    const radius = i % 2 ? inner : outer;
    return /** @type {[number, number]} */ ([x * radius, y * radius]);
  });
}

/**
 * @param {[number, number][]} corners
 * @returns {Shape}
 */
function shapeOf(corners) {
  return {
    draw(context, size) {
      const radius = Math.sqrt(size / Math.PI);
      if (corners.length === 0) {
        context.arc(0, 0, radius, 0, 2 * Math.PI);
        return;
      }
      corners.forEach(([x, y], i) => context[i ? "lineTo" : "moveTo"](x * radius, y * radius));
      context.closePath();
    },
  };
}

/**
 * The mark of a thing beside its name, for a table.
 *
 * @param {Look} look
 * @returns {string} an SVG element, hidden from screen readers: the name is beside it
 */
export function keyMark({ colour, shape }) {
  const [{ attributes }] = plot(SIZES.narrow, {
    axis: null,
    marks: [Plot.dot([[0, 0]], { symbol: /** @type {any} */ (shape), r: 4.5 })],
  }).getElementsByTagName("path");
  const path = attributes.getNamedItem("d")?.value;
  return `<svg class="key" viewBox="-7 -7 14 14" aria-hidden="true"><path fill="${colour}" d="${path}"></path></svg>`;
}

/**
 * Lines with intervals and with their names at the right: time series, percentiles, anything over a number.
 *
 * @param {{title: string, x: Axis, y: Axis, series: Series[], shapesEvery?: number}} options shapesEvery: a shape at each n-th point
 * @returns {Figure}
 */
export function lineChart({ title, x, y, series, shapesEvery = 1 }) {
  const drawn = shortLabels(series.filter(({ points }) => points.length > 0));
  const points = drawn.flatMap((one) => one.points);
  const xDomain = x.domain ?? extent(points.map((point) => point.x));
  const limits = y.limit ? [y.limit.value] : [];
  const yDomain =
    y.domain ??
    paddedDomain(
      [...points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]), ...limits],
      y.type,
    );
  const last = drawn.map((one) => one.points[one.points.length - 1]);
  const ticks = y.ticks ?? (y.type === "log" ? logTicks(yDomain) : undefined);

  /** @param {Size} size */
  const draw = (size) => {
    const margins = {
      marginTop: 26,
      marginBottom: 38,
      marginLeft: 46,
      marginRight: 26 + widthOf(drawn, size),
    };
    const yOptions = {
      type: y.type ?? "linear",
      domain: yDomain,
      range: [size.height - margins.marginBottom, margins.marginTop],
    };
    const scale = /** @type {{apply: (y: number) => number, invert: (pixel: number) => number}} */ (
      /** @type {unknown} */ (Plot.scale({ y: /** @type {any} */ (yOptions) }))
    );
    const labelPixels = spread(
      last.map((point) => scale.apply(point.y)),
      size.labelHeight,
      margins.marginTop,
      size.height - margins.marginBottom,
    );
    const marks = drawn.map((one, i) => {
      const end = { x: xDomain[1], y: scale.invert(labelPixels[i]) };
      const withInterval = one.points.filter(
        ({ low, high }) => low !== undefined && high !== undefined,
      );
      return [
        Plot.link([end], {
          x1: last[i].x,
          y1: last[i].y,
          x2: "x",
          y2: "y",
          stroke: one.colour,
          strokeOpacity: 0.9,
          strokeDasharray: "1 2",
        }),
        Plot.ruleX(withInterval, {
          x: "x",
          y1: "low",
          y2: "high",
          stroke: one.colour,
          strokeOpacity: 0.75,
          strokeWidth: 1.5,
        }),
        Plot.line(one.points, { x: "x", y: "y", stroke: one.colour, strokeWidth: 1.75 }),
        Plot.dot(
          one.points.filter((_, j) => (j + i) % shapesEvery === 0),
          { x: "x", y: "y", symbol: /** @type {any} */ (one.shape), fill: one.colour, r: 3.2 },
        ),
        Plot.dot([end], {
          x: "x",
          y: "y",
          dx: 9,
          symbol: /** @type {any} */ (one.shape),
          fill: one.colour,
          r: 3.2,
        }),
        Plot.text([end], { x: "x", y: "y", dx: 17, text: [one.label], textAnchor: "start" }),
      ];
    });
    return plot(size, {
      ...margins,
      height: size.height,
      x: { type: x.type ?? "linear", domain: xDomain },
      y: { type: y.type ?? "linear", domain: yDomain },
      marks: [
        Plot.gridY({ ticks: ticks ?? 5 }),
        Plot.axisX({
          label: x.label,
          labelAnchor: "center",
          labelArrow: "none",
          labelOffset: 34,
          ticks: x.ticks ?? 4,
          tickFormat: x.tickFormat ?? tick,
          tickSize: 4,
        }),
        Plot.axisY({
          label: y.label,
          labelArrow: "none",
          ticks: ticks ?? 5,
          tickFormat: y.tickFormat ?? tick,
          tickSize: 0,
        }),
        Plot.ruleX(x.limit ? [x.limit.value] : [], {
          stroke: "currentColor",
          strokeDasharray: "6 3",
        }),
        Plot.text(x.limit ? [x.limit] : [], {
          x: "value",
          frameAnchor: "top",
          dx: 4,
          dy: -2,
          text: "label",
          textAnchor: "start",
        }),
        Plot.ruleY(limits, { stroke: "currentColor", strokeDasharray: "6 3" }),
        Plot.text(limits, {
          x: () => xDomain[0],
          y: (value) => value,
          dx: 4,
          dy: -6,
          text: () => y.limit?.label ?? "",
          textAnchor: "start",
        }),
        ...marks,
      ],
    });
  };

  const { tickFormat } = x;
  // A name on the axis stands for what is beside it.
  const at = tickFormat ? (/** @type {number} */ value) => tickFormat(Math.round(value)) : number;
  const description = drawn.map((one) => {
    const told =
      one.points.length <= 6 ? one.points : [one.points[0], one.points[one.points.length - 1]];
    return `${one.label}: ${told.map((point) => `${at(point.x)}: ${figure(point.y)}`).join(", ")}`;
  });
  return { title, description: `${y.label}. ${description.join(". ")}.`, draw };
}

/**
 * One line a thing: every value as a small ring, the median as its shape, and the interval of the median.
 *
 * @param {{title: string, x: Axis, rows: DotRow[]}} options
 * @returns {Figure}
 */
export function dotChart({ title, x, rows: given }) {
  const rows = shortLabels(given);
  const all = rows.flatMap(({ median, values, interval }) => [
    ...values,
    ...(interval ?? []),
    ...(median === null ? [] : [median]),
  ]);
  /** @param {Size} size */
  const draw = (size) =>
    plot(size, {
      ...rowMargins(rows, size),
      marginRight: 46,
      height: 50 + 34 * rows.length,
      x: { type: x.type ?? "linear", domain: x.domain ?? [0, Math.max(...all) * 1.02] },
      y: { type: "band", domain: rows.map((_, i) => i) },
      marks: [
        ...rowAxes(x, rows),
        ...rows.flatMap((row, i) => [
          Plot.dot(row.values, {
            x: (/** @type {number} */ value) => value,
            y: () => i,
            dy: 8,
            r: 2.2,
            stroke: row.colour,
            strokeWidth: 1.1,
          }),
          Plot.dot(row.median === null ? [] : [row], {
            x: "median",
            y: () => i,
            dy: -3,
            r: 4.2,
            symbol: /** @type {any} */ (row.shape),
            fill: row.colour,
          }),
          // In the colour of text, to be seen on the shape: an interval may be narrower than that.
          Plot.link(row.interval ? [row.interval] : [], {
            x1: "0",
            x2: "1",
            y: () => i,
            dy: -3,
            stroke: "currentColor",
            strokeLinecap: "butt",
          }),
          Plot.tickX(row.interval ?? [], {
            x: (/** @type {number} */ end) => end,
            y: () => i,
            insetTop: 7,
            insetBottom: 13,
            stroke: "currentColor",
          }),
          Plot.text([row], {
            y: () => i,
            frameAnchor: "right",
            textAnchor: "end",
            dx: 44,
            dy: -3,
            fontVariant: "tabular-nums",
            text: [figure(row.median)],
          }),
        ]),
      ],
    });
  const description = rows.map(
    ({ label, median, interval }) =>
      `${label}: ${figure(median)}${interval ? ` (${interval.map(figure).join(" to ")})` : ""}`,
  );
  return { title, description: `${x.label}. ${description.join(". ")}.`, draw };
}

/**
 * One line a thing, from one figure to another: the first as a ring, the second as its shape.
 *
 * @param {{title: string, x: Axis, rows: PairRow[], names: [string, string]}} options names: of the first and the second
 * @returns {Figure}
 */
export function pairChart({ title, x, rows: given, names }) {
  const rows = shortLabels(given);
  /** @param {Size} size */
  const draw = (size) =>
    plot(size, {
      ...rowMargins(rows, size),
      marginRight: 46,
      height: 50 + 30 * rows.length,
      x: {
        domain: x.domain ?? [0, Math.max(...rows.flatMap(({ from, to }) => [from, to])) * 1.02],
      },
      y: { type: "band", domain: rows.map((_, i) => i) },
      marks: [
        ...rowAxes(x, rows),
        ...rows.map((row, i) => [
          Plot.link([row], {
            x1: "from",
            x2: "to",
            y: () => i,
            stroke: row.colour,
            strokeWidth: 1.75,
          }),
          Plot.dot([row], {
            x: "from",
            y: () => i,
            r: 3.4,
            stroke: row.colour,
            strokeWidth: 1.75,
            fill: "var(--paper, #fff)",
          }),
          Plot.dot([row], {
            x: "to",
            y: () => i,
            r: 4.2,
            symbol: /** @type {any} */ (row.shape),
            fill: row.colour,
          }),
          Plot.text([row], {
            y: () => i,
            frameAnchor: "right",
            textAnchor: "end",
            dx: 44,
            text: [`×${figure(row.to / row.from)}`],
          }),
        ]),
      ],
    });
  const description = rows.map(
    ({ label, from, to }) => `${label}: ${names[0]} ${figure(from)}, ${names[1]} ${figure(to)}`,
  );
  return { title, description: `${x.label}. ${description.join(". ")}.`, draw };
}

/**
 * A name may be as long as it likes, but it must leave room for the figures.
 *
 * @template {Look} T
 * @param {T[]} looks
 * @returns {T[]}
 */
function shortLabels(looks) {
  return looks.map((look) => ({
    ...look,
    label:
      look.label.length > LABEL_LENGTH ? `${look.label.slice(0, LABEL_LENGTH - 1)}…` : look.label,
  }));
}

/**
 * @param {Look[]} looks
 * @param {Size} size
 * @returns {number} of the longest label
 */
function widthOf(looks, { characterWidth }) {
  return characterWidth * Math.max(...looks.map(({ label }) => label.length));
}

/**
 * @param {Look[]} rows
 * @param {Size} size
 */
function rowMargins(rows, size) {
  return { marginTop: 6, marginBottom: 36, marginLeft: 12 + widthOf(rows, size) };
}

/**
 * @param {Axis} x
 * @param {Look[]} rows
 */
function rowAxes(x, rows) {
  const ticks = x.type === "log" && x.domain ? logTicks(x.domain) : 4;
  return [
    Plot.gridX({ ticks }),
    Plot.axisX({
      label: x.label,
      labelAnchor: "center",
      labelArrow: "none",
      labelOffset: 32,
      ticks,
      tickFormat: tick,
      tickSize: 4,
    }),
    Plot.axisY({ label: null, tickSize: 0, tickPadding: 8, tickFormat: (i) => rows[i].label }),
  ];
}

/** Attributes that hold pixels: hundredths of them are seen by nobody. */
const POSITIONS = [
  "d",
  "transform",
  "x",
  "x1",
  "x2",
  "y",
  "y1",
  "y2",
  "cx",
  "cy",
  "width",
  "height",
];

/** @param {string} pixels */
function hundredth(pixels) {
  return String(Number(Number(pixels).toFixed(2)));
}

/**
 * @param {Size} size
 * @param {Plot.PlotOptions} options
 * @returns {SVGSVGElement}
 */
function plot({ width, fontSize }, options) {
  const svg = Plot.plot({
    document,
    // Fixed, so that the same data give the same bytes.
    className: "chart",
    width,
    ...options,
    style: { fontSize: `${fontSize}px`, background: "none", overflow: "visible" },
  });
  // Plot's own styles are for a page of Plot's; the height in them would stretch a chart inside of another SVG.
  svg.querySelector("style")?.remove();
  for (const one of svg.querySelectorAll("*"))
    for (const name of POSITIONS) {
      const value = one.getAttribute(name);
      if (value) one.setAttribute(name, value.replace(/-?\d+\.\d{3,}/g, hundredth));
    }
  return /** @type {SVGSVGElement} */ (svg);
}

/**
 * For a page: named and described for those who do not see it. The title is to be shown beside it.
 *
 * @param {Figure} figure
 * @param {Size} size
 * @param {string} id unique in the page
 * @returns {string} an `<svg>` element
 */
export function svgElement({ draw, title, description }, size, id) {
  const svg = draw(size);
  describe(svg, title, description, id);
  return svg.outerHTML;
}

/**
 * A file of its own, with its title and with colours for light and dark.
 *
 * @param {Figure} figure
 * @returns {string} an SVG document
 */
export function svgText({ draw, title, description }) {
  const chart = draw(SIZES.wide);
  const [width, height] = ["width", "height"].map((name) => Number(chart.getAttribute(name)));
  const heading = 30;
  const file = element("svg", {
    width,
    height: height + heading,
    viewBox: `0 0 ${width} ${height + heading}`,
  });
  describe(file, title, description, "figure");
  const style = element("style", {});
  style.textContent =
    "svg { --paper: #fff; color: #1c2126; font-family: system-ui, sans-serif; }" +
    " @media (prefers-color-scheme: dark) { svg { --paper: #14171a; color: #e4e7ea; } }";
  const paper = element("rect", { width: "100%", height: "100%", style: "fill: var(--paper)" });
  const text = element("text", {
    x: 8,
    y: 19,
    fill: "currentColor",
    "font-size": 13,
    "font-weight": 600,
    // Nothing here can measure text: a title too long is squeezed and not cut.
    ...(title.length * 7.2 > width - 16 && {
      textLength: width - 16,
      lengthAdjust: "spacingAndGlyphs",
    }),
  });
  text.textContent = title;
  chart.setAttribute("y", String(heading));
  file.append(style, paper, text, chart);
  const { XMLSerializer } = /** @type {any} */ (document.defaultView);
  return new XMLSerializer().serializeToString(file);
}

/**
 * @param {Element} svg
 * @param {string} title
 * @param {string} description
 * @param {string} id
 */
function describe(svg, title, description, id) {
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-labelledby", `${id}-title ${id}-desc`);
  const titleElement = element("title", { id: `${id}-title` });
  titleElement.textContent = title;
  const descElement = element("desc", { id: `${id}-desc` });
  descElement.textContent = description;
  svg.prepend(titleElement, descElement);
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/**
 * Whether figures are so far apart that only a logarithmic axis shows all of them.
 *
 * @param {number[]} values
 * @param {number} [limit] ratio of the greatest to the least that a linear axis may show
 * @returns {"linear" | "log"}
 */
export function axisType(values, limit = 12) {
  const [low, high] = extent(values);
  return low > 0 && high / low > limit ? "log" : "linear";
}

/**
 * @param {number[]} values
 * @returns {[number, number]} the least and the greatest; made wider where they are the same
 */
function extent(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  return low === high ? [low - 1, high + 1] : [low, high];
}

/**
 * @param {number[]} values
 * @param {"linear" | "log"} [type]
 * @returns {[number, number]}
 */
function paddedDomain(values, type) {
  const [low, high] = extent(values);
  return type === "log" ? [low / 1.15, high * 1.15] : [Math.min(0, low), high * 1.05];
}

/** @param {readonly [number, number]} domain */
function logTicks([low, high]) {
  const within = (/** @type {number[]} */ digits) => {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      for (const digit of digits) ticks.push(digit * 10 ** power);
    }
    return ticks.filter((value) => value >= low && value <= high);
  };
  const choices = [[1, 2, 3, 5, 7], [1, 2, 5], [1]].map(within);
  return choices.find(({ length }) => length <= 6) ?? choices[2];
}

/** @param {number} value */
function tick(value) {
  return value.toLocaleString("en", { maximumSignificantDigits: 6 });
}

/**
 * Moves labels apart until none covers another, as little as their order allows.
 *
 * @param {number[]} wanted pixels
 * @param {number} gap
 * @param {number} low
 * @param {number} high
 * @returns {number[]} in the order of `wanted`
 */
export function spread(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  /** @type {number[]} */
  const placed = Array(wanted.length);
  // Labels that touch form a group, which sits where the mean of its wishes is.
  /** @type {{members: number[], top: number}[]} */
  const groups = [];
  for (const index of order) {
    let group = { members: [index], top: Math.max(low, Math.min(wanted[index], high)) };
    for (
      let above = groups.at(-1);
      above && above.top + above.members.length * gap > group.top;
      above = groups.at(-1)
    ) {
      groups.pop();
      const members = [...above.members, ...group.members];
      const mean =
        members.reduce((sum, member, i) => sum + wanted[member] - i * gap, 0) / members.length;
      const bottom = high - (members.length - 1) * gap;
      group = { members, top: Math.max(low, Math.min(mean, bottom)) };
    }
    groups.push(group);
  }
  for (const { members, top } of groups) {
    members.forEach((member, i) => (placed[member] = top + i * gap));
  }
  return placed;
}

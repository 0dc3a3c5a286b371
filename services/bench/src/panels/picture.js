/**
 * What pictures of panels are made of: charts of Observable Plot and plain text, with a legend below.
 */
import * as Plot from "@observablehq/plot";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";

const document = /** @type {Document} */ (new JSDOM("").window.document);

/** As wide as a slide's half, in CSS pixels: text in it stays legible there. */
export const WIDTH = 900;
const FONT_SIZE = 13;
/** Estimated, as nothing here can measure text: the widest fonts of the usual systems stay below. */
const CHARACTER_WIDTH = 7.8;
const LEGEND_LINE = 20;
/** Between the parts of a caption. */
export const PART = " · ";
const CAPTION_SIZE = 11;
const CAPTION_LINE = 15;

/**
 * @param {string} text
 * @returns {number} pixels that it takes at most
 */
export function widthOf(text) {
  return text.length * CHARACTER_WIDTH;
}

/**
 * @param {Plot.PlotOptions} options
 * @returns {SVGSVGElement}
 */
export function plot(options) {
  const svg = Plot.plot({
    document,
    // Fixed, so that the same data give the same bytes.
    className: "panel",
    width: WIDTH,
    ...options,
    style: { fontSize: `${FONT_SIZE}px`, background: "none", overflow: "visible" },
  });
  svg.querySelector("style")?.remove();
  return /** @type {SVGSVGElement} */ (svg);
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
export function element(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * @param {number} height
 * @param {Element[]} content
 * @param {number} [width]
 * @returns {SVGSVGElement}
 */
export function canvas(height, content, width = WIDTH) {
  const svg = element("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    // The file's SVG is around it: to clip it there would take a PNG three times as long.
    overflow: "visible",
    "font-size": FONT_SIZE,
  });
  svg.append(...content);
  return /** @type {SVGSVGElement} */ (svg);
}

/**
 * @param {number} x
 * @param {number} y of the baseline
 * @param {string} text
 * @param {Record<string, string | number>} [attributes]
 */
export function textAt(x, y, text, attributes = {}) {
  // Said, as a chart of Plot has its own anchor.
  const usual = { fill: "currentColor", "text-anchor": "start" };
  return element("text", { x, y, ...usual, ...attributes }, text);
}

/**
 * @param {SVGSVGElement} chart
 * @param {{name: string, colour: string}[]} entries none: no legend
 * @returns {SVGSVGElement}
 */
export function withLegend(chart, entries) {
  const [, height] = sizeOf(chart);
  let [x, line] = [16, 0];
  const keys = entries.flatMap(({ name, colour }) => {
    const width = 18 + widthOf(name) + 16;
    if (x + width > WIDTH && x > 16) [x, line] = [16, line + 1];
    const y = height + 16 + line * LEGEND_LINE;
    const key = [
      element("rect", { x, y: y - 9, width: 12, height: 9, rx: 1.5, fill: colour }),
      textAt(x + 18, y, name),
    ];
    x += width;
    return key;
  });
  return lengthened(chart, entries.length > 0 ? 8 + (line + 1) * LEGEND_LINE : 0, keys);
}

/**
 * In its place and not around it: each SVG inside of another takes a PNG longer.
 *
 * @param {SVGSVGElement} chart
 * @param {number} pixels that it gets below
 * @param {Element[]} content that comes there
 * @returns {SVGSVGElement} the same
 */
function lengthened(chart, pixels, content) {
  const [width, height] = sizeOf(chart);
  chart.setAttribute("height", String(height + pixels));
  chart.setAttribute("viewBox", `0 0 ${width} ${height + pixels}`);
  chart.append(...content);
  return chart;
}

/** @param {SVGSVGElement} chart */
function sizeOf(chart) {
  return ["width", "height"].map((name) => Number(chart.getAttribute(name)));
}

/**
 * @param {SVGSVGElement} chart
 * @param {string} text small, below it, in as many lines as it needs; empty: none
 * @returns {SVGSVGElement}
 */
export function withCaption(chart, text) {
  const [width, height] = sizeOf(chart);
  const characters = Math.floor((width - 16) / (CHARACTER_WIDTH * (CAPTION_SIZE / FONT_SIZE)));
  const lines = wrapped(text, characters).map((line, i) =>
    textAt(8, height + 16 + i * CAPTION_LINE, line, {
      "font-size": CAPTION_SIZE,
      "fill-opacity": 0.7,
    }),
  );
  return lengthened(chart, lines.length > 0 ? 8 + lines.length * CAPTION_LINE : 0, lines);
}

/**
 * @param {string} text
 * @param {number} characters a line has at most, unless a word is longer
 * @returns {string[]} lines, which end where a part of the text does, if that fits into a line
 */
function wrapped(text, characters) {
  const parts = text.split(PART).flatMap((part) => filled(part.split(" "), " ", characters));
  return filled(parts, PART, characters);
}

/**
 * @param {string[]} pieces
 * @param {string} between them
 * @param {number} characters
 * @returns {string[]} as many together as a line has room for
 */
function filled(pieces, between, characters) {
  /** @type {string[]} */
  const lines = [];
  for (const piece of pieces.filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines[lines.length - 1]}${between}${piece}` : "";
    if (longer && longer.length <= characters) lines[lines.length - 1] = longer;
    else lines.push(piece);
  }
  return lines;
}

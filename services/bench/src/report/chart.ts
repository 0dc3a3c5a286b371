/**
 * The charts of this project as SVG text: plain data in, the same bytes for the same data. Nothing
 * here knows what is measured.
 *
 *   bars(data, view)    lying bars from zero, sorted, with figures and intervals; two series; groups
 *   lines(data, view)   over a number or over time: intervals, spans, events, limits
 *   dots(data, view)    estimates with intervals over a number or over categories, side by side
 *   stat(data, view)    large figures, each with a sparkline
 *   table(data, view)   text in columns
 *   matrix(data, view)  rows and columns of words: good, bad, neutral
 *
 * With `view.id` it is a part of a page: the page shows the title as text and has CHART_STYLE.
 * Without, it is a file with title, ground, and colours for light and dark; `pngOf(file)` makes a
 * picture of it. `view.width` is in the pixels that it is shown in: PHONE, or WIDTH by default.
 * `keyMark(name)` is a proxy's mark beside its name in HTML, of those in `keyMarks(looks)`.
 *
 * Colour and shape are a proxy's own (proxy.json) and come with the data. `better` says which way
 * is good, and sorts bars. An axis is logarithmic where `scale` says so, and its label tells.
 */
export type { Bar, BarRow, Bars } from "./chart-bars.ts";
export { bars } from "./chart-bars.ts";
export type { Labels, Look, View } from "./chart-frame.ts";
export { CHART_STYLE, keyMark, keyMarks, PHONE, WIDTH } from "./chart-frame.ts";
export type { Dots, Event, Line, Lines, Point } from "./chart-lines.ts";
export { dots, lines } from "./chart-lines.ts";
export type { Cell, Figure, Matrix, Stat, Table, Tone } from "./chart-words.ts";
export { matrix, stat, table } from "./chart-words.ts";
export { pngOf } from "./png.ts";
export type { Axis, Shape } from "./svg.ts";
export { SHAPES } from "./svg.ts";

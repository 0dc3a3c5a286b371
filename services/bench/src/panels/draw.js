/**
 * A panel as a picture, drawn by the chart library of the report with the panel's own title, units and colours.
 *
 * @import { Figure } from "../render/charts.js"
 * @import { Panel } from "./dashboards.js"
 * @import { Shown } from "./frames.js"
 */
import { drawBarChart, drawBarGauge } from "./bars.js";
import { withCaption } from "./picture.js";
import { drawFigures, drawTable } from "./texts.js";
import { drawTimeSeries } from "./time-series.js";

/**
 * @typedef {object} Surroundings
 * @property {number} fromMs
 * @property {number} toMs
 * @property {{ms: number, text: string}[]} [annotations]
 * @property {string} [caption] what is shown: run, proxy, load
 *
 * @typedef {{description: string, draw: () => SVGSVGElement}} Drawing
 */

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

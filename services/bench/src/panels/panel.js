/**
 * One panel: asks its queries, and makes of the answers what the formats need.
 *
 * @import { Panel } from "./dashboards.js"
 * @import { Surroundings } from "./draw.js"
 * @import { Frame } from "./frames.js"
 * @import { Context } from "./interpolate.js"
 * @import { Series } from "../platform/influx.js"
 */
import { UserError } from "../errors.js";
import { csvOf, visibleFields } from "./data.js";
import { figureOf } from "./draw.js";
import { framesOf, shownFields } from "./frames.js";
import { interpolate, stepOf } from "./interpolate.js";
import { transformed } from "./transform.js";
import { svgText } from "../render/charts.js";

/** How many steps a curve has at most: as many as its picture has pixels. */
const MOST_STEPS = 900;

/**
 * @typedef {object} Asked
 * @property {{refId: string, query: string, milliseconds: number}[]} queries as InfluxDB got them
 * @property {Frame[]} frames before the panel's transformations
 */

/** A panel that could not be written, with the query at which it failed. */
export class PanelError extends Error {
  /**
   * @param {string} message
   * @param {string} query
   */
  constructor(message, query) {
    super(message);
    this.query = query;
  }
}

/**
 * @param {Panel} panel
 * @param {Omit<Context, "intervalMs">} context
 * @param {(query: string) => Promise<Series[]>} ask
 * @returns {Promise<Asked>}
 * @throws {PanelError} when InfluxDB refuses the query
 * @throws {UserError} when it does not answer
 */
export async function askPanel(panel, context, ask) {
  const { fromMs, toMs } = context;
  /** @type {Asked} */
  const asked = { queries: [], frames: [] };
  for (const target of panel.targets ?? []) {
    if (target.hide || !target.query) continue;
    let query = target.query;
    try {
      const points = panel.maxDataPoints ?? MOST_STEPS;
      const intervalMs = stepOf(toMs - fromMs, { points, finest: panel.interval });
      query = interpolate(query, { ...context, intervalMs });
      const startedMs = performance.now();
      const series = await ask(query);
      const milliseconds = Math.round(performance.now() - startedMs);
      asked.queries.push({ refId: target.refId, query, milliseconds });
      asked.frames.push(...framesOf(target, series));
    } catch (error) {
      // An InfluxDB that is gone is no fault of this panel.
      if (error instanceof UserError) throw error;
      throw new PanelError(error instanceof Error ? error.message : String(error), query);
    }
  }
  return asked;
}

/**
 * @param {Panel} panel
 * @param {Asked} asked
 * @param {Surroundings} around
 * @param {string} title
 * @returns {string} an SVG that stands alone
 */
export function svgOf(panel, { frames }, around, title) {
  return svgText(figureOf(panel, visibleFields(panel, frames), around, title));
}

/**
 * @param {Panel} panel
 * @param {Asked} asked
 * @returns {string}
 */
export function csvOfPanel(panel, { frames }) {
  return csvOf(shownFields(transformed(frames, panel), panel));
}

/**
 * @param {Panel} panel
 * @param {Asked} asked
 * @param {Record<string, unknown>} about of which run and dashboard it is
 * @returns {string} what was asked, and the answer as it came: values with the names of series, before any unit is put on them
 */
export function jsonOf(panel, { queries, frames }, about) {
  const { id, title, description, type, fieldConfig } = panel;
  const unit = fieldConfig?.defaults.unit;
  return `${JSON.stringify({ ...about, panel: { id, title, description, type, unit }, queries, frames }, null, 1)}\n`;
}

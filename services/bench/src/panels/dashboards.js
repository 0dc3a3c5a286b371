/**
 * The dashboards of dashboards/generated, as Grafana reads them: which panels there are, and which of them were asked for.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, UserError } from "../errors.js";

/**
 * @typedef {object} Target one query of a panel
 * @property {string} refId
 * @property {string} [query] InfluxQL with Grafana's macros and variables
 * @property {string} [resultFormat] time_series (the default) or table
 * @property {string} [alias] name of each series
 * @property {boolean} [hide]
 *
 * @typedef {{id: string, value: unknown}} Property of a field, such as `color` or `custom.lineWidth`
 * @typedef {{matcher: {id: string, options: any}, properties: Property[]}} Override
 *
 * @typedef {object} Panel
 * @property {number} id unique in its dashboard
 * @property {string} type `timeseries`, `stat` …; `row` is a heading
 * @property {string} title
 * @property {string} [description]
 * @property {Target[]} [targets]
 * @property {{id: string, options?: any, disabled?: boolean}[]} [transformations]
 * @property {{defaults: Record<string, any>, overrides: Override[]}} [fieldConfig]
 * @property {Record<string, any>} [options]
 * @property {string} [interval] the finest step
 * @property {number} [maxDataPoints]
 * @property {Panel[]} [panels] of a row that is folded
 * @property {{x: number, y: number, w: number, h: number}} [gridPos] in Grafana's grid of 24 columns
 *
 * @typedef {object} Variable
 * @property {string} name
 * @property {string} type `query`, `custom`, `constant`, `textbox`, `interval`
 * @property {string} [label]
 * @property {string} [description]
 * @property {any} [query]
 * @property {boolean} [multi]
 * @property {boolean} [includeAll]
 * @property {string} [allValue]
 * @property {string} [regex]
 * @property {number} [sort]
 * @property {{value?: any, text?: any}} [current]
 *
 * @typedef {object} Dashboard
 * @property {string} uid
 * @property {string} title
 * @property {string} [description]
 * @property {Panel[]} panels
 * @property {{from: string, to: string}} [time]
 * @property {{list: Variable[]}} [templating]
 * @property {{list: any[]}} [annotations]
 */

/** Panels that show no data. */
const WITHOUT_DATA = ["row", "text", "dashlist", "news"];

/**
 * @param {string} directory the project's
 * @returns {Dashboard[]} by title
 * @throws {UserError} when a file is no dashboard
 */
export function readDashboards(directory) {
  const folder = join(directory, "dashboards/generated");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readDashboard(join(folder, name), `dashboards/generated/${name}`))
    .sort((a, b) => a.title.localeCompare(b.title));
}

/**
 * @param {string} file
 * @param {string} name for an error
 * @returns {Dashboard}
 */
function readDashboard(file, name) {
  let dashboard;
  try {
    dashboard = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UserError(
      `${name} cannot be read: ${error instanceof Error ? error.message : error}`,
      "Make it again: cd dashboards && npm ci && npm run generate",
    );
  }
  if (typeof dashboard.uid === "string" && Array.isArray(dashboard.panels)) return dashboard;
  throw new UserError(
    `${name} is no dashboard: it has no uid or no panels`,
    "Make it again: cd dashboards && npm ci && npm run generate",
  );
}

/**
 * @param {Dashboard} dashboard
 * @returns {Panel[]} that show data, those of folded rows among them, as they stand on the page
 */
export function panelsOf({ panels }) {
  return panels
    .flatMap((panel) => [panel, ...(panel.panels ?? [])])
    .filter(({ type }) => !WITHOUT_DATA.includes(type));
}

/**
 * @param {Dashboard} dashboard
 * @param {Panel} panel one of it
 * @returns {string} title of the row that it stands in; empty: in none
 */
export function sectionOf({ panels }, { id }) {
  let section = "";
  for (const panel of panels) {
    if (panel.type === "row") section = panel.title;
    if (panel.id === id || panel.panels?.some((folded) => folded.id === id)) return section;
  }
  return section;
}

/**
 * @param {Dashboard[]} dashboards
 * @param {{dashboard?: string, panel?: number}} wanted uid and id; none: all
 * @returns {{dashboard: Dashboard, panels: Panel[]}[]}
 * @throws {UserError} when there is none of that uid or id; exit code 2
 */
export function pick(dashboards, { dashboard: uid, panel: id }) {
  const chosen = uid === undefined ? dashboards : [named(dashboards, uid)];
  const picked = chosen.map((dashboard) => ({
    dashboard,
    panels: panelsOf(dashboard).filter((panel) => id === undefined || panel.id === id),
  }));
  if (id === undefined || picked.some(({ panels }) => panels.length > 0))
    return picked.filter(({ panels }) => panels.length > 0);
  const known = chosen.flatMap((dashboard) =>
    panelsOf(dashboard).map((panel) => `  ${dashboard.uid} ${panel.id}  ${panel.title}`),
  );
  throw new UserError(
    `unknown panel: ${id}${uid === undefined ? "" : ` of ${uid}`}`,
    `Expected the id of one of these:\n${known.join("\n")}`,
    2,
  );
}

/**
 * @param {Dashboard[]} dashboards
 * @param {string} uid
 */
function named(dashboards, uid) {
  const found = dashboards.find((dashboard) => dashboard.uid === uid);
  if (found) return found;
  const known = dashboards.map((dashboard) => dashboard.uid);
  throw new UserError(
    `unknown dashboard: ${uid}`,
    `${didYouMean(uid, known)}The files of dashboards/generated are: ${known.join(", ")}.`,
    2,
  );
}

/**
 * @param {Dashboard} dashboard
 * @param {Panel} panel
 * @param {string[]} part what tells it from the same panel with another setting
 * @returns {string} name of its files, without their ending
 */
export function fileName({ uid }, { id, title }, part) {
  return [uid, id, slug(title), ...part.map(slug)].join("-");
}

/** @param {string} text */
export function slug(text) {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-|-$/g, "");
}

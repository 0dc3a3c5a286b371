/**
 * What is exported of the dashboards: their queries are asked, and what has no data for the run is told apart.
 *
 * @import { Series } from "../platform/influx.js"
 * @import { Dashboard, Panel } from "./dashboards.js"
 * @import { Asked } from "./panel.js"
 * @import { Run } from "./runs.js"
 * @import { Choice } from "./variables.js"
 *
 * @typedef {{fromMs: number, toMs: number}} Range
 *
 * @typedef {object} Job a panel with what its variables are, asked
 * @property {Panel} panel
 * @property {Choice} choice
 * @property {string} title with the setting, where it is one of several
 * @property {string} name of its files
 * @property {Asked} [asked] absent: it failed
 * @property {unknown} [error]
 * @property {string} [noData] why there is nothing to show; absent: there is, or it failed
 *
 * @typedef {object} Selected a dashboard
 * @property {Dashboard} dashboard
 * @property {Panel[]} panels those that were asked for
 * @property {Choice[]} choices
 * @property {Range} range
 * @property {Job[]} jobs
 *
 * @typedef {{dashboard: Dashboard, reason: string}} LeftOut
 */
import { UserError } from "../errors.js";
import { fileName, panelsOf, sectionOf } from "./dashboards.js";
import { hasData, reasonOf } from "./data.js";
import { interpolate } from "./interpolate.js";
import { askPanel } from "./panel.js";
import { choicesOf, partOf } from "./variables.js";

/** Dashboards whose time range begins here show cells over each other, from the start of their measured phase. */
const ALIGNED_FROM_MS = 0;
/** How variables look in a query that asks for the values of other variables. */
export const NO_STEP = { intervalMs: 1000 };

/**
 * @param {{dashboard: Dashboard, panels: Panel[]}[]} picked
 * @param {object} options
 * @param {Run} options.run
 * @param {(query: string) => Promise<Series[]>} options.ask
 * @param {boolean} options.isNamed they were asked for by name: one in which a variable has no value may have some panels with data
 * @returns {Promise<{selected: Selected[], leftOut: LeftOut[]}>} leftOut: those without data for the run
 * @throws {UserError} when InfluxDB does not answer
 */
export async function select(picked, { run, ask, isNamed }) {
  /** @type {Selected[]} */
  const selected = [];
  /** @type {LeftOut[]} */
  const leftOut = [];
  for (const { dashboard, panels } of picked) {
    const range = rangeOf(dashboard, run);
    const choices = await choicesOf(dashboard, {
      given: { run: run.name },
      range: { ...range, ...NO_STEP },
      ask,
    });
    const missing = missingOf(choices);
    if (missing && !isNamed) {
      leftOut.push({ dashboard, reason: missing });
      continue;
    }
    const jobs = jobsOf(dashboard, panels, choices, range);
    for (const job of jobs) await askJob(job, range, ask);
    // One that failed is to be seen.
    if (jobs.some(({ noData }) => noData === undefined))
      selected.push({ dashboard, panels, choices, range, jobs });
    else leftOut.push({ dashboard, reason: missing ?? reasonsOf(jobs) });
  }
  return { selected, leftOut };
}

/**
 * @param {Dashboard} dashboard
 * @param {Run} run
 * @returns {Range} the run's, or as long as its longest cell where cells lie over each other
 */
function rangeOf({ time }, { fromMs, toMs, store }) {
  if (Date.parse(time?.from ?? "") !== ALIGNED_FROM_MS) return { fromMs, toMs };
  const lengths = (store?.results.cells ?? []).map(({ measured }) =>
    measured ? measured.toMs - measured.fromMs : 0,
  );
  return { fromMs: ALIGNED_FROM_MS, toMs: Math.max(1000, ...lengths) };
}

/**
 * @param {Choice[]} choices
 * @returns {string | null} what the dashboard is about and this run has not; null: nothing
 */
function missingOf(choices) {
  const missing = choices.find((choice) => choice.missing.length > 0)?.missing[0];
  if (!missing) return null;
  const { name, label = name, description = "" } = missing;
  return `this run has no ${label.toLowerCase()}${description && ` (${description.replace(/\.$/, "")})`}`;
}

/** @param {Job[]} jobs without data */
function reasonsOf(jobs) {
  return [...new Set(jobs.map(({ noData }) => noData))].join("; ");
}

/**
 * @param {Dashboard} dashboard
 * @param {Panel[]} panels
 * @param {Choice[]} choices
 * @param {Range} range
 * @returns {Job[]} each once: a panel that does not use a variable is the same for all its values
 */
function jobsOf(dashboard, panels, choices, range) {
  /** @type {Map<string, Job>} */
  const jobs = new Map();
  for (const given of panels) {
    for (const choice of choices) {
      const context = { ...range, ...NO_STEP, variables: choice.variables };
      const panel = { ...given, title: interpolate(given.title, context) };
      const part = partOf(given, choice);
      const name = fileName(dashboard, panel, part);
      const title = [fullTitle(dashboard, given, panel.title), ...part].join(" · ");
      if (!jobs.has(name)) jobs.set(name, { panel, choice, title, name });
    }
  }
  return [...jobs.values()];
}

/**
 * @param {Dashboard} dashboard
 * @param {Panel} panel
 * @param {string} title
 * @returns {string} with the section's where another panel has the same: a picture leaves its dashboard
 */
function fullTitle(dashboard, panel, title) {
  const isAmbiguous = panelsOf(dashboard).some(
    (other) => other.id !== panel.id && other.title === panel.title,
  );
  const section = sectionOf(dashboard, panel);
  return isAmbiguous && section ? `${section}: ${title}` : title;
}

/**
 * @param {Job} job gets what was answered
 * @param {Range} range
 * @param {(query: string) => Promise<Series[]>} ask
 */
async function askJob(job, range, ask) {
  const { panel, choice } = job;
  try {
    const asked = await askPanel(panel, { ...range, variables: choice.variables }, ask);
    if (!hasData(panel, asked.frames)) job.noData = reasonOf(panel);
    job.asked = asked;
  } catch (error) {
    if (error instanceof UserError) throw error;
    job.error = error;
  }
}

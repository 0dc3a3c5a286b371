/**
 * `export`: every panel of the dashboards as a picture and as data, and snapshots that a Grafana opens without the data.
 */
import { join, relative } from "node:path";
import { UserError } from "../errors.js";
import { annotationsOf, shownEvents } from "../panels/annotations.js";
import { fileName, pick, readDashboards, slug } from "../panels/dashboards.js";
import { Folder } from "../panels/folder.js";
import { Grafana } from "../panels/grafana.js";
import { interpolate } from "../panels/interpolate.js";
import { askPanel, csvOfPanel, jsonOf, PanelError, svgOf } from "../panels/panel.js";
import { pngOf } from "../panels/png.js";
import { liveRun, liveRuns, recordedRun, recordedRuns, unknownRun } from "../panels/runs.js";
import { snapshotOf } from "../panels/snapshot.js";
import { openSource } from "../panels/source.js";
import { choicesOf, partOf } from "../panels/variables.js";
import { findingText } from "../render/findings.js";
import { republish } from "../series/republish.js";

/**
 * @import { Dashboard, Panel } from "../panels/dashboards.js"
 * @import { Entry } from "../panels/folder.js"
 * @import { Frame } from "../panels/frames.js"
 * @import { Context } from "../panels/interpolate.js"
 * @import { Run } from "../panels/runs.js"
 * @import { Annotation } from "../panels/snapshot.js"
 * @import { Source } from "../panels/source.js"
 * @import { Choice } from "../panels/variables.js"
 * @import { ExportArguments } from "./program.js"
 *
 * @typedef {{fromMs: number, toMs: number}} Range
 *
 * @typedef {object} Job a panel with what its variables are
 * @property {Dashboard} dashboard
 * @property {Panel} panel
 * @property {Choice} choice
 * @property {Range} range
 * @property {string[]} part what tells it from the same panel with another setting
 * @property {string} name of its files
 */

/** Dashboards whose time range begins here show cells over each other, from the start of their measured phase. */
const ALIGNED_FROM_MS = 0;
const THEMES = /** @type {const} */ (["light", "dark"]);
/** How variables look in a query that asks for the values of other variables. */
const NO_STEP = { intervalMs: 1000 };

/**
 * @param {string} directory the project's
 * @param {ExportArguments} wanted
 * @param {(line: string) => void} say
 * @returns {Promise<number>} exit status: 0; 1 some panels failed
 * @throws {UserError} exit code 2 when run, dashboard, panel or format are unknown
 */
export async function exportPanels(directory, wanted, say) {
  const picked = pick(readDashboards(directory), wanted);
  if (wanted.snapshot?.endsWith(".json") && picked.length > 1) {
    throw new UserError(
      `--snapshot names one file, ${wanted.snapshot}, and there are ${picked.length} dashboards`,
      `Expected one of them: --dashboard ${picked[0].dashboard.uid}; or --snapshot alone: a file for each.`,
      2,
    );
  }
  const results = process.env.BENCH_RESULTS || join(directory, "results");
  const recorded = wanted.run === undefined ? null : recordedRun(results, wanted.run);
  // A run that has no record can only be in an InfluxDB that is up.
  const start = wanted.run === undefined || recorded !== null;
  const source = await openSource(directory, say, { start });
  if (!source) throw unknownRun(wanted.run ?? "", recordedRuns(results));
  try {
    const run = recorded ?? (await findRun(source, results, wanted.run));
    say(`run ${run.name}`);
    await publish(run, source, directory, say);
    return await new Export(run, source, results, wanted, say).write(picked);
  } finally {
    await source.close();
  }
}

/**
 * @param {Source} source
 * @param {string} results the folder
 * @param {string | undefined} name none: the newest
 * @returns {Promise<Run>}
 */
async function findRun({ influx }, results, name) {
  const live = (await influx.databases()).includes("k6") ? await liveRuns(influx) : [];
  const recorded = recordedRuns(results);
  const known = [...new Set([...recorded, ...live])];
  // Both kinds of names begin with the time of the start; those in results/ have dashes in it.
  const time = (/** @type {string} */ one) => one.slice(0, 19).replaceAll(":", "-");
  const chosen = name ?? known.toSorted((a, b) => time(b).localeCompare(time(a)))[0];
  if (chosen === undefined)
    throw new UserError("there is no run yet", "Make one: ./bench run, or ./bench up nginx.", 2);
  const record = recordedRun(results, chosen);
  if (record) return record;
  if (live.includes(chosen)) return liveRun(influx, chosen);
  throw unknownRun(chosen, known);
}

/**
 * Writes a run's points from its record where InfluxDB has none of it.
 *
 * @param {Run} run
 * @param {Source} source
 * @param {string} directory the project's
 * @param {(line: string) => void} say
 */
async function publish({ store, name }, { influx }, directory, say) {
  if (!store) return;
  await influx.createDatabase("bench");
  const found = await influx.query(`SHOW TAG VALUES ON "bench" FROM "summaries" WITH KEY = "run"`);
  if (found.some(({ values }) => values.some(([, run]) => run === name))) return;
  say("writing the run's points to InfluxDB, from its record");
  const { points, curves, notes } = await republish(store, influx, {
    directory,
    tell: findingText,
  });
  say(`${points} points, curves of ${curves} cells`);
  for (const note of notes) say(note);
}

class Export {
  #run;
  #influx;
  #wanted;
  #say;
  #folder;
  #directory;
  #ownGrafana;
  /** @type {Entry[]} */
  #entries = [];
  #failed = 0;

  /**
   * @param {Run} run
   * @param {Source} source
   * @param {string} results the folder
   * @param {ExportArguments} wanted
   * @param {(line: string) => void} say
   */
  constructor(run, { influx, grafana }, results, wanted, say) {
    this.#run = run;
    this.#influx = influx;
    this.#ownGrafana = grafana;
    this.#wanted = wanted;
    this.#say = say;
    this.#directory = join(run.store?.directory ?? join(results, run.name), "panels");
    this.#folder = new Folder(this.#directory);
  }

  /**
   * @param {{dashboard: Dashboard, panels: Panel[]}[]} picked
   * @returns {Promise<number>} exit status
   */
  async write(picked) {
    const renderer = await this.#renderer();
    const plans = await Promise.all(picked.map((one) => this.#plan(one)));
    const total = plans.reduce((sum, { jobs }) => sum + jobs.length, 0);
    let done = 0;
    for (const { dashboard, panels, choices, jobs, range } of plans) {
      const annotations = await this.#annotations(dashboard, choices[0], range);
      /** @type {Map<string, Frame[]>} by the name of the files */
      const frames = new Map();
      for (const job of jobs) {
        done += 1;
        await this.#panel(job, { annotations, frames, renderer, place: `${done} of ${total}` });
      }
      if (this.#wanted.snapshot !== undefined)
        await this.#snapshots({ dashboard, panels, choices, range, annotations, frames });
    }
    this.#folder.finish(this.#run.name, this.#entries);
    this.#say(`${total - this.#failed} panels: ${this.#shown("index.html")}`);
    if (this.#failed > 0) this.#say(`${this.#failed} panels failed; see above`);
    return this.#failed > 0 ? 1 : 0;
  }

  /** @returns {Promise<Grafana | null>} one that can draw */
  async #renderer() {
    const { grafana: url, formats } = this.#wanted;
    if (!formats.includes("png")) return null;
    const token = process.env.GRAFANA_TOKEN;
    if (url !== undefined) {
      const grafana = new Grafana(url, { token });
      if (await grafana.canRender()) return grafana;
      throw new UserError(
        `the Grafana at ${url} has no image renderer`,
        "Expected one, as --grafana asks for its own pictures: docker compose --profile render up.",
      );
    }
    if (!this.#ownGrafana) return null;
    const grafana = new Grafana(this.#ownGrafana);
    return (await grafana.canRender().catch(() => false)) ? grafana : null;
  }

  /** @param {{dashboard: Dashboard, panels: Panel[]}} picked */
  async #plan({ dashboard, panels }) {
    const range = this.#rangeOf(dashboard);
    const choices = await choicesOf(dashboard, {
      given: { run: this.#run.name },
      range: { ...range, ...NO_STEP },
      ask: (query) => this.#influx.query(query),
    });
    /** @type {Map<string, Job>} once for each name: what does not use a variable is the same for all its values */
    const jobs = new Map();
    for (const given of panels) {
      for (const choice of choices) {
        const title = interpolate(given.title, {
          ...range,
          ...NO_STEP,
          variables: choice.variables,
        });
        const panel = { ...given, title };
        const part = partOf(given, choice);
        const name = fileName(dashboard, panel, part);
        if (!jobs.has(name)) jobs.set(name, { dashboard, panel, choice, range, part, name });
      }
    }
    return { dashboard, panels, choices, range, jobs: [...jobs.values()] };
  }

  /**
   * @param {Dashboard} dashboard
   * @returns {Range} the run's, or as long as its longest cell where cells lie over each other
   */
  #rangeOf({ time }) {
    const { fromMs, toMs, store } = this.#run;
    if (Date.parse(time?.from ?? "") !== ALIGNED_FROM_MS) return { fromMs, toMs };
    const lengths = (store?.results.cells ?? []).map(({ measured }) =>
      measured ? measured.toMs - measured.fromMs : 0,
    );
    return { fromMs: ALIGNED_FROM_MS, toMs: Math.max(1000, ...lengths) };
  }

  /**
   * @param {Dashboard} dashboard
   * @param {Choice} choice
   * @param {Range} range
   * @returns {Promise<Annotation[]>} those that are shown when the dashboard is opened
   */
  async #annotations(dashboard, { variables }, range) {
    const found = [];
    for (const events of shownEvents(dashboard)) {
      try {
        const query = interpolate(events.query, { ...range, ...NO_STEP, variables });
        found.push(...annotationsOf(events, await this.#influx.query(query)));
      } catch (error) {
        this.#fail(`annotations ${events.name} of ${dashboard.uid}`, error, events.query);
      }
    }
    return found.sort((a, b) => a.ms - b.ms);
  }

  /**
   * @param {Job} job
   * @param {{annotations: Annotation[], frames: Map<string, Frame[]>, renderer: Grafana | null, place: string}} around
   */
  async #panel(job, { annotations, frames, renderer, place }) {
    const { dashboard, panel, choice, range, part, name } = job;
    const title = [panel.title, ...part].join(" · ");
    const { description = "", id } = panel;
    const about = { dashboard: dashboard.uid, dashboardTitle: dashboard.title, id };
    /** @type {Entry} */
    const entry = { ...about, title, description, name };
    this.#entries.push(entry);
    const what = `${dashboard.uid} ${id} ${title}`;
    this.#say(`${place}: ${what}`);
    try {
      const asked = await askPanel(panel, { ...range, variables: choice.variables }, (query) =>
        this.#influx.query(query),
      );
      frames.set(name, asked.frames);
      const { formats } = this.#wanted;
      if (formats.includes("csv")) this.#folder.write(`${name}.csv`, csvOfPanel(panel, asked));
      if (formats.includes("json")) {
        const { variables } = choice;
        const details = { run: this.#run.name, dashboard: dashboard.uid, range, variables };
        this.#folder.write(`${name}.json`, jsonOf(panel, asked, details));
      }
      if (formats.includes("svg") || formats.includes("png")) {
        const svg = svgOf(panel, asked, { ...range, annotations }, title);
        if (formats.includes("svg")) this.#folder.write(`${name}.svg`, svg);
        if (formats.includes("png")) this.#folder.write(`${name}.png`, await pngOf(svg));
      }
      if (renderer) await this.#grafanaPictures(renderer, job);
    } catch (error) {
      // A disk that is full, or an InfluxDB that is gone, is no fault of this panel.
      if (error instanceof UserError) throw error;
      const queries = (panel.targets ?? []).map(({ query }) => query).join("; ");
      const query = error instanceof PanelError ? error.query : queries;
      entry.failure = error instanceof Error ? error.message : String(error);
      this.#fail(what, error, query);
    }
  }

  /**
   * @param {Grafana} renderer
   * @param {Job} job
   */
  async #grafanaPictures(renderer, { dashboard, panel, choice, range, name }) {
    const variables = Object.fromEntries(
      Object.entries(choice.variables).map(([key, { values, all }]) => [
        key,
        all ? ["$__all"] : values,
      ]),
    );
    for (const theme of THEMES) {
      const asked = { uid: dashboard.uid, panel: panel.id, ...range, variables, theme };
      this.#folder.write(`${name}.grafana-${theme}.png`, await renderer.picture(asked));
    }
  }

  /**
   * @param {object} what
   * @param {Dashboard} what.dashboard
   * @param {Panel[]} what.panels those that were asked for
   * @param {Choice[]} what.choices a snapshot each
   * @param {Range} what.range
   * @param {Annotation[]} what.annotations
   * @param {Map<string, Frame[]>} what.frames by the name of the panel's files
   */
  async #snapshots({ dashboard, panels, choices, range, annotations, frames }) {
    const target = this.#wanted.snapshot ?? "";
    const only = this.#wanted.panel === undefined ? dashboard : { ...dashboard, panels };
    for (const choice of choices) {
      const part = choice.varying.map((name) => choice.variables[name].values[0]);
      const context = { ...range, ...NO_STEP, variables: choice.variables };
      const byId = new Map(
        panels.map((panel) => {
          const title = interpolate(panel.title, context);
          return [
            panel.id,
            frames.get(fileName(dashboard, { ...panel, title }, partOf(panel, choice))) ?? [],
          ];
        }),
      );
      const name = [dashboard.title, this.#run.name, ...part].join(" · ");
      const { variables } = choice;
      const snapshot = snapshotOf(only, { name, frames: byId, annotations, variables, range });
      if (/^https?:/.test(target)) {
        const grafana = new Grafana(target, { token: process.env.GRAFANA_TOKEN });
        const { url, deleteUrl } = await grafana.keep(snapshot);
        console.log(`${name}: ${url}\n  delete it: ${deleteUrl}`);
        continue;
      }
      const file = [dashboard.uid, ...part.map(slug), "snapshot.json"].join(".");
      const text = `${JSON.stringify(snapshot)}\n`;
      if (target) new Folder(join(target, "..")).write(relative(join(target, ".."), target), text);
      else this.#folder.write(file, text);
      this.#say(`snapshot: ${target || this.#shown(file)}`);
    }
  }

  /**
   * @param {string} what
   * @param {unknown} error
   * @param {string} query
   */
  #fail(what, error, query) {
    this.#failed += 1;
    const message = error instanceof Error ? error.message : String(error);
    this.#say(`FAILED  ${what}: ${message}`);
    if (!message.includes(query)) this.#say(`        its query: ${query}`);
  }

  /** @param {string} name of a file */
  #shown(name) {
    return relative(process.cwd(), join(this.#directory, name));
  }
}

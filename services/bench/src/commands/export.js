/**
 * `export`: the panels of the dashboards that have data for a run, as pictures and as data, and snapshots that a Grafana opens without the data.
 */
import { join, relative } from "node:path";
import { UserError } from "../errors.js";
import { counted } from "../numbers.js";
import { annotationsOf, shownEvents } from "../panels/annotations.js";
import { captionOf } from "../panels/caption.js";
import { fileName, pick, readDashboards, sectionOf, slug } from "../panels/dashboards.js";
import { Folder } from "../panels/folder.js";
import { Grafana } from "../panels/grafana.js";
import { interpolate } from "../panels/interpolate.js";
import { csvOfPanel, jsonOf, PanelError, svgOf } from "../panels/panel.js";
import { pngOf } from "../panels/png.js";
import {
  newestRun,
  recordedRun,
  recordedRuns,
  singleNamed,
  singleRun,
  unknownRun,
} from "../panels/runs.js";
import { NO_STEP, select } from "../panels/selection.js";
import { snapshotOf } from "../panels/snapshot.js";
import { openSource } from "../panels/source.js";
import { partOf } from "../panels/variables.js";
import { folderOf } from "../plan/run-name.js";
import { findingText } from "../render/findings.js";
import { republish } from "../series/republish.js";
import { describedScenarios } from "../plan/scenarios.js";
import { singleLoad, singleLoads } from "../series/single-load.js";

/**
 * @import { Dashboard, Panel } from "../panels/dashboards.js"
 * @import { Entry } from "../panels/folder.js"
 * @import { Run } from "../panels/runs.js"
 * @import { Job, LeftOut, Range, Selected } from "../panels/selection.js"
 * @import { Annotation } from "../panels/snapshot.js"
 * @import { Source } from "../panels/source.js"
 * @import { Choice } from "../panels/variables.js"
 * @import { ExportArguments } from "./definitions/export.js"
 */

const THEMES = /** @type {const} */ (["light", "dark"]);

/**
 * @param {string} directory the project's
 * @param {ExportArguments} wanted
 * @param {(line: string) => void} say
 * @returns {Promise<number>} exit status: 0; 1 some panels failed
 * @throws {UserError} exit code 2 when run, dashboard, panel or format are unknown; 1 when there is no data for the run
 */
export async function exportPanels(directory, wanted, say) {
  const picked = pick(readDashboards(directory), wanted);
  const results = process.env.BENCH_RESULTS || join(directory, "results");
  const recorded = wanted.run === undefined ? null : recordedRun(results, wanted.run);
  // A run that has no record can only be in an InfluxDB that is up.
  const start = wanted.run === undefined || recorded !== null;
  const source = await openSource(directory, say, { start });
  if (!source) throw unknownRun(wanted.run ?? "", recordedRuns(results));
  try {
    const run = recorded ?? (await findRun(source, { directory, results }, wanted.run));
    say(`run ${run.name}`);
    await publish(run, source, directory, say);
    return await new Export(run, source, results, wanted, say).write(picked);
  } finally {
    await source.close();
  }
}

/**
 * @param {Source} source
 * @param {{directory: string, results: string}} folders of the project, and of its runs
 * @param {string | undefined} name none: the newest
 * @returns {Promise<Run>}
 */
async function findRun({ influx }, { directory, results }, name) {
  const recorded = recordedRuns(results);
  const singles = await singleLoads(influx);
  const known = [...new Set([...recorded, ...singles.map((single) => single.name)])];
  const chosen = name ?? newestRun(recorded, singles);
  if (chosen === undefined)
    throw new UserError("there is no run yet", "Make one: ./bench run, or ./bench up nginx.", 2);
  const record = recordedRun(results, chosen);
  if (record) return record;
  const single = singleNamed(singles, chosen);
  if (single !== undefined)
    return singleRun(single, await singleLoad(influx, single), describedScenarios(directory));
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
    this.#directory = join(run.store?.directory ?? join(results, folderOf(run.name)), "panels");
    this.#folder = new Folder(this.#directory);
  }

  /**
   * @param {{dashboard: Dashboard, panels: Panel[]}[]} picked
   * @returns {Promise<number>} exit status
   */
  async write(picked) {
    const isNamed = this.#wanted.dashboard !== undefined;
    const { selected, leftOut } = await select(picked, {
      run: this.#run,
      ask: (query) => this.#influx.query(query),
      isNamed,
    });
    if (selected.length === 0) throw this.#nothing(leftOut);
    this.#refuseOneFileForMany(selected);
    for (const { dashboard, reason } of leftOut)
      this.#say(`${dashboard.title} is left out: ${reason}`);
    const renderer = await this.#renderer();
    const total = selected.flatMap(({ jobs }) => jobs.filter(isShown)).length;
    let done = 0;
    for (const one of selected) {
      const annotations = await this.#annotations(one.dashboard, one.choices[0], one.range);
      for (const job of one.jobs) {
        const entry = this.#enter(one.dashboard, job);
        if (!isShown(job)) continue;
        done += 1;
        this.#say(`${done} of ${total}: ${one.dashboard.uid} ${job.panel.id} ${job.title}`);
        await this.#panel(one, job, { annotations, renderer, entry });
      }
      if (this.#wanted.snapshot !== undefined) await this.#snapshots(one, annotations);
    }
    const gone =
      this.#wanted.panel === undefined ? leftOut.map(({ dashboard }) => dashboard.uid) : [];
    this.#folder.finish(
      { name: this.#run.name, caption: captionOf(this.#run) },
      this.#entries,
      gone,
    );
    this.#say(`${counted(total - this.#failed, "panel")}: ${this.#shown("index.html")}`);
    const empty = this.#entries.filter(({ noData }) => noData !== undefined).length;
    if (empty > 0)
      this.#say(`without data for this run: ${counted(empty, "panel")}, which index.html lists`);
    if (this.#failed > 0) this.#say(`failed: ${counted(this.#failed, "panel")}; see above`);
    return this.#failed > 0 ? 1 : 0;
  }

  /**
   * @param {LeftOut[]} leftOut all that was asked for
   * @returns {UserError}
   */
  #nothing(leftOut) {
    const { dashboard, panel } = this.#wanted;
    const what = [
      ...(panel === undefined ? [] : [`panel ${panel}`]),
      dashboard === undefined ? "any dashboard" : `dashboard ${dashboard}`,
    ].join(" of ");
    return new UserError(
      `no data for ${what} in the run ${this.#run.name}`,
      [
        ...leftOut.map(({ dashboard: { title }, reason }) => `${title}: ${reason}.`),
        ...(dashboard === undefined
          ? []
          : ["Without --dashboard, those that have data are exported."]),
      ].join("\n"),
    );
  }

  /** @param {Selected[]} selected */
  #refuseOneFileForMany(selected) {
    const count = selected.flatMap(({ choices }) => choices).length;
    if (!this.#wanted.snapshot?.endsWith(".json") || count === 1) return;
    throw new UserError(
      `--snapshot names one file, ${this.#wanted.snapshot}, and there are ${count} snapshots: one of each dashboard and setting`,
      "Expected --snapshot alone: a file for each, beside the panels.",
      2,
    );
  }

  /**
   * @param {Dashboard} dashboard
   * @param {Job} job
   * @returns {Entry} of the page
   */
  #enter(dashboard, { panel, title, name, noData }) {
    /** @type {Entry} */
    const entry = {
      dashboard: dashboard.uid,
      dashboardTitle: dashboard.title,
      id: panel.id,
      section: sectionOf(dashboard, panel),
      title,
      description: panel.description ?? "",
      name,
      ...(noData !== undefined && { noData }),
    };
    this.#entries.push(entry);
    return entry;
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
   * @param {Selected} selected
   * @param {Job} job with data, or failed
   * @param {{annotations: Annotation[], renderer: Grafana | null, entry: Entry}} around
   */
  async #panel(selected, job, { annotations, renderer, entry }) {
    const { dashboard, range } = selected;
    const { panel, choice, title, name, asked, error } = job;
    try {
      if (!asked) throw error;
      const caption = captionOf(this.#run, { panel, choice });
      const { formats } = this.#wanted;
      if (formats.includes("csv")) this.#folder.write(`${name}.csv`, csvOfPanel(panel, asked));
      if (formats.includes("json")) {
        const { variables } = choice;
        const about = { run: this.#run.name, caption, dashboard: dashboard.uid, range, variables };
        this.#folder.write(`${name}.json`, jsonOf(panel, asked, about));
      }
      if (formats.includes("svg") || formats.includes("png")) {
        const svg = svgOf(panel, asked, { ...range, annotations, caption }, title);
        if (formats.includes("svg")) this.#folder.write(`${name}.svg`, svg);
        if (formats.includes("png")) this.#folder.write(`${name}.png`, await pngOf(svg));
      }
      if (renderer) await this.#grafanaPictures(renderer, selected, job);
    } catch (error) {
      // A disk that is full is no fault of this panel.
      if (error instanceof UserError) throw error;
      const queries = (panel.targets ?? []).map(({ query }) => query).join("; ");
      const query = error instanceof PanelError ? error.query : queries;
      entry.failure = error instanceof Error ? error.message : String(error);
      this.#fail(`${dashboard.uid} ${panel.id} ${title}`, error, query);
    }
  }

  /**
   * @param {Grafana} renderer
   * @param {Selected} selected
   * @param {Job} job
   */
  async #grafanaPictures(renderer, { dashboard, range }, { panel, choice, name }) {
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
   * @param {Selected} selected
   * @param {Annotation[]} annotations
   */
  async #snapshots({ dashboard, panels, choices, range, jobs }, annotations) {
    const frames = new Map(jobs.map(({ name, asked }) => [name, asked?.frames]));
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

/** @param {Job} job */
function isShown({ noData }) {
  return noData === undefined;
}

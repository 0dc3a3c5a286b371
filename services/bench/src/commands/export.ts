/**
 * `export`: the panels of the dashboards that have data for a run, as pictures and as data, and
 * snapshots that a Grafana opens without the data.
 */
import { basename, dirname, join, relative } from "node:path";
import { UserError } from "../errors.ts";
import { counted } from "../numbers.ts";
import { captionOf } from "../panels/caption.ts";
import {
  messageOf,
  panelsOf,
  pick,
  readDashboards,
  sectionOf,
  slug,
} from "../panels/dashboards.ts";
import type { Annotation } from "../panels/draw.ts";
import { svgOf } from "../panels/draw.ts";
import type { Entry } from "../panels/folder.ts";
import { finish, writeFile } from "../panels/folder.ts";
import { csvOf } from "../panels/frames.ts";
import type { Grafana } from "../panels/grafana.ts";
import { grafanaAt } from "../panels/grafana.ts";
import { snapshotChoices, uses } from "../panels/query.ts";
import type { Choice } from "../panels/query.ts";
import type { Run } from "../panels/runs.ts";
import * as runs from "../panels/runs.ts";
import type { Job, LeftOut, Selected } from "../panels/selection.ts";
import { annotationsOf, select } from "../panels/selection.ts";
import { snapshotOf } from "../panels/snapshot.ts";
import type { Source } from "../panels/source.ts";
import { openSource } from "../panels/source.ts";
import { SLIDE_FILE, slideOf } from "../panels/slide.ts";
import { folderOf } from "../plan/run-name.ts";
import { describedScenarios } from "../plan/scenarios.ts";
import { POINT_WORDS } from "../report/point-words.ts";
import { pngOf } from "../report/png.ts";
import { republish } from "../series/republish.ts";
import { singleLoad, singleLoads } from "../series/single-load.ts";
import type { ExportArguments } from "./definitions/export.ts";

type Say = (line: string) => void;
type Export = {
  folder: string;
  run: Run;
  wanted: ExportArguments;
  /** A Grafana that can draw. */
  renderer: Grafana | null;
  say: Say;
  entries: Entry[];
  failed: number;
};

/**
 * @param directory the project's
 * @returns exit status: 0; 1 some panels failed
 * @throws {UserError} exit code 2 when run, dashboard or panel are unknown; 1 without data
 */
export async function exportPanels(
  directory: string,
  wanted: ExportArguments,
  say: Say,
): Promise<number> {
  const picked = pick(readDashboards(directory), wanted);
  const results = process.env.BENCH_RESULTS || join(directory, "results");
  const recorded = wanted.run === undefined ? null : runs.recordedRun(results, wanted.run);
  // A run that has no record can only be in an InfluxDB that is up.
  const start = wanted.run === undefined || recorded !== null;
  const source = await openSource(directory, say, { start });
  if (!source) throw runs.unknownRun(wanted.run ?? "", runs.recordedRuns(results));
  try {
    const run = recorded ?? (await findRun(source, { directory, results }, wanted.run));
    say(`run ${run.name}`);
    await publish(run, source, directory, say);
    const ask = (query: string) => source.influx.query(query);
    const isNamed = wanted.dashboard !== undefined;
    const { selected, leftOut } = await select(picked, { run, ask, isNamed });
    refuse(wanted, run, selected, leftOut);
    for (const { dashboard, reason } of leftOut) say(`${dashboard.title} is left out: ${reason}`);
    const folder = join(run.store?.directory ?? join(results, folderOf(run.name)), "panels");
    const renderer = await rendererOf(wanted, source.grafana);
    const context: Export = { folder, run, wanted, renderer, say, entries: [], failed: 0 };
    const total = selected.flatMap(({ jobs }) => jobs.filter(isShown)).length;
    let done = 0;
    for (const one of selected) {
      const { uid } = one.dashboard;
      const eventsOf = (choice: Choice) =>
        annotationsOf(one, choice, ask, (name, error, query) =>
          fail(context, `annotations ${name} of ${uid}`, error, query),
        );
      for (const job of one.jobs) {
        if (isShown(job)) say(`${++done} of ${total}: ${uid} ${job.panel.id} ${job.title}`);
        const events = job.panel.type === "timeseries" ? await eventsOf(job.choice) : [];
        await writePanel(context, one, job, events);
      }
      if (wanted.snapshot !== undefined) await writeSnapshots(context, one, eventsOf);
    }
    await writeSlide(context, selected);
    return finishExport(context, leftOut, total);
  } finally {
    await source.close();
  }
}

/** @param name none: the newest */
async function findRun(
  { influx }: Source,
  { directory, results }: { directory: string; results: string },
  name: string | undefined,
): Promise<Run> {
  const recorded = runs.recordedRuns(results);
  const singles = await singleLoads(influx);
  const chosen = name ?? runs.newestRun(recorded, singles);
  if (chosen === undefined)
    throw new UserError("there is no run yet", "Make one: ./bench run, or ./bench up nginx.", 2);
  const record = runs.recordedRun(results, chosen);
  if (record) return record;
  const single = runs.singleNamed(singles, chosen);
  if (single !== undefined)
    return runs.singleRun(single, await singleLoad(influx, single), describedScenarios(directory));
  throw runs.unknownRun(chosen, [...new Set([...recorded, ...singles.map(({ name }) => name)])]);
}

/** Writes a run's points from its record where InfluxDB has none of it. */
async function publish({ store, name }: Run, { influx }: Source, directory: string, say: Say) {
  if (!store) return;
  await influx.createDatabase("bench");
  // Points of earlier versions have no questions; a run without a figure may have been judged again.
  const found = await influx.query(
    `SELECT count("median") FROM "bench".."summaries" WHERE "run" = '${name}' AND "question" != ''`,
  );
  if (found.length > 0) return;
  say("writing the run's points to InfluxDB, from its record");
  const { points, curves, notes } = await republish(store, influx, {
    directory,
    words: POINT_WORDS,
  });
  say(`${points} points, curves of ${curves} cells`);
  for (const note of notes) say(note);
}

/** @throws {UserError} with nothing to export (1), or one file for many snapshots (2) */
function refuse(wanted: ExportArguments, run: Run, selected: Selected[], leftOut: LeftOut[]): void {
  const { dashboard, panel, snapshot } = wanted;
  if (selected.length === 0) {
    const one = panel === undefined ? "" : `panel ${panel} of `;
    const what = dashboard === undefined ? "any dashboard" : `dashboard ${dashboard}`;
    const next = leftOut.map(({ dashboard: { title }, reason }) => `${title}: ${reason}.`);
    if (dashboard !== undefined)
      next.push("Without --dashboard, those that have data are exported.");
    throw new UserError(`no data for ${one}${what} in the run ${run.name}`, next.join("\n"));
  }
  const { length } = selected.flatMap(({ choices, panels }) => snapshotChoices(choices, panels));
  if (snapshot?.endsWith(".json") && length > 1)
    throw new UserError(
      `--snapshot names one file, ${snapshot}, and there are ${length} snapshots: one of each dashboard and setting`,
      "Expected --snapshot alone: a file for each, beside the panels.",
      2,
    );
}

/**
 * @param own address of the project's Grafana, where it and its renderer are up
 * @returns one that can draw
 */
async function rendererOf(
  { grafana: url, formats }: ExportArguments,
  own: string | null,
): Promise<Grafana | null> {
  if (!formats.includes("png") || (url === undefined && own === null)) return null;
  if (url === undefined) {
    const grafana = grafanaAt(own ?? "");
    return (await grafana.canRender().catch(() => false)) ? grafana : null;
  }
  const grafana = grafanaAt(url, process.env.GRAFANA_TOKEN);
  if (await grafana.canRender()) return grafana;
  throw new UserError(
    `the Grafana at ${url} has no image renderer`,
    "Expected one, as --grafana asks for its own pictures: docker compose --profile render up.",
  );
}

function isShown({ noData }: Job): boolean {
  return noData === undefined;
}

function fail(context: Export, what: string, error: unknown, query: string): void {
  context.failed += 1;
  const message = messageOf(error);
  context.say(`FAILED  ${what}: ${message}`);
  if (!message.includes(query)) context.say(`        its query: ${query}`);
}

async function writePanel(
  context: Export,
  selected: Selected,
  job: Job,
  annotations: Annotation[],
): Promise<void> {
  const { dashboard } = selected;
  const { panel, title, name, queries, noData } = job;
  const { id, description = "" } = panel;
  const section = sectionOf(dashboard, panel);
  const about = { dashboard: dashboard.uid, dashboardTitle: dashboard.title };
  const place = panelsOf(dashboard).findIndex((one) => one.id === id);
  const entry: Entry = { ...about, id, place, section, title, description, name, noData };
  context.entries.push(entry);
  if (!isShown(job)) return;
  try {
    if (job.error) throw job.error;
    await writeFormats(context, selected, job, annotations);
  } catch (error) {
    // A disk that is full is no fault of this panel.
    if (error instanceof UserError) throw error;
    entry.failure = messageOf(error);
    const asked = job.error ? queries.slice(-1) : queries;
    const query = asked.map((one) => one.query).join("; ");
    fail(context, `${dashboard.uid} ${id} ${title}`, error, query);
  }
}

async function writeFormats(
  { folder, run, wanted: { formats }, renderer }: Export,
  { dashboard: { uid }, range }: Selected,
  { panel, choice, title, name, frames, queries }: Job,
  annotations: Annotation[],
): Promise<void> {
  const caption = captionOf(run, { panel, choice });
  const { variables } = choice;
  const write = (ending: string, content: string | Uint8Array) =>
    writeFile(folder, `${name}.${ending}`, content);
  if (formats.includes("csv")) write("csv", csvOf(frames, panel));
  if (formats.includes("json")) {
    const { id, description, type, fieldConfig } = panel;
    const about = { id, title: panel.title, description, type, unit: fieldConfig?.defaults.unit };
    const answer = { run: run.name, caption, dashboard: uid, range, variables, panel: about };
    write("json", `${JSON.stringify({ ...answer, queries, frames }, null, 1)}\n`);
  }
  if (formats.includes("svg") || formats.includes("png")) {
    const svg = svgOf(panel, frames, { ...range, annotations, caption }, title);
    if (formats.includes("svg")) write("svg", svg);
    if (formats.includes("png")) write("png", await pngOf(svg));
  }
  for (const theme of renderer ? (["light", "dark"] as const) : []) {
    const asked = { uid, panel: panel.id, ...range, variables, theme };
    write(`grafana-${theme}.png`, await renderer!.picture(asked));
  }
}

async function writeSnapshots(
  context: Export,
  { dashboard, panels, choices, range, jobs }: Selected,
  eventsOf: (choice: Choice) => Promise<Annotation[]>,
): Promise<void> {
  const { folder, run, wanted, say } = context;
  const target = wanted.snapshot ?? "";
  const only = wanted.panel === undefined ? dashboard : { ...dashboard, panels };
  for (const choice of snapshotChoices(choices, panels)) {
    const { variables, varying } = choice;
    const part = varying.map((name) => variables[name].values[0]);
    const isOfThis = ({ choice: own, panel }: Job) =>
      varying.every(
        (name) => !uses(panel, name) || own.variables[name].values[0] === variables[name].values[0],
      );
    const shown = Map.groupBy(
      jobs.filter(isOfThis).map((job) => ({ ...job, frames: job.error ? [] : job.frames })),
      ({ panel }) => panel.id,
    );
    const name = [dashboard.title, run.name, ...part].join(" · ");
    const annotations = await eventsOf(choice);
    const snapshot = snapshotOf(only, { name, shown, annotations, variables, range });
    if (/^https?:/.test(target)) {
      const { url, deleteUrl } = await grafanaAt(target, process.env.GRAFANA_TOKEN).keep(snapshot);
      console.log(`${name}: ${url}\n  delete it: ${deleteUrl}`);
      continue;
    }
    const file =
      target || join(folder, [dashboard.uid, ...part.map(slug), "snapshot.json"].join("."));
    writeFile(dirname(file), basename(file), `${JSON.stringify(snapshot)}\n`);
    say(`snapshot: ${target || relative(process.cwd(), file)}`);
  }
}

/** One picture for a slide, of the first figure in the first setting. */
async function writeSlide({ folder, run, wanted, say }: Export, selected: Selected[]) {
  const jobs = selected.flatMap((one) => one.jobs);
  const svg = wanted.formats.includes("png") && slideOf(jobs, (job) => captionOf(run, job));
  if (!svg) return;
  writeFile(folder, SLIDE_FILE, await pngOf(svg));
  say(`for a slide, 1200 × 630: ${relative(process.cwd(), join(folder, SLIDE_FILE))}`);
}

/** @returns exit status */
function finishExport(context: Export, leftOut: LeftOut[], total: number): number {
  const { folder, run, wanted, entries, failed, say } = context;
  const gone = wanted.panel === undefined ? leftOut.map(({ dashboard }) => dashboard.uid) : [];
  finish(folder, { name: run.name, caption: captionOf(run) }, entries, gone);
  say(
    `${counted(total - failed, "panel")}: ${relative(process.cwd(), join(folder, "index.html"))}`,
  );
  const empty = entries.filter(({ noData }) => noData !== undefined).length;
  if (empty > 0)
    say(`without data for this run: ${counted(empty, "panel")}, which index.html lists`);
  if (failed > 0) say(`failed: ${counted(failed, "panel")}; see above`);
  return failed > 0 ? 1 : 0;
}

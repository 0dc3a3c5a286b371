/** What is exported of the dashboards: their queries are asked, what has no data is told apart. */
import { UserError } from "../errors.ts";
import type { Dashboard, Panel, Picked } from "./dashboards.ts";
import { fileName, fullTitle } from "./dashboards.ts";
import type { Annotation } from "./draw.ts";
import type { Frame } from "./frames.ts";
import { framesOf, hasData, reasonOf } from "./frames.ts";
import type { Ask, Choice, Range } from "./query.ts";
import { choicesOf, interpolate, partOf, stepOf, titled } from "./query.ts";
import type { Run } from "./runs.ts";

/** A panel with what its variables are, asked. */
export type Job = {
  panel: Panel;
  choice: Choice;
  /** With the setting, where it is one of several. */
  title: string;
  /** Of its files. */
  name: string;
  /** As InfluxDB got them; the last is the one that failed, where one did. */
  queries: { refId: string; query: string; milliseconds: number }[];
  /** Before the panel's transformations. */
  frames: Frame[];
  error?: unknown;
  /** Why there is nothing to show; absent: there is, or it failed. */
  noData?: string;
};
export type Selected = Picked & { choices: Choice[]; range: Range; jobs: Job[] };
export type LeftOut = { dashboard: Dashboard; reason: string };

/**
 * @param isNamed asked for by name: without a value of a variable some panels may have data
 * @returns leftOut: those without data for the run
 * @throws {UserError} when InfluxDB does not answer
 */
export async function select(
  picked: Picked[],
  { run, ask, isNamed }: { run: Run; ask: Ask; isNamed: boolean },
): Promise<{ selected: Selected[]; leftOut: LeftOut[] }> {
  const selected: Selected[] = [];
  const leftOut: LeftOut[] = [];
  for (const { dashboard, panels } of picked) {
    const range = rangeOf(dashboard, run);
    const choices = await choicesOf(dashboard, { run: run.name }, range, ask);
    const missing = missingOf(choices);
    if (missing && !isNamed) {
      leftOut.push({ dashboard, reason: missing });
      continue;
    }
    const jobs = jobsOf(dashboard, panels, choices);
    for (const job of jobs) await askPanel(job, range, ask);
    const reasons = new Set(jobs.map(({ noData }) => noData));
    // Show one that failed.
    if (reasons.has(undefined)) selected.push({ dashboard, panels, choices, range, jobs });
    else leftOut.push({ dashboard, reason: missing ?? [...reasons].join("; ") });
  }
  return { selected, leftOut };
}

/**
 * @returns the run's; of a dashboard that begins at 1970, and overlays cells, the longest cell's
 */
function rangeOf({ time }: Dashboard, { fromMs, toMs, store }: Run): Range {
  if (Date.parse(time?.from ?? "") !== 0) return { fromMs, toMs };
  const lengths = (store?.results.cells ?? []).map(({ measured }) =>
    measured ? measured.toMs - measured.fromMs : 0,
  );
  return { fromMs: 0, toMs: Math.max(1000, ...lengths) };
}

/** @returns what the dashboard is about and this run has not; undefined: nothing */
function missingOf(choices: Choice[]): string | undefined {
  const [missing] = choices.flatMap((choice) => choice.missing);
  if (!missing) return undefined;
  const { name, label = name, description = "" } = missing;
  return `this run has no ${label.toLowerCase()}${description && ` (${description.replace(/\.$/, "")})`}`;
}

/** @returns each once: a panel that does not use a variable is the same for all its values */
function jobsOf(dashboard: Dashboard, panels: Panel[], choices: Choice[]): Job[] {
  const jobs = new Map<string, Job>();
  for (const panel of panels)
    for (const choice of choices) {
      const part = partOf(panel, choice);
      const name = fileName(dashboard, panel, part);
      const others = partOf(panel, choice, (variable) => !panel.title.includes(`{${variable}:`));
      const title = [titled(fullTitle(dashboard, panel), choice), ...others].join(" · ");
      if (!jobs.has(name)) jobs.set(name, { panel, choice, title, name, queries: [], frames: [] });
    }
  return [...jobs.values()];
}

/** @param job gets what was answered */
async function askPanel(job: Job, range: Range, ask: Ask): Promise<void> {
  const { panel, choice, queries, frames } = job;
  try {
    for (const target of panel.targets ?? []) {
      const asked = { refId: target.refId, query: target.query, milliseconds: 0 };
      queries.push(asked);
      const { variables } = choice;
      const stepMs = stepOf(range, panel.interval);
      asked.query = interpolate(target.query, { ...range, variables, stepMs });
      const startedMs = performance.now();
      const series = await ask(asked.query);
      asked.milliseconds = Math.round(performance.now() - startedMs);
      frames.push(...framesOf(target, series));
    }
    if (!hasData(frames, panel)) job.noData = reasonOf(panel);
  } catch (error) {
    // An InfluxDB that is gone is no fault of this panel.
    if (error instanceof UserError) throw error;
    job.error = error;
  }
}

/**
 * @param choice of a panel, which is shown with what happened meanwhile
 * @param failed gets what could not be asked
 * @returns the events that the dashboard marks across its curves when it is opened, by their time
 */
export async function annotationsOf(
  { dashboard, range }: Pick<Selected, "dashboard" | "range">,
  { variables }: Choice,
  ask: Ask,
  failed: (name: string, error: unknown, query: string) => void,
): Promise<Annotation[]> {
  const found: Annotation[] = [];
  for (const { name, enable, iconColor: colour, target } of dashboard.annotations?.list ?? []) {
    if (!enable || !target?.query) continue;
    try {
      const series = await ask(interpolate(target.query, { ...range, variables }));
      for (const { columns, values } of series) {
        const at = (column: string) => columns.indexOf(column);
        const [title, text] = [at(target.titleColumn), at(target.textColumn)];
        for (const row of values)
          found.push({ ms: row[0], title: row[title] ?? "", text: row[text] ?? "", colour });
      }
    } catch (error) {
      failed(name, error, target.query);
    }
  }
  return found.sort((a, b) => a.ms - b.ms);
}

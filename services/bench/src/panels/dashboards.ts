/** The dashboards of dashboards/generated: their panels, and which of them were asked for. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, UserError } from "../errors.ts";

/** One query of a panel, in InfluxQL with Grafana's macros and variables. */
export type Target = {
  refId: string;
  query: string;
  resultFormat?: "time_series" | "table";
  /** Name of each series. */
  alias?: string;
};
/** Of a field: unit, colour …; its keys are Grafana's, those of `custom` too. */
export type Config = Record<string, any>;
export type Panel = {
  id: number;
  /** `timeseries`, `stat` …; `row` is a heading. */
  type: string;
  title: string;
  description?: string;
  targets?: Target[];
  transformations?: { id: string; options: any }[];
  fieldConfig?: {
    defaults: Config;
    overrides: {
      matcher: { id: string; options: string };
      properties: { id: string; value: unknown }[];
    }[];
  };
  options?: Record<string, any>;
  /** The finest step. */
  interval?: string;
  /** Of a row that is folded. */
  panels?: Panel[];
  gridPos?: { x: number; y: number; w: number; h: number };
  /** A variable: it is there once for each of its values. */
  repeat?: string;
};
export type Variable = {
  name: string;
  query: string;
  label?: string;
  description?: string;
  /** Its group `text` is how a value is called. */
  regex?: string;
  multi?: boolean;
  includeAll?: boolean;
  allValue?: string;
  /** 1: by the alphabet; 2: the other way round. */
  sort?: number;
};
export type Dashboard = {
  uid: string;
  title: string;
  panels: Panel[];
  time?: { from: string; to: string };
  templating?: { list: Variable[] };
  annotations?: { list: any[] };
};
export type Picked = { dashboard: Dashboard; panels: Panel[] };

const AGAIN = "Make it again: cd dashboards && npm ci && npm run generate";

/**
 * @param directory the project's
 * @returns by title
 * @throws {UserError} when a file is no dashboard
 */
export function readDashboards(directory: string): Dashboard[] {
  const folder = "dashboards/generated";
  const read = (name: string): Dashboard => {
    let dashboard;
    try {
      dashboard = JSON.parse(readFileSync(join(directory, folder, name), "utf8"));
    } catch (error) {
      throw new UserError(`${folder}/${name} cannot be read: ${messageOf(error)}`, AGAIN);
    }
    if (typeof dashboard.uid === "string" && Array.isArray(dashboard.panels)) return dashboard;
    throw new UserError(`${folder}/${name} is no dashboard: it has no uid or no panels`, AGAIN);
  };
  const names = readdirSync(join(directory, folder)).filter((name) => name.endsWith(".json"));
  return names.map(read).sort((a, b) => a.title.localeCompare(b.title));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @returns those that show data, those of folded rows among them, as they stand on the page */
export function panelsOf({ panels }: Dashboard): Panel[] {
  return panels
    .flatMap((panel) => [panel, ...(panel.panels ?? [])])
    .filter(({ type }) => type !== "row" && type !== "text");
}

/** @returns title of the row that it stands in; empty: in none */
export function sectionOf({ panels }: Dashboard, { id }: Panel): string {
  let section = "";
  for (const panel of panels) {
    if (panel.type === "row") section = panel.title;
    if (panel.id === id || panel.panels?.some((folded) => folded.id === id)) return section;
  }
  return section;
}

/** @returns with the section's title where another panel has the same */
export function fullTitle(dashboard: Dashboard, panel: Panel): string {
  const isAmbiguous = panelsOf(dashboard).filter(({ title }) => title === panel.title).length > 1;
  const section = isAmbiguous && sectionOf(dashboard, panel);
  return section ? `${section}: ${panel.title}` : panel.title;
}

/**
 * @param wanted uid and id; none: all
 * @throws {UserError} when there is none of that uid or id; exit code 2
 */
export function pick(
  dashboards: Dashboard[],
  { dashboard: uid, panel: id }: { dashboard?: string; panel?: number },
): Picked[] {
  const uids = dashboards.map((dashboard) => dashboard.uid);
  if (uid !== undefined && !uids.includes(uid)) {
    const known = `The files of dashboards/generated are: ${uids.join(", ")}.`;
    throw new UserError(`unknown dashboard: ${uid}`, didYouMean(uid, uids) + known, 2);
  }
  const all = dashboards
    .filter((dashboard) => uid === undefined || dashboard.uid === uid)
    .map((dashboard) => ({ dashboard, panels: panelsOf(dashboard) }));
  const picked = all
    .map(({ dashboard, panels }) => ({
      dashboard,
      panels: panels.filter((panel) => id === undefined || panel.id === id),
    }))
    .filter(({ panels }) => panels.length > 0);
  if (id === undefined || picked.length > 0) return picked;
  const known = all.flatMap(({ dashboard, panels }) =>
    panels.map((panel) => `  ${dashboard.uid} ${panel.id}  ${panel.title}`),
  );
  throw new UserError(
    `unknown panel: ${id}${uid === undefined ? "" : ` of ${uid}`}`,
    `Expected the id of one of these:\n${known.join("\n")}`,
    2,
  );
}

/**
 * @param part what distinguishes it from the same panel with another setting
 * @returns name of its files, without their ending
 */
export function fileName({ uid }: Dashboard, { id, title }: Panel, part: string[]): string {
  // What a variable puts into a title is in the part.
  const own = slug(title.replace(/\$\{\w+:text\}/g, ""));
  return [uid, id, own, ...part.map(slug)].filter(Boolean).join("-");
}

export function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-|-$/g, "");
}

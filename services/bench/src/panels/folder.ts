/** results/<run>/panels/: the files of an export, and a page that shows them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwritable } from "../record/store.ts";
import { escaped } from "../report/svg.ts";

/** A panel. */
export type Entry = {
  /** uid */
  dashboard: string;
  dashboardTitle: string;
  id: number;
  /** On its dashboard; absent in a list of an earlier version. */
  place?: number;
  /** The row of the dashboard that it stands in; may be empty. */
  section: string;
  title: string;
  description: string;
  /** Of its files, without their ending. */
  name: string;
  /** Why this export could not write it. */
  failure?: string;
  /** Why it has no files: there is nothing to show. */
  noData?: string;
};

/** Of the files that a panel may have; the picture that is drawn here is shown first. */
const ENDINGS = ["svg", "png", "grafana-light.png", "grafana-dark.png", "csv", "json"];
/** What an export of one panel needs to know about the others, for the page. */
const LIST = "index.json";

const STYLE = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2126; --muted: #59626b; --line: #dde1e5; --link: #0b5cad; --bad: #a8321a; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --ink: #e4e7ea; --muted: #a0a9b1; --line: #31373d; --link: #7fb8f0; --bad: #f2917b; }
}
body { max-width: 1160px; margin: 0 auto; padding: 24px 16px; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1, figcaption, p, li { overflow-wrap: anywhere; }
h2 { margin-top: 48px; border-top: 1px solid var(--line); padding-top: 12px; }
a { color: var(--link); }
.panels { display: grid; gap: 28px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 520px), 1fr)); }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 6px; }
img { box-sizing: border-box; display: block; width: 100%; height: auto; border: 1px solid var(--line); }
.note { margin: 6px 0 2px; color: var(--muted); font-size: 13px; }
.failed { color: var(--bad); }
`;

/** @throws {UserError} when it cannot be written */
export function writeFile(directory: string, name: string, content: string | Uint8Array): void {
  const file = join(directory, name);
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, content);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/**
 * Writes the page, with the panels of earlier exports too. Of these, files that stand for nothing
 * any more are removed.
 *
 * @param entries of this export
 * @param leftOut uids of dashboards that have no data for this run
 */
export function finish(
  directory: string,
  run: { name: string; caption: string },
  entries: Entry[],
  leftOut: string[],
): void {
  const file = join(directory, LIST);
  const before: Entry[] = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const key = ({ dashboard, id }: Entry) => `${dashboard} ${id}`;
  const now = new Set(entries.map(key));
  const kept = before.filter((one) => !now.has(key(one)) && !leftOut.includes(one.dashboard));
  const all = [...kept, ...entries].sort(
    (a, b) => a.dashboardTitle.localeCompare(b.dashboardTitle) || placeOf(a) - placeOf(b),
  );
  const used = new Set(all.flatMap(({ name, noData }) => (noData === undefined ? name : [])));
  const path = (name: string, ending: string) => join(directory, `${name}.${ending}`);
  for (const { name } of [...before, ...entries])
    if (!used.has(name)) for (const ending of ENDINGS) rmSync(path(name, ending), { force: true });
  writeFile(directory, LIST, `${JSON.stringify(all, null, 1)}\n`);
  const filesOf = ({ name }: Entry) => ENDINGS.filter((ending) => existsSync(path(name, ending)));
  const hasReport = existsSync(join(directory, "../report.html"));
  writeFile(directory, "index.html", pageOf({ ...run, hasReport }, all, filesOf));
}

function placeOf({ place, id }: Entry): number {
  return place ?? id;
}

type FilesOf = (entry: Entry) => string[];

/** @returns a page that refers to nothing but the files beside it */
function pageOf(
  { name, caption, hasReport }: { name: string; caption: string; hasReport: boolean },
  entries: Entry[],
  filesOf: FilesOf,
): string {
  const report = hasReport ? '; the report is <a href="../report.html">report.html</a>' : "";
  const dashboards = [...Map.groupBy(entries, ({ dashboard }) => dashboard).values()];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Panels of ${escaped(name)}</title>
<link rel="icon" href="data:," />
<style>${STYLE}</style>
</head>
<body>
<h1>Panels of ${escaped(name)}</h1>
<p>${escaped(caption)}</p>
<p class="note">Every picture with its data${report}. Made by ./bench export.</p>
${dashboards.map((own) => dashboardHtml(own, filesOf)).join("\n")}
</body>
</html>
`;
}

function dashboardHtml(own: Entry[], filesOf: FilesOf): string {
  const shown = Map.groupBy(
    own.filter(({ noData }) => noData === undefined),
    ({ section }) => section,
  );
  const reasons = Map.groupBy(
    own.filter(({ noData }) => noData !== undefined),
    ({ noData = "" }) => noData,
  );
  const sections = [...shown].map(
    ([section, panels]) => `${section && `<h3>${escaped(section)}</h3>`}
<div class="panels">${panels.map((panel) => figureHtml(panel, filesOf(panel))).join("")}</div>`,
  );
  const empty = [...reasons].map(
    ([reason, panels]) =>
      `<li>${escaped(reason)}: ${escaped(panels.map(({ title }) => title).join("; "))}</li>`,
  );
  return [
    `<h2>${escaped(own[0].dashboardTitle)}</h2>`,
    ...sections,
    ...(empty.length > 0 ? [`<h3>No data</h3><ul>${empty.join("")}</ul>`] : []),
  ].join("\n");
}

function figureHtml({ title, description, name, failure }: Entry, files: string[]): string {
  const picture = files.find((ending) => /svg$|png$/.test(ending));
  const image = `<img src="${name}.${picture}" alt="${escaped(title)}" loading="lazy" />`;
  return `<figure><figcaption>${escaped(title)}</figcaption>
${picture ? image : ""}${failure ? `<p class="failed">failed: ${escaped(failure)}</p>` : ""}
<p class="note">${escaped(description)}</p>
<p class="note">${files.map((ending) => `<a href="${name}.${ending}">${ending}</a>`).join(" ")}</p>
</figure>
`;
}

/**
 * `site`: all published runs as a website: index, findings, claims, and the page of each report,
 * which the repository leaves out.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { UserError } from "../errors.ts";
import { counted, number } from "../numbers.ts";
import { Store } from "../record/store.ts";
import { dayOf, machineOf, readBattles, runsOf } from "../report/published.ts";
import { onSite, pageOfMarkdown } from "../report/site-page.ts";
import { makePages, makePicture } from "./published-pages.ts";
import { makeReport } from "./report.ts";
import type { PublishedRun } from "../report/published.ts";
import type { Site, SitePage } from "../report/site-page.ts";
import type { SiteArguments } from "./definitions/site.ts";

/** Lists the files of a site, which the next one in that folder removes. */
const MARK = "site.json";
const MAKER = "ws-proxy-bench";

const DESCRIPTIONS: Record<string, string> = {
  "index.html":
    "CPU, memory, latency and dropped connections of reverse proxies that carry WebSockets, measured side by side.",
  "README.md":
    "Each question about proxies that carry WebSockets: the best, and the run that says so.",
  "FINDINGS.md":
    "What surprised us about proxies that carry WebSockets: a chart and a command for each finding.",
  "CLAIMS.md":
    "What others said about proxies for WebSockets since 2013, checked against today's runs.",
};

/**
 * @param directory the project's
 * @throws {UserError} when the folder holds something else, or nothing is published
 */
export async function site(
  directory: string,
  { directory: folder, url = undefined }: SiteArguments,
  say: (line: string) => void,
): Promise<void> {
  const target = resolve(directory, folder);
  const earlier = earlierFiles(directory, target, folder);
  const pages = makePages(directory);
  if (Object.keys(pages).length === 0)
    throw new UserError("nothing is published", "Publish a run first: ./bench publish DIR", 2);
  const { name: picture, png } = await makePicture(directory);
  const about: Site = { url: url ?? null, picture: inSite(picture) };
  const files: Record<string, string | Uint8Array> = { [about.picture]: png };
  for (const [path, text] of Object.entries(pages)) {
    const name = inSite(path);
    const description =
      DESCRIPTIONS[name] ??
      (name.endsWith("/report.md") &&
        `Several runs of ${dirname(name)} as one, and how far they differ.`);
    if (path.startsWith("published/charts/")) files[name] = text;
    if (path.startsWith("published/") && description) {
      const html = name.endsWith(".md") ? pageOfMarkdown(text) : text;
      const page = { name: name.replace(/\.md$/, ".html"), html, description };
      files[page.name] = onSite(page, about);
    }
  }
  for (const run of runsOf(readBattles(join(directory, "published")))) {
    say(`report of ${run.folder}`);
    const page = pageOf(directory, run);
    files[page.name] = onSite(page, about);
  }
  // All of it is made before anything is replaced.
  for (const name of earlier) rmSync(join(target, name), { force: true });
  const names = Object.keys(files).sort();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), content);
  }
  writeFileSync(
    join(target, MARK),
    `${JSON.stringify({ madeBy: MAKER, files: names }, null, 1)}\n`,
  );
  const bytes = Object.values(files).reduce((sum, content) => sum + content.length, 0);
  say(`${join(folder, "index.html")}: ${counted(names.length, "file")}, ${number(bytes / 1e6)} MB`);
  if (!url) say("previews of links need --url, the address at which the site will be");
}

function inSite(path: string): string {
  return path.replace(/^published\//, "");
}

function pageOf(directory: string, run: PublishedRun): SitePage {
  const { files } = makeReport(directory, Store.open(join(directory, "published", run.folder)));
  const { title, proxies, rounds } = run.comparisons;
  return {
    name: `${run.folder}/report.html`,
    html: files["report.html"],
    description: `${title}: ${counted(proxies.length - 1, "proxy", "proxies")}, ${counted(rounds, "round")}, ${machineOf(run)}, ${dayOf(run)}.`,
  };
}

/**
 * @param folder as it was typed
 * @returns names of files in it that the last site put there
 * @throws {UserError} when something else is there
 */
function earlierFiles(directory: string, target: string, folder: string): string[] {
  const inside = relative(directory, target);
  if (inside.split(sep)[0] === "..")
    throw new UserError(
      `${folder} is outside the project, where ./bench cannot write`,
      "Expected a folder inside it, such as results/site.",
      2,
    );
  if (!existsSync(target)) return [];
  const next = "Expected a new or empty folder, or an earlier site, such as results/site.";
  if (!statSync(target).isDirectory()) throw new UserError(`${folder} is a file`, next, 2);
  const mark = join(target, MARK);
  const made = existsSync(mark) ? JSON.parse(readFileSync(mark, "utf8")) : {};
  if (made.madeBy === MAKER) return made.files;
  if (readdirSync(target).length > 0)
    throw new UserError(`${folder} is not empty, and is no earlier site`, next, 2);
  return [];
}

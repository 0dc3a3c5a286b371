/**
 * The pages over all published battles, and the project's README: from comparisons.json of each run,
 * published/pages.yaml, and two templates that a person edits.
 *
 *     npm run generate
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pngOf } from "../report/chart.ts";
import { chartsOf, pictureOf } from "../report/charts-of-pages.ts";
import { claimsPage } from "../report/claims.ts";
import { publishedReadme, questionsOf } from "../report/index-of-questions.ts";
import { indexPage } from "../report/index-page.ts";
import { headlineOf, readPages } from "../report/pages.ts";
import { pooledReport } from "../report/pooled.ts";
import { readBattles, reportOf } from "../report/published.ts";
import { filledIn } from "../report/template.ts";

const TEMPLATES = [
  { from: "README.template.md", to: "README.md", folder: "published/" },
  { from: "published/FINDINGS.template.md", to: "published/FINDINGS.md", folder: "" },
];

/**
 * @param project folder
 * @returns text by name of the file in the project; empty: nothing is published
 * @throws when a template names what no run has
 */
export function makePages(project: string): Record<string, string> {
  const published = join(project, "published");
  const battles = readBattles(published);
  if (battles.length === 0 || !existsSync(join(published, "pages.yaml"))) return {};
  const pages = readPages(published);
  const questions = questionsOf(battles, pages);
  const texts = TEMPLATES.map(({ from, to, folder }) => {
    const template = readFileSync(join(project, from), "utf8");
    const about = `<!-- Made from ${from} by npm run generate in services/bench: edit that. -->\n`;
    return [to, about + filledIn(template, { battles, pages, folder })];
  });
  const own = {
    ...chartsOf(battles, pages),
    "README.md": publishedReadme(battles, questions, pages.headline.proxies),
    "CLAIMS.md": claimsPage(project, battles),
    "index.html": indexPage(battles, headlineOf(battles, pages), questions),
    ...Object.fromEntries(
      battles
        .filter(({ runs }) => runs.length > 1)
        .map((battle) => [reportOf(battle), pooledReport(battle)]),
    ),
  };
  return Object.fromEntries([
    ...texts,
    ...Object.entries(own).map(([name, text]) => [`published/${name}`, text]),
  ]);
}

/** A PNG by its name in the project. */
export async function makePicture(project: string): Promise<{ name: string; png: Uint8Array }> {
  const published = join(project, "published");
  const pages = readPages(published);
  const png = await pngOf(pictureOf(readBattles(published), pages), 1);
  return { name: `published/charts/${pages.picture}.png`, png };
}

/** Names of the files that it wrote. */
export async function writePages(project: string): Promise<string[]> {
  const pages = Object.entries<string | Uint8Array>(makePages(project));
  if (pages.length === 0) return [];
  const { name: picture, png } = await makePicture(project);
  for (const [name, content] of [...pages, [picture, png] as const]) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  return [...pages.map(([name]) => name), picture];
}

if (import.meta.main) await writePages(join(import.meta.dirname, "../../../.."));

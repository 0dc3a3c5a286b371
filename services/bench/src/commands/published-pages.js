/**
 * The pages over all published runs, in `published/`, and what the project's README says of them.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimTable, readPublished } from "../analyse/index.js";
import { mergedOverview } from "../analyse/merged-overview.js";
import { CONTROL, readProxies } from "../plan/proxies.js";
import { Store } from "../record/store.js";
import {
  answerBlocks,
  answerPicture,
  claimEntries,
  PICTURE_FILE,
  renderClaimsPage,
  renderFindings,
  renderPublishedPage,
  renderPublishedReadme,
} from "../render/index.js";
import { analysisOf, plannedBattles } from "./report.js";

/** @import { PublishedRun } from "../analyse/claim-table.js" */

/**
 * @param {string} directory the project's
 * @returns {Record<string, string>} text by name of the file in published/; empty: nothing is published
 * @throws {import("../errors.js").UserError} when a record or a study is not as it should be
 */
export function makePages(directory) {
  const runs = publishedRuns(directory);
  if (runs.length === 0) return {};
  const studies = studiesOf(directory);
  const battles = studies.length > 0 ? plannedBattles(directory) : [];
  const claims = claimEntries(claimTable(studies, runs, battles));
  const picture = answerPicture(runs, overviewOf(directory, runs));
  return {
    "index.html": renderPublishedPage(runs),
    "claims.html": renderClaimsPage(claims),
    "README.md": renderPublishedReadme(runs, claims),
    "FINDINGS.md": renderFindings(runs, claims),
    ...(picture && { [PICTURE_FILE]: picture }),
  };
}

/**
 * @param {string} directory the project's
 * @returns {string[]} Markdown for its README: which proxy to choose
 */
export function makeAnswer(directory) {
  const runs = publishedRuns(directory);
  return answerBlocks(runs, overviewOf(directory, runs));
}

/** Those that a reader is told of first: `groups` of their proxy.json. */
const TOLD_GROUPS = ["classic", "common"];

/**
 * @param {string} directory the project's
 * @param {PublishedRun[]} runs
 */
function overviewOf(directory, runs) {
  const names = readProxies(join(directory, "proxies"))
    .filter(
      ({ groups, name }) => name !== CONTROL && groups.some((group) => TOLD_GROUPS.includes(group)),
    )
    .map(({ name }) => name);
  // Of a run with others the told ones are compared anew: a ratio to a proxy that is not shown says nothing.
  const own = runs.map((run) =>
    run.analysis.results.plan.proxies.every((name) => name === CONTROL || names.includes(name))
      ? run
      : { ...run, analysis: analysisOf(directory, storeOf(directory, run.name), names) },
  );
  return mergedOverview(own, names);
}

/**
 * @param {string} directory the project's
 * @param {string} name of a published run
 */
function storeOf(directory, name) {
  return Store.open(join(directory, "published", name));
}

/**
 * @param {string} directory the project's
 * @returns {string[]} names of the files that it wrote
 */
export function writePages(directory) {
  const pages = Object.entries(makePages(directory));
  for (const [name, text] of pages) writeFileSync(join(directory, "published", name), text);
  return pages.map(([name]) => name);
}

/**
 * @param {string} directory the project's
 * @returns {PublishedRun[]} the newest first
 */
function publishedRuns(directory) {
  const folder = join(directory, "published");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "results.json")))
    .sort()
    .map((name) => ({ name, analysis: analysisOf(directory, storeOf(directory, name)) }))
    .sort((a, b) => startOf(b).localeCompare(startOf(a)));
}

/** @param {PublishedRun} run */
function startOf({ analysis }) {
  return analysis.results.run.startedAt;
}

/** @param {string} directory the project's */
function studiesOf(directory) {
  const folder = join(directory, "battles/published");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((file) => readPublished(join(folder, file)));
}

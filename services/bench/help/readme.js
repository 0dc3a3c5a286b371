/**
 * Writes the overview of a published run into README, between two marks.
 *
 *     npm run generate
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { makeReport } from "../src/commands/report.js";
import { Store } from "../src/record/store.js";
import { glanceBlocks } from "../src/render/report-markdown.js";
import { versionsText } from "../src/render/measured-versions.js";

const PROJECT = join(import.meta.dirname, "../../..");
const RUN = "published/balancerbattle";
const MARKS = ["<!-- overview: npm run generate in services/bench -->", "<!-- end of overview -->"];

export const README = join(PROJECT, "README.md");

/**
 * @param {string} text of README
 * @returns {Promise<string>} with the overview of today's version
 * @throws {Error} when a mark is missing
 */
export async function withOverview(text) {
  const [from, to] = MARKS.map((mark) => text.indexOf(mark));
  if (from < 0 || to < from) throw new Error(`README.md has no ${MARKS.join(" and ")}`);
  const { analysis } = makeReport(PROJECT, Store.open(join(PROJECT, RUN)));
  const { results } = analysis;
  const day = results.run.startedAt.slice(0, 10);
  const blocks = [
    MARKS[0],
    ...glanceBlocks(analysis),
    `${versionsText(results)} Run of ${day}: [${RUN}](${RUN}/report.md).`,
  ];
  const whole = `${text.slice(0, from)}${blocks.join("\n\n")}\n\n${text.slice(to)}`;
  return format(whole, { ...(await resolveConfig(README)), filepath: README });
}

if (import.meta.main) writeFileSync(README, await withOverview(readFileSync(README, "utf8")));

/**
 * README.md of the published runs, as GitHub shows it: what there is, and the claims of others.
 *
 * @import { PublishedRun } from "../analyse/claim-table.js"
 * @import { ClaimEntry } from "./claim-rows.js"
 */
import { NONE } from "../numbers.js";
import { claimCounts, HOW_CLAIMS_ARE_TOLD } from "./claim-rows.js";
import { glanceOf } from "./glance.js";
import { plain, table } from "./markdown.js";
import { versionsText } from "./measured-versions.js";
import { headline } from "./model.js";

/**
 * @param {PublishedRun[]} runs the newest first
 * @param {ClaimEntry[]} claims
 * @returns {string}
 */
export function renderPublishedReadme(runs, claims) {
  const blocks = [
    "# Published runs",
    "Made by `./bench publish`, and by `npm run generate` in `services/bench`; not edited by hand. [index.html](index.html) lays out all of them question by question, with proxies to choose: open it from a clone. [FINDINGS.md](FINDINGS.md) says in plain words what was found. Each folder has the report, the record and every raw sample of its run.",
    "## Runs",
    table(
      ["Run", "What it was", "Versions", "In a sentence"],
      runs.map(({ name, analysis }) => [
        `[${name}](${name}/report.md)`,
        plain(headline(analysis)),
        plain(versionsText(analysis.results)),
        plain(glanceOf(analysis)?.sentence ?? NONE),
      ]),
    ),
    "## Claims of others",
    `${plain(claimCounts(claims))} ${HOW_CLAIMS_ARE_TOLD}`,
    table(
      ["Claim", "Claimed by", "Outcome", "Today", "Report"],
      claims.map(({ claim, by, state, today, run }) => [
        plain(claim),
        plain(by),
        state === "holds" || state === "no longer" ? `**${state}**` : state,
        plain(today),
        run ? `[${run}](${run}/report.md)` : NONE,
      ]),
    ),
  ];
  return `${blocks.join("\n\n")}\n`;
}

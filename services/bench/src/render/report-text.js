/**
 * What a terminal shows at the end of a run: questions and answers.
 *
 * @import { Analysis } from "../analyse/types.js"
 */
import { NONE } from "../numbers.js";
import { capacityRows, capacityTitle } from "./capacity-texts.js";
import { experimentSentences, experimentTexts } from "./experiment-texts.js";
import { verdictTexts } from "./verdicts.js";
import { versionsText } from "./measured-versions.js";
import { glanceOf } from "./glance.js";
import { matrixOf } from "./survival-texts.js";
import { titleOfProxy } from "./words.js";
import { badAnswerTexts } from "./bad-answer-texts.js";

/**
 * @param {Analysis} analysis
 * @returns {string} lines, without an end of line at the end; caveats are left to the report
 */
export function renderText(analysis) {
  const { results } = analysis;
  const { lead, verdicts } = verdictTexts(analysis);
  const bad = badAnswerTexts(analysis).filter(({ isMany }) => isMany);
  const width = Math.max(
    0,
    ...verdicts.flatMap(({ answers }) => answers.map(({ over }) => over.length)),
  );
  const sentences = experimentSentences(analysis);
  const blocks = [
    [results.plan.title, versionsText(results)].filter(Boolean),
    ...analysis.survivals.map((setting) => matrixOf(analysis, setting).sentences),
    ...(sentences.length > 0 ? [sentences] : []),
    ...glanceLines(analysis),
    ...(verdicts.length > 0 ? [lead] : []),
    ...bad.map(({ what, details, causes }) => [
      `FAILED REQUESTS: ${what}`,
      ...details.map((detail) => `  ${detail}`),
      ...causes.flatMap(({ line, explanation }) => [
        `  ${line}`,
        ...(explanation ? [`    Usual cause: ${explanation}.`] : []),
      ]),
    ]),
    ...experimentTexts(analysis)
      .filter(({ answers }) => answers.length > 0)
      .map(({ title, answers }) => [
        title,
        ...answers.map(({ name, text }) => `  ${name}: ${text}.`),
      ]),
    ...analysis.capacities.map((setting) => {
      const rows = capacityRows(analysis, setting);
      const titles = Math.max(0, ...rows.map(({ title }) => title.length));
      return [
        `The most of ${capacityTitle(setting)}, a second`,
        ...rows.map(
          ({ title, cells: [rate, rank, perCore, , brokeFirst] }) =>
            `  ${title.padEnd(titles)}  ${rate}${rank === NONE ? "" : `, rank ${rank}`}; per budgeted core ${perCore}; broke first: ${brokeFirst}`,
        ),
      ];
    }),
    ...verdicts.map(({ question, answers }) => [
      question,
      ...answers.map(({ over, text }) => `  ${over.padEnd(width)}  ${text}`),
    ]),
  ];
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

/** Of a terminal, at least. */
const COLUMNS = 100;

/**
 * @param {Analysis} analysis
 * @returns {string[][]} whom to choose, and the table where it is no wider than a terminal
 */
function glanceLines(analysis) {
  const glance = glanceOf(analysis);
  if (!glance) return [];
  const { sentence, proxies, columns } = glance;
  const rows = [
    ["", ...columns.map(({ title }) => title)],
    ...proxies.map((name) => [
      titleOfProxy(analysis.results, name),
      ...columns.map(({ cells }) => {
        const cell = cells.find(({ proxy }) => proxy === name);
        return cell ? [cell.text, cell.spread && `(${cell.spread})`].filter(Boolean).join(" ") : "";
      }),
    ]),
  ];
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const lines = rows.map((row) =>
    row
      .map((text, i) => text.padEnd(widths[i]))
      .join("  ")
      .trimEnd(),
  );
  const isFitting = lines.every(({ length }) => length <= COLUMNS);
  return [[sentence], ...(isFitting ? [lines] : [])];
}

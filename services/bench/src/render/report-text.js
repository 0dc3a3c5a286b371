/**
 * What a terminal shows at the end of a run: questions and answers.
 *
 * @import { Analysis } from "../analyse/types.js"
 */
import { verdictTexts } from "./verdicts.js";
import { versionsText } from "./measured-versions.js";
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
  const blocks = [
    [results.plan.title, versionsText(results), ...lead].filter(Boolean),
    ...bad.map(({ what, details, causes }) => [
      `FAILED REQUESTS: ${what}`,
      ...details.map((detail) => `  ${detail}`),
      ...causes.flatMap(({ line, explanation }) => [
        `  ${line}`,
        ...(explanation ? [`    Usual cause: ${explanation}.`] : []),
      ]),
    ]),
    ...verdicts.map(({ question, answers }) => [
      question,
      ...answers.map(({ over, text }) => `  ${over.padEnd(width)}  ${text}`),
    ]),
  ];
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

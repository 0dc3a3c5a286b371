/**
 * What a terminal shows at the end of a run: questions and answers.
 *
 * @import { Analysis } from "../analyse/types.js"
 */

/**
 * @param {Pick<Analysis, "results" | "lead" | "verdicts">} analysis
 * @returns {string} lines, without an end of line at the end; caveats are left to the report
 */
export function renderText({ results, lead, verdicts }) {
  const width = Math.max(
    0,
    ...verdicts.flatMap(({ answers }) => answers.map(({ over }) => over.length)),
  );
  const blocks = [
    [results.plan.title, ...lead],
    ...verdicts.map(({ question, answers }) => [
      question,
      ...answers.map(({ over, text }) => `  ${over.padEnd(width)}  ${text}`),
    ]),
  ];
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

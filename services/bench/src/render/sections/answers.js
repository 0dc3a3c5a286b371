/**
 * What the run answers: questions, and a sentence for each.
 *
 * @import { Verdict } from "../../analyse/types.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 * @import { AnswerText } from "../verdicts.js"
 */
import { questionFigures } from "../figures.js";
import { html } from "../html.js";
import { caveatList, unbroken } from "../report-page.js";
import { verdictTexts } from "../verdicts.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: it compares no costs
 */
export function verdicts(page) {
  const { analysis } = page;
  const { lead, verdicts } = verdictTexts(analysis);
  if (verdicts.length === 0) return null;
  return html`<ul class="shared">
      ${lead.map((sentence) => html`<li>${unbroken(sentence)}</li>`)}
    </ul>
    <ul class="verdicts">
      ${verdicts.map(
        ({ question, answers, caveats }, i) =>
          html`<li>
            <h3>${question}</h3>
            <dl class="answers">${answers.map(answerHtml)}</dl>
            ${caveatList(caveats)}${chartsOf(page, analysis.verdicts[i])}
          </li>`,
      )}
    </ul>`;
}

/**
 * @param {Page} page
 * @param {Verdict} verdict
 */
function chartsOf(page, verdict) {
  const figures = questionFigures(page.analysis, verdict);
  return figures.length > 0 && page.charts(figures);
}

/** @param {AnswerText} answer */
function answerHtml({ over, text, singles, caveats }) {
  return html`<dt>${over}</dt>
    <dd>
      <p>${unbroken(text)}</p>
      ${caveatList(caveats)}${
        singles.length > 0 &&
        html`<details class="singles">
          <summary>By number of connections</summary>
          <ul class="caveats">
            ${singles.map(({ over, text }) => html`<li>${over}: ${unbroken(text)}</li>`)}
          </ul>
        </details>`
      }
    </dd>`;
}

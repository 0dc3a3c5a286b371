/**
 * Requests that were not answered well, above everything else: no figure of theirs can be read without.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { badAnswerTexts } from "../bad-answer-texts.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: all was answered well
 */
export function badAnswersCallout(page) {
  const texts = badAnswerTexts(page.analysis);
  if (texts.length === 0) return null;
  const many = texts.filter(({ isMany }) => isMany);
  const few = texts.filter(({ isMany }) => !isMany);
  return html`<aside class="callout${many.length > 0 && " bad"}" aria-labelledby="bad-answers">
    <h2 id="bad-answers">${many.length > 0 ? "Many failed requests" : "A few failed requests"}</h2>
    <p>
      ${
        many.length > 0
          ? "Requests per second count successful requests only. Error responses are fast, so a proxy with many of them ranks last, whatever its latencies."
          : "Too few to change a figure. Requests per second count successful requests only."
      }
    </p>
    ${many.map(entry)}
    ${
      few.length > 0 &&
      html`<details>
        <summary>${many.length > 0 ? "Others with a few" : "Which, and how many"}</summary>
        ${few.map(entry)}
      </details>`
    }
  </aside>`;
}

/** @param {ReturnType<typeof badAnswerTexts>[number]} text */
function entry({ what, details, causes }) {
  return html`<p><b>${what}.</b> ${details.map((detail) => html`${detail}. `)}</p>
    ${
      causes.length > 0 &&
      html`<dl>
        ${causes.map(
          ({ line, explanation }) =>
            html`<dt><code>${line}</code></dt>
              <dd>${explanation && `Usual cause: ${explanation}.`}</dd>`,
        )}
      </dl>`
    }`;
}

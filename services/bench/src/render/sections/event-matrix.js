/**
 * What is seen first of a run with events: which proxy loses how much in which.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 * @import { Field } from "../survival-texts.js"
 */
import { html } from "../html.js";
import { scroll, unbroken } from "../report-page.js";
import { LEVELS_NOTE, MATRIX_NOTE, matrixOf } from "../survival-texts.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: the run has no events
 */
export function eventMatrix(page) {
  const { survivals } = page.analysis;
  if (survivals.length === 0) return null;
  const isAlone = survivals.length === 1;
  return html`${survivals.map((setting) => {
      const { title, columns, rows, sentences } = matrixOf(page.analysis, setting);
      return html`${!isAlone && html`<h2>${title}</h2>`}
      ${sentences.map((sentence) => html`<p class="choice">${unbroken(sentence)}</p>`)}
      ${scroll(
        `Survival by event, ${title}`,
        html`<table class="matrix">
          <caption>
            ${title}
          </caption>
          <thead>
            <tr>
              <th scope="col">Proxy</th>
              ${columns.map(
                ({ event, isControl }) =>
                  html`<th scope="col">${event}${isControl && html`<small>control</small>`}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              ({ proxy, isControl, fields }) =>
                html`<tr class="${isControl && "control"}">
                  <th scope="row">${page.proxy(proxy)}</th>
                  ${fields.map((field, i) => fieldHtml(field, columns[i].event))}
                </tr>`,
            )}
          </tbody>
        </table>`,
      )}`;
    })}
    <p class="note">${MATRIX_NOTE} ${LEVELS_NOTE}</p>`;
}

/**
 * @param {Field} field
 * @param {string} event
 */
function fieldHtml({ survived, failed, level, isWorst, note, why }, event) {
  if (level === null)
    return html`<td class="empty" data-column="${event}" title="${why}">${survived}</td>`;
  return html`<td class="level-${level}${isWorst && " worst"}" data-column="${event}">
    <span class="share">${unbroken(survived)}</span>
    <small>${unbroken(failed)}</small>${note && html`<small>${note}</small>`}${
      isWorst && html`<b class="mark">worst</b>`
    }
  </td>`;
}

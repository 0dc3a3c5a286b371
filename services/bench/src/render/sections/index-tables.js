/**
 * How fast the machine was during the run, and what each proxy costs in units that another machine has too.
 *
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { INDEX_NOTE, indexTables } from "../index-texts.js";
import { scroll } from "../report-page.js";

/** @param {Page} page */
export function machineIndex(page) {
  const tables = indexTables(page.analysis);
  if (tables.length === 0) return null;
  return html`<p>${INDEX_NOTE}</p>
    ${tables.map(
      ({ title, index, head, rows }) =>
        html`<h3>${title}</h3>
          <p>${index}</p>
          ${scroll(
            `Machine index, ${title}`,
            html`<table>
              <thead>
                <tr>
                  ${head.map((name, i) => html`<th scope="col" class="${i > 0 && "number"}">${name}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${rows.map(
                  ([proxy, ...values]) =>
                    html`<tr>
                      <th scope="row">${proxy}</th>
                      ${values.map((value) => html`<td class="number">${value}</td>`)}
                    </tr>`,
                )}
              </tbody>
            </table>`,
          )}`,
    )}`;
}

/**
 * Host settings that were not as advised.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { scroll } from "../report-page.js";

/** @param {Page} page */
export function advice({ analysis }) {
  const { advice } = analysis.results.environment;
  if (advice.length === 0) return html`<p>None: the host was set as advised.</p>`;
  return scroll(
    "Host settings to change",
    html`<table>
      <caption>
        Host settings that were not as this benchmark advises while it ran.
      </caption>
      <thead>
        <tr>
          ${["Setting", "Weight", "Found", "Advised", "Why", "What to do"].map(
            (name) => html`<th scope="col">${name}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${advice.map(
          ({ setting, found, expected, why, fix, severity }) =>
            html`<tr>
              <th scope="row">${setting}</th>
              <td><span class="label ${severity}">${severity}</span></td>
              <td>${found}</td>
              <td>${expected}</td>
              <td class="text">${why}</td>
              <td class="text"><code>${fix}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

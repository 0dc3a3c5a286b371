/**
 * All charts of the run, under one key.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { figureGroups } from "../figures.js";
import { html } from "../html.js";

/** @param {Page} page */
export function charts(page) {
  const groups = figureGroups(page.analysis, page.curves);
  if (groups.length === 0) return null;
  return html`<ul class="keys" aria-label="Proxies in all charts">
      ${page.analysis.results.proxies.map(({ name }) => html`<li>${page.proxy(name)}</li>`)}
    </ul>
    ${groups.map(
      ({ title, note, figures }) =>
        html`<h3>${title}</h3>
          <p class="note">${note}</p>
          ${page.charts(figures)}`,
    )}`;
}

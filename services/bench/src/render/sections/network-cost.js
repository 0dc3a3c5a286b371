/**
 * What Docker's network costs: the same load without it.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { networkHeading, networkNote, networkTable, networkTitle } from "../network-texts.js";
import { textTable } from "../report-page.js";

/** @param {Page} page that has it */
export function networkCostTitle({ analysis }) {
  return networkHeading(analysis.networkCosts);
}

/**
 * @param {Page} page
 * @returns {Html | null} null: the run measured nothing on both
 */
export function networkCost(page) {
  const { networkCosts } = page.analysis;
  if (networkCosts.length === 0) return null;
  return html`<p class="note">${networkNote(networkCosts)}</p>
    ${networkCosts.map((cost) => {
      const title = networkTitle(page.analysis, cost);
      const { columns, rows } = networkTable(page.analysis, cost);
      return html`<h3>${title}</h3>
        ${textTable(page, title, columns, rows)}`;
    })}`;
}

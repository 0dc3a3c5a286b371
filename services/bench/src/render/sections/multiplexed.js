/**
 * WebSockets that share HTTP/2 connections, beside the same on connections of their own.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { MULTIPLEXING_NOTE, multiplexingTable, multiplexingTitle } from "../multiplexing-texts.js";
import { textTable } from "../report-page.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: the run has none
 */
export function multiplexed(page) {
  const { multiplexing } = page.analysis;
  if (multiplexing.length === 0) return null;
  return html`<p class="note">${MULTIPLEXING_NOTE}</p>
    ${multiplexing.map((one) => {
      const title = multiplexingTitle(one);
      const { columns, rows } = multiplexingTable(page.analysis, one);
      return html`<h3>${title}</h3>
        ${textTable(page, title, columns, rows)}`;
    })}`;
}

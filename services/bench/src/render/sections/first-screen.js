/**
 * What is seen before scrolling: whom to choose, and how far the others are behind.
 *
 * @import { GlanceCell, GlanceColumn } from "../glance.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { glanceOf } from "../glance.js";
import { html, trusted } from "../html.js";
import { scroll, unbroken } from "../report-page.js";
import { capital } from "../words.js";

/** Of a bar, in its own units. */
const WIDTH = 100;
const HEIGHT = 8;

/**
 * @param {Page} page
 * @returns {Html | null} null: the run has no overview
 */
export function firstScreen(page) {
  const glance = glanceOf(page.analysis);
  if (!glance) return null;
  const { sentence, proxies, columns, gaps, legend } = glance;
  return html`<p class="choice">${unbroken(sentence)}</p>
    ${scroll(
      "All proxies at a glance",
      html`<table class="glance">
        <thead>
          <tr>
            <th scope="col">Proxy</th>
            ${columns.map(
              ({ title, load, hasRatios }) =>
                html`<th scope="col">
                  ${capital(title)}<small>${hasRatios && "× best · "}${load}</small>
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${proxies.map(
            (name) =>
              html`<tr>
                <th scope="row">${page.proxy(name)}</th>
                ${columns.map((column) => cellHtml(page, column, name))}
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}
    ${
      gaps.length > 0 &&
      html`<details class="gaps">
        <summary>What measures the rest</summary>
        <ul>
          ${gaps.map(({ title, gap }) => html`<li>${title}: ${gap}</li>`)}
        </ul>
      </details>`
    }
    <p class="note">
      ${legend} The bar is the interval, on a logarithmic axis from the least to the most of the
      column.
    </p>`;
}

/**
 * @param {Page} page
 * @param {GlanceColumn} column
 * @param {string} name of the proxy
 */
function cellHtml(page, column, name) {
  const cell = column.cells.find(({ proxy }) => proxy === name);
  if (!cell) return html`<td></td>`;
  const { text, spread, amount, rank, isFirst } = cell;
  return html`<td class="${isFirst && "first"}" data-column="${capital(column.title)}">
    <span class="ratio">${text}</span>
    <small>${unbroken(amount)}</small>${bar(column.cells, cell, page.looks[cell.proxy].colour)}
    <small>${[spread, rank && `rank ${rank}`].filter(Boolean).join(" · ")}</small>
  </td>`;
}

/**
 * @param {GlanceCell[]} cells of its column, whose least and most are the ends of the axis
 * @param {GlanceCell} cell
 * @param {string} colour
 * @returns {Html | null} null: there is nothing to draw
 */
export function bar(cells, { ends, value }, colour) {
  if (!ends || value === null || !(ends[0] > 0)) return null;
  const all = cells.flatMap((cell) => (cell.ends && cell.ends[0] > 0 ? cell.ends : []));
  const [low, high] = [Math.min(1, ...all), Math.max(1, ...all)];
  const x = (/** @type {number} */ at) =>
    high > low ? (WIDTH * Math.log(at / low)) / Math.log(high / low) : 0;
  const width = Math.max(2.5, x(ends[1]) - x(ends[0]));
  const start = Math.min(WIDTH - width, x(ends[0]));
  const fixed = (/** @type {number} */ number) => number.toFixed(2);
  return trusted(
    `<svg class="bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">` +
      `<rect class="track" y="3.5" width="${WIDTH}" height="1"/>` +
      `<rect x="${fixed(start)}" y="1" width="${fixed(width)}" height="6" fill="${colour}"/></svg>`,
  );
}

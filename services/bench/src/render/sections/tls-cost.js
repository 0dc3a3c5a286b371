/**
 * The same load over ws and over wss.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { figure, range, ratio } from "../../numbers.js";
import { schemeName } from "../../plan/workload.js";
import { CONTROL } from "../../plan/proxies.js";
import { tlsFigures } from "../figures.js";
import { html, trusted } from "../html.js";
import { columnOf, comparisonOf, KEYS, tlsPairs } from "../model.js";
import { scroll } from "../report-page.js";

/** @param {Page} page */
export function tls(page) {
  const { analysis } = page;
  const pairs = tlsPairs(analysis);
  if (pairs.length === 0 || analysis.aa) return null;
  const figures = tlsFigures(analysis);
  const keys = [
    KEYS.cpuPerConnection,
    KEYS.cpuPerRequest,
    KEYS.handshake,
    KEYS.request,
    KEYS.memoryGrowth,
  ];
  const rows = pairs.flatMap(({ ws, wss }) =>
    keys.flatMap((key) => {
      const plain = comparisonOf(ws, key);
      const secured = comparisonOf(wss, key);
      if (!plain || !secured) return [];
      const column = columnOf(analysis, secured);
      const unit = column.unit && `, ${column.unit}`;
      return analysis.results.proxies.flatMap(({ name }) => {
        if (name === CONTROL && column.relativeTo !== "control") return [];
        const before = plain.rows.find(({ proxy }) => proxy === name)?.median;
        const after = secured.rows.find(({ proxy }) => proxy === name)?.median;
        if (!before || !after) return [];
        const cell = (/** @type {typeof before} */ { value, interval }) => {
          const shown = interval && [interval[0] / column.divisor, interval[1] / column.divisor];
          return html`<td class="number" data-value="${value}">
            ${figure(value / column.divisor)}${
              shown && html`<small>${range([shown[0], shown[1]], value / column.divisor)}</small>`
            }
          </td>`;
        };
        return html`<tr>
          <td>${page.settingTitle(wss)}</td>
          <td>${column.measure.title}${unit}</td>
          <td>${page.proxy(name)}</td>
          ${cell(before)}${cell(after)}
          <td class="number">${figure((after.value - before.value) / column.divisor)}</td>
          <td class="number">${ratio(after.value / before.value)}</td>
        </tr>`;
      });
    }),
  );
  const [plain, secured] = [pairs[0].ws, pairs[0].wss].map(schemeName);
  return html`<p class="note">
      The same load over ${plain} and over ${secured}. The ring is ${plain}, the shape ${secured},
      and the figure at the right their ratio: of two medians, so it carries the uncertainty of
      both.
    </p>
    ${page.charts(figures)}
    <details ${figures.length === 0 && trusted("open")}>
      <summary>The same in figures</summary>
      ${scroll(
        "What TLS costs, in figures",
        html`<table class="sortable">
          <caption>
            Medians, with their intervals below where there are any.
          </caption>
          <thead>
            <tr>
              ${["Setting", "Measure", "Proxy", plain, secured, "Added", "Ratio"].map(
                (name) => html`<th scope="col">${name}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>`,
      )}
    </details>`;
}

/**
 * The most that proxies carried under a promise: latency over the offered rate, and what the search found.
 *
 * @import { Analysis, CapacitySetting } from "../../analyse/types.js"
 * @import { Figure } from "../charts.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { count, number } from "../../numbers.js";
import {
  capacityRows,
  capacityTitle,
  COLUMNS,
  controlText,
  promiseText,
  stretchedText,
} from "../capacity-texts.js";
import { axisType, lineChart } from "../charts.js";
import { html } from "../html.js";
import { looks } from "../model.js";
import { scroll } from "../report-page.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: the run searches no rate
 */
export function capacity(page) {
  const { analysis } = page;
  const { capacities } = analysis;
  if (capacities.length === 0) return null;
  const drawn = capacities.filter(({ answers }) => answers.some(({ points }) => points.length > 0));
  return html`<p class="note">
      ${promiseText(analysis)} Each rate that was tried is a point; not drawn are those at which
      generator or machine were at their limit.
    </p>
    ${page.charts(drawn.map((setting) => chartOf(analysis, setting)))}
    ${capacities.map(
      (setting) =>
        html`<h3>${capacityTitle(setting)}</h3>
          ${tableOf(page, setting)}${notesOf(page, setting)}`,
    )}`;
}

/**
 * @param {Page} page
 * @param {CapacitySetting} setting
 */
function notesOf({ analysis }, setting) {
  return [controlText(setting), stretchedText(analysis, setting)].map(
    (text) => text && html`<p class="note">${text}</p>`,
  );
}

/**
 * @param {Analysis} analysis
 * @param {CapacitySetting} setting
 * @returns {Figure}
 */
function chartOf({ results }, setting) {
  const all = looks(results);
  const series = setting.answers.map(({ proxy, points }) => ({
    ...all[proxy],
    points: points
      .flatMap(({ rate, p99Ms, verdict }) =>
        p99Ms === null || verdict === "limited" ? [] : { x: rate, y: p99Ms },
      )
      .sort((a, b) => a.x - b.x),
  }));
  const values = series.flatMap(({ points }) => points);
  const { promise } = results.plan;
  return lineChart({
    title: `p99 over the offered rate, ${capacityTitle(setting)}`,
    x: {
      label: "offered a second",
      type: axisType(values.map(({ x }) => x)),
      tickFormat: count,
    },
    y: {
      label: "p99, ms",
      type: axisType(values.map(({ y }) => y)),
      ...(promise && {
        limit: { value: promise.sloMs, label: `promise: ${number(promise.sloMs)} ms` },
      }),
    },
    series,
  });
}

/**
 * @param {Page} page
 * @param {CapacitySetting} setting
 */
function tableOf(page, setting) {
  return scroll(
    `The most of ${capacityTitle(setting)}`,
    html`<table>
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          ${COLUMNS.map(
            ({ title, unit }) =>
              html`<th scope="col">${title}${unit && html`<small>${unit}</small>`}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${capacityRows(page.analysis, setting).map(
          ({ proxy, cells }) =>
            html`<tr>
              <th scope="row">${page.proxy(proxy)}</th>
              ${cells.map((cell) => html`<td class="text">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

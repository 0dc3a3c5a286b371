/**
 * At a set rate: the delay that each proxy adds, as a picture and by percentile; and what an operation costs there.
 *
 * @import { Analysis, Delay } from "../../analyse/types.js"
 * @import { Figure } from "../charts.js"
 * @import { TextTable } from "../delay-texts.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { axisType, lineChart } from "../charts.js";
import {
  BESIDE_NOTE,
  CURVE_NOTE,
  DELAY_NOTE,
  delayTable,
  delayTitle,
  EQUAL_NOTE,
  equalLoadTable,
  rateNote,
} from "../delay-texts.js";
import { html, trusted } from "../html.js";
import { looks } from "../model.js";
import { scroll } from "../report-page.js";

/** Distance of the shapes that tell lines apart, in points. */
const SHAPES_EVERY = 10;

/**
 * @param {Page} page
 * @returns {Html | null} null: no scenario of the run has a set rate
 */
export function delays(page) {
  const { analysis } = page;
  if (analysis.delays.length === 0) return null;
  const isBeside = analysis.delays.some(({ setting }) => setting.scheme === "wss");
  return html`<p class="note">${DELAY_NOTE} ${isBeside && BESIDE_NOTE}</p>
    <p class="note">${CURVE_NOTE}</p>
    ${page.charts(analysis.delays.map((delay) => curveChart(analysis, delay)))}
    ${analysis.delays.map((delay) => {
      const title = delayTitle(analysis, delay);
      return html`<h3>${title}</h3>
        <p class="note">${rateNote(analysis, delay)}</p>
        ${tableOf(page, `Delay, ${title}`, delayTable(delay))}`;
    })}`;
}

/**
 * @param {Page} page
 * @returns {Html | null} null: no scenario of the run has a set rate
 */
export function equalLoads(page) {
  const { analysis } = page;
  if (analysis.equalLoads.length === 0) return null;
  return html`<p class="note">${EQUAL_NOTE}</p>
    ${analysis.equalLoads.map((load) => {
      const { title, table } = equalLoadTable(analysis, load);
      return html`<h3>${title}</h3>
        ${tableOf(page, `Cost at equal load, ${title}`, table)}`;
    })}`;
}

/**
 * @param {Analysis} analysis
 * @param {Delay} delay
 * @returns {Figure} ms over 1 / (1 − p), both logarithmic where the slowest is far from the rest
 */
export function curveChart(analysis, delay) {
  const all = looks(analysis.results);
  const series = delay.rows.map(({ proxy, curve }) => ({
    ...all[proxy],
    points: curve.filter(({ ms }) => ms > 0).map(({ beyond, ms }) => ({ x: beyond, y: ms })),
  }));
  const points = series.flatMap((one) => one.points);
  const last = Math.max(10, ...points.map(({ x }) => x));
  const type = axisType(points.map(({ y }) => y));
  return lineChart({
    title: delayTitle(analysis, delay),
    x: {
      label: "percentile, log scale of what took longer",
      type: "log",
      domain: [1, last],
      ticks: Array.from({ length: Math.floor(Math.log10(last)) + 1 }, (_, i) => 10 ** i),
      tickFormat: shareText,
    },
    y: { label: `ms${type === "log" ? ", log scale" : ""}`, type },
    series,
    shapesEvery: SHAPES_EVERY,
  });
}

/**
 * @param {number} beyond one in so many took longer
 * @returns {string} `99.9 %`
 */
function shareText(beyond) {
  const digits = Math.max(0, Math.ceil(Math.log10(beyond) - 1e-9) - 2);
  return `${(100 * (1 - 1 / beyond)).toFixed(digits)} %`;
}

/**
 * @param {Page} page
 * @param {string} label
 * @param {TextTable} table
 */
function tableOf(page, label, { head, rows }) {
  return scroll(
    label,
    html`<table class="sortable">
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          ${head.map(
            ({ title, small }) =>
              html`<th scope="col" class="number">${title}<small>${small}</small></th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ proxy, isControl, cells }) =>
            html`<tr ${isControl && trusted('class="control"')}>
              <th scope="row">${page.proxy(proxy)}${isControl && html`<small>control</small>`}</th>
              ${cells.map(
                ({ value, text, detail, rank }) =>
                  html`<td class="number" data-value="${value ?? ""}">
                    ${text}${rank && html`<span class="rank">${rank}</span>`}${detail && html`<small>${detail}</small>`}
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

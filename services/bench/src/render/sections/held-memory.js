/**
 * Memory over held connections: a chart, and what one more connection costs.
 *
 * @import { Analysis, Slopes } from "../../analyse/types.js"
 * @import { Figure } from "../charts.js"
 * @import { Html } from "../html.js"
 * @import { SlopeEntry } from "../memory-texts.js"
 * @import { Page } from "../report-page.js"
 */
import { tellFindings } from "../findings.js";
import { count } from "../../numbers.js";
import { axisType, lineChart } from "../charts.js";
import { html } from "../html.js";
import { looks } from "../model.js";
import { slopesTitle } from "../words.js";
import { buffersNote, slopeTable, withoutBuffers } from "../memory-texts.js";
import { findingList, scroll } from "../report-page.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: the run held no connections, or too few counts of them
 */
export function slopes(page) {
  const { slopes: all, confidence } = page.analysis;
  if (all.length === 0) return null;
  const level = Math.round(confidence * 100);
  const note = buffersNote(page.analysis);
  return html`<p class="note">
      The slope of mean memory over the connections that the echo server counted, and its ${level} %
      interval: Theil–Sen, with Sen's exact interval, which takes five counts or two rounds. Ranks
      are those of the slope of all memory: two differ where their intervals, widened until all hold
      together at ${level} %, do not overlap. Connections a GiB: 2³⁰ bytes divided by the slope; the
      baseline, what a proxy has before the load, is not in it. User part: anonymous memory of the
      processes. Kernel part: what the kernel charges to their cgroups. ${note}
    </p>
    ${page.charts(all.map((one) => chartOf(page.analysis, one)))}
    ${all.map(
      (one) =>
        html`<h3>${slopesTitle(one, all)}</h3>
          ${tableOf(page, one)}`,
    )}`;
}

/**
 * @param {Analysis} analysis
 * @param {Slopes} one
 * @returns {Figure}
 */
function chartOf(analysis, one) {
  const { results, slopes } = analysis;
  const [whole] = one.parts;
  const all = looks(results);
  const series = whole.rows.map(({ proxy, points }) => ({
    ...all[proxy],
    points: points.map(({ connections, bytes }) => ({ x: connections, y: bytes / 1e6 })),
  }));
  return lineChart({
    title: `Memory, ${slopesTitle(one, slopes)}`,
    x: { label: "connections held", tickFormat: count },
    y: {
      label: `memory, MB${withoutBuffers(analysis)}`,
      type: axisType(series.flatMap(({ points }) => points.map(({ y }) => y))),
    },
    series,
  });
}

/**
 * @param {Page} page
 * @param {Slopes} one
 */
function tableOf(page, one) {
  const { analysis } = page;
  const { columns, rows } = slopeTable(analysis, one);
  return html`${one.unranked && findingList(tellFindings([one.unranked], (name) => page.title(name)))}${scroll(
    `Slopes of ${slopesTitle(one, analysis.slopes)}`,
    html` <table class="sortable">
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          ${columns.map(
            ({ title, unit }) =>
              html`<th scope="col" class="number">
                ${title}${unit && html`<small>${unit}</small>`}
              </th>`,
          )}
          <th scope="col">Why not ${count(one.most)}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ proxy, isControl, entries, ended }) =>
            html`<tr>
              <th scope="row">
                ${page.proxy(proxy)}${isControl && html`<small>its echo server</small>`}
              </th>
              ${entries.map(entryHtml)}
              <td class="text">${ended}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  )}`;
}

/** @param {SlopeEntry} entry */
function entryHtml({ value, text, detail, rank }) {
  return html`<td class="number" data-value="${value ?? ""}">
    ${text}${rank && html`<span class="rank">${rank}</span>`}${detail && html`<small>${detail}</small>`}
  </td>`;
}

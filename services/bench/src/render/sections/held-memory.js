/**
 * Memory over held connections: a chart, and what one more connection costs.
 *
 * @import { Analysis, SlopeRow, Slopes } from "../../analyse/types.js"
 * @import { Figure } from "../charts.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { noSlopeText, plainReason } from "../findings.js";
import { count, figure, NONE, range } from "../../numbers.js";
import { CONTROL } from "../../plan/proxies.js";
import { axisType, lineChart } from "../charts.js";
import { html } from "../html.js";
import { looks } from "../model.js";
import { slopesTitle } from "../words.js";
import { scroll } from "../report-page.js";

/** By measure. @type {Record<string, string>} */
const PART_TITLES = {
  proxy_memory_mean_usage_bytes: "all memory",
  proxy_memory_mean_rss_bytes: "user part",
  proxy_memory_mean_kernel_bytes: "kernel part",
};

/**
 * @param {Page} page
 * @returns {Html | null} null: the run held no connections, or too few counts of them
 */
export function slopes(page) {
  const { slopes: all, confidence } = page.analysis;
  if (all.length === 0) return null;
  const level = Math.round(confidence * 100);
  return html`<p class="note">
      The slope of mean memory over the connections that the echo server counted, and its ${level} %
      interval: Theil–Sen, with Sen's exact interval, which takes five counts or two rounds. User
      part: anonymous memory of the processes. Kernel part: what the kernel charges to their
      cgroups; under cgroup v1 socket buffers are not in it, nor in all memory. Without connections:
      where the line meets zero.
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
function chartOf({ results, slopes }, one) {
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
      label: "memory, MB",
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
  const { most, parts } = one;
  const [whole] = parts;
  return scroll(
    `Slopes of ${slopesTitle(one, page.analysis.slopes)}`,
    html` <table class="sortable">
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          ${parts.map(
            (part) =>
              html`<th scope="col" class="number">
                A connection, ${PART_TITLES[part.measure]}<small>kB</small>
              </th>`,
          )}
          <th scope="col" class="number">Without connections<small>MB</small></th>
          <th scope="col" class="number">Held up to</th>
          <th scope="col">Why not ${count(most)}</th>
        </tr>
      </thead>
      <tbody>
        ${whole.rows.map((row, i) => {
          const { proxy, points, interceptBytes, ended } = row;
          return html`<tr>
            <th scope="row">
              ${page.proxy(proxy)}${proxy === CONTROL && html`<small>its echo server</small>`}
            </th>
            ${parts.map((part) => slopeCell(part.rows[i]))}
            <td class="number" data-value="${interceptBytes ?? ""}">
              ${interceptBytes === null ? NONE : figure(interceptBytes / 1e6)}
            </td>
            <td class="number">${count(points.at(-1)?.connections)}</td>
            <td class="text">
              ${ended && `${ended.next.toLocaleString("en")}: ${plainReason(ended.why)}`}
            </td>
          </tr>`;
        })}
      </tbody>
    </table>`,
  );
}

/** @param {SlopeRow} row */
function slopeCell({ slope, missing }) {
  if (!slope)
    return html`<td class="number" data-value="">
      ${NONE}<small>${noSlopeText(missing)}</small>
    </td>`;
  const value = slope.value / 1e3;
  const ends = slope.interval;
  return html`<td class="number" data-value="${slope.value}">
    ${figure(value)}<small
      >${
        ends ? range([ends[0] / 1e3, ends[1] / 1e3], value) : "too few points for an interval"
      }</small
    >
  </td>`;
}

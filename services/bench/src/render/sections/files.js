/**
 * Files: what a request takes, by size and server, HTTP beside HTTPS.
 *
 * @import { Analysis, Setting } from "../../analyse/types.js"
 * @import { Figure } from "../charts.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 * @import { Column, Entry } from "../model.js"
 */
import { comparesServers } from "../../analyse/settings.js";
import { schemeName } from "../../plan/workload.js";
import { CONTROL } from "../../plan/proxies.js";
import { NONE, number } from "../../numbers.js";
import { lineChart } from "../charts.js";
import { html } from "../html.js";
import { columnOf, comparisonOf, entryOf, KEYS, looks } from "../model.js";
import { scroll } from "../report-page.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: the run served no files
 */
export function files(page) {
  const schemes = schemesOf(page.analysis);
  if (schemes.length === 0) return null;
  return html`<p class="note">
      A request with a connection of its own, over HTTPS with a full handshake: milliseconds from
      before the connection to the last byte. Mean of a cell, median over the rounds, below it the
      interval or the lowest and the highest round, and the 99th percentile. Each size is a setting
      of its own in the tables above.
    </p>
    ${sizesTable(page, KEYS.request, "Milliseconds per request")}
    ${page.charts(schemes.flatMap((settings) => chartOf(page.analysis, settings)))}`;
}

/**
 * @param {Analysis} analysis
 * @returns {Setting[][]} of files, those of one scheme together, from the smallest
 */
function schemesOf({ settings }) {
  const own = settings.filter(({ workload }) => comparesServers(workload));
  return [...Map.groupBy(own, ({ scheme }) => scheme).values()].map((settings) =>
    settings.toSorted((a, b) => bytesOf(a) - bytesOf(b)),
  );
}

/**
 * A row a server and scheme, so that HTTPS stands below HTTP.
 *
 * @param {Page} page
 * @param {string} key of the measure
 * @param {string} caption
 * @returns {Html}
 */
export function sizesTable(page, key, caption) {
  const { analysis } = page;
  const schemes = schemesOf(analysis);
  const sizes = [...new Set(schemes.flat().map(bytesOf))].sort((a, b) => a - b);
  const rows = analysis.results.proxies.flatMap(({ name }) =>
    schemes.map((settings) => {
      const entries = sizes.map((size) => {
        const setting = settings.find((one) => bytesOf(one) === size);
        const comparison = setting && comparisonOf(setting, key);
        const row = comparison?.rows.find(({ proxy }) => proxy === name);
        return comparison ? entryOf(row, columnOf(analysis, comparison, setting)) : null;
      });
      return html`<tr ${name === CONTROL && html`class="control"`}>
        <th scope="row">${page.proxy(name)}</th>
        <td>${schemeName(settings[0])}</td>
        ${entries.map(entryHtml)}
      </tr>`;
    }),
  );
  return scroll(
    `${caption}, by size`,
    html` <table class="names">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Server</th>
          <th scope="col">Over</th>
          ${sizes.map((size) => html`<th scope="col" class="number">${number(size)} bytes</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`,
  );
}

/** @param {Entry | null} entry null: there is no such setting */
function entryHtml(entry) {
  if (!entry) return html`<td class="number">${NONE}</td>`;
  const { median, spread, p99, mark } = entry;
  return html`<td class="number">
    ${median}<small>${spread}</small>${p99 && html`<small>${p99}</small>`}${mark && html`<span class="label invalid">${mark}</span>`}
  </td>`;
}

/**
 * @param {Analysis} analysis
 * @param {Setting[]} settings of one scheme
 * @returns {Figure[]} none where there is one size, or no figure
 */
function chartOf(analysis, settings) {
  const all = looks(analysis.results);
  /** @type {(Column & {bytes: number})[]} */
  const columns = settings.flatMap((setting) => {
    const comparison = comparisonOf(setting, KEYS.request);
    return comparison ? [{ ...columnOf(analysis, comparison), bytes: bytesOf(setting) }] : [];
  });
  if (columns.length < 2) return [];
  const series = analysis.results.proxies.map(({ name }) => ({
    ...all[name],
    points: columns.flatMap(({ comparison }, x) => {
      const median = comparison.rows.find(({ proxy }) => proxy === name)?.median;
      if (!median) return [];
      const ends = median.interval && { low: median.interval[0], high: median.interval[1] };
      return [{ x, y: median.value, ...ends }];
    }),
  }));
  return [
    lineChart({
      title: `Milliseconds per request by size, ${schemeName(settings[0])}`,
      // One beside the other: on a scale of bytes the small ones would cover each other.
      x: {
        label: "size of the file, bytes",
        domain: [-0.3, columns.length - 0.7],
        ticks: columns.map((_, i) => i),
        tickFormat: (i) => (columns[i] ? shortSize(columns[i].bytes) : ""),
      },
      y: { label: "ms per request, log scale", type: "log" },
      series,
    }),
  ];
}

/** @param {number} bytes */
function shortSize(bytes) {
  if (bytes < 1000) return String(bytes);
  return `${number(bytes < 10_000 ? Math.round(bytes / 100) / 10 : Math.round(bytes / 1000))}k`;
}

/**
 * @param {Setting} setting
 * @returns {number} size of the file that is asked for; 0: the scenario has one size alone
 */
function bytesOf({ workload }) {
  return workload.fileBytes ?? 0;
}

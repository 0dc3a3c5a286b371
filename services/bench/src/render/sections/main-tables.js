/**
 * A table a setting: each proxy under the measures asked for first, and below it, folded away, under all.
 *
 * @import { Setting } from "../../analyse/types.js"
 * @import { Column, Entry, Table } from "../model.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { missingText } from "../findings.js";
import { count, figure, NONE, probability, range, rankText, ratio } from "../../numbers.js";
import { html, trusted } from "../html.js";
import { columnOf, comparesNothing, entryOf, mainTable, settingFindings } from "../model.js";
import { findingList, scroll } from "../report-page.js";

/** @param {Page} page */
export function tables(page) {
  const { analysis } = page;
  if (comparesNothing(analysis)) return null;
  return html`${analysis.settings.map((setting) => {
    const table = mainTable(analysis, setting);
    const findings = settingFindings(analysis, setting, table.columns);
    return html`<h3>${page.settingTitle(setting)}</h3>
      ${mainTableHtml(page, setting, table)}
      ${findingList(findings.filter(({ severity }) => severity !== "note"))}
      ${allFigures(page, setting)}`;
  })}`;
}

/**
 * @param {Page} page
 * @param {Setting} setting
 * @param {Table} table
 */
function mainTableHtml(page, setting, { columns, rows, reasons, legend }) {
  const row = (/** @type {Table["rows"][number]} */ { proxy, isControl, entries }) =>
    html`<tr ${isControl && trusted('class="control"')}>
      <th scope="row">${page.proxy(proxy)}${isControl && html`<small>control</small>`}</th>
      ${entries.map((entry) => entryHtml(entry, reasons))}
    </tr>`;
  const control = rows.filter(({ isControl }) => isControl);
  return html`<p class="note">${legend}</p>
    ${scroll(
      page.settingTitle(setting),
      html`<table class="main sortable">
        <thead>
          <tr>
            <th scope="col">Proxy</th>
            ${columns.map((column) => html`<th scope="col" class="number">${columnTitle(column)}</th>`)}
          </tr>
        </thead>
        ${
          control.length > 0 &&
          html`<tbody>
            ${control.map(row)}
          </tbody>`
        }
        <tbody>
          ${rows.filter(({ isControl }) => !isControl).map(row)}
        </tbody>
      </table>`,
    )}
    ${
      reasons.length > 0 &&
      html`<p class="note">
        ${reasons.map((reason, i) => html`<sup>${i + 1}</sup> ${NONE} ${reason}<br />`)}
      </p>`
    }`;
}

/** @param {Column} column */
function columnTitle({ measure, unit, relativeTo, queue }) {
  const shown = [unit, relativeTo && `× ${relativeTo}`].filter(Boolean).join(" · ");
  const better = measure.better === "higher" && html`<small>higher is better</small>`;
  const inQueue = queue && html`<small>time in the queue</small>`;
  return html`${measure.title}${shown && html`<small>${shown}</small>`}${better}${inQueue}`;
}

/**
 * @param {Entry} entry
 * @param {string[]} reasons
 */
function entryHtml({ value, median, spread, p99, ratio, rank, mark, missing }, reasons) {
  if (missing !== null) {
    return html`<td class="number" data-value="">
      ${NONE}<sup>${reasons.indexOf(missing) + 1}</sup><span class="norank"></span>
    </td>`;
  }
  const isFirst = /^1( =)?$/.test(rank);
  return html`<td class="number" data-value="${value}">
    ${isFirst ? html`<b>${median}</b>` : median}<span class="rank${isFirst && " first"}"
      >${rank}</span
    ><small>${spread}</small
    ><small>${ratio}</small
    >${p99 && html`<small>${p99}</small>`}${mark && html`<span class="label invalid">${mark}</span>`}
  </td>`;
}

/**
 * @param {Page} page
 * @param {Setting} setting
 */
function allFigures(page, setting) {
  const { analysis } = page;
  const lines = setting.comparisons.flatMap((comparison) => {
    const column = columnOf(analysis, comparison);
    return comparison.rows.map((row) => {
      const entry = entryOf(row, column);
      const unit = column.unit && `, ${column.unit}`;
      return html`<tr>
        <td>${column.measure.title}${unit}</td>
        <td>${page.proxy(row.proxy)}</td>
        <td class="number" data-value="${row.values.length}">${count(row.values.length)}</td>
        <td class="number" data-value="${entry.value ?? ""}">${entry.median}</td>
        <td class="number">${row.median?.interval ? entry.spread : NONE}</td>
        <td class="number">
          ${row.values.map((value) => figure(value / column.divisor)).join(" ") || NONE}
        </td>
        <td class="number">${withInterval(row.toControl)}</td>
        <td class="number">${withInterval(row.toBest)}</td>
        <td>${rankText(row.rank, row.ties.length > 0) || NONE}</td>
        <td class="number">${probability(row.p)}</td>
        <td class="number">${ratio(comparison.detectableRatio)}</td>
        <td class="text">${missingText(row.missing)}</td>
      </tr>`;
    });
  });
  const level = `${Math.round(analysis.confidence * 100)} %`;
  const names = [
    "Measure",
    "Proxy",
    "Rounds",
    "Median",
    `${level} interval`,
    "Each round",
    "To control",
    "To best",
    "Rank",
    "p",
    "Detectable",
    "Why missing",
  ];
  return html`<details>
    <summary>All measures, every round, and notes</summary>
    ${findingList(settingFindings(analysis, setting))}
    ${scroll(
      `All measures of ${page.settingTitle(setting)}`,
      html`<table class="sortable">
        <caption>
          p: two-sided Mann–Whitney against the best, Holm-corrected. Detectable: the smallest ratio
          between two proxies that these rounds could have seen.
        </caption>
        <thead>
          <tr>
            ${names.map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${lines}
        </tbody>
      </table>`,
    )}
  </details>`;
}

/** @param {{value: number, interval: [number, number] | null} | null} estimate */
function withInterval(estimate) {
  if (!estimate) return NONE;
  const { value, interval } = estimate;
  return interval ? `${ratio(value)} (${range(interval, value)})` : ratio(value);
}

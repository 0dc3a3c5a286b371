/**
 * Everyone comes back, and clients that do not read: a sentence for each proxy, a table, and curves.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { number } from "../../numbers.js";
import { lineChart } from "../charts.js";
import { html } from "../html.js";
import { looks } from "../model.js";
import { answerList, textTable } from "../report-page.js";
import { STALL_COLUMNS, STALL_NOTE, stallRows, stallText, stallTitle } from "../stall-texts.js";
import { STORM_COLUMNS, STORM_NOTE, stormRows, stormText, stormTitle } from "../storm-texts.js";
import { buffersNote } from "../memory-texts.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: the run has none
 */
export function storms(page) {
  const { storms, results } = page.analysis;
  if (storms.length === 0) return null;
  const all = looks(results);
  const charts = storms.map((setting) =>
    lineChart({
      title: `Connections that are back, ${stormTitle(setting)}`,
      x: { label: "seconds from the cut", tickFormat: number },
      y: { label: "back, % of those cut", domain: [0, 105] },
      shapesEvery: 10,
      series: setting.answers.flatMap(({ proxy, figures }) =>
        figures
          ? [
              {
                ...all[proxy],
                points: figures.curve.map(({ seconds, value }) => ({ x: seconds, y: value })),
              },
            ]
          : [],
      ),
    }),
  );
  return html`<p class="note">${STORM_NOTE}</p>
    ${storms.map(
      (setting) =>
        html`<h3>${stormTitle(setting)}</h3>
          ${answerList(
            page,
            setting.answers.map((answer) => [answer.proxy, stormText(answer, setting)]),
          )}${textTable(page, stormTitle(setting), STORM_COLUMNS, stormRows(page.analysis, setting))}`,
    )}
    ${page.charts(charts)}`;
}

/**
 * @param {Page} page
 * @returns {Html | null} null: the run has none
 */
export function stalls(page) {
  const { stalls } = page.analysis;
  if (stalls.length === 0) return null;
  return html`<p class="note">${STALL_NOTE} ${buffersNote(page.analysis)}</p>
    ${stalls.map(
      (setting) =>
        html`<h3>${stallTitle(setting)}</h3>
          ${answerList(
            page,
            setting.answers.map((answer) => [answer.proxy, stallText(answer, setting)]),
          )}${textTable(page, stallTitle(setting), STALL_COLUMNS, stallRows(page.analysis, setting))}`,
    )}`;
}

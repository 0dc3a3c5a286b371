/**
 * Each event by itself: what every proxy did in a sentence, curves around it, and all figures.
 *
 * @import { CurvePoint, SurvivalEvent, SurvivalFigures, SurvivalSetting, Timeline } from "../../analyse/types.js"
 * @import { Figure } from "../charts.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { figure, number } from "../../numbers.js";
import { lineChart } from "../charts.js";
import { html } from "../html.js";
import { looks } from "../model.js";
import { answerList, textTable } from "../report-page.js";
import {
  COLUMNS,
  eventTitle,
  hasNoneText,
  settingText,
  SHARES_NOTE,
  survivalRows,
  survivalText,
  watchText,
} from "../survival-texts.js";

/** A shape at each n-th point: there is one a second. */
const SHAPES_EVERY = 12;
/** Above the highest curve, for the name of the event. */
const HEADROOM = 1.2;

/** @type {{key: keyof Timeline, title: string, label: string, divisor: number, most?: number}[]} most: where it is known */
const CURVES = [
  {
    key: "openPercent",
    title: "Connections open",
    label: "open, % of those at the event",
    divisor: 1,
    most: 100,
  },
  {
    key: "failedPercent",
    title: "New handshakes that failed",
    label: "failed, % of each second",
    divisor: 1,
    most: 100,
  },
  { key: "memoryBytes", title: "Memory of the proxy", label: "memory, MB", divisor: 1e6 },
];

/**
 * @param {Page} page
 * @returns {Html | null} null: the run has no events
 */
export function aroundEvents(page) {
  const { survivals, results } = page.analysis;
  if (survivals.length === 0) return null;
  return html`<p class="note">${SHARES_NOTE} Curves: medians of the repetitions, by the second.</p>
    <ul class="keys" aria-label="Proxies in all charts">
      ${results.proxies.map(({ name }) => html`<li>${page.proxy(name)}</li>`)}
    </ul>
    ${survivals.flatMap((setting) =>
      setting.events.map((event) => eventHtml(page, setting, event, survivals.length > 1)),
    )}`;
}

/**
 * @param {Page} page
 * @param {SurvivalSetting} setting
 * @param {SurvivalEvent} event
 * @param {boolean} isOfMany settings
 */
function eventHtml(page, setting, event, isOfMany) {
  const { answers } = event;
  const title = `${eventTitle(event)}${isOfMany ? ` (${settingText(setting)})` : ""}`;
  const told = answers.filter(({ figures }) => figures);
  const titleOf = (/** @type {string} */ name) => page.title(name);
  const without = hasNoneText(event, titleOf);
  return html`<h3>${title}</h3>
    ${answerList(
      page,
      told.map((answer) => [answer.proxy, survivalText(answer, event)]),
    )}
    <p class="note">${[watchText(event), without].filter(Boolean).join(" ")}</p>
    ${told.length > 0 && page.charts(chartsOf(page, event))}${
      told.length > 0 &&
      html`<details>
        <summary>Figures, and what was done</summary>
        ${textTable(page, `Figures of ${event.event}`, COLUMNS, survivalRows(event, titleOf))}${stepsOf(told[0].figures)}
      </details>`
    }`;
}

/**
 * @param {Page} page
 * @param {SurvivalEvent} event
 * @returns {Figure[]} over the seconds around it, proxies over each other
 */
function chartsOf(page, { event, answers, isControl }) {
  const all = looks(page.analysis.results);
  return CURVES.map(({ key, title, label, divisor, most }) => {
    const series = answers.flatMap(({ proxy, figures }) =>
      figures ? [{ ...all[proxy], points: pointsOf(figures.timeline[key], divisor) }] : [],
    );
    const values = series.flatMap(({ points }) => points.map(({ y }) => y));
    return lineChart({
      title: `${title}, ${event}`,
      x: {
        label: isControl ? "seconds from where an event would be" : "seconds from the event",
        tickFormat: number,
        limit: { value: 0, label: isControl ? "" : event },
      },
      y: {
        label,
        domain: [0, HEADROOM * (most ?? Math.max(1, ...values))],
        ...(most && { ticks: [0, 1, 2, 3, 4].map((quarter) => (most * quarter) / 4) }),
      },
      shapesEvery: SHAPES_EVERY,
      series,
    });
  });
}

/**
 * @param {CurvePoint[]} curve
 * @param {number} divisor
 */
function pointsOf(curve, divisor) {
  return curve.map(({ seconds, value }) => ({ x: seconds, y: value / divisor }));
}

/** @param {SurvivalFigures | null} figures */
function stepsOf(figures) {
  if (!figures || figures.steps.length === 0) return null;
  return html`<p class="note">
    In the first repetition of the first proxy:
    ${figures.steps.map(({ seconds, what }) => `${figure(seconds)} s ${what}`).join("; ")}.
  </p>`;
}

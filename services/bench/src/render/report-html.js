/**
 * report.html: one file that opens from disk, without a network and without script. Each section is a file of sections/.
 *
 * @import { Analysis } from "../analyse/types.js"
 * @import { PlannedCell } from "../model/plan.ts"
 * @import { Html } from "./html.js"
 * @import { Curves } from "./model.js"
 */
import { counted } from "../numbers.js";
import { experimentSentences } from "./experiment-texts.js";
import { html } from "./html.js";
import { headline, runState } from "./model.js";
import { Page, unbroken } from "./report-page.js";
import { aroundEvents } from "./sections/around-events.js";
import { eventMatrix } from "./sections/event-matrix.js";
import { stalls, storms } from "./sections/storms-and-stalls.js";
import { badAnswersCallout } from "./sections/errors-callout.js";
import { firstScreen } from "./sections/first-screen.js";
import { verdicts } from "./sections/answers.js";
import { machineIndex } from "./sections/index-tables.js";
import { noiseFloor } from "./sections/noise-floor.js";
import { tables } from "./sections/main-tables.js";
import { files } from "./sections/files.js";
import { handshakes } from "./sections/handshake-kinds.js";
import { multiplexed } from "./sections/multiplexed.js";
import { networkCost, networkCostTitle } from "./sections/network-cost.js";
import { cpuByPlace } from "./sections/cpu-by-place.js";
import { capacity } from "./sections/under-promise.js";
import { charts } from "./sections/chart-groups.js";
import { slopes } from "./sections/held-memory.js";
import { overTime } from "./sections/over-time.js";
import { delays, equalLoads } from "./sections/set-rates.js";
import { tls } from "./sections/tls-cost.js";
import { publishedStudy } from "./sections/published-study.js";
import { validity } from "./sections/validity.js";
import { gaps } from "./sections/gaps.js";
import { environment } from "./sections/environment-details.js";
import { advice } from "./sections/open-advice.js";
import { repeat } from "./sections/repeat.js";
import { reading } from "./sections/reading.js";
import { data } from "./sections/run-data.js";
import { versionsText } from "./measured-versions.js";
import { wholePage } from "./whole-page.js";

/** The order of the report. @type {{id: string, title: string | ((page: Page) => string), content: (page: Page) => Html | null}[]} */
const SECTIONS = [
  { id: "verdicts", title: "Verdicts", content: verdicts },
  { id: "events", title: "Event by event", content: aroundEvents },
  { id: "storm", title: "Everyone comes back", content: storms },
  { id: "slow-readers", title: "Clients that do not read", content: stalls },
  { id: "capacity", title: "The most under a promise", content: capacity },
  { id: "charts", title: "Charts", content: charts },
  { id: "slopes", title: "Memory over held connections", content: slopes },
  { id: "course", title: "Over time", content: overTime },
  { id: "noise", title: "Noise floor", content: noiseFloor },
  { id: "index", title: "Machine index", content: machineIndex },
  { id: "figures", title: "Figures", content: tables },
  { id: "delays", title: "Delay at a fixed rate", content: delays },
  { id: "equal-load", title: "Cost at equal load", content: equalLoads },
  { id: "files", title: "Files by size", content: files },
  { id: "handshakes", title: "Handshakes by key, version and session", content: handshakes },
  { id: "multiplexed", title: "WebSockets that share a connection", content: multiplexed },
  { id: "network-cost", title: networkCostTitle, content: networkCost },
  { id: "places", title: "CPU by place", content: cpuByPlace },
  { id: "tls", title: "What TLS costs", content: tls },
  { id: "published", title: "Compared with published results", content: publishedStudy },
  { id: "validity", title: "Validity", content: validity },
  { id: "unmeasured", title: "Not measured", content: gaps },
  { id: "environment", title: "Environment", content: environment },
  { id: "advice", title: "Host settings to change", content: advice },
  { id: "repeat", title: "Repeat it", content: repeat },
  { id: "reading", title: "How to read it", content: reading },
  { id: "data", title: "Data", content: data },
];

/**
 * @param {Analysis} analysis
 * @param {{curves: Curves}} options
 * @returns {string} a whole page; it refers to nothing but `results.csv` and `results.json` beside it
 */
export function renderHtml(analysis, { curves }) {
  const { results } = analysis;
  const page = new Page(analysis, curves);
  const sections = SECTIONS.flatMap(({ id, title, content }) => {
    const made = content(page);
    if (!made) return [];
    return [{ id, title: typeof title === "string" ? title : title(page), content: made }];
  });
  const state = runState(results);
  const body = html`<header>
      <h1>${results.plan.title}</h1>
      ${badAnswersCallout(page)}${eventMatrix(page)}
      ${experimentSentences(analysis).map((sentence) => html`<p class="choice">${unbroken(sentence)}</p>`)}
      ${firstScreen(page)}
      <p class="note">${versionsText(results)} ${headline(analysis)}</p>
      <p class="state${!state.complete && " incomplete"}">${state.sentence}</p>
      ${missingCells(state.missing)}
      <nav aria-label="Contents">
        ${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}
      </nav>
    </header>
    <main>
      ${sections.map(
        ({ id, title, content }) =>
          html`<section aria-labelledby="${id}">
            <h2 id="${id}">${title}</h2>
            ${content}
          </section>`,
      )}
    </main>
    <footer>
      <p>Run ${results.run.name}, made by ws-proxy-bench from the records of that run alone.</p>
    </footer>`;
  return wholePage({ title: results.plan.title, body });
}

/** @param {PlannedCell[]} missing */
function missingCells(missing) {
  return (
    missing.length > 0 &&
    html`<details>
      <summary>${counted(missing.length, "cell")} that did not run</summary>
      <p class="values"><small>${missing.map(({ id }) => id).join(", ")}</small></p>
    </details>`
  );
}

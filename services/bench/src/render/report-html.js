/**
 * report.html: one file that opens from disk, without a network and without script.
 *
 * @import { AnalysedCell, Analysis, Answer, Claim, Finding, PublishedStudy, Setting } from "../analyse/types.js"
 * @import { CellRecord, PlannedCell } from "../record/types.js"
 * @import { Figure } from "./charts.js"
 * @import { Html } from "./html.js"
 * @import { Column, Curves, Entry, Table } from "./model.js"
 */
import { count, counted, figure, NONE, probability, range, ratio } from "../numbers.js";
import { comparesServers, schemeName } from "../analyse/scenarios.js";
import { CONTROL } from "../plan/proxies.js";
import { badAnswersCallout } from "./sections/bad-answers.js";
import { keyMark, SIZES, svgElement } from "./charts.js";
import { figureGroups, tlsFigures } from "./figures.js";
import { files, sizesTable } from "./sections/files.js";
import { handshakes } from "./sections/tls.js";
import { html, jsonInScript, trusted } from "./html.js";
import { cpuByPlace } from "./sections/cpu-by-place.js";
import { slopes } from "./sections/held-memory.js";
import { SCRIPT, STYLE } from "./style.js";
import {
  columnOf,
  comparisonOf,
  dated,
  entryOf,
  findingSentence,
  headline,
  headlines,
  KEYS,
  looks,
  machineLine,
  mainTable,
  rankText,
  runState,
  selfTable,
  settingFindings,
  time,
  tlsPairs,
  unmeasured,
} from "./model.js";

/** What goes through all sections: the data, and marks and ids that must be the same or unique in the whole page. */
class Page {
  /**
   * @param {Analysis} analysis
   * @param {Curves} curves
   */
  constructor(analysis, curves) {
    this.analysis = analysis;
    this.curves = curves;
    this.looks = looks(analysis.results);
    this.marks = Object.fromEntries(
      Object.entries(this.looks).map(([name, look]) => [name, trusted(keyMark(look))]),
    );
    this.figures = 0;
  }

  /**
   * @param {string} name
   * @returns {Html} mark and title of a proxy
   */
  proxy(name) {
    return html`${this.marks[name]}${this.looks[name]?.label ?? name}`;
  }

  /**
   * Three beside one another are as wide as one on a phone; two are drawn for either, and the style shows the one that fits.
   *
   * @param {Figure[]} figures
   */
  charts(figures) {
    const isThree = figures.length % 3 === 0;
    const drawn = (/** @type {Figure} */ one, /** @type {"narrow" | "wide"} */ size) =>
      html`<div class="${size}">
        ${trusted(svgElement(one, SIZES[size], `figure-${++this.figures}`))}
      </div>`;
    return html`<div class="charts ${isThree ? "three" : "two"}">
      ${figures.map(
        (one) =>
          html`<figure>
            <figcaption>${one.title}</figcaption>
            ${drawn(one, "narrow")}${!isThree && drawn(one, "wide")}
          </figure>`,
      )}
    </div>`;
  }
}

/** The order of the report. @type {{id: string, title: string, content: (page: Page) => Html | null}[]} */
const SECTIONS = [
  { id: "verdicts", title: "Verdicts", content: verdicts },
  { id: "noise", title: "Noise floor", content: noiseFloor },
  { id: "figures", title: "Figures", content: tables },
  { id: "files", title: "Files by size", content: files },
  { id: "handshakes", title: "Handshakes by key, version and session", content: handshakes },
  { id: "places", title: "CPU by place", content: cpuByPlace },
  { id: "charts", title: "Charts", content: charts },
  { id: "slopes", title: "Memory over held connections", content: slopes },
  { id: "tls", title: "What TLS costs", content: tls },
  { id: "published", title: "Beside what was published", content: publishedStudy },
  { id: "validity", title: "Validity", content: validity },
  { id: "unmeasured", title: "What could not be measured", content: gaps },
  { id: "environment", title: "Environment", content: environment },
  { id: "advice", title: "Open advice", content: advice },
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
    return made ? [{ id, title, content: made }] : [];
  });
  const state = runState(results);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${results.plan.title}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(STYLE)}
        </style>
      </head>
      <body>
        <header>
          <h1>${results.plan.title}</h1>
          <p class="lead">${headline(analysis)}</p>
          <p class="state${!state.complete && " incomplete"}">${state.sentence}</p>
          ${missingCells(state.missing)}${badAnswersCallout(page)}
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
        </footer>
        <script>
          ${trusted(SCRIPT)};
        </script>
      </body>
    </html> `.toString();
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

/** @param {Page} page */
function verdicts({ analysis: { lead, verdicts } }) {
  if (verdicts.length === 0) return html`<p>This run answers no question.</p>`;
  return html`<ul class="shared">
      ${lead.map((sentence) => html`<li>${unbroken(sentence)}</li>`)}
    </ul>
    <ul class="verdicts">
      ${verdicts.map(
        ({ question, answers, caveats }) =>
          html`<li>
            <h3>${question}</h3>
            <dl class="answers">${answers.map(answerHtml)}</dl>
            ${caveatList(caveats)}
          </li>`,
      )}
    </ul>`;
}

/**
 * @param {string} text
 * @returns {string} in which no line ends between a figure and its unit
 */
function unbroken(text) {
  return text.replace(/(?<=\d) (?=(%|µs|ms|s|MB|kB|times)(?!\w))/g, "\u00a0");
}

/** @param {Answer} answer */
function answerHtml({ over, text, caveats }) {
  return html`<dt>${over}</dt>
    <dd>
      <p>${unbroken(text)}</p>
      ${caveatList(caveats)}
    </dd>`;
}

/** @param {string[]} caveats */
function caveatList(caveats) {
  return (
    caveats.length > 0 &&
    html`<ul class="caveats">
      ${caveats.map((caveat) => html`<li>${unbroken(caveat)}.</li>`)}
    </ul>`
  );
}

/** @param {Page} page */
function noiseFloor(page) {
  const { aa } = page.analysis;
  if (!aa) return null;
  const names = ["Measure", "Copy / original", "Outcome", "p", "Original", "Copy"];
  const [original, copy] = [aa.proxy, aa.copy].map((name) => page.proxy(name));
  return html`<p class="note">
      Medians over the rounds, and the ratio of the copy's to the original's; below each its
      interval, or the lowest and the highest round where there are too few. The original is
      ${original}, the copy ${copy}. p: two-sided Mann–Whitney, Holm-corrected over all comparisons
      of this run.
    </p>
    ${aa.settings.map(
      ({ setting, measures }) =>
        html`<h3>${setting.title}</h3>
          ${scroll(
            `Noise floor, ${setting.title}`,
            html`<table class="self">
              <thead>
                <tr>
                  ${names.map(
                    (name, i) =>
                      html`<th scope="col" class="${i > 0 && name !== "Outcome" && "number"}">
                        ${name}
                      </th>`,
                  )}
                </tr>
              </thead>
              <tbody>
                ${selfTable(page.analysis, measures).map(
                  (entry) =>
                    html`<tr>
                      <th scope="row">${entry.title}</th>
                      <td class="number"><b>${entry.ratio}</b><small>${entry.spread}</small></td>
                      <td>
                        <span class="label ${OUTCOME_CLASSES[entry.outcome]}"
                          >${entry.outcome}</span
                        >
                      </td>
                      <td class="number">${entry.p}</td>
                      ${entry.medians.map(
                        (median, i) =>
                          html`<td class="number">
                            ${median}<small>${entry.intervals[i]}</small>
                          </td>`,
                      )}
                    </tr>`,
                )}
              </tbody>
            </table>`,
          )}`,
    )}`;
}

const OUTCOME_CLASSES = { tie: "ok", differs: "failed", "cannot be told": "cannot" };

/** @param {Page} page */
function tables(page) {
  const { analysis } = page;
  return html`${analysis.settings.map((setting) => {
    const table = mainTable(analysis, setting);
    const findings = settingFindings(analysis, setting, table.columns);
    return html`<h3>${setting.title}</h3>
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
      setting.title,
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
function columnTitle({ measure, unit, relativeTo }) {
  const shown = [unit, relativeTo && `× ${relativeTo}`].filter(Boolean).join(" · ");
  const better = measure.better === "higher" && html`<small>higher is better</small>`;
  return html`${measure.title}${shown && html`<small>${shown}</small>`}${better}`;
}

/**
 * @param {Entry} entry
 * @param {string[]} reasons
 */
function entryHtml({ value, median, spread, ratio, rank, mark, missing }, reasons) {
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
    ><small>${ratio}</small>${mark && html`<span class="label invalid">${mark}</span>`}
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
        <td>${rankText(row) || NONE}</td>
        <td class="number">${probability(row.p)}</td>
        <td class="number">${ratio(comparison.detectableRatio)}</td>
        <td class="text">${row.missing ?? ""}</td>
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
      `All measures of ${setting.title}`,
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

/** @param {Page} page */
function charts(page) {
  const groups = figureGroups(page.analysis, page.curves);
  if (groups.length === 0) return null;
  return html`<ul class="keys" aria-label="Proxies in all charts">
      ${page.analysis.results.proxies.map(({ name }) => html`<li>${page.proxy(name)}</li>`)}
    </ul>
    ${groups.map(
      ({ title, note, figures }) =>
        html`<h3>${title}</h3>
          <p class="note">${note}</p>
          ${page.charts(figures)}`,
    )}`;
}

/** @param {Page} page */
function tls(page) {
  const { analysis } = page;
  const pairs = tlsPairs(analysis);
  if (pairs.length === 0 || analysis.aa) return null;
  const figures = tlsFigures(analysis);
  const keys = [
    KEYS.cpuPerHandshake,
    KEYS.cpuPerRequest,
    KEYS.handshake,
    KEYS.request,
    KEYS.peakMemory,
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
          <td>${wss.title}</td>
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

/** @param {Page} page */
function publishedStudy(page) {
  const { analysis } = page;
  const { published, results, settings } = analysis;
  if (!published) return null;
  const year = results.run.startedAt.slice(0, 4);
  return html`<p>
      <b
        >Another machine and another time${published.year && `, ${published.year}`}: order and
        ratios can be compared with today's, single figures cannot.</b
      >
      ${published.note}
    </p>
    <p>Source: ${source(published.source)}</p>
    <div class="beside">
      <div>
        <h3>${dated(published.title, published)}</h3>
        <p class="note">${published.machine}</p>
        ${publishedTables(published)}
      </div>
      <div>
        <h3>This run, ${year}</h3>
        <p class="note">${machineLine(results.environment)}.</p>
        ${settings
          .filter(({ scenario }) => !comparesServers(scenario))
          .map((setting) => todayTable(page, setting))}
        ${
          settings.some(({ scenario }) => comparesServers(scenario)) &&
          sizesTable(page, KEYS.total, "Seconds for all requests, today")
        }
      </div>
    </div>
    <h3>What was claimed, and what this run says</h3>
    ${scroll(
      "Claims",
      html`<table>
        <thead>
          <tr>
            <th scope="col">${published.year ? `Claim of ${published.year}` : "Claim"}</th>
            <th scope="col">Outcome</th>
            <th scope="col">Today</th>
          </tr>
        </thead>
        <tbody>
          ${published.claims.map(
            ({ claim, outcome, today }) =>
              html`<tr>
                <td class="text">${claim}</td>
                <td>${outcomeLabel(outcome)}</td>
                <td class="text">${today}</td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}`;
}

/** @param {string} text an address becomes a link; nothing is loaded from it */
function source(text) {
  return /^https?:\/\/\S+$/.test(text) ? html`<a href="${text}">${text}</a>` : text;
}

/** @param {Claim["outcome"]} outcome */
function outcomeLabel(outcome) {
  const [mark, name] = {
    holds: ["✓", "holds"],
    "no longer": ["✗", "no-longer"],
    "cannot be told here": ["?", "cannot"],
  }[outcome];
  return html`<span class="label ${name}">${mark} ${outcome}</span>`;
}

/** @param {PublishedStudy} published */
function publishedTables(published) {
  return published.tables.map(({ title, columns, rows }) =>
    scroll(
      dated(title, published),
      html`<table class="names">
        <caption>
          ${dated(title, published)}
        </caption>
        <thead>
          <tr>
            ${columns.map((name, i) => html`<th scope="col" class="${i > 0 && "number"}">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((value, i) =>
                  i === 0
                    ? html`<th scope="row">${value ?? NONE}</th>`
                    : html`<td class="number">${asPublished(value)}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>`,
    ),
  );
}

/** @param {string | number | null} value with the digits it was published with */
function asPublished(value) {
  if (value === null) return NONE;
  return typeof value === "number" ? value.toLocaleString("en") : value;
}

/**
 * @param {Page} page
 * @param {Setting} setting
 */
function todayTable(page, setting) {
  const columns = headlines(page.analysis, setting).filter(({ measure }) =>
    [
      KEYS.handshake,
      KEYS.latency,
      KEYS.total,
      KEYS.requestsPerSecond,
      KEYS.request,
      KEYS.errors,
      KEYS.socketErrors,
    ].includes(measure.key),
  );
  const { rows } = mainTable(page.analysis, setting, columns);
  return scroll(
    `${setting.title}, today`,
    html`<table class="names">
      <caption>
        ${setting.title}, today
      </caption>
      <thead>
        <tr>
          <th scope="col">proxy</th>
          ${columns.map(
            ({ measure, unit }) =>
              html`<th scope="col" class="number">${measure.title}${unit && `, ${unit}`}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ proxy, entries }) =>
            html`<tr>
              <th scope="row">${page.proxy(proxy)}</th>
              ${entries.map(
                ({ median, mark }) =>
                  html`<td class="number">
                    ${median}${mark && html`<span class="label invalid">${mark}</span>`}
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/** @param {Pick<Finding, "severity" | "message">[]} findings */
function findingList(findings) {
  return (
    findings.length > 0 &&
    html`<ul class="findings">
      ${findings.map(
        (finding) =>
          html`<li>
            <span class="label ${finding.severity}">${finding.severity}</span>
            ${unbroken(findingSentence(finding))}
          </li>`,
      )}
    </ul>`
  );
}

/** @param {Page} page */
function validity(page) {
  const { findings, cells, settings, results } = page.analysis;
  const known = new Set(settings.map(({ key }) => key));
  const groups = [
    ...settings.map(({ key, title }) => ({
      title,
      cells: cells.filter(({ setting }) => setting === key),
    })),
    { title: "Other cells", cells: cells.filter(({ setting }) => !known.has(setting)) },
  ].filter((group) => group.cells.length > 0);
  const isCounted = cells.filter((cell) => cell.counted).length;
  return html`${findingList(findings) || html`<p>No finding about the whole run.</p>`}
    <p>
      Of ${counted(cells.length, "recorded attempt")} ${count(isCounted)} count. Seed of the order:
      ${String(results.plan.seed)}.
    </p>
    ${groups.map(({ title, cells }) => {
      const left = cells.filter((cell) => !cell.counted).length;
      return html`<details>
        <summary>
          ${title}: ${counted(cells.length, "attempt")}${left > 0 && `, ${count(left)} not counted`}
        </summary>
        ${cellTable(page, title, cells)}
      </details>`;
    })}`;
}

/**
 * @param {Page} page
 * @param {string} title
 * @param {AnalysedCell[]} cells
 */
function cellTable(page, title, cells) {
  const columns = Object.values(KEYS).flatMap((key) => {
    const measure = page.analysis.measures.find((one) => one.key === key);
    return measure && cells.some(({ measures }) => measure.key in measures) ? [measure] : [];
  });
  const names = ["Cell", "Status", "Phases, s", "Connections or requests"];
  return scroll(
    `Cells of ${title}`,
    html`<table class="sortable cells">
      <caption>
        In the order in which they ended.
      </caption>
      <thead>
        <tr>
          ${names.map((name) => html`<th scope="col">${name}</th>`)}
          ${columns.map(
            ({ title, unit }) =>
              html`<th scope="col" class="number">
                ${title}${unit && html`<small>${unit === "bytes" ? "MB" : unit}</small>`}
              </th>`,
          )}
          <th scope="col">Seen</th>
          <th scope="col">Cause and findings</th>
        </tr>
      </thead>
      <tbody>
        ${cells.map(
          ({ record, measures, findings, counted }) =>
            html`<tr>
              <th scope="row">
                ${page.marks[record.proxy]}${record.id}<small
                  >attempt ${record.attempt}, ${time(record.startedAt)}</small
                >
              </th>
              <td>${statusLabel(record, counted)}</td>
              <td>${phases(record)}</td>
              <td>${connections(record)}${requests(record)}</td>
              ${columns.map(({ key, unit }) => {
                const divisor = unit === "bytes" ? 1e6 : 1;
                const value = measures[key];
                return html`<td class="number" data-value="${value ?? ""}">
                  ${figure(value === undefined ? null : value / divisor)}
                </td>`;
              })}
              <td class="text"><small>${seen(record)}</small></td>
              <td class="text">
                ${record.cause && html`<b>${record.cause.kind}</b> ${record.cause.message}`}${findingList(
                  findings,
                )}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/**
 * @param {CellRecord} record
 * @param {boolean} counted
 */
function statusLabel({ status }, counted) {
  if (status === "ok" && !counted)
    return html`<span class="label uncounted">ok, not counted</span>`;
  return html`<span class="label ${status}">${status}</span>`;
}

/** @param {CellRecord} record */
function phases({ phases }) {
  const reached = Object.entries(phases).map(([name, seconds]) => {
    return html`<small>${name.replace("warmUp", "warm up")} ${figure(seconds)} </small>`;
  });
  return reached.length > 0 ? reached : NONE;
}

/** @param {CellRecord} record */
function connections({ connections, requests }) {
  if (!connections) return requests ? "" : NONE;
  const { asked, opened, failed, failedByCause } = connections;
  const causes = Object.entries(failedByCause).map(([cause, n]) => `${cause} ${count(n)}`);
  return html`${count(opened)} of
  ${count(asked)}${failed > 0 && html`<small>${count(failed)} failed: ${causes.join(", ")}</small>`}`;
}

/** @param {CellRecord} record */
function requests({ requests }) {
  // Runs that are older than such scenarios do not have it at all.
  if (!requests) return null;
  const { completed, non2xx, socketErrors } = requests;
  const errors = Object.entries(socketErrors).filter(([, n]) => n > 0);
  return html`${counted(completed, "answer")}${
    non2xx > 0 && html`<small>${count(non2xx)} neither 2xx nor 3xx</small>`
  }${errors.map(([kind, n]) => html`<small>${kind} ${count(n)}</small>`)}`;
}

/**
 * @param {CellRecord} record
 * @returns {string} the evidence that the cell was what it should be
 */
function seen({ tls, containers, echoWorkers, machine, loadCores, totalSeconds }) {
  const load = Object.values(containers)
    .filter(({ role }) => role === "load")
    .reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
  const throttled = Object.entries(containers).filter(([, { cpu }]) => cpu.throttledSeconds > 0);
  const parts = [
    tls &&
      `${tls.version} ${tls.cipher} ${tls.group} ${tls.keyType}, ${tls.resumed ? "resumed" : "not resumed"}`,
    load > 0 &&
      totalSeconds &&
      `load used ${figure(load)} s CPU of ${figure(loadCores * totalSeconds)} s`,
    echoWorkers &&
      `echo workers had ${echoWorkers.map((one) => count(one.connections)).join(" + ")} connections`,
    machine &&
      `steal ${figure(machine.stealSeconds)} s, foreign ${figure(machine.foreignSeconds)} s`,
    ...throttled.map(([name, { cpu }]) => `${name} throttled ${figure(cpu.throttledSeconds)} s`),
  ];
  return parts.filter(Boolean).join("; ") || NONE;
}

/** @param {Page} page */
function gaps({ analysis, curves }) {
  const list = unmeasured(analysis, curves);
  if (list.length === 0) return html`<p>Nothing that was planned.</p>`;
  return html`<dl>
    ${list.map(
      ({ what, why }) =>
        html`<dt>${why}</dt>
          <dd class="values">${what}</dd>`,
    )}
  </dl>`;
}

/** @param {Page} page */
function environment({ analysis }) {
  const { identity, details } = analysis.results.environment;
  const groups = Object.entries({ ...details, "Must be the same to resume": identity });
  return html`${groups.map(
    ([name, values]) =>
      html`<details>
        <summary>
          ${name} <small>${counted(Object.keys(values).length, "entry", "entries")}</small>
        </summary>
        <div class="scroll">
          <table class="values">
            <tbody>
              ${Object.entries(values).map(
                ([label, value]) =>
                  html`<tr>
                    <th scope="row">${label}</th>
                    <td>${value === null ? "not readable" : String(value)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </details>`,
  )}`;
}

/** @param {Page} page */
function advice({ analysis }) {
  const { advice } = analysis.results.environment;
  if (advice.length === 0) return html`<p>None: this machine was set as advised.</p>`;
  return scroll(
    "Open advice",
    html`<table>
      <caption>
        Host settings that were not as this benchmark advises while it ran.
      </caption>
      <thead>
        <tr>
          ${["Setting", "Weight", "Found", "Advised", "Why", "What to do"].map(
            (name) => html`<th scope="col">${name}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${advice.map(
          ({ setting, found, expected, why, fix, severity }) =>
            html`<tr>
              <th scope="row">${setting}</th>
              <td><span class="label ${severity}">${severity}</span></td>
              <td>${found}</td>
              <td>${expected}</td>
              <td class="text">${why}</td>
              <td class="text"><code>${fix}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/** @param {Page} page */
function repeat({ analysis }) {
  const { run, plan } = analysis.results;
  return html`<pre><code>${run.command}</code></pre>
    <p class="note">
      Seed ${String(plan.seed)}, ${counted(plan.rounds, "round")}, CPU budget of the proxy
      ${plan.proxyCpus > 0 ? counted(plan.proxyCpus, "core") : "none"}, ${plan.keyType} key.
    </p>`;
}

/** @param {Page} page */
function reading({ analysis }) {
  const { confidence, noiseFloor, aa, measures } = analysis;
  const level = `${Math.round(confidence * 100)} %`;
  const floor = aa
    ? "This is such a run."
    : noiseFloor
      ? `That of run ${noiseFloor.run}, on this environment, stands above the verdicts; of all measures: ${Object.entries(
          noiseFloor.ratios,
        )
          .map(([key, value]) => `${titleOf(analysis, key)} ${ratio(value)}`)
          .join("; ")}.`
      : "There was none on this environment, so the floor is not known. ./bench aa PROXY makes one.";
  /** @type {[string, string][]} */
  const terms = [
    [
      "Handshake",
      "From opening the socket to its open event, seen by the client: TCP, TLS with wss, the HTTP upgrade, and the wait in the generator.",
    ],
    [
      "Request",
      "Over HTTP, from the start of a request to the last byte of its answer; where each opens a connection, from the start of that. A bad answer is neither 2xx nor 3xx, of a wrong length, too late, or never comes.",
    ],
    ["Echo latency", "From sending a message to its echo, which must be the bytes that were sent."],
    [
      "Control",
      "The same load on the echo server with no proxy between. What a proxy adds is its difference to the control; the control has no rank.",
    ],
    [
      "Round",
      "Every proxy once under every setting, in random order. Rounds follow one another, so that a slow drift of the machine meets all alike.",
    ],
    [
      "Interval",
      `A range that holds the true median in ${level} of such runs. It supposes nothing about the shape of the distribution. With few rounds there is none; then the lowest and the highest round are shown.`,
    ],
    [
      "Rank",
      "Proxies between which no difference is seen share a rank, shown as 1 =. That is not proof of equality: see the smallest difference that the run could have seen.",
    ],
    [
      "Noise floor",
      `In an A/A run a proxy is compared with a copy of itself, and must come out as a tie. How far apart the two were is the floor: a difference between two proxies that is no larger is noise. ${floor}`,
    ],
    [
      "Closed loop",
      "A fixed number of connections is open at a time, and the next starts when one has closed. A slow proxy is asked less. So latencies are those of a full queue, and not those at a given rate of requests; CPU per operation does not depend on it.",
    ],
    [
      "Not counted",
      "A failed cell, and one with a finding called invalid, is shown and enters no figure. Weak: it enters, to be read with care.",
    ],
  ];
  return html`<dl>
      ${terms.map(
        ([term, meaning]) =>
          html`<dt>${term}</dt>
            <dd>${meaning}</dd>`,
      )}
    </dl>
    <details>
      <summary>Every measure, and how it was got</summary>
      <dl>
        ${measures.map(
          ({ title, description, unit, better }) =>
            html`<dt>
                ${title}${unit && `, ${unit === "bytes" ? "MB or kB (10⁶ or 10³ bytes)" : unit}`}
              </dt>
              <dd>${description} ${better === "lower" ? "Lower" : "Higher"} is better.</dd>`,
        )}
      </dl>
    </details>`;
}

/** @param {Page} page */
function data({ analysis }) {
  const { results } = analysis;
  return html`<p>
      Every recorded cell is inside this file. Beside it lie <a href="results.csv">results.csv</a>,
      one line a cell, and <a href="results.json">results.json</a>.
    </p>
    <p>
      <button class="save" type="button" hidden data-name="${results.run.name}.json">
        Save the data of this file
      </button>
    </p>
    <script type="application/json" id="results">
      ${jsonInScript(results)}
    </script>`;
}

/**
 * A table that is wider than the page moves in a box of its own, by touch or, focused, by the arrow keys.
 *
 * @param {string} label
 * @param {Html} table
 */
function scroll(label, table) {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">${table}</div>`;
}

/**
 * @param {Analysis} analysis
 * @param {string} key
 */
function titleOf({ measures }, key) {
  return measures.find((measure) => measure.key === key)?.title ?? key;
}

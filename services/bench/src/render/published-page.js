/**
 * One page over all published runs: questions, and under each what every run says to it. With its script a reader chooses question,
 * scheme and proxies; without it everything stands there as tables.
 *
 * @import { PublishedRun } from "../analyse/claim-table.js"
 * @import { Contest } from "../analyse/types.js"
 * @import { ClaimEntry } from "./claim-rows.js"
 * @import { Look } from "./charts.js"
 * @import { ContestText } from "./contest-texts.js"
 * @import { Html } from "./html.js"
 */
import { contestsOf } from "../analyse/contests.js";
import { keyMark } from "./charts.js";
import { claimCounts, dayOf, HOW_CLAIMS_ARE_TOLD } from "./claim-rows.js";
import { contestText } from "./contest-texts.js";
import { gapsOf, glanceOf } from "./glance.js";
import { html, trusted } from "./html.js";
import { versionsText } from "./measured-versions.js";
import { headline, machineLine } from "./model.js";
import { looksIn } from "./published-looks.js";
import { caveatList, scroll, unbroken } from "./report-page.js";
import { bar } from "./sections/first-screen.js";
import { outcomeLabel } from "./sections/published-study.js";
import { CHOOSING, CHOOSING_STYLE } from "./style.js";
import { wholePage } from "./whole-page.js";
import { roundsText } from "./words.js";

/** @type {Contest["question"][]} */
const ORDER = [
  "best",
  "delay",
  "memory",
  "footprint",
  "tls",
  "capacity",
  "course",
  "lost",
  "failed",
  "newcomers",
  "storm",
  "stall",
  "leak",
  "handshake",
  "added",
];

/**
 * @typedef {object} Entry what a run says to a question over a scheme
 * @property {PublishedRun} run
 * @property {Contest} contest
 * @property {ContestText} text
 *
 * @typedef {{title: string, entries: Entry[]}} Question
 *
 * @typedef {object} Shown how proxies are shown, by name
 * @property {Record<string, Look>} looks
 * @property {Record<string, Html>} marks
 */

/**
 * @param {PublishedRun[]} runs one at least, the newest first
 * @returns {string}
 */
export function renderPublishedPage(runs) {
  const questions = questionsOf(runs);
  const shown = shownIn(runs);
  const gaps = gapsOf(runs);
  const days = runs.map(({ analysis }) => analysis.results.run.startedAt.slice(0, 10)).sort();
  const [first, last] = [days[0], days[days.length - 1]];
  const body = html`<header>
      <h1>Which proxy for WebSockets?</h1>
      <p class="lead">
        What the published runs of ws-proxy-bench say,
        ${first === last ? first : `${first} to ${last}`}. Ratios compare within a run. Each table
        names the run, its date, what its figures are held against, and links to its report.
      </p>
      <nav aria-label="Contents">
        <a href="#runs">Runs</a> <a href="claims.html">Claims of others</a>
        ${gaps.length > 0 && html`<a href="#unmeasured">Not measured yet</a>`}
      </nav>
      ${chooser(questions, shown)}
    </header>
    <main>
      ${questions.map((question, i) => questionHtml(question, i, shown))}
      <p class="nothing" hidden>No published run has a figure for that choice.</p>
      <section aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        ${runsTable(runs)}
      </section>
      ${
        gaps.length > 0 &&
        html`<section aria-labelledby="unmeasured">
          <h2 id="unmeasured">Not measured yet</h2>
          <ul>
            ${gaps.map(({ title, gap }) => html`<li>${title}: ${gap}</li>`)}
          </ul>
        </section>`
      }
    </main>
    <footer><p>Made by ws-proxy-bench from the records in this folder alone.</p></footer>`;
  return wholePage({
    title: "Which proxy for WebSockets?",
    ...{ body, style: CHOOSING_STYLE, script: CHOOSING },
  });
}

/**
 * @param {PublishedRun[]} runs
 * @returns {Question[]}
 */
function questionsOf(runs) {
  const entries = runs.flatMap((run) =>
    contestsOf(run.analysis).map((contest) => ({
      ...{ run, contest },
      text: contestText(run.analysis, contest),
    })),
  );
  const place = (/** @type {Question} */ { entries: [{ contest }] }) =>
    2 * ORDER.indexOf(contest.question) + Number(contest.measure.unit !== "µs");
  const proxies = (/** @type {Entry} */ { text }) => text.rows.length;
  return (
    [...Map.groupBy(entries, ({ text }) => text.title)]
      .map(([title, own]) => ({
        title,
        entries: own.toSorted(
          (a, b) =>
            Number(a.text.isTls) - Number(b.text.isTls) ||
            Number(a.contest.isFirstLook) - Number(b.contest.isFirstLook) ||
            proxies(b) - proxies(a),
        ),
      }))
      // What is told of most proxies first, questions and runs alike; of two that tell of as many, the newer.
      .toSorted((a, b) => place(a) - place(b) || proxies(b.entries[0]) - proxies(a.entries[0]))
  );
}

/**
 * @param {PublishedRun[]} runs
 * @returns {Shown} without the control
 */
function shownIn(runs) {
  const looks = looksIn(runs);
  const marks = Object.entries(looks).map(([name, look]) => [name, trusted(keyMark(look))]);
  return { looks, marks: Object.fromEntries(marks) };
}

/**
 * @param {Question[]} questions
 * @param {Shown} shown
 */
function chooser(questions, { looks, marks }) {
  return html`<form class="choose" hidden>
    <label
      >Question
      <select name="question">
        ${questions.map(({ title }) => html`<option>${title}</option>`)}
        <option value="">All questions</option>
      </select></label
    >
    <label
      >Scheme
      <select name="scheme">
        <option value="">Plain and TLS</option>
        <option value="plain">Plain: ws, http</option>
        <option value="tls">TLS: wss, https</option>
      </select></label
    >
    <fieldset>
      <legend>Proxies</legend>
      ${Object.entries(looks).map(
        ([name, { label }]) =>
          html`<label
            ><input
              type="checkbox"
              name="proxy"
              value="${name}"
              checked
            />${marks[name]}${label}</label
          >`,
      )}
      <button type="button" name="all">All</button>
      <button type="button" name="none">None</button>
    </fieldset>
  </form>`;
}

/**
 * @param {Question} question
 * @param {number} i its place
 * @param {Shown} shown
 */
function questionHtml({ title, entries }, i, shown) {
  return html`<section class="question" aria-labelledby="question-${i}">
    <h2 id="question-${i}">${title}</h2>
    ${entries.map((entry) => entryHtml(entry, shown))}
  </section>`;
}

/**
 * @param {Entry} entry
 * @param {Shown} shown
 */
function entryHtml({ run, text }, { marks, looks }) {
  const { title, scheme, isTls, load, section, figure, rows, held, caveats } = text;
  const { plan, environment } = run.analysis.results;
  const hasRatios = rows.some(({ cell }) => cell.amount);
  const hasRanks = rows.some(({ cell }) => cell.rank);
  const cells = rows.map(({ cell }) => cell);
  return html`<section
    class="contest"
    data-question="${title}"
    data-scheme="${isTls ? "tls" : "plain"}"
  >
    <h3>${scheme} <small>${load}</small></h3>
    <p class="note">
      <a href="${run.name}/report.html#${section}">${dayOf(run)}</a>, ${roundsText(plan)}.
      ${machineLine(environment)}. ${held}
    </p>
    ${scroll(
      `${title}, ${scheme}, ${run.name}`,
      html`<table class="sortable contest">
        <thead>
          <tr>
            <th scope="col">Proxy</th>
            <th scope="col">${hasRatios ? "× best" : figure}</th>
            ${hasRatios && html`<th scope="col">${figure}</th>`}
            ${hasRanks && html`<th scope="col">Rank</th>`}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ proxy, title, versions, sortBy, cell }) =>
              html`<tr data-proxy="${proxy}" class="${cell.isFirst && "first"}">
                <th scope="row">${marks[proxy]}${title}<small>${versions}</small></th>
                <td data-value="${sortBy ?? ""}">
                  <span class="ratio">${unbroken(cell.text)}</span
                  >${bar(cells, cell, looks[proxy].colour)}<small>${cell.spread}</small>
                </td>
                ${hasRatios && html`<td>${unbroken(cell.amount)}</td>`}
                ${hasRanks && html`<td>${cell.rank}</td>`}
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}
    ${
      caveats.length > 0 &&
      html`<details>
        <summary>Before you repeat it</summary>
        ${caveatList(caveats)}
      </details>`
    }
  </section>`;
}

/** @param {PublishedRun[]} runs */
function runsTable(runs) {
  return scroll(
    "Published runs",
    html`<table class="texts sortable">
      <thead>
        <tr>
          ${["Run", "Day", "What it was", "Versions", "In a sentence"].map(
            (title) => html`<th scope="col">${title}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${runs.map(
          ({ name, analysis }) =>
            html`<tr>
              <th scope="row"><a href="${name}/report.html">${name}</a></th>
              <td>${analysis.results.run.startedAt.slice(0, 10)}</td>
              <td class="text">${headline(analysis)}</td>
              <td class="text">${versionsText(analysis.results)}</td>
              <td class="text">${glanceOf(analysis)?.sentence}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/**
 * @param {ClaimEntry[]} claims
 * @returns {string}
 */
export function renderClaimsPage(claims) {
  const body = html`<header>
      <h1>What others claimed, held against today's runs</h1>
      <p class="lead">${claimCounts(claims)}</p>
      <p class="note">${HOW_CLAIMS_ARE_TOLD}</p>
      <nav aria-label="Contents"><a href="index.html">Which proxy for WebSockets?</a></nav>
    </header>
    <main>
      ${scroll(
        "Claims",
        html`<table class="sortable claims">
          <thead>
            <tr>
              ${["Claim", "Claimed by", "Outcome", "Today", "Report"].map(
                (title) => html`<th scope="col">${title}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${claims.map(
              ({ claim, by, state, today, run }) =>
                html`<tr>
                  <td class="text">${claim}</td>
                  <td class="by">${by}</td>
                  <td>${outcomeLabel(state)}</td>
                  <td class="text">${unbroken(today)}</td>
                  <td>${run && html`<a href="${run}/report.html#published">${run}</a>`}</td>
                </tr>`,
            )}
          </tbody>
        </table>`,
      )}
    </main>
    <footer><p>Made by ws-proxy-bench from the records in this folder alone.</p></footer>`;
  return wholePage({ title: "Claims of others", body, style: CHOOSING_STYLE });
}

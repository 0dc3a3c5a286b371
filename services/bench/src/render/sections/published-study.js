/**
 * What was published elsewhere beside this run, and its claims held against it.
 *
 * @import { ClaimState } from "../../analyse/claim-table.js"
 * @import { PublishedStudy, Setting } from "../../analyse/types.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { NONE } from "../../numbers.js";
import { comparesServers } from "../../analyse/settings.js";
import { claimText, toldClaims, untoldText } from "../claim-texts.js";
import { html } from "../html.js";
import { dated, headlines, KEYS, machineLine, mainTable } from "../model.js";
import { scroll } from "../report-page.js";
import { sizesTable } from "./files.js";

/** @param {Page} page */
export function publishedStudy(page) {
  const { analysis } = page;
  const { published, results, settings } = analysis;
  if (!published) return null;
  const claims = toldClaims(published);
  const year = results.run.startedAt.slice(0, 4);
  return html`<p>
      <b
        >Another machine, another time${published.year && `, ${published.year}`}: order and ratios
        can be compared, absolute figures cannot.</b
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
          .filter(({ workload }) => !comparesServers(workload))
          .map((setting) => todayTable(page, setting))}
        ${
          settings.some(({ workload }) => comparesServers(workload)) &&
          sizesTable(page, KEYS.total, "Seconds for all requests, today")
        }
      </div>
    </div>
    <h3>Published claims against this run</h3>
    ${
      claims.length > 0 &&
      scroll(
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
            ${claims.map(
              (told) =>
                html`<tr>
                  <td class="text">${told.claim.claim}</td>
                  <td>${outcomeLabel(told.claim.outcome)}</td>
                  <td class="text">${claimText(told, analysis)}</td>
                </tr>`,
            )}
          </tbody>
        </table>`,
      )
    }
    <p>${untoldText(published)}</p>`;
}

/** @param {string} text an address becomes a link; nothing is loaded from it */
function source(text) {
  return /^https?:\/\/\S+$/.test(text) ? html`<a href="${text}">${text}</a>` : text;
}

/** Of what is decided: mark and class. @type {Partial<Record<ClaimState, [string, string]>>} */
const DECIDED = { holds: ["✓", "holds"], "no longer": ["✗", "no-longer"] };

/** @param {ClaimState} state */
export function outcomeLabel(state) {
  const [mark, name] = DECIDED[state] ?? ["?", "cannot"];
  return html`<span class="label ${name}">${mark} ${state}</span>`;
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
    `${page.settingTitle(setting)}, today`,
    html`<table class="names">
      <caption>
        ${page.settingTitle(setting)}, today
      </caption>
      <thead>
        <tr>
          <th scope="col">proxy</th>
          ${columns.map(
            ({ measure, unit, queue }) =>
              html`<th scope="col" class="number">
                ${measure.title}${unit && `, ${unit}`}${queue && html`<small>${queue}</small>`}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ proxy, entries }) =>
            html`<tr>
              <th scope="row">${page.proxy(proxy)}</th>
              ${entries.map(
                ({ median, p99, mark }) =>
                  html`<td class="number">
                    ${median}${p99 && html`<small>${p99}</small>`}${mark && html`<span class="label invalid">${mark}</span>`}
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

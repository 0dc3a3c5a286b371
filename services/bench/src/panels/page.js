/**
 * index.html of exported panels: a page that refers to nothing but the files beside it.
 *
 * @import { Entry } from "./folder.js"
 * @import { Html } from "../render/html.js"
 *
 * @typedef {Entry & {formats: string[]}} Listed formats: endings of the files that are there
 */
import { html, trusted } from "../render/html.js";
import { STYLE } from "../render/style.js";

/** Beside the style of the report: pictures as they are, each with its files below. */
const OWN_STYLE = `
.panels { display: grid; gap: 28px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 520px), 1fr)); }
.panels img { display: block; width: 100%; height: auto; border: 1px solid var(--line); }
.panels figcaption { margin: 0 0 6px; }
.panels p { margin: 6px 0 2px; }
`;

/**
 * @param {{name: string, caption: string, hasReport: boolean}} run caption: what it was; hasReport: in the folder above
 * @param {Listed[]} entries
 * @returns {string} a whole page
 */
export function pageOf({ name, caption, hasReport }, entries) {
  const dashboards = [...new Set(entries.map(({ dashboard }) => dashboard))];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Panels of ${name}</title>
        <link rel="icon" href="data:," />
        <style>
          ${trusted(STYLE + OWN_STYLE)}
        </style>
      </head>
      <body>
        <header>
          <h1>Panels of ${name}</h1>
          <p>${caption}</p>
          <p class="lead">
            Every picture with its
            data${hasReport && html`; the report is <a href="../report.html">report.html</a>`}.
          </p>
        </header>
        <main>
          ${dashboards.map((dashboard) => {
            const own = entries.filter((entry) => entry.dashboard === dashboard);
            const shown = own.filter(({ noData }) => noData === undefined);
            return html`<h2>${own[0].dashboardTitle}</h2>
              ${[...Map.groupBy(shown, ({ section }) => section)].map(
                ([section, panels]) =>
                  html`${section && html`<h3>${section}</h3>`}
                    <div class="panels">${panels.map(panel)}</div>`,
              )}
              ${withoutData(own)}`;
          })}
        </main>
        <footer><p>Made by ./bench export.</p></footer>
      </body>
    </html> `.toString();
}

/**
 * @param {Listed} entry
 * @returns {Html}
 */
function panel({ title, description, name, formats, failure }) {
  const shown = formats.find((format) => /svg$|png$/.test(format));
  return html`<figure>
    <figcaption>${title}</figcaption>
    ${shown && html`<img src="${name}.${shown}" alt="${title}" loading="lazy" />`}
    ${failure && html`<p><span class="label failed">failed</span> ${failure}</p>`}
    <p class="note">${description}</p>
    <p class="note">${formats.map((format) => html`<a href="${name}.${format}">${format}</a> `)}</p>
  </figure>`;
}

/**
 * @param {Listed[]} entries of a dashboard
 * @returns {Html | string} those that have no files, by the reason; empty: each has some
 */
function withoutData(entries) {
  const reasons = Map.groupBy(
    entries.filter(({ noData }) => noData !== undefined),
    ({ noData }) => noData,
  );
  if (reasons.size === 0) return "";
  return html`<h3>No data</h3>
    <ul>
      ${[...reasons].map(
        ([reason, alike]) =>
          html`<li>${reason}: ${alike.map(({ title }) => title).join("; ")}</li> `,
      )}
    </ul>`;
}

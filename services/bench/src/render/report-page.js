/**
 * What all sections of report.html share: the data, marks and ids, and the parts that they are made of.
 *
 * @import { Analysis, Setting } from "../analyse/types.js"
 * @import { Figure } from "./charts.js"
 * @import { ToldFinding } from "./findings.js"
 * @import { Html } from "./html.js"
 * @import { Curves } from "./model.js"
 */
import { keyMark, SIZES, svgElement } from "./charts.js";
import { html, trusted } from "./html.js";
import { findingSentence } from "./findings.js";
import { looks } from "./model.js";
import { list, settingTitle } from "./words.js";

/** What goes through all sections: the data, and marks and ids that must be the same or unique in the whole page. */
export class Page {
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
    return html`${this.marks[name]}${this.title(name)}`;
  }

  /** @param {Setting} setting */
  settingTitle(setting) {
    return settingTitle(setting, this.analysis.settings);
  }

  /** @param {string} name of a proxy */
  title(name) {
    return this.looks[name]?.label ?? name;
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

/**
 * A table that is wider than the page moves in a box of its own, by touch or, focused, by the arrow keys.
 *
 * @param {string} label
 * @param {Html} table
 */
export function scroll(label, table) {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">${table}</div>`;
}

/**
 * @param {string} text
 * @returns {string} in which no line ends between a figure and its unit
 */
export function unbroken(text) {
  return text.replace(/(?<=\d) (?=(%|µs|ms|s|MB|kB|times)(?!\w))/g, "\u00a0");
}

/** @param {string[]} caveats */
export function caveatList(caveats) {
  return (
    caveats.length > 0 &&
    html`<ul class="caveats">
      ${caveats.map((caveat) => html`<li>${unbroken(caveat)}.</li>`)}
    </ul>`
  );
}

/** @param {ToldFinding[]} findings */
export function findingList(findings) {
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

/**
 * @param {Page} page
 * @param {[proxy: string, text: string][]} answers text: a sentence without its end; said once of all that it is true of
 */
export function answerList(page, answers) {
  return html`<dl class="answers">
    ${[...Map.groupBy(answers, ([, text]) => text)].map(
      ([text, own]) =>
        html`<dt>${list(own.map(([proxy]) => page.title(proxy)))}</dt>
          <dd><p>${unbroken(text)}.</p></dd>`,
    )}
  </dl>`;
}

/**
 * @param {Page} page
 * @param {string} label
 * @param {string[]} columns after the proxy's
 * @param {{proxy: string, isControl: boolean, cells: string[]}[]} rows
 */
export function textTable(page, label, columns, rows) {
  return scroll(
    label,
    html`<table class="texts">
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          ${columns.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ proxy, isControl, cells }) =>
            html`<tr class="${isControl && "control"}">
              <th scope="row">${page.proxy(proxy)}</th>
              ${cells.map((cell) => html`<td>${unbroken(cell)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

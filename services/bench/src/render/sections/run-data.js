/**
 * The record itself, inside of the report.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html, jsonInScript } from "../html.js";

/** @param {Page} page */
export function data({ analysis }) {
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

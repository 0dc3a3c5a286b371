/**
 * The machine, the engine and the versions that the run was made with.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { counted } from "../../numbers.js";
import { html } from "../html.js";

/** @param {Page} page */
export function environment({ analysis }) {
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

/**
 * What was planned and could not be measured.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { unmeasured } from "../model.js";

/** @param {Page} page */
export function gaps({ analysis, curves }) {
  const list = unmeasured(analysis, curves);
  if (list.length === 0) return html`<p>Everything planned was measured.</p>`;
  return html`<dl>
    ${list.map(
      ({ what, why }) =>
        html`<dt>${why}</dt>
          <dd class="values">${what}</dd>`,
    )}
  </dl>`;
}

/**
 * The command that makes the run again.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { counted } from "../../numbers.js";
import { html } from "../html.js";
import { roundsText } from "../words.js";

/** @param {Page} page */
export function repeat({ analysis }) {
  const { run, plan } = analysis.results;
  return html`<pre><code>${run.command}</code></pre>
    <p class="note">
      Seed ${String(plan.seed)}, ${roundsText(plan)}, CPU budget of the proxy
      ${plan.proxyCpus > 0 ? counted(plan.proxyCpus, "core") : "none"}, ${plan.keyType} key.
    </p>`;
}

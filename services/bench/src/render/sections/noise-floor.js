/**
 * A proxy beside its own copy: only in a run of `./bench aa`.
 *
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { selfTable } from "../model.js";
import { scroll } from "../report-page.js";

/** @param {Page} page */
export function noiseFloor(page) {
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
        html`<h3>${page.settingTitle(setting)}</h3>
          ${scroll(
            `Noise floor, ${page.settingTitle(setting)}`,
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

const OUTCOME_CLASSES = { tie: "ok", differs: "failed", inconclusive: "cannot" };

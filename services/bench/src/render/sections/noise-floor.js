/**
 * A proxy beside its own copy, in a run of `./bench aa`, or two proxies that do the same work.
 *
 * @import { SelfComparison } from "../../analyse/types.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { html } from "../html.js";
import { comparesNothing, NO_PAIR, ownPairs, selfTable } from "../model.js";
import { scroll } from "../report-page.js";

/** @param {Page} page */
export function noiseFloor(page) {
  const pairs = ownPairs(page.analysis);
  if (pairs.length === 0) return comparesNothing(page.analysis) ? null : html`<p>${NO_PAIR}</p>`;
  return html`${pairs.map((pair) => pairHtml(page, pair))}`;
}

/**
 * @param {Page} page
 * @param {SelfComparison} pair
 */
function pairHtml(page, pair) {
  const names = ["Measure", "Second / first", "Outcome", "p", "Detectable", "First", "Second"];
  const [first, second] = [pair.proxy, pair.copy].map((name) => page.proxy(name));
  return html`<p class="note">
      ${pair.isCopy ? "A proxy and its copy" : "Two proxies that do the same work"}: the first is
      ${first}, the second ${second}. Medians over the rounds, and the ratio of the second's to the
      first's; below each its interval, or the lowest and the highest round where there are too few.
      p: two-sided Mann–Whitney, Holm-corrected over all comparisons of these two. Detectable: the
      smallest ratio between them that these rounds could have seen.
    </p>
    ${pair.settings.map(
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
                      <td class="number">${entry.detectable}</td>
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

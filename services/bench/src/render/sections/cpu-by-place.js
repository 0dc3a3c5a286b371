/**
 * CPU by place: what each container between the client and the answer spent.
 *
 * @import { CpuByPlace } from "../../analyse/types.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { figure, NONE, range } from "../../numbers.js";
import { html } from "../html.js";
import { PLACES } from "../model.js";
import { placesTitle } from "../words.js";
import { scroll } from "../report-page.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: all CPU time is a single container's
 */
export function cpuByPlace(page) {
  const { cpuByPlace: all, confidence } = page.analysis;
  if (all.length === 0) return null;
  const sums = all.filter(({ settings }) => settings.length > 1);
  const single = all.filter(({ settings }) => settings.length === 1);
  const titled = (/** @type {CpuByPlace} */ one) => {
    const title = placesTitle(one.settings, page.analysis.settings);
    return html`<h3>${title}</h3>
      ${tableOf(page, title, one)}`;
  };
  return html`<p class="note">
      CPU seconds of each container over the measured phase, for all requests or connections of a
      setting: median over the rounds, its ${Math.round(100 * confidence)} % interval, and below it
      the part in user mode and the part in the kernel.
    </p>
    ${sums.map(titled)}
    <details ${sums.length === 0 && html`open`}>
      <summary>Each setting</summary>
      ${single.map(titled)}
    </details>`;
}

/**
 * @param {Page} page
 * @param {string} title
 * @param {CpuByPlace} cpu
 */
function tableOf(page, title, { rows }) {
  const columns = PLACES.filter(([place]) =>
    rows.some(({ places }) => places.some((one) => one.place === place)),
  );
  return scroll(
    `CPU by place, ${title}`,
    html` <table class="sortable">
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          ${columns.map(([, name]) => html`<th scope="col" class="number">${name}<small>s</small></th>`)}
          <th scope="col" class="number">Together<small>s</small></th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ proxy, places, total }) =>
            html`<tr>
              <th scope="row">${page.proxy(proxy)}</th>
              ${columns.map(([place]) => placeCell(places.filter((one) => one.place === place)))}
              <td class="number" data-value="${total?.value ?? ""}">
                ${
                  total
                    ? html`<b>${figure(total.value)}</b><small>${spread(total)}</small>`
                    : html`${NONE}<small>not in all</small>`
                }
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/** @param {CpuByPlace["rows"][number]["places"]} places of one column */
function placeCell(places) {
  if (places.length === 0) return html`<td class="number" data-value="">${NONE}</td>`;
  return html`<td class="number" data-value="${places[0].total.value}">
    ${places.map(
      ({ place, service, total, user, system }) =>
        html`${figure(total.value)}<small>${spread(total)}</small
          ><small>user ${figure(user)} + kernel ${figure(system)}</small
          >${place !== "server" && html`<small>${service}</small>`}`,
    )}
  </td>`;
}

/** @param {import("../../statistics/types.js").Estimate} estimate */
function spread({ value, interval }) {
  return interval ? range(interval, value) : "";
}

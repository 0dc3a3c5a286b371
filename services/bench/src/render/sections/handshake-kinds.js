/**
 * TLS in depth: what a handshake costs by key, version, and whether it resumes a session.
 *
 * @import { Analysis, HandshakeCost, HandshakeKind, Setting } from "../../analyse/types.js"
 * @import { Figure } from "../charts.js"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { handshakesText, meaningTexts } from "../words.js";
import { figure, NONE, range, ratio } from "../../numbers.js";
import { CONTROL } from "../../plan/proxies.js";
import { pairChart } from "../charts.js";
import { html } from "../html.js";
import { columnOf, comparisonOf, entryOf, KEYS, looks } from "../model.js";
import { scroll } from "../report-page.js";

/**
 * @param {Page} page
 * @returns {Html | null} null: the run compared no kinds of handshakes
 */
export function handshakes(page) {
  const { analysis } = page;
  const settings = analysis.settings.filter(({ workload }) => workload.compares === "handshakes");
  if (settings.length === 0) return null;
  return html`<p class="note">
      CPU µs of the proxy for a whole connection: TCP, handshake, upgrade, one message and close.
      Median over the rounds, below it the interval or the lowest and the highest round. In the
      charts the ring is a full handshake and the shape a resumed one, and the figure at the right
      their ratio.
    </p>
    ${costTable(page, settings)}${page.charts(resumedCharts(analysis))}
    ${analysis.handshakes.length > 0 && ratioTable(page)}`;
}

/** @param {Analysis} analysis */
function rivals({ results }) {
  return results.proxies.filter(({ name }) => name !== CONTROL);
}

/**
 * @param {Page} page
 * @param {Setting[]} settings
 */
function costTable(page, settings) {
  const { analysis } = page;
  // Full and resumed beside each other.
  const order = (/** @type {Setting} */ { workload }) => {
    const { rsaBits = 0, tlsVersion = 0, resumed = 0 } = workload;
    return 100 * rsaBits + 10 * tlsVersion + resumed;
  };
  const sorted = settings.toSorted((a, b) => order(a) - order(b));
  const columns = sorted.flatMap((setting) => {
    const comparison = comparisonOf(setting, KEYS.cpuPerConnection);
    return comparison ? [{ setting, column: columnOf(analysis, comparison) }] : [];
  });
  const heads = columns.map(({ setting }) => ({
    title: meaningTexts(setting, ["tlsVersion", "rsaBits"]).join(", "),
    small: [...meaningTexts(setting, ["resumed"]), "µs"].join(", "),
  }));
  return tableOf(page, "CPU of a connection by handshake", heads, (name) =>
    columns.map(({ column }) => {
      const row = column.comparison.rows.find(({ proxy }) => proxy === name);
      const { value, median, spread } = entryOf(row, column);
      return html`<td class="number" data-value="${value ?? ""}">
        ${median}<small>${spread}</small>
      </td>`;
    }),
  );
}

/** @type {Record<HandshakeKind, string>} */
const RATIO_TITLES = {
  resumed: "Resumed / full",
  rsa: "RSA-2048 / ECDSA, full",
  tls12: "TLS 1.2 / TLS 1.3, full",
};

/** @param {Page} page */
function ratioTable(page) {
  const columns = page.analysis.handshakes.flatMap(({ kind, pairs }) =>
    pairs.map(({ setting, ratios }) => ({
      title: RATIO_TITLES[kind],
      small: handshakesText(kind, setting),
      ratios,
    })),
  );
  return html`<h3>Ratios of the same connections</h3>
    ${tableOf(page, "Ratios of handshakes", columns, (name) =>
      columns.map(({ ratios }) => ratioCell(ratios, name)),
    )}`;
}

/**
 * @param {Page} page
 * @param {string} label
 * @param {{title: string, small: string}[]} heads
 * @param {(name: string) => Html[]} cellsOf a proxy
 */
function tableOf(page, label, heads, cellsOf) {
  return scroll(
    label,
    html` <table class="sortable names">
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          ${heads.map(
            ({ title, small }) =>
              html`<th scope="col" class="number">${title}<small>${small}</small></th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rivals(page.analysis).map(
          ({ name }) =>
            html`<tr>
              <th scope="row">${page.proxy(name)}</th>
              ${cellsOf(name)}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/**
 * @param {HandshakeCost["pairs"][number]["ratios"]} ratios
 * @param {string} name of the proxy
 */
function ratioCell(ratios, name) {
  const found = ratios.find(({ proxy }) => proxy === name)?.ratio;
  if (!found) return html`<td class="number" data-value="">${NONE}</td>`;
  const ends = found.interval ?? found.rounds;
  return html`<td class="number" data-value="${found.value}">
    ${ratio(found.value)}<small>${ends && range(ends, Number(figure(found.value)))}</small>
  </td>`;
}

/**
 * @param {Analysis} analysis
 * @returns {Figure[]} from a full handshake to a resumed one, on one axis
 */
function resumedCharts(analysis) {
  const all = looks(analysis.results);
  const charts = (analysis.handshakes.find(({ kind }) => kind === "resumed")?.pairs ?? [])
    .map(({ setting, beside }) => {
      const [resumed, full] = [setting, beside].map((one) =>
        comparisonOf(one, KEYS.cpuPerConnection),
      );
      const rows = rivals(analysis).flatMap(({ name }) => {
        const from = full?.rows.find(({ proxy }) => proxy === name)?.median?.value;
        const to = resumed?.rows.find(({ proxy }) => proxy === name)?.median?.value;
        return from && to ? [{ ...all[name], from, to }] : [];
      });
      return { over: handshakesText("resumed", setting), rows };
    })
    .filter(({ rows }) => rows.length > 0);
  const most = Math.max(
    ...charts.flatMap(({ rows }) => rows.flatMap(({ from, to }) => [from, to])),
  );
  return charts.map(({ over, rows }) =>
    pairChart({
      title: over,
      x: { label: "CPU of a connection, µs", domain: [0, most * 1.02] },
      rows,
      names: ["full", "resumed"],
    }),
  );
}

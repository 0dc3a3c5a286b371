/**
 * What weakens the run, and every attempt at every cell.
 *
 * @import { AnalysedCell } from "../../analyse/types.js"
 * @import { CellRecord } from "../../model/cell.ts"
 * @import { Html } from "../html.js"
 * @import { Page } from "../report-page.js"
 */
import { count, counted, figure, NONE } from "../../numbers.js";
import { tellFindings } from "../findings.js";
import { html } from "../html.js";
import { KEYS, time } from "../model.js";
import { settingTitle } from "../words.js";
import { findingList, scroll } from "../report-page.js";

/** @param {Page} page */
export function validity(page) {
  const { findings, settings, results, experimentCells } = page.analysis;
  const cells = [...page.analysis.cells, ...experimentCells];
  const known = new Set(settings.map(({ key }) => key));
  const groups = [
    ...settings.map((one) => ({
      title: page.settingTitle(one),
      cells: cells.filter(({ setting }) => setting === one.key),
    })),
    ...[...Map.groupBy(experimentCells, ({ setting }) => setting).values()].map((own) => ({
      title: settingTitle(
        { ...own[0].record, workload: own[0].workload },
        experimentCells.map(({ record }) => record),
      ),
      cells: own,
    })),
    {
      title: "Other cells",
      cells: page.analysis.cells.filter(({ setting }) => !known.has(setting)),
    },
  ].filter((group) => group.cells.length > 0);
  const isCounted = cells.filter((cell) => cell.counted).length;
  return html`${findingList(tellFindings(findings, (name) => page.title(name))) || html`<p>No finding about the whole run.</p>`}
    <p>
      Of ${counted(cells.length, "recorded attempt")} ${count(isCounted)} count. Seed of the order:
      ${String(results.plan.seed)}.
    </p>
    ${groups.map(({ title, cells }) => {
      const left = cells.filter((cell) => !cell.counted).length;
      return html`<details>
        <summary>
          ${title}: ${counted(cells.length, "attempt")}${left > 0 && `, ${count(left)} not counted`}
        </summary>
        ${cellTable(page, title, cells)}
      </details>`;
    })}`;
}

/**
 * @param {Page} page
 * @param {string} title
 * @param {AnalysedCell[]} cells
 */
function cellTable(page, title, cells) {
  const columns = Object.values(KEYS).flatMap((key) => {
    const measure = page.analysis.measures.find((one) => one.key === key);
    return measure && cells.some(({ measures }) => measure.key in measures) ? [measure] : [];
  });
  const names = ["Cell", "Status", "Phases, s", "Connections or requests"];
  return scroll(
    `Cells of ${title}`,
    html`<table class="sortable cells">
      <caption>
        In the order in which they ended.
      </caption>
      <thead>
        <tr>
          ${names.map((name) => html`<th scope="col">${name}</th>`)}
          ${columns.map(
            ({ title, unit }) =>
              html`<th scope="col" class="number">
                ${title}${unit && html`<small>${unit === "bytes" ? "MB" : unit}</small>`}
              </th>`,
          )}
          <th scope="col">Seen</th>
          <th scope="col">Cause and findings</th>
        </tr>
      </thead>
      <tbody>
        ${cells.map(
          ({ record, measures, findings, counted }) =>
            html`<tr>
              <th scope="row">
                ${page.marks[record.proxy]}${record.id}<small
                  >attempt ${record.attempt}, ${time(record.startedAt)}</small
                >
              </th>
              <td>${statusLabel(record, counted)}</td>
              <td>${phases(record)}</td>
              <td>${connections(record)}${requests(record)}</td>
              ${columns.map(({ key, unit }) => {
                const divisor = unit === "bytes" ? 1e6 : 1;
                const value = measures[key];
                return html`<td class="number" data-value="${value ?? ""}">
                  ${figure(value === undefined ? null : value / divisor)}
                </td>`;
              })}
              <td class="text"><small>${seen(record)}</small></td>
              <td class="text">
                ${record.cause && html`<b>${record.cause.kind}</b> ${record.cause.message}`}${findingList(
                  tellFindings(findings),
                )}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/**
 * @param {CellRecord} record
 * @param {boolean} counted
 */
function statusLabel({ status }, counted) {
  if (status === "ok" && !counted)
    return html`<span class="label uncounted">ok, not counted</span>`;
  return html`<span class="label ${status}">${status}</span>`;
}

/** @param {CellRecord} record */
function phases({ phases }) {
  const reached = Object.entries(phases).map(([name, seconds]) => {
    return html`<small>${name.replace("warmUp", "warm up")} ${figure(seconds)} </small>`;
  });
  return reached.length > 0 ? reached : NONE;
}

/** @param {CellRecord} record */
function connections({ connections, requests }) {
  if (!connections) return requests ? "" : NONE;
  const { asked, opened, failed, failedByCause } = connections;
  const causes = Object.entries(failedByCause).map(([cause, n]) => `${cause} ${count(n)}`);
  return html`${count(opened)} of
  ${count(asked)}${failed > 0 && html`<small>${count(failed)} failed: ${causes.join(", ")}</small>`}`;
}

/** @param {CellRecord} record */
function requests({ requests }) {
  // Runs that are older than such scenarios do not have it at all.
  if (!requests) return null;
  const { completed, non2xx, socketErrors } = requests;
  const errors = Object.entries(socketErrors).filter(([, n]) => n > 0);
  return html`${counted(completed, "answer")}${
    non2xx > 0 && html`<small>${count(non2xx)} neither 2xx nor 3xx</small>`
  }${errors.map(([kind, n]) => html`<small>${kind} ${count(n)}</small>`)}`;
}

/**
 * @param {CellRecord} record
 * @returns {string} the evidence that the cell was what it should be
 */
function seen({ tls, containers, echoWorkers, machine, loadCores, totalSeconds }) {
  const load = Object.values(containers)
    .filter(({ role }) => role === "load")
    .reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
  const throttled = Object.entries(containers).filter(([, { cpu }]) => cpu.throttledSeconds > 0);
  const parts = [
    tls &&
      `${tls.version} ${tls.cipher} ${tls.group} ${tls.keyType}, ${tls.resumed ? "resumed" : "not resumed"}`,
    load > 0 &&
      totalSeconds &&
      `load used ${figure(load)} s CPU of ${figure(loadCores * totalSeconds)} s`,
    echoWorkers &&
      `echo workers had ${echoWorkers.map((one) => count(one.connections)).join(" + ")} connections`,
    machine &&
      `steal ${figure(machine.stealSeconds)} s, foreign ${figure(machine.foreignSeconds)} s`,
    ...throttled.map(([name, { cpu }]) => `${name} throttled ${figure(cpu.throttledSeconds)} s`),
  ];
  return parts.filter(Boolean).join("; ") || NONE;
}

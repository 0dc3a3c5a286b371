/**
 * Which proxy for WebSockets, over all published runs: a sentence, a table and a picture, for README.
 *
 * @import { PublishedRun } from "../analyse/claim-table.js"
 * @import { MergedColumn, MergedOverview } from "../analyse/merged-overview.js"
 * @import { OverviewCell } from "../analyse/types.js"
 * @import { DotRow, Figure } from "./charts.js"
 */
import { NONE } from "../numbers.js";
import { schemeName } from "../plan/workload.js";
import { dayOf } from "./claim-rows.js";
import { dotChart, svgText } from "./charts.js";
import {
  carriedNotes,
  choiceByUse,
  columnUnit,
  gapsOf,
  glanceCells,
  loadText,
  rankedOf,
  TITLES,
  titleOf,
} from "./glance.js";
import { plain, table } from "./markdown.js";
import { buildsText, versionsOf } from "./measured-versions.js";
import { machineLine } from "./model.js";
import { looksIn } from "./published-looks.js";
import { bracketed, capital, list } from "./words.js";

/** Beside the table of its figures. */
export const PICTURE_FILE = "which-proxy.svg";

/**
 * @param {PublishedRun[]} runs the newest first
 * @param {MergedOverview} overview of them
 * @returns {string[]} blocks of Markdown, for a file beside the folder `published`; empty: nothing of WebSockets is published
 */
export function answerBlocks(runs, overview) {
  const { proxies, columns } = overview;
  if (columns.length === 0) return [];
  const looks = looksIn(runs);
  const picture = answerFigure(runs, overview);
  const gaps = gapsOf(runs).map(({ title }) => title);
  const verdicts = verdictsOf(columns);
  const choice =
    verdicts.length > 0
      ? `${choiceByUse(verdicts, {
          proxies: runs.flatMap(({ analysis }) => analysis.results.proxies),
          nameOf: (name) => bracketed(looks[name].label),
        })}.`
      : "No published run ranks proxies for WebSockets yet.";
  return [
    `**${plain(choice)}**`,
    table(
      ["", ...proxies.map((name) => plain(headText(columns, name, looks[name].label))), "Measured"],
      columns.map((column) => [
        plain(capital(titleOf(column))),
        ...cellTexts(column, proxies),
        `[${plain(dayOf(column.run))}](published/${column.run.name}/report.md), ${plain(column.at ? loadText(column.at) : "")}`,
      ]),
      ["---", ...proxies.map(() => "--:"), "---"],
    ),
    ...(picture ? [`![${plain(picture.title)}](published/${PICTURE_FILE})`] : []),
    plain(
      [
        "×1 is the best of a line; the others are ratios to it, each with its 95 % interval, or with the lowest and the highest round where it says rounds. Bold: the first rank, in which no difference is seen.",
        ...carriedNotes(columns),
        ...new Set(columns.map(({ run }) => buildsText(run.analysis.results)).filter(Boolean)),
        ...new Set(columns.map(({ run }) => `${machineLine(run.analysis.results.environment)}.`)),
        ...(gaps.length > 0 ? [`No published run has measured: ${gaps.join("; ")}.`] : []),
      ].join(" "),
    ),
  ];
}

/**
 * @param {PublishedRun[]} runs the newest first
 * @param {MergedOverview} overview of them
 * @returns {string | null} an SVG document; null: nothing is ranked
 */
export function answerPicture(runs, overview) {
  const made = answerFigure(runs, overview);
  return made && svgText(made);
}

/**
 * @param {MergedColumn[]} columns
 * @returns {MergedColumn[]} those that rank by tests; where there are none, those that rank
 */
function verdictsOf(columns) {
  const ranked = rankedOf(columns);
  const tested = ranked.filter(({ isFirstLook }) => !isFirstLook);
  return tested.length > 0 ? tested : ranked;
}

/**
 * @param {MergedColumn[]} columns
 * @param {string} name of a proxy
 * @param {string} label
 * @returns {string} with the versions that were measured: `nginx 1.26.3`
 */
function headText(columns, name, label) {
  const versions = columns
    .filter(({ cells }) => cells.some(({ proxy, value }) => proxy === name && value))
    .flatMap(({ run: { analysis } }) => {
      const parts = analysis.results.proxies.find((proxy) => proxy.name === name)?.parts ?? [];
      return versionsOf(analysis.results, parts);
    });
  const unique = [...new Set(versions)];
  const isOwn = unique.length === 1 && unique[0].startsWith(`${label} `);
  return isOwn ? unique[0] : `${label}${unique.length > 0 ? ` (${list(unique)})` : ""}`;
}

/**
 * @param {MergedColumn} column
 * @param {string[]} proxies
 * @returns {string[]} one a proxy
 */
function cellTexts(column, proxies) {
  const shown = glanceCells(column.cells, columnUnit(column));
  return proxies.map((name) => {
    const cell = shown.find(({ proxy }) => proxy === name);
    if (!cell) return NONE;
    const own = plain(cell.text);
    const first = cell.isFirst ? `**${own}**` : own;
    // Where nobody is ranked the figure is the text.
    const amount = cell.text === "×1" ? `, ${plain(cell.amount)}` : "";
    return `${first}${amount}${cell.spread ? ` (${plain(cell.spread)})` : ""}`;
  });
}

/**
 * @param {PublishedRun[]} runs
 * @param {MergedOverview} overview
 * @returns {Figure | null} ratios under the question that ranks most proxies, of several the first, over each scheme
 */
function answerFigure(runs, { proxies, columns }) {
  const looks = looksIn(runs);
  const verdicts = verdictsOf(columns);
  const ranked = (/** @type {MergedColumn} */ { cells }) =>
    cells.filter(({ rank }) => rank !== null).length;
  const [first] = verdicts.toSorted((a, b) => ranked(b) - ranked(a));
  if (!first) return null;
  const own = verdicts.filter(({ key }) => key === first.key);
  const rows = own.flatMap((column) =>
    proxies.flatMap((name) => {
      const cell = column.cells.find(({ proxy }) => proxy === name);
      const [value, interval] = cell ? ratioOf(cell) : [null, null];
      if (value === null) return [];
      const scheme = schemeName({ scheme: column.scheme, workload: { protocol: "websocket" } });
      const label = `${looks[name].label}, ${scheme}`;
      return [
        /** @type {DotRow} */ ({ ...looks[name], label, median: value, interval, values: [] }),
      ];
    }),
  );
  const runsText = list([...new Set(own.map(({ run }) => dayOf(run)))]);
  return dotChart({
    title: `${capital(TITLES[first.key])}: times the best over the same scheme (${runsText})`,
    x: { label: "times the best, with the 95 % interval" },
    rows,
  });
}

/**
 * @param {OverviewCell} cell
 * @returns {[number | null, readonly [number, number] | null]}
 */
function ratioOf({ isBest, ratio }) {
  if (isBest) return [1, null];
  return ratio ? [ratio.value, ratio.interval] : [null, null];
}

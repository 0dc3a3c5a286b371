/**
 * Two runs beside each other, for a terminal.
 */
import { measure } from "../analyse/measures.js";
import { ALPHA } from "../analyse/ranking.js";
import { CONFIDENCE } from "../analyse/settings.js";
import { counted, number, probability, times } from "../numbers.js";
import { settingLabel } from "../plan/describe.js";
import { amount, timesRange, titleOfProxy } from "./words.js";

/** @import { ComparedRow, RunComparison } from "../analyse/compare-runs.js" */
/** @import { Results } from "../model/record.ts" */

/**
 * @param {RunComparison} comparison
 * @returns {string[]} what the reader must know, a sentence each
 */
export function comparisonNotes({ tested, ranged, incomplete }) {
  const notes = [
    "What was otherwise throughout one of the runs, as a busy neighbour of a virtual machine, is in all of its figures: two runs cannot tell it from a change.",
  ];
  if (tested > 0)
    notes.push(
      `${counted(tested, "table")} of one setting and measure, each tested at the ${number(100 * ALPHA)} % level: of two equal runs up to ${number(Math.ceil(ALPHA * tested))} of them would show a difference.`,
    );
  if (ranged)
    notes.push(
      `Too few rounds to test ${counted(ranged.figures, "figure")}: there a difference is seen where all rounds of one run lie below all of the other's, as of two equal runs 1 figure in ${number(Math.round(1 / ranged.falseAlarms))} does.`,
    );
  for (const name of incomplete)
    notes.push(`${name} is not complete: its medians rest on fewer rounds.`);
  return notes;
}

/**
 * @param {RunComparison} comparison
 * @param {Results} results of the run that is compared
 * @returns {string} lines for a terminal
 */
export function comparisonText(comparison, results) {
  const { run, baseline, differences, rows } = comparison;
  const differing = rows.filter(({ differs }) => differs === "higher" || differs === "lower");
  const lines = [`${run} against ${baseline}`, ""];
  if (differences.length > 0) {
    lines.push("NOT MADE UNDER THE SAME CONDITIONS. Any difference below may come from these:");
    for (const { what, key, was, is } of differences)
      lines.push(`  ${what}: ${key} was ${short(was)}, is ${short(is)}`);
    lines.push("");
  }
  lines.push(
    `${number(differing.length)} of ${counted(rows.length, "figure")} differ.`,
    ...comparisonNotes(comparison),
    `Ratio of the medians, ${run} to ${baseline}, with its interval of ${number(100 * CONFIDENCE)} %; in brackets each median over its rounds.`,
  );
  const table = rows.map((row) => ({ row, texts: textsOf(row, results) }));
  const widths = [0, 1, 2, 3].map((i) => Math.max(...table.map(({ texts }) => texts[i].length)));
  let setting = "";
  let key = "";
  for (const { row, texts } of table) {
    if (settingLabel(row.cell) !== setting) {
      lines.push("", (setting = settingLabel(row.cell)));
      key = "";
    }
    if (row.measure !== key) lines.push(`  ${measure((key = row.measure)).title}`);
    lines.push(`    ${texts.map((text, i) => text.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
  }
  return lines.join("\n");
}

/**
 * @param {ComparedRow} row
 * @param {Results} results
 */
function textsOf(row, results) {
  const { cell, ratio, value, baselineValue, rounds, p, differs, better } = row;
  const isBetter = differs === better;
  const judged =
    differs === "higher" || differs === "lower"
      ? `${differs}: ${isBetter ? "better" : "WORSE"}`
      : differs;
  const interval = ratio?.interval ? ` (${timesRange(ratio.interval)})` : "";
  return [
    titleOfProxy(results, cell.proxy),
    ratio ? `×${times(ratio.value)}${interval}` : "",
    `[${amount(value, row)} over ${rounds[0]}, was ${amount(baselineValue, row)} over ${rounds[1]}]`,
    judged,
    p === null ? "" : `p ${probability(p)}`,
  ];
}

/**
 * @param {string} value
 * @returns {string} an image's id as the engine's own lists show it
 */
function short(value) {
  return value.replace(/\b(sha256:[0-9a-f]{12})[0-9a-f]+/g, "$1");
}

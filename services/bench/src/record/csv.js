/**
 * The CSV files of a run's folder. k6's own CSV is not among them: it is large, and read in a stream (run/k6.js).
 */
import { csvFormatRows, csvParse } from "d3-dsv";

/**
 * @param {unknown[][]} rows a header first, as a rule
 * @returns {string} a line each; null and undefined are empty fields
 */
export function csvText(rows) {
  // It writes any value as the text that it is, and null and undefined as an empty one; its types know texts alone.
  return `${csvFormatRows(/** @type {string[][]} */ (rows))}\n`;
}

/**
 * @param {string} csv with a header
 * @returns {Record<string, string>[]} a row each, by column
 */
export function readRows(csv) {
  return csvParse(csv);
}

/**
 * The CSV files of a run's folder. k6's own CSV is not among them: it is large, and read in a
 * stream (run/k6.ts).
 */
import { csvFormatRows, csvParse } from "d3-dsv";

/**
 * @param rows a header first, as a rule
 * @returns a line each; null and undefined are empty fields
 */
export function csvText(rows: unknown[][]): string {
  // It writes any value as the text that it is, and null and undefined as an empty one; its types
  // know texts alone.
  return `${csvFormatRows(rows as string[][])}\n`;
}

/**
 * @param csv with a header
 * @returns a row each, by column
 */
export function readRows(csv: string): Record<string, string>[] {
  return csvParse(csv);
}

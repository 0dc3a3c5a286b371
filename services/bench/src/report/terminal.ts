/**
 * The end of a run in a terminal, and tables for any other command that prints some.
 */
import type { Comparisons } from "../model/comparison.ts";
import { answerTable } from "./report.ts";
import type { Table } from "./table.ts";
import type { Answer } from "./topics.ts";
import { answersOf, summaryOf } from "./topics.ts";

const COLUMNS = 100;
const MOST_SUMMARIES = 10;
const MOST_LINES = 24;
const INDENT = " ".repeat(9);

/** The first table, and what ranks say. */
export function terminalOf(file: Comparisons): string {
  const answers = answersOf(file);
  if (answers.length === 0) return `${file.title}: no valid measurement.`;
  const summary = summaryOf(file, answers).slice(0, MOST_SUMMARIES);
  return [
    file.title,
    "",
    ...fitting(file, answers).flatMap((lines) => [...lines, ""]),
    ...summary.map((line, i) => `${i === 0 ? "Summary  " : INDENT}${line}`),
  ]
    .join("\n")
    .trimEnd();
}

/**
 * As many columns in each table as a terminal has room for, and as many tables as a screen; the
 * rest is in the report.
 */
function fitting(file: Comparisons, answers: Answer[]): string[][] {
  const tables: string[][] = [];
  let rest = answers;
  while (rest.length > 0) {
    let size = rest.length;
    const made = () => answerTable(file, rest.slice(0, size));
    while (
      size > 1 &&
      tableText({ ...made(), footnotes: [] }).some((line) => line.length > COLUMNS)
    )
      size--;
    const lines = tableText(made());
    if (tables.flat().length + lines.length > MOST_LINES && tables.length > 0) break;
    tables.push(lines);
    rest = rest.slice(size);
  }
  return tables;
}

/** Its lines; headings of more than one word stand over each other. */
export function tableText({ title, head, rows, note, footnotes = [] }: Table): string[] {
  const body = rows.map((row) =>
    row.map(({ text, small, best }) =>
      [best ? `${text} *` : text, small].filter(Boolean).join("  "),
    ),
  );
  const heads = head.map(({ title: name, small }) =>
    wrapped([name, small].filter(Boolean).join(", ")),
  );
  const height = Math.max(...heads.map(({ length }) => length));
  const top = Array.from({ length: height }, (_, i) =>
    heads.map((lines) => lines[i - height + lines.length] ?? ""),
  );
  const widths = head.map((_, i) => Math.max(...[...top, ...body].map((row) => row[i].length)));
  const line = (row: string[]) =>
    row
      .map((text, i) =>
        i === 0 || head[i].words ? text.padEnd(widths[i]) : text.padStart(widths[i]),
      )
      .join("   ")
      .trimEnd();
  return [
    ...(title ? [title] : []),
    ...[...top, ...body].map(line),
    ...[note, ...footnotes].filter(Boolean),
  ];
}

const HEAD_WIDTH = 16;

function wrapped(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= HEAD_WIDTH) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}

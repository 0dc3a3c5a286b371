/**
 * The end of a run in a terminal, and tables for any other command that prints some.
 */
import type { Comparisons, Reported } from "../model/comparison.ts";
import { counted, number } from "../numbers.ts";
import { schemeName } from "../plan/workload.ts";
import { SCHEMES } from "./cell-line.ts";
import { wrapped } from "./columns.ts";
import { answerTable } from "./report.ts";
import { uncountedOf } from "./record-blocks.ts";
import type { Table } from "./table.ts";
import { flagText, titleOfProxy } from "./text.ts";
import type { Answer } from "./topics.ts";
import { answersOf, summaryOf } from "./topics.ts";

const USUAL_WIDTH = 80;
const WIDEST = 100;
const MOST_SUMMARIES = 3;
const MOST_ROWS = 12;
const SUMMARY = "Summary  ";

/**
 * Of the first question its table, and what ranks say; the rest is in the report.
 *
 * @param columns of the terminal; 0, or left out: it does not tell
 */
export function terminalOf(reported: Reported, columns?: number): string {
  const file = reported.comparisons;
  const width = Math.min(columns || USUAL_WIDTH, WIDEST);
  const [first, ...others] = answersOf(file);
  if (!first) return [file.title, "", ...summaryLines([nothingText(reported)], width)].join("\n");
  const answers = [first, ...others]
    .filter(({ topic }) => topic === first.topic || topic.question.mostEvents)
    .map((answer) => withSchemeInWords(file, answer));
  const ranks = summaryOf(file, answers);
  const summary = (ranks.length > 0 ? ranks : flagTexts(file, answers)).slice(0, MOST_SUMMARIES);
  return [file.title, "", ...fitting(file, answers, width), "", ...summaryLines(summary, width)]
    .join("\n")
    .trimEnd();
}

function summaryLines(sentences: string[], width: number): string[] {
  const lines = sentences.flatMap((text) => wrapped(text, width - SUMMARY.length));
  return lines.map((line, i) => `${i === 0 ? SUMMARY : " ".repeat(SUMMARY.length)}${line}`);
}

function nothingText(reported: Reported): string {
  const [reason] = uncountedOf(reported);
  const attempts = counted(reported.results.cells.length, "attempt");
  const why = reason ? ` (${number(reason.ids.length)} of ${attempts}: ${reason.why})` : "";
  return `No valid measurement${why}.`;
}

/** The name of a setting ends with its scheme. */
function withSchemeInWords({ settings }: Comparisons, answer: Answer): Answer {
  const scheme = schemeName(settings[answer.comparison.settings[0]]);
  const where = answer.where.replace(new RegExp(`\\b${scheme}$`), SCHEMES[scheme]);
  return { ...answer, where };
}

/** Why nobody is ranked, where more rounds would tell. */
function flagTexts(file: Comparisons, answers: Answer[]): string[] {
  const flags = answers
    .flatMap(({ comparison }) => comparison.flags)
    .filter(({ code }) => code === "few-rounds");
  return [...new Set(flags.map((flag) => flagText(flag, (name) => titleOfProxy(file, name))))].map(
    (text) => `${text}.`,
  );
}

/** As many columns and rows as there is room for. */
function fitting(file: Comparisons, answers: Answer[], width: number): string[] {
  const made = answers.map((_, i) =>
    shortened(answerTable(file, answers.slice(0, answers.length - i))),
  );
  const isWide = (table: Table) =>
    tableText({ ...table, note: "", footnotes: [] }).some(({ length }) => length > width);
  const table = made.find((one) => !isWide(one)) ?? made[made.length - 1];
  const left = made.indexOf(table);
  const hasBest = table.rows.flat().some(({ best }) => best);
  return [
    ...tableText({ ...table, note: "", footnotes: [] }),
    ...[
      hasBest && "* best, or no measurable difference from it",
      left > 0 && `${counted(left, "more column")} in the report`,
      table.note,
      ...(table.footnotes ?? []),
    ].flatMap((text) => (text ? wrapped(text, width) : [])),
  ];
}

function shortened({ footnotes = [], ...table }: Table): Table {
  const rows = table.rows.length > MOST_ROWS + 1 ? table.rows.slice(0, MOST_ROWS) : table.rows;
  const more = table.rows.length - rows.length;
  const texts = rows.flat().map(({ text }) => text);
  return {
    ...table,
    rows: more > 0 ? [...rows, [{ text: `… ${more} more in the report` }]] : rows,
    footnotes: footnotes.filter((note) =>
      texts.some((text) => text.endsWith(` ${note.split(" ")[0]}`)),
    ),
  };
}

const HEAD_WIDTH = 16;

/** Its lines; headings of more than one word stand over each other. */
export function tableText({ title, head, rows, note, footnotes = [] }: Table): string[] {
  const body = rows.map((row) =>
    row.map(({ text, small, best }) =>
      [best ? `${text} *` : text, small].filter(Boolean).join("  "),
    ),
  );
  const heads = head.map(({ title: name, small }) =>
    wrapped([name, small].filter(Boolean).join(", "), HEAD_WIDTH),
  );
  const height = Math.max(...heads.map(({ length }) => length));
  const top = Array.from({ length: height }, (_, i) =>
    heads.map((lines) => lines[i - height + lines.length] ?? ""),
  );
  // A row of one cell spans all columns.
  const whole = [...top, ...body].filter((row) => row.length === head.length);
  const widths = head.map((_, i) => Math.max(...whole.map((row) => row[i].length)));
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

/** Charts that are text: large figures, tables, and matrices of good and bad words. */
import { counted, NONE } from "../numbers.ts";
import type { Labels, Look, View } from "./chart-frame.ts";
import { fillOf, ink, mark, SMALL, whole, WIDTH } from "./chart-frame.ts";
import { cut, extent, line, pixels, tag, textAt, widest, wrapped } from "./svg.ts";

export type Figure = { label: string; text: string; colour?: string; spark?: number[] };
export type Stat = Labels & { figures: Figure[] };

export function stat(data: Stat, view: View = {}): string {
  const width = view.width ?? WIDTH;
  const { figures } = data;
  const columns = Math.max(1, Math.min(figures.length, Math.floor(width / 170), 4));
  const cell = width / columns;
  const high = figures.some(({ spark = [] }) => spark.length > 1) ? 108 : 76;
  const content = figures.map(({ label, text, colour = "currentColor", spark = [] }, i) => {
    const [x, y] = [8 + (i % columns) * cell, Math.floor(i / columns) * high];
    const size = Math.min(36, (cell - 20) / (0.68 * text.length));
    const [least, most] = extent(spark);
    const points = spark.map((value, at) => {
      const up = (24 * (value - least)) / (most - least);
      return `${pixels(x + (at * (cell - 24)) / (spark.length - 1))},${pixels(y + 98 - up)}`;
    });
    const look = { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": 1.5 };
    return [
      textAt(x, y + 16, cut(label, cell - 16), { muted: true }),
      ink(colour, textAt(x, y + 58, text, { fill: colour, size, bold: true })),
      points.length > 1 ? ink(colour, tag("polyline", look)) : "",
    ].join("");
  });
  const told = figures.map(({ label, text }) => `${label}: ${text}`);
  const height = Math.ceil(figures.length / columns) * high;
  return whole(data, view, { width, content, told, height });
}

export type Table = Labels & {
  columns: { label: string; align?: "start" | "end" }[];
  rows: (string | { text: string; ground: string })[][];
  /** How many rows are shown at most; the last line says how many there are more. */
  most?: number;
};

const LINE_HEIGHT = 17;
const ROW_PADDING = 9;
/** A column is no narrower than this where the table is wider than it may be. */
const NARROWEST = 72;
/** A cell of more lines is cut. */
const MOST_LINES = 4;

export function table(data: Table, view: View = {}): string {
  const { columns, rows, most = Infinity } = data;
  const shown = rows.slice(0, most).map((row) => row.map(cellOf));
  const bold = { bold: true };
  const wanted = columns.map(({ label }, i) => {
    return 24 + Math.max(widest([label], bold), widest(shown.map((row) => row[i].text)));
  });
  const widths = fitted(wanted, (view.width ?? WIDTH) - 16);
  const width = Math.max(
    view.width ?? WIDTH,
    widths.reduce((all, one) => all + one, 16),
  );
  const lefts = widths.map((_, i) => widths.slice(0, i).reduce((all, one) => all + one, 8));
  let y = 0;
  const drawRow = (row: Ground[], style: { bold?: boolean }, opacity: number) => {
    const cells = row.map(({ text }, i) => linesIn(text, widths[i] - 20, style));
    const top = y;
    y += ROW_PADDING + LINE_HEIGHT * Math.max(...cells.map(({ length }) => length));
    return [
      ...row.map(({ ground: fill }, i) => {
        const box = { x: lefts[i] - 4, y: top + 4, width: widths[i] - 12, height: LINE_HEIGHT };
        return fill ? tag("rect", { ...box, fill, "fill-opacity": 0.3, rx: 3 }) : "";
      }),
      ...cells.flatMap((lines, i) => {
        const anchor = columns[i].align ?? "start";
        const x = anchor === "end" ? lefts[i] + widths[i] - 16 : lefts[i];
        return lines.map((text, j) =>
          textAt(x, top + 17 + LINE_HEIGHT * j, text, { anchor, ...style }),
        );
      }),
      line([8, y, width - 8, y], { "stroke-opacity": opacity }),
    ];
  };
  const heads = columns.map(({ label }) => label);
  const content = [
    ...drawRow(heads.map(cellOf), bold, 0.7),
    ...shown.flatMap((row) => drawRow(row, {}, 0.2)),
  ];
  const hidden = rows.length - shown.length;
  const more = hidden > 0 ? [`and ${counted(hidden, "row")} more, in the data`] : [];
  return whole(data, view, {
    ...{ width, told: [`A table of ${counted(rows.length, "row")}: ${heads.join(", ")}`] },
    content: [...content, ...more.map((text) => textAt(8, y + 18, text, { muted: true }))],
    height: y + 8 + more.length * LINE_HEIGHT,
  });
}

type Ground = { text: string; ground?: string };

function cellOf(cell: string | Ground): Ground {
  return typeof cell === "string" ? { text: cell } : cell;
}

/** Takes from the widest, so that all fit. */
function fitted(widths: number[], room: number): number[] {
  const sum = widths.reduce((all, one) => all + one, 0);
  const widest = Math.max(...widths);
  if (sum <= room || widest <= NARROWEST) return widths;
  const next = Math.max(NARROWEST, ...widths.filter((one) => one < widest));
  const count = widths.filter((one) => one === widest).length;
  const least = Math.max(next, widest - (sum - room) / count);
  return fitted(
    widths.map((one) => (one === widest ? Math.floor(least) : one)),
    room,
  );
}

function linesIn(text: string, width: number, style: { bold?: boolean }): string[] {
  const lines = wrapped(text, width, style).map((one) => cut(one, width, style));
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES - 1), cut(`${lines[MOST_LINES - 1]} …`, width, style)];
}

export type Tone = "good" | "bad" | "neutral";
export type Cell = { text: string; tone?: Tone; detail?: string };
export type Matrix = Labels & {
  columns: string[];
  /** null: there is nothing to say. */
  rows: (Look & { cells: (Cell | null)[] })[];
};

export function matrix(data: Matrix, view: View = {}): string {
  const { columns, rows } = data;
  const left =
    32 +
    widest(
      rows.map(({ label }) => label),
      { bold: true },
    );
  const wide = Math.max(84, ((view.width ?? WIDTH) - left - 8) / Math.max(1, columns.length));
  const style = { anchor: "middle", size: SMALL, muted: true } as const;
  const heads = columns.map((column) => wrapped(column, wide - 8, style));
  const top = 8 + 14 * Math.max(1, ...heads.map(({ length }) => length));
  const middleOf = (column: number) => left + (column + 0.5) * wide - 1.5;
  let y = top;
  const content = rows.flatMap((row) => {
    const texts = row.cells.map((cell) => linesOf(cell, wide - 12));
    const height = 14 + 16 * Math.max(1, ...texts.map(({ length }) => length));
    const middle = y + height / 2;
    const box = { y, width: wide - 3, height, rx: 3, stroke: "currentColor" };
    y += height + 3;
    return [
      mark(row, 14, middle),
      textAt(26, middle + 4.5, row.label, { bold: !row.muted, muted: row.muted }),
      ...row.cells.map((cell, i) =>
        tag("rect", {
          ...{ x: left + i * wide, ...box, fill: cell ? fillOf(cell.tone ?? "neutral") : "none" },
          "stroke-opacity": cell?.tone === "bad" ? 0.6 : 0.15,
        }),
      ),
      ...texts.flatMap((lines, i) =>
        lines.map(({ text, ...look }, j) => {
          const baseline = middle - 8 * lines.length + 12.5 + 16 * j;
          return textAt(middleOf(i), baseline, text, { anchor: "middle", ...look });
        }),
      ),
    ];
  });
  const header = heads.flatMap((lines, i) =>
    lines.map((text, j) => textAt(middleOf(i), top - 8 - 14 * (lines.length - 1 - j), text, style)),
  );
  const told = rows.map(({ label, cells }) => {
    return `${label}: ${cells.map((cell, i) => `${columns[i]} ${cell?.text ?? NONE}`).join(", ")}`;
  });
  const width = left + 8 + wide * columns.length;
  return whole(data, view, { width, content: [...header, ...content], told, height: y + 4 });
}

function linesOf(cell: Cell | null, width: number) {
  if (!cell) return [{ text: NONE, muted: true }];
  const [bold, small] = [{ bold: true }, { size: SMALL }];
  return [
    ...wrapped(cell.text, width, bold).map((text) => ({ text, ...bold })),
    ...wrapped(cell.detail ?? "", width, small).map((text) => ({ text, ...small })),
  ];
}

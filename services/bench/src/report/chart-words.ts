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
  rows: string[][];
  /** How many rows are shown at most; the last line says how many there are more. */
  most?: number;
};

const ROW_HEIGHT = 26;
const WIDEST_CELL = 640;

export function table(data: Table, view: View = {}): string {
  const { columns, rows, most = Infinity } = data;
  const shown = rows.slice(0, most).map((row) => row.map((text) => cut(text, WIDEST_CELL)));
  const bold = { bold: true };
  const widths = columns.map(({ label }, i) => {
    return 24 + Math.max(widest([label], bold), widest(shown.map((row) => row[i])));
  });
  const sum = widths.reduce((all, one) => all + one, 16);
  const width = Math.max(view.width ?? WIDTH, sum);
  const rowAt = (row: number) => 20 + (row + 1) * ROW_HEIGHT;
  let left = 8;
  const texts = columns.flatMap(({ label, align: anchor = "start" }, i) => {
    const x = anchor === "end" ? left + widths[i] - 16 : left;
    left += widths[i];
    const cells = shown.map((row, j) => textAt(x, rowAt(j), row[i], { anchor }));
    return [textAt(x, rowAt(-1), label, { anchor, bold: true }), ...cells];
  });
  const rules = [-1, ...shown.keys()].map((row) => {
    const y = rowAt(row) + 8;
    return line([8, y, width - 8, y], { "stroke-opacity": row < 0 ? 0.7 : 0.2 });
  });
  const hidden = rows.length - shown.length;
  const more = hidden > 0 ? [`and ${counted(hidden, "row")} more, in the data`] : [];
  const names = columns.map(({ label }) => label).join(", ");
  return whole(data, view, {
    ...{ width, told: [`A table of ${counted(rows.length, "row")}: ${names}`] },
    content: [
      ...rules,
      ...texts,
      ...more.map((text) => textAt(8, rowAt(shown.length), text, { muted: true })),
    ],
    height: rowAt(shown.length + more.length) - 10,
  });
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

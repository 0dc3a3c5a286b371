/** Horizontal bars from zero, sorted, with figures and intervals; or marks instead of bars. */
import { figure, NONE } from "../numbers.ts";
import type { Labels, Look, View } from "./chart-frame.ts";
import { fillOf, gridX, ink, mark, whole, WIDTH } from "./chart-frame.ts";
import type { Attributes, Axis } from "./svg.ts";
import { cut, markAt, pixels, scaleOf, tag, textAt, widest } from "./svg.ts";

export type Bar = {
  /** null: there is none, and `text` says why. */
  value: number | null;
  /** Ends of the interval. */
  low?: number;
  high?: number;
  /** Instead of the figure. */
  text?: string;
  /** It lies somewhere between the ends, or beyond the one that is known: no figure is drawn. */
  span?: boolean;
  /** Single rounds, as rings. */
  samples?: number[];
};
export type BarRow = Look & {
  /** One for each series. */
  values: (Bar | null)[];
  group?: string;
  /** Among the best. */
  strong?: boolean;
};
export type Bars = Labels & {
  axis: Axis;
  /** Names of two series; without, there is one. */
  series?: readonly [string, string];
  rows: BarRow[];
  /** Without: best first, or the longest where nothing is better. */
  order?: "given";
  /** A dot may stand on a logarithmic axis; a bar begins at zero. */
  mark?: "bar" | "dot";
};

const GAP = 8;
const GROUP_HEIGHT = 24;

export function bars(data: Bars, view: View = {}): string {
  const { axis, series, order, mark: kind = "bar", better, title } = data;
  if (kind === "bar" && axis.scale === "log")
    throw new Error(`${title}: a bar begins at zero, which no logarithmic axis has`);
  const width = view.width ?? WIDTH;
  const rows = grouped(order === "given" ? data.rows : sorted(data.rows, better));
  const all = rows.flatMap(({ values }) => values.flatMap((bar) => bar ?? []));
  const labels = rows.map(({ label }) => label);
  const labelWidth = Math.min(widest(labels, { bold: true }), width * 0.4);
  const left = labelWidth + (rows.some(({ shape }) => shape) ? 32 : 16);
  const right = Math.min(14 + widest(all.map(barText), { bold: true }), width * 0.35);
  const range = [left, width - right] as const;
  const scale = scaleOf(axis, all.flatMap(figuresOf), range, { wanted: width < 480 ? 3 : 5 });
  const lanes = series?.length ?? 1;
  const laneHeight = lanes > 1 ? 13 : 16;

  let y = 4;
  const content = rows.flatMap((row, i) => {
    const isFirst = row.group !== undefined && row.group !== rows[i - 1]?.group;
    const heading = isFirst ? [textAt(8, y + 15, row.group ?? "", { bold: true })] : [];
    if (isFirst) y += GROUP_HEIGHT;
    const place = { kind, row, labelWidth, left, at: scale.at, laneHeight, top: y + GAP / 2 };
    y += lanes * laneHeight + GAP;
    return [...heading, ...drawRow(place)];
  });
  const keys = series?.map((label, lane) => ({
    label,
    draw: (x: number, at: number) =>
      tag("rect", { x, y: at - 10, width: 14, height: 10, ...lookOf("currentColor", lane) }),
  }));
  const told = rows.map(({ label, values }) => {
    const texts = values.map((bar, i) => `${series ? `${series[i]} ` : ""}${toldOf(bar)}`);
    return `${label}: ${texts.join(", ")}`;
  });
  return whole(data, view, {
    ...{ width, axis, keys, told, height: y + 26 },
    looks: kind === "bar" ? { lower: "shorter", higher: "longer" } : undefined,
    content: [...gridX(scale, axis, 0, y + 2), ...content],
  });
}

type Place = {
  kind: "bar" | "dot";
  row: BarRow;
  labelWidth: number;
  left: number;
  at: (value: number) => number;
  laneHeight: number;
  top: number;
};

function drawRow({ kind, row, labelWidth, left, at, laneHeight, top }: Place): string[] {
  const { label, colour, shape, muted, strong, values } = row;
  const middle = top + (values.length * laneHeight) / 2;
  const drawn = values.map((bar, lane) => {
    if (!bar) return "";
    const y = top + (lane + 0.5) * laneHeight;
    const look = lookOf(colour, lane);
    const rings = (bar.samples ?? []).map((sample) =>
      markAt(at(sample), y, "circle", 2, {
        ...RING,
        stroke: kind === "bar" ? "currentColor" : colour,
      }),
    );
    const isOpen = bar.span && (bar.low === undefined || bar.high === undefined);
    const end = Math.max(left, ...figuresOf(bar).map(at)) + (isOpen ? 8 : 0);
    const style = { bold: strong, muted: bar.value === null, halo: fillOf("paper") };
    const text = textAt(end + 6, y + 4.5, barText(bar), style);
    if (bar.value === null) return rings.join("") + text;
    if (bar.span) return [spanOf(bar, at, y, look), text].join("");
    const [from, to] = [at(0), at(bar.value)].sort((a, b) => a - b);
    const size = { x: from, y: y - laneHeight / 2 + 1, width: to - from, height: laneHeight - 2 };
    const body =
      kind === "bar"
        ? [ink(colour, tag("rect", { ...size, ...look })), ...rings]
        : [...rings, ink(colour, markAt(at(bar.value), y, shape, 4.5, look))];
    return [...body, whisker(bar, at, y), text].join("");
  });
  const style = { anchor: "end", bold: strong, muted } as const;
  return [
    textAt(8 + labelWidth, middle + 4.5, cut(label, labelWidth), style),
    shape ? mark(row, left - 12, middle) : "",
    ...drawn,
  ];
}

const RING: Attributes = { fill: fillOf("paper"), "stroke-opacity": 0.7 };

/** A thick line from end to end; an end that is not known is open. */
function spanOf(
  { value, low, high }: Bar,
  at: (value: number) => number,
  y: number,
  look: Attributes,
): string {
  const [from, to] = [at(low ?? value ?? 0), at(high ?? value ?? 0)];
  if (low !== undefined && high !== undefined)
    return ink(
      String(look.fill),
      tag("rect", { x: from, y: y - 4, width: Math.max(2, to - from), height: 8, rx: 3, ...look }),
    );
  const way = high === undefined ? 1 : -1;
  const x = high === undefined ? from : to;
  const d = `M${pixels(x)},${pixels(y - 5)}v10l${8 * way},-5z`;
  return ink(String(look.fill), tag("path", { d, ...look }));
}

/** In the colour of text, which shows on the bar and beside it. */
function whisker({ low, high }: Bar, at: (value: number) => number, y: number): string {
  if (low === undefined || high === undefined) return "";
  const [x1, x2, top] = [at(low), at(high), y - 3.5].map(pixels);
  const d = `M${x1},${pixels(y)}H${x2}M${x1},${top}v7M${x2},${top}v7`;
  return tag("path", { d, stroke: "currentColor", "stroke-width": 1.25, fill: "none" });
}

function lookOf(colour: string, lane: number): Attributes {
  return { fill: colour, stroke: colour, "fill-opacity": lane === 0 ? undefined : 0.3 };
}

function figuresOf({ value, low, high, samples = [] }: Bar): number[] {
  return [value, low, high, ...samples].flatMap((one) => one ?? []);
}

function barText({ value, text }: Bar): string {
  return text ?? figure(value);
}

function toldOf(bar: Bar | null): string {
  if (!bar) return NONE;
  const { low, high } = bar;
  const isKnown = low !== undefined && high !== undefined;
  return barText(bar) + (isKnown ? ` (${figure(low)} to ${figure(high)})` : "");
}

/** Those without a figure come last. */
function sorted(rows: BarRow[], better: Labels["better"]): BarRow[] {
  const sign = better === "lower" ? 1 : -1;
  const key = ({ values }: BarRow) => {
    const first = values.find((bar) => bar && bar.value !== null);
    return first ? sign * (first.value ?? 0) : Number.MAX_VALUE;
  };
  return rows.toSorted((a, b) => key(a) - key(b));
}

function grouped(rows: BarRow[]): BarRow[] {
  return [...Map.groupBy(rows, ({ group }) => group).values()].flat();
}

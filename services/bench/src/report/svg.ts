/**
 * What charts are made of: elements, text that fits, scales and marks. Nothing here can measure
 * text: widths are estimates that the widest fonts of the usual systems stay below.
 */
import { number } from "../numbers.ts";

export type Attributes = Record<string, string | number | undefined>;

export const FONT_SIZE = 13;
/** Opacity of muted text. */
export const MUTED = 0.72;
/** Of a letter, in parts of the font's size. */
const LETTER = 0.6;
const BOLD = 1.1;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]);
}

/** Hundredths of a pixel: nobody sees more, and the same data give the same bytes. */
export function pixels(value: number): string {
  return String(Math.round(value * 100) / 100 + 0);
}

export function tag(name: string, attributes: Attributes, ...content: string[]): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : ` ${key}="${typeof value === "number" ? pixels(value) : escaped(value)}"`,
  );
  return `<${name}${written.join("")}${content.length > 0 ? `>${content.join("")}</${name}>` : "/>"}`;
}

type TextStyle = {
  anchor?: "start" | "middle" | "end";
  size?: number;
  bold?: boolean;
  muted?: boolean;
  fill?: string;
  /** In the colour of the paper: the text stands on lines. */
  halo?: string;
};

/** @param y of the baseline */
export function textAt(x: number, y: number, text: string, style: TextStyle = {}): string {
  const { anchor, size, bold, muted, fill, halo } = style;
  return tag(
    "text",
    {
      ...{ x, y, fill, "text-anchor": anchor, "font-size": size },
      ...(halo && { stroke: halo, "stroke-width": 3, "paint-order": "stroke" }),
      ...{ "font-weight": bold ? "600" : undefined, "fill-opacity": muted ? MUTED : undefined },
    },
    escaped(text),
  );
}

export function widthOf(text: string, { size = FONT_SIZE, bold = false }: TextStyle = {}): number {
  return text.length * size * LETTER * (bold ? BOLD : 1);
}

export function widest(texts: string[], style?: TextStyle): number {
  return Math.max(0, ...texts.map((text) => widthOf(text, style)));
}

export function cut(text: string, width: number, style?: TextStyle): string {
  const letters = Math.max(3, Math.floor(width / widthOf("x", style)));
  return text.length > letters ? `${text.slice(0, letters - 1).trimEnd()}…` : text;
}

/** Between the parts of a caption; a line ends there where it can. */
const PART = " · ";

/** @returns lines no wider than this, unless a word is */
export function wrapped(text: string, width: number, style?: TextStyle): string[] {
  const letters = Math.floor(width / widthOf("x", style));
  const parts = text.split(PART).flatMap((part) => filled(part.split(" "), " ", letters));
  return filled(parts, PART, letters);
}

function filled(pieces: string[], between: string, letters: number): string[] {
  const lines: string[] = [];
  for (const piece of pieces.filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines.at(-1)}${between}${piece}` : "";
    if (longer && longer.length <= letters) lines[lines.length - 1] = longer;
    else lines.push(piece);
  }
  return lines;
}

export type Axis = {
  /** With its unit; "log scale" is added where that is asked for. */
  label: string;
  /** Never chosen by the data: neighbours that switch are misread. "time" takes ms since 1970. */
  scale?: "linear" | "log" | "time";
  domain?: readonly [number, number];
  ticks?: number[];
  format?: (value: number) => string;
  /** No line at its ticks. */
  quiet?: boolean;
  /** Lines across the chart: a promise, a threshold. */
  limits?: { value: number; label?: string }[];
};

export type Scale = {
  at: (value: number) => number;
  ticks: { value: number; text: string }[];
  /** As at a tick. */
  text: (value: number) => string;
  domain: readonly [number, number];
};

/**
 * @param values all that must have room
 * @param range pixels
 * @param fromZero whether a linear axis without a domain begins at zero
 */
export function scaleOf(
  { scale = "linear", domain: given, ticks, format, limits = [] }: Axis,
  values: number[],
  [start, end]: readonly [number, number],
  { fromZero = true, wanted = 5 } = {},
): Scale {
  const all = [...values, ...limits.map(({ value }) => value)].filter(
    (value) => scale !== "log" || value > 0,
  );
  const [low, high] = given ?? extent(fromZero && scale === "linear" ? [0, ...all] : all);
  const domain = given ?? (fromZero ? padded(low, high, scale) : ([low, high] as const));
  // The end of an interval may be zero or below.
  const place = (value: number) => (scale === "log" ? Math.log(Math.max(value, domain[0])) : value);
  const [from, to] = domain.map(place);
  const marks =
    ticks ??
    (scale === "log"
      ? logTicks(domain, wanted + 3)
      : multiples(
          scale === "time" ? timeStep(domain, wanted) : stepOf(domain[0], domain[1], wanted),
          domain,
        ));
  const text = format ?? (scale === "time" ? clock : tickText);
  return {
    ...{ domain, text },
    at: (value) => start + ((place(value) - from) / (to - from)) * (end - start),
    ticks: marks
      .filter((value) => value >= domain[0] && value <= domain[1])
      .map((value) => ({ value, text: text(value) })),
  };
}

export function axisText({ label, scale }: Axis): string {
  return scale === "log" ? `${label}, log scale` : label;
}

export function extent(values: number[]): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [0, 1];
  return low === high ? [low === 0 ? 0 : low - 1, high + 1] : [low, high];
}

function padded(low: number, high: number, scale: Axis["scale"]): readonly [number, number] {
  return scale === "log" ? [low / 1.15, high * 1.15] : [low * 1.04, high * 1.04];
}

function stepOf(low: number, high: number, wanted: number): number {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((digit) => digit * power >= rough * 0.9) ?? 10) * power;
}

function multiples(step: number, [low, high]: readonly [number, number]): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) =>
    Number(((first + i) * step).toPrecision(14)),
  );
}

function logTicks([low, high]: readonly [number, number], most: number): number[] {
  const powers = multiples(1, [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]);
  const choices = [[1, 2, 3, 5, 7], [1, 2, 5], [1]].map((digits) =>
    powers
      .flatMap((power) => digits.map((digit) => digit * 10 ** power))
      .filter((value) => value >= low && value <= high),
  );
  return choices.find(({ length }) => length <= most) ?? choices[2];
}

const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];

function timeStep([low, high]: readonly [number, number], wanted: number): number {
  const fits = (seconds: number) => high - low <= 1000 * seconds * wanted;
  return 1000 * (SECONDS.find(fits) ?? (high - low) / 1000 / wanted);
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

function tickText(value: number): string {
  return Math.abs(value) >= 1000 ? number(value) : String(Number(value.toPrecision(6)));
}

/** They differ in black and white too. */
export const SHAPES = [
  ...(["circle", "square", "triangle", "diamond"] as const),
  ...(["triangle-down", "star-4", "hexagon", "star-5"] as const),
] as const;
export type Shape = (typeof SHAPES)[number];

/** Corners on a circle; outer and inner radius take turns in a star. */
const OUTLINES: Record<Shape, { corners: number; radii: number[]; degrees: number }> = {
  circle: { corners: 0, radii: [1], degrees: 0 },
  square: { corners: 4, radii: [1.25], degrees: 45 },
  triangle: { corners: 3, radii: [1.35], degrees: -90 },
  diamond: { corners: 4, radii: [1.35], degrees: 0 },
  "triangle-down": { corners: 3, radii: [1.35], degrees: 90 },
  "star-4": { corners: 8, radii: [1.6, 0.5], degrees: -90 },
  hexagon: { corners: 6, radii: [1.2], degrees: 0 },
  "star-5": { corners: 10, radii: [1.5, 0.6], degrees: -90 },
};

export function markAt(
  x: number,
  y: number,
  shape: Shape = "circle",
  radius: number,
  attributes: Attributes,
): string {
  const { corners, radii, degrees } = OUTLINES[shape];
  if (corners === 0) return tag("circle", { cx: x, cy: y, r: radius, ...attributes });
  const points = Array.from({ length: corners }, (_, i) => {
    const angle = ((degrees + (360 * i) / corners) * Math.PI) / 180;
    const length = radius * radii[i % radii.length];
    return `${pixels(x + length * Math.cos(angle))},${pixels(y + length * Math.sin(angle))}`;
  });
  return tag("polygon", { points: points.join(" "), ...attributes });
}

export function line(
  [x1, y1, x2, y2]: readonly [number, number, number, number],
  attributes: Attributes = {},
): string {
  return tag("line", { x1, y1, x2, y2, stroke: "currentColor", ...attributes });
}

/**
 * Moves labels apart until none covers another, as little as their order allows.
 *
 * @param wanted pixels
 * @returns in the order of `wanted`
 */
export function spread(wanted: number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const placed: number[] = Array(wanted.length);
  // Labels that touch form a group, which sits where the mean of its wishes is.
  const groups: { members: number[]; top: number }[] = [];
  for (const index of order) {
    let group = { members: [index], top: Math.max(low, Math.min(wanted[index], high)) };
    for (
      let above = groups.at(-1);
      above && above.top + above.members.length * gap > group.top;
      above = groups.at(-1)
    ) {
      groups.pop();
      const members = [...above.members, ...group.members];
      const sum = members.reduce((total, member, i) => total + wanted[member] - i * gap, 0);
      const bottom = high - (members.length - 1) * gap;
      group = { members, top: Math.max(low, Math.min(sum / members.length, bottom)) };
    }
    groups.push(group);
  }
  for (const { members, top } of groups)
    members.forEach((member, i) => (placed[member] = top + i * gap));
  return placed;
}

/** What all charts share: title, keys, axes and caption, and colours for light and dark. */
import type { Attributes, Axis, Scale, Shape } from "./svg.ts";
import { axisText, cut, escaped, FONT_SIZE, line, markAt, MUTED } from "./svg.ts";
import { pixels, tag, textAt, widthOf, wrapped } from "./svg.ts";

export type View = { width?: number; id?: string };

export type Labels = {
  /** The point that the chart makes. */
  title: string;
  better?: "lower" | "higher";
  /** Small, below: where the figures are from. Its parts stand between " · ". */
  caption?: string;
  /** Said to who does not see the chart, before its figures. */
  description?: string;
};

export type Look = {
  label: string;
  colour: string;
  shape?: Shape;
  /** The control, and what is only there to compare with. */
  muted?: boolean;
};

export const WIDTH = 640;
export const PHONE = 360;
export const SMALL = 11;
const LINE = 18;

const COLOURS = {
  good: ["#d9efdf", "#1d4029"],
  bad: ["#f9d9cf", "#5c2619"],
  neutral: ["#eff1f3", "#262b30"],
  paper: ["#ffffff", "#14171a"],
};
const variables = (theme: 0 | 1) =>
  Object.entries(COLOURS).map(([name, values]) => `--chart-${name}: ${values[theme]};`);
/** A proxy's dark colour would vanish on a dark ground. */
export const CHART_STYLE = `
svg.chart { ${variables(0).join(" ")} color: #1c2126; font-family: system-ui, sans-serif; font-variant-numeric: tabular-nums; }
@media screen and (prefers-color-scheme: dark) {
  svg.chart { ${variables(1).join(" ")} color: #e4e7ea; }
  svg .dark { filter: brightness(1.6); }
}`;

export function fillOf(name: keyof typeof COLOURS): string {
  return `var(--chart-${name}, ${COLOURS[name][0]})`;
}

/** What has the colour of a thing, and not that of text. */
export function ink(colour: string, ...content: string[]): string {
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16) / 255);
  const isDark = 0.21 * red ** 2.2 + 0.72 * green ** 2.2 + 0.07 * blue ** 2.2 < 0.14;
  return isDark ? tag("g", { class: "dark" }, ...content) : content.join("");
}

/** A thing's mark, in its colour. */
export function mark({ colour, shape }: Omit<Look, "label">, x: number, y: number, radius = 4.5) {
  return ink(colour, markAt(x, y, shape, radius, { fill: colour }));
}

/** Each once in a page, for `keyMark`. @param looks by name of the proxy */
export function keyMarks(looks: Record<string, Omit<Look, "label">>): string {
  const marks = Object.entries(looks).map(([name, look]) =>
    tag("symbol", { id: keyId(name), viewBox: "-7 -7 14 14" }, mark(look, 0, 0)),
  );
  return tag("svg", { style: "display: none" }, ...marks);
}

/** For HTML, beside a name; hidden from screen readers, which get the name. */
export function keyMark(name: string): string {
  return tag(
    "svg",
    { class: "key", "aria-hidden": "true" },
    tag("use", { href: `#${keyId(name)}` }),
  );
}

function keyId(name: string): string {
  return `key--${name}`;
}

const GRID = (value: number): Attributes => ({ "stroke-opacity": value === 0 ? 0.6 : 0.13 });
const LIMIT: Attributes = { "stroke-dasharray": "6 3" };

/** Their common look stands once: a chart has up to twenty. */
function tickTexts(anchor: "middle" | "end", texts: string[]): string {
  const look = { "text-anchor": anchor, "font-size": SMALL, "fill-opacity": MUTED };
  return tag("g", look, ...texts);
}

/** Lines down the chart, their figures below them, and limits. */
export function gridX(scale: Scale, axis: Axis, top: number, bottom: number): string[] {
  const rule = (value: number, look: Attributes) =>
    line([scale.at(value), top, scale.at(value), bottom], look);
  return [
    ...(axis.quiet ? [] : scale.ticks.map(({ value }) => rule(value, GRID(value)))),
    tickTexts(
      "middle",
      scale.ticks.map(({ value, text }) => textAt(scale.at(value), bottom + 15, text)),
    ),
    ...(axis.limits ?? []).map(
      ({ value, label = "" }) =>
        rule(value, LIMIT) + textAt(scale.at(value) + 4, top + 9, label, { size: SMALL }),
    ),
  ];
}

/** Lines across the chart, their figures beside them, and limits. */
export function gridY(scale: Scale, axis: Axis, left: number, right: number): string[] {
  const rule = (value: number, look: Attributes) =>
    line([left, scale.at(value), right, scale.at(value)], look);
  return [
    ...scale.ticks.map(({ value }) => rule(value, GRID(value))),
    tickTexts(
      "end",
      scale.ticks.map(({ value, text }) => textAt(left - 6, scale.at(value) + 4, text)),
    ),
    ...(axis.limits ?? []).map(
      ({ value, label = "" }) =>
        rule(value, LIMIT) + textAt(left + 4, scale.at(value) - 5, label, { size: SMALL }),
    ),
  ];
}

export type Key = { label: string; draw: (x: number, baseline: number) => string };

function legend(keys: Key[], width: number): { content: string[]; height: number } {
  let [x, row] = [8, 0];
  const content = keys.map(({ label, draw }) => {
    const own = 36 + widthOf(label);
    if (x + own > width && x > 8) [x, row] = [8, row + 1];
    const text = draw(x, 16 + row * LINE) + textAt(x + 20, 16 + row * LINE, cut(label, width - 36));
    x += own;
    return text;
  });
  return { content, height: keys.length > 0 ? 8 + (row + 1) * LINE : 0 };
}

type Content = {
  width: number;
  height: number;
  content: string[];
  /** In words, for those who do not see it. */
  told: string[];
  /** Of the figures. */
  axis?: Axis;
  /** What low and high figures look like. */
  looks?: { lower: string; higher: string };
  keys?: Key[];
};

/** Title, what is shown and which way is good, keys, the chart, its caption. */
export function whole(
  { title, better, caption = "", description }: Labels,
  { id }: View,
  { width, height, content, told, axis, looks, keys = [] }: Content,
): string {
  const { lower, higher } = looks ?? { lower: "lower", higher: "higher" };
  const good = better && `${better === "lower" ? lower : higher} is better`;
  let y = id === undefined ? 6 : 0;
  const put = (text: string, style: { size: number; bold?: boolean; muted?: boolean }) =>
    wrapped(text, width - 16, style).map((one) => textAt(8, (y += style.size + 6) - 4, one, style));
  const move = (content: string[], height: number) => {
    const group = tag("g", { transform: `translate(0 ${pixels(y)})` }, ...content);
    y += height;
    return content.length > 0 ? group : "";
  };
  const measure = axis && axisText(axis);
  const named = legend(keys, width);
  const drawn = [
    ...(id === undefined ? put(title, { size: 15, bold: true }) : []),
    ...put([measure, good].filter(Boolean).join(" · "), { size: 12, muted: true }),
    move(named.content, named.height + 4),
    move(content, height),
    tag("g", { class: "caption" }, ...put(caption, { size: SMALL, muted: true })),
  ];
  const name = id ?? "chart";
  const size = { width, height: Math.ceil(y + 6) };
  const ground = tag("rect", { ...size, fill: fillOf("paper") });
  const about = [description, measure, ...told, caption].filter(Boolean).join(". ");
  return tag(
    "svg",
    {
      ...{ xmlns: "http://www.w3.org/2000/svg", class: "chart", ...size, role: "img" },
      ...{ viewBox: `0 0 ${pixels(width)} ${size.height}`, "font-size": FONT_SIZE },
      fill: "currentColor",
      "aria-labelledby": `${name}-title ${name}-desc`,
    },
    tag("title", { id: `${name}-title` }, escaped(title)),
    tag("desc", { id: `${name}-desc` }, escaped(`${about}.`)),
    ...(id === undefined ? [tag("style", {}, CHART_STYLE), ground] : []),
    ...drawn,
  );
}

/** Lines over a number or over time, and estimates with intervals side by side. */
import { figure } from "../numbers.ts";
import type { Key, Labels, Look, View } from "./chart-frame.ts";
import { fillOf, gridX, gridY, ink, mark, SMALL, whole, WIDTH } from "./chart-frame.ts";
import type { Axis, Scale } from "./svg.ts";
import { axisText, cut, escaped, extent, line, markAt, pixels } from "./svg.ts";
import { scaleOf, spread, tag, textAt, widest, widthOf } from "./svg.ts";

export type Point = { x: number; y: number | null; low?: number; high?: number };
export type Line = Look & {
  points: Point[];
  as?: "line" | "points" | "stack";
  dash?: string;
  width?: number;
  /** Drawn, and not named. */
  unnamed?: boolean;
};
/** strong: a line in its colour, and its label too. */
export type Event = { x: number; label?: string; colour?: string; strong?: boolean };
export type Lines = Labels & {
  x: Axis;
  y: Axis;
  series: Line[];
  interval?: "whisker" | "band";
  spans?: { from: number; to: number; label?: string }[];
  events?: Event[];
  /** Where names stand; without: at the ends of the lines, and below on a phone. */
  names?: "end" | "below";
  height?: number;
};
export type Dots = Omit<Lines, "x" | "interval" | "spans" | "events"> & {
  x: Axis | { label: string; categories: string[] };
  /** A thin line from one to the next. */
  linked?: boolean;
};

/** A line of fewer points shows each. */
const FEW_POINTS = 40;
/** A large mark covers its neighbours. */
const FEW_MARKS = 12;
const LANE = 14;
const MARK = 3.6;

export function dots({ x, linked, ...rest }: Dots, view: View = {}): string {
  const series = rest.series.map((one): Line => ({ ...one, as: linked ? one.as : "points" }));
  const axis: Axis =
    "categories" in x
      ? {
          label: x.label,
          domain: [-0.5, x.categories.length - 0.5],
          ticks: x.categories.map((_, i) => i),
          format: (value) => x.categories[value],
        }
      : x;
  return draw({ ...rest, series, x: axis, interval: "whisker" }, view, { dodge: true });
}

export function lines(data: Lines, view: View = {}): string {
  return draw(data, view, { dodge: false });
}

type Box = { left: number; right: number; top: number; bottom: number };

function draw(data: Lines, view: View, { dodge }: { dodge: boolean }): string {
  const { x, y, interval = "band", spans = [], events = [] } = data;
  const width = view.width ?? WIDTH;
  const height = data.height ?? Math.round(Math.min(380, 120 + width * 0.28));
  const series = stacked(data.series.filter(({ points }) => points.length > 0));
  const named = series.filter(({ unnamed }) => !unnamed);
  const labels = named.map(({ label }) => label);
  const atEnd = (data.names ?? (width < 480 ? "below" : "end")) === "end";
  const points = series.flatMap((one) => one.points);
  const ys = points.flatMap(({ y, low, high }) => [y, low, high].flatMap((one) => one ?? []));
  const figures = scaleOf(y, ys, [height, 0]).ticks.map(({ text }) => text);
  const left = 14 + widest(figures, { size: SMALL });
  const right = width - (atEnd ? Math.min(34 + widest(labels), width * 0.34) : 16);
  const inset = dodge ? 16 : 0;
  const xs = points.map((point) => point.x);
  const across = scaleOf(x, xs, [left + inset, right - inset], {
    ...{ fromZero: false, wanted: Math.max(2, Math.floor((right - left) / 90)) },
  });
  const marks = inLanes(events, across, right);
  const top = 10 + LANE * Math.max(0, ...marks.map(({ lane }) => lane + 1));
  const box = { left, right, top, bottom: top + height };
  const up = scaleOf(y, ys, [box.bottom, top]);

  const step = dodge ? dodgeStep(xs.map(across.at), series.length) : 0;
  const curves = series.map((one, index) => {
    const shift = step * (index - (series.length - 1) / 2);
    return curve(one, { index, interval, x: (value) => across.at(value) + shift, y: up.at });
  });
  const style = { anchor: "middle", size: SMALL, muted: true } as const;
  const told = series.map(({ label, points }) => {
    const present = points.flatMap(({ x, y }) => (y === null ? [] : { x, y }));
    const [low, high] = extent(present.map(({ y }) => y));
    const each = present.map(({ x, y }) => `${across.text(x)}: ${figure(y)}`);
    return `${label}: ${each.length <= 6 ? each.join(", ") : `${figure(low)} to ${figure(high)}`}`;
  });
  return whole(data, view, {
    ...{ width, axis: y, told, height: box.bottom + 40 },
    keys: atEnd ? [] : named.map(keyOf),
    content: [
      ...spans.map((span) => drawSpan(span, across, box)),
      ...gridY(up, y, left, right),
      ...gridX(across, { ...x, quiet: true }, top, box.bottom),
      textAt((left + right) / 2, box.bottom + 33, axisText(x), style),
      ...drawEvents(marks, across, box),
      ...curves,
      ...(atEnd ? namesAtEnd(named, across, up, { ...box, right, width }) : []),
    ],
  });
}

function keyOf({ label, colour, shape = "square" }: Line): Key {
  const draw: Key["draw"] = (x, baseline) => mark({ colour, shape }, x + 6, baseline - 5);
  return { label, draw };
}

function drawSpan(
  { from, to, label = "" }: { from: number; to: number; label?: string },
  { at }: Scale,
  { top, bottom }: Box,
): string {
  const size = { x: at(from), y: top, width: at(to) - at(from), height: bottom - top };
  const style = { size: SMALL, muted: true };
  return (
    tag("rect", { ...size, fill: "currentColor", "fill-opacity": 0.07 }) +
    textAt(size.x + 4, top + 12, label, style)
  );
}

type Lane = Event & { px: number; lane: number };

/** Labels stand in three lines above the curves; one that has no room there is left out. */
function inLanes(events: Event[], { at }: Scale, end: number): Lane[] {
  const taken = [0, 0, 0];
  return events
    .toSorted((a, b) => a.x - b.x)
    .map((event) => {
      const px = at(event.x);
      const after = px + 8 + widthOf(event.label ?? "", { size: SMALL });
      const free = taken.findIndex((until) => until <= px);
      const lane = event.label && after <= end + 24 ? free : -1;
      if (lane >= 0) taken[lane] = after;
      return { ...event, px, lane };
    });
}

function drawEvents(events: Lane[], { text }: Scale, { top, bottom }: Box): string[] {
  const halo = fillOf("paper");
  return [
    ...events.map(({ x, px, label = "event", colour = "currentColor", strong, lane }) => {
      const look = strong
        ? { stroke: colour, "stroke-width": 1.5 }
        : { "stroke-dasharray": "2 3", "stroke-opacity": 0.6, stroke: colour };
      const rule = line([px, lane < 0 ? top : LANE * lane + 4, px, bottom], look);
      return tag("g", {}, tag("title", {}, escaped(`${label}, ${text(x)}`)), rule);
    }),
    ...events
      .filter(({ lane }) => lane >= 0)
      .map(({ px, label = "", lane, strong, colour }) => {
        const style = { size: SMALL, halo, ...(strong && { bold: true, fill: colour }) };
        return textAt(px + 3, LANE * lane + 12, label, style);
      }),
  ];
}

function namesAtEnd(
  named: Line[],
  across: Scale,
  up: Scale,
  { right, width, top, bottom }: Box & { width: number },
): string[] {
  const last = named.map(({ points }) => points.findLast(({ y }) => y !== null));
  const wanted = last.map((point) => up.at(point?.y ?? up.domain[0]));
  return spread(wanted, 15, top + 4, bottom).map((at, i) => {
    const { label, colour, muted } = named[i];
    const from = last[i] ? across.at(last[i].x) : right;
    return [
      line([from, wanted[i], right + 6, at], { stroke: colour, "stroke-dasharray": "1 2" }),
      mark(named[i], right + 12, at, MARK),
      textAt(right + 20, at + 4.5, cut(label, width - right - 20), { muted }),
    ].join("");
  });
}

/** Side by side, so that no interval hides another. */
function dodgeStep(xs: number[], count: number): number {
  const places = [...new Set(xs)].sort((a, b) => a - b);
  const gaps = places.slice(1).map((x, i) => x - places[i]);
  return Math.min(11, (0.75 * Math.min(80, ...gaps)) / count);
}

/** @returns each point of a stack from where the one below it ends */
function stacked(series: Line[]): Line[] {
  const tops = new Map<number, number>();
  return series.map((one) => {
    if (one.as !== "stack") return one;
    const points = one.points.map(({ x, y }) => {
      const low = tops.get(x) ?? 0;
      tops.set(x, low + (y ?? 0));
      return { x, y, low, high: low + (y ?? 0) };
    });
    return { ...one, points };
  });
}

type Course = {
  index: number;
  interval: Lines["interval"];
  x: (value: number) => number;
  y: (value: number) => number;
};

function curve(one: Line, course: Course): string {
  const { points, colour, shape, as = "line", dash, width = 1.75 } = one;
  const { index, x, y } = course;
  const within = points.flatMap(({ x: at, low, high }) =>
    low === undefined || high === undefined ? [] : { x: x(at), low: y(low), high: y(high) },
  );
  if (as === "stack") return ink(colour, ...columns(within, colour));
  const isMissing = (i: number) => (points[i]?.y ?? null) === null;
  const path = points.map(({ x: at, y: value }, i) =>
    value === null ? "" : `${isMissing(i - 1) ? "M" : "L"}${pixels(x(at))},${pixels(y(value))}`,
  );
  const look = { fill: "none", stroke: colour, "stroke-width": width, "stroke-dasharray": dash };
  const every = shape ? Math.ceil(points.length / 6) : Infinity;
  const showsAll =
    as === "points" || (points.length <= (shape ? FEW_MARKS : FEW_POINTS) && width > 1);
  const marks = points.map(({ x: at, y: value }, i) => {
    const isAlone = isMissing(i - 1) && isMissing(i + 1);
    const isShown = showsAll || (i + index) % every === 0 || isAlone;
    if (value === null || !isShown) return "";
    return markAt(x(at), y(value), shape, shape ? MARK : 2, { fill: colour });
  });
  return ink(
    colour,
    ...intervals(within, course.interval, colour),
    as === "line" ? tag("path", { d: path.join(""), ...look }) : "",
    ...marks,
  );
}

/** In pixels. */
type Interval = { x: number; low: number; high: number };

function intervals(all: Interval[], kind: Lines["interval"], colour: string): string[] {
  if (kind !== "band" || all.length < 2)
    return all.map(({ x, low, high }) =>
      line([x, low, x, high], { stroke: colour, "stroke-width": 1.75 }),
    );
  const edge = (end: "low" | "high") => all.map((one) => `${pixels(one.x)},${pixels(one[end])}`);
  const d = `M${[...edge("low"), ...edge("high").reverse()].join("L")}Z`;
  return [tag("path", { d, fill: colour, "fill-opacity": 0.18 })];
}

function columns(all: Interval[], colour: string): string[] {
  const steps = all.slice(1).map(({ x }, i) => x - all[i].x);
  const width = Math.max(2, Math.min(40, ...steps) - 1);
  return all
    .filter(({ low, high }) => low > high)
    .map(({ x, low, high }) =>
      tag("rect", { x, y: high, width, height: low - high, fill: colour }),
    );
}

/**
 * Charts of a report: figures as bars, and what some questions know over something.
 */
import type { Comparison, Comparisons, Figure, Reported } from "../model/comparison.ts";
import { number } from "../numbers.ts";
import { measureTitle } from "../analyse/questions.ts";
import { VERSION, versionName } from "../plan/versions.ts";
import { schemeName } from "../plan/workload.ts";
import type { Block } from "./block.ts";
import type { Axis, Line } from "./chart.ts";
import { bars, lines } from "./chart.ts";
import { lookOf } from "./look.ts";
import { orderOf } from "./table.ts";
import { isBest, isSpan, scaleOf, settingTitle } from "./text.ts";
import type { Topic } from "./topics.ts";
import { columnTitle, picked } from "./topics.ts";

/**
 * Of the proxy (all its containers together) by the cell's id, seconds from the start of the
 * measured phase.
 */
export type Curves = Record<
  string,
  { seconds: number[]; usageBytes: number[]; cpuCores: number[] }
>;

/** Of a curve: more points than pixels are only bytes. */
const MOST_POINTS = 150;

/**
 * Of each scheme the setting with most in it; plain and TLS as two series. Bars where the length
 * from zero is the figure; marks where it would mislead: of ranges, of differences, and of ratios,
 * whose nothing is one.
 *
 * @param width for which it is drawn, unless on a phone
 */
export function barsOf(
  file: Comparisons,
  title: string,
  comparisons: Comparison[],
  width?: number,
): Block[] {
  const shown = picked(
    file,
    comparisons.filter(({ event }) => event === null),
  );
  const groups = shown.length === 2 ? [shown] : shown.map((one) => [one]);
  return groups.flatMap((own) => {
    const { measure } = own[0];
    const scale = scaleOf(
      measure,
      own.flatMap(({ figures }) => figures.flatMap(({ estimate }) => estimate?.value ?? [])),
    );
    const bar = (one: Figure | undefined) => {
      if (!one?.estimate) return null;
      const { value, low, high } = one.estimate;
      return {
        value: value / scale.divisor,
        ...(low !== null && { low: low / scale.divisor }),
        ...(high !== null && { high: high / scale.divisor }),
        span: isSpan(one.estimate),
        text: scale.of(one.estimate),
      };
    };
    const names = orderOf(file, own).filter((name) =>
      own.some(({ figures }) => isDrawn(figures, name)),
    );
    if (names.length < 2) return [];
    const where = own.map((one) => columnTitle(one, file));
    const areSchemes = new Set(own.map(({ scheme }) => scheme)).size === own.length;
    const nameOf = (one: Comparison) =>
      areSchemes ? schemeName(file.settings[one.settings[0]]) : columnTitle(one, file);
    const isRatio = measure.unit === "times";
    const isBelow = own.some(({ figures }) =>
      figures.some(({ estimate }) => estimate && Math.min(estimate.value, estimate.low ?? 0) < 0),
    );
    const data = {
      title: own.length === 1 ? `${title}, ${where[0]}` : title,
      better: measure.better,
      order: "given" as const,
      mark: isRatio || isBelow ? ("dot" as const) : ("bar" as const),
      axis: {
        label: isRatio ? "×" : scale.unit || measure.title,
        ...(isRatio && { limits: [{ value: 1 }] }),
      },
      ...(own.length === 2 && {
        series: [nameOf(own[0]), nameOf(own[1])] as const,
        caption: where.filter((text, i) => text !== nameOf(own[i])).join(" · "),
      }),
      rows: names.map((name) => {
        const figures = own.map((one) => one.figures.find(({ proxy }) => proxy === name));
        return {
          ...lookOf(file, name),
          values: figures.map(bar),
          strong: own.every(({ figures: among }, i) => {
            const one = figures[i];
            return one !== undefined && isBest(one, among);
          }),
        };
      }),
    };
    return [
      {
        kind: "chart" as const,
        title: data.title,
        draw: (view) => bars(data, { width, ...view }),
        isLarge: true,
      },
    ];
  });
}

function isDrawn(figures: Figure[], name: string): boolean {
  return figures.some(
    ({ proxy, role, estimate }) => proxy === name && role === "proxy" && estimate,
  );
}

export function curveCharts(
  reported: Reported,
  { question, top, all }: Topic,
  curves: Curves,
): Block[] {
  const { comparisons: file } = reported;
  const shown = question.charts ?? [];
  const withCurves = (some: Comparison[]) =>
    picked(
      file,
      some.filter(({ figures }) => figures.some(({ extra }) => extra.curve?.length)),
    );
  return [
    ...(shown.includes("distribution")
      ? withCurves(all).map((one) => distribution(file, one))
      : []),
    ...(shown.includes("slope") ? withCurves(top).map((one) => slope(file, one)) : []),
    ...(shown.includes("around") ? top.flatMap((one) => around(file, one)) : []),
    ...(shown.includes("recovery")
      ? top.filter((one) => !picked(file, top).includes(one)).flatMap((one) => around(file, one))
      : []),
    ...(shown.includes("search") ? top.map((one) => search(reported, one)) : []),
    ...(shown.includes("over-time")
      ? picked(file, top).flatMap((one) => overTime(reported, one, curves))
      : []),
  ];
}

/** In pixels: a table has room below it on the first screen. */
const LOW = 200;

/** Connections that stay open, where some do not. */
export function openChart(file: Comparisons, one: Comparison): Block[] {
  return around(file, one, ["openPercent"], LOW);
}

/** What is looked at first: it stands open. */
export function recoveryCharts(file: Comparisons, { question, top }: Topic): Block[] {
  if (!question.charts?.includes("recovery")) return [];
  return picked(file, top).flatMap((one) => around(file, one));
}

interface Drawn {
  title: string;
  x: Axis;
  y: Axis;
  series: Line[];
  /** It stands open, and is drawn for a phone too. */
  height?: number;
  interval?: "whisker";
}

function chart(data: Drawn): Block {
  const { title, height } = data;
  const isLarge = height !== undefined;
  return { kind: "chart", title, draw: (view) => lines(data, view), isLarge };
}

function seriesOf(
  file: Comparisons,
  { figures }: Comparison,
  points: (one: Figure) => [number, number][],
): Line[] {
  const older = olderVersions(file);
  return figures.flatMap((one) => {
    if (older.includes(one.proxy)) return [];
    const own = thinned(points(one));
    if (own.length === 0) return [];
    return [
      {
        ...lookOf(file, one.proxy),
        muted: one.role === "control",
        points: own.map(([x, y]) => ({ x, y })),
      },
    ];
  });
}

function thinned<T>(points: T[]): T[] {
  const step = Math.ceil(points.length / MOST_POINTS);
  return points.filter((_, i) => i % step === 0);
}

/** Of a proxy that takes part in several versions; null: it does not. */
function versionOf({ name, variantOf: proxy = "" }: Comparisons["proxies"][number]): string | null {
  const version = name.slice(proxy.length + 1);
  return name === versionName(proxy, version) && VERSION.test(version) ? version : null;
}

/** In a chart of curves the newest stands for its proxy: all of them would hide each other. */
function olderVersions({ proxies }: Comparisons): string[] {
  const all = proxies.filter((one) => versionOf(one) !== null);
  return all
    .filter(({ variantOf }, i) => all[i + 1]?.variantOf === variantOf)
    .map(({ name }) => name);
}

/** Figures of proxies that take part in several versions, a line over them. */
export function versionCharts(file: Comparisons, top: Comparison[]): Block[] {
  const shown = top.filter(({ event, measure }) => event === null && measure.unit !== "times");
  return picked(file, shown).flatMap((one) => overVersions(file, one));
}

function overVersions(file: Comparisons, one: Comparison): Block[] {
  const { measure, figures } = one;
  const places = file.proxies.flatMap((proxy) => {
    const { name, title, variantOf } = proxy;
    const version = versionOf(proxy);
    const estimate = figures.find((figure) => figure.proxy === name)?.estimate;
    if (version === null || !estimate) return [];
    return [{ variantOf, name, version, title: title.slice(0, -version.length - 1), estimate }];
  });
  const families = [...Map.groupBy(places, ({ variantOf }) => variantOf).values()];
  if (!families.some(({ length }) => length > 1)) return [];
  const values = places.map(({ estimate }) => estimate.value);
  const { unit, divisor } = scaleOf(measure, values);
  const data = {
    title: `${measureTitle(measure)} by version, ${columnTitle(one, file)}`,
    x: {
      label: "version",
      domain: [-0.5, places.length - 0.5] as const,
      ticks: places.map((_, i) => i),
      format: (i: number) => places[i].version,
    },
    y: { label: unit || measure.title },
    interval: "whisker" as const,
    series: families.map((own) => ({
      ...lookOf(file, own[0].name),
      label: own[0].title,
      points: own.map((place) => {
        const { value, low, high } = place.estimate;
        const hasEnds = low !== null && high !== null;
        const ends = hasEnds ? { low: low / divisor, high: high / divisor } : {};
        return { x: places.indexOf(place), y: value / divisor, ...ends };
      }),
    })),
  };
  return [chart(data)];
}

function distribution(file: Comparisons, one: Comparison): Block {
  return chart({
    title: `Distribution, ${columnTitle(one, file)}`,
    x: {
      label: "percentile",
      scale: "log",
      ticks: [2, 10, 100, 1000, 10_000],
      format: (beyond) => `${+(100 * (1 - 1 / beyond)).toFixed(2)} %`,
    },
    y: { label: "ms" },
    series: seriesOf(file, one, ({ extra }) => extra.curve ?? []),
  });
}

function slope(file: Comparisons, one: Comparison): Block {
  return chart({
    title: `${measureTitle(one.measure)} over connections, ${columnTitle(one, file)}`,
    x: { label: "connections", format: number },
    y: { label: "MB" },
    series: seriesOf(file, one, ({ extra }) => (extra.curve ?? []).map(([x, y]) => [x, y / 1e6])),
  });
}

/** Every rate that was tried. */
function search({ comparisons: file, results }: Reported, one: Comparison): Block {
  const slo = results.plan.promise?.sloMs;
  return chart({
    title: `p99 over the offered rate, ${columnTitle(one, file)}`,
    x: { label: "per second", format: number },
    y: { label: "ms", ...(slo !== undefined && { limits: [{ value: slo, label: "promise" }] }) },
    series: seriesOf(file, one, ({ extra }) =>
      (extra.search?.points ?? [])
        .flatMap(({ rate, p99Ms }): [number, number][] => (p99Ms === null ? [] : [[rate, p99Ms]]))
        .sort(([a], [b]) => a - b),
    ),
  });
}

const AROUND: Record<
  string,
  { title: string; label: string; of: (value: number) => number; usual: number | null }
> = {
  openPercent: { title: "Connections open", label: "%", of: (value) => value, usual: 100 },
  failedPercent: { title: "New connections failed", label: "%", of: (value) => value, usual: 0 },
  memoryBytes: { title: "Memory", label: "MB", of: (value) => value / 1e6, usual: null },
  addedPercent: {
    title: "Open connections on the new backend",
    label: "% of all",
    of: (value) => value,
    usual: null,
  },
  back: { title: "Connections back", label: "%", of: (value) => value, usual: null },
};

/** Without those in which nothing happens. */
function around(
  file: Comparisons,
  one: Comparison,
  names = Object.keys(AROUND),
  height?: number,
): Block[] {
  return names.flatMap((name) => {
    const { title, label, of, usual } = AROUND[name];
    const all = one.figures.flatMap(({ extra }) => extra.around?.[name] ?? []);
    if (all.length === 0 || all.every(([, value]) => value === usual)) return [];
    const data = {
      title: `${title}: ${columnTitle(one, file)}`,
      x: { label: "seconds" },
      y: { label, ...(label === "%" && { domain: [0, 100] as const }) },
      series: seriesOf(file, one, ({ extra }) =>
        (extra.around?.[name] ?? []).map(([x, y]) => [x, of(y)]),
      ),
      ...(name !== "back" && { events: [{ x: 0, label: one.event ?? "" }] }),
    };
    return [chart({ ...data, height })];
  });
}

/** Of each proxy the round with the middle peak. */
function overTime(
  { comparisons: file, cells }: Reported,
  { settings, figures }: Comparison,
  curves: Curves,
): Block[] {
  const setting = settings.at(-1) ?? "";
  const rounds = figures
    .filter(({ role }) => role === "proxy")
    .flatMap(({ proxy }) => {
      const own = cells
        .filter(
          ({ record, setting: key, counted }) =>
            counted && key === setting && record.proxy === proxy,
        )
        .map(({ record }) => curves[record.id])
        .filter((curve) => curve?.seconds.length > 0)
        .sort((a, b) => Math.max(...a.usageBytes) - Math.max(...b.usageBytes));
      const middle = own[Math.floor((own.length - 1) / 2)];
      return middle ? [{ proxy, middle }] : [];
    });
  if (rounds.length === 0) return [];
  const drawn = (
    title: string,
    label: string,
    value: (curve: Curves[string], i: number) => number,
  ) =>
    chart({
      title: `${title}, ${settingTitle([setting], file.settings)}`,
      x: { label: "seconds" },
      y: { label },
      series: rounds.map(({ proxy, middle }) => ({
        ...lookOf(file, proxy),
        points: thinned(middle.seconds.map((x, i) => ({ x, y: value(middle, i) }))),
      })),
    });
  return [
    drawn("Memory over time", "MB", ({ usageBytes }, i) => usageBytes[i] / 1e6),
    drawn("CPU over time", "cores", ({ cpuCores }, i) => cpuCores[i]),
  ];
}

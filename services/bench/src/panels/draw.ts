/**
 * A panel as a picture, with its own title, units and colours. Kinds of panels, units and
 * calculations are those that our dashboards use; any other is refused by its name.
 */
import { NONE, shownUnit } from "../numbers.ts";
import * as chart from "../report/chart.ts";
import type { Config, Panel } from "./dashboards.ts";
import type { Field, Frame, Shown } from "./frames.ts";
import { areAligned, shownFields, sorted, visibleFields } from "./frames.ts";
import type { Range } from "./query.ts";

export type Annotation = { ms: number; title: string; text: string; colour?: string };
type Around = Range & { annotations: Annotation[]; caption: string };

/** As wide as a slide's half, in CSS pixels: text in it stays legible there. */
const WIDTH = 900;
/** A table that is longer is cut in the picture; its data are whole. */
const MOST_ROWS = 60;
/** More of them would hide the curves. */
const MOST_ANNOTATIONS = 60;
/** Of what is no proxy. */
const GREY = "#999999";
/** For series without a colour: Okabe and Ito's, which colour-blind people can tell apart. */
const PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000"];

type Draw = (
  panel: Panel,
  fields: Shown[],
  labels: chart.Labels,
  around: Around,
  frames: Frame[],
) => string;
const KINDS: Record<string, Draw> = {
  timeseries: drawLines,
  bargauge: drawBars,
  stat: drawFigures,
  table: drawTable,
};

/**
 * @param title where it says more than the panel's own, such as the setting
 * @returns an SVG that stands alone
 * @throws {Error} when this kind of panel cannot be drawn
 */
export function svgOf(panel: Panel, frames: Frame[], around: Around, title = panel.title): string {
  const draw = KINDS[panel.type];
  if (!draw)
    throw new Error(
      `a panel of the type ${panel.type} cannot be drawn; those that can: ${Object.keys(KINDS).join(", ")}`,
    );
  const { caption } = around;
  const description = panel.description?.replace(/\.$/, "");
  return draw(panel, visibleFields(frames, panel), { title, caption, description }, around, frames);
}

function drawLines(panel: Panel, fields: Shown[], labels: chart.Labels, around: Around): string {
  const shown = fields.filter(({ field }) => field.type === "number");
  const { unit, divisor } = scaleOf(
    panel.fieldConfig?.defaults.unit,
    shown.flatMap(({ field }) => field.values),
  );
  const isAligned = shown.every(({ times }) => areAligned(times));
  const { annotations, fromMs, toMs } = around;
  const series = shown.map(({ field, times, name, config }, index): chart.Line => {
    const {
      drawStyle = "line",
      lineWidth,
      lineStyle,
      spanNulls,
      transform,
      hideFrom,
    } = config.custom ?? {};
    const sign = transform === "negative-Y" ? -1 : 1;
    const points = field.values.map((value, i) => ({
      x: isAligned ? times[i] / 1000 : times[i],
      y: value === null ? null : (sign * value) / divisor,
    }));
    return {
      ...{ label: name, colour: colourOf(config, index), unnamed: hideFrom?.legend },
      ...{
        width: lineWidth,
        dash: lineStyle?.fill === "dash" ? lineStyle.dash.join(" ") : undefined,
      },
      as: drawStyle === "bars" ? "stack" : drawStyle === "points" ? "points" : "line",
      points:
        typeof spanNulls === "number"
          ? bridged(points, spanNulls / (isAligned ? 1000 : 1))
          : points,
    };
  });
  const greatest = Math.max(1, ...series.flatMap(({ points }) => points.map(({ x }) => x)));
  return chart.lines(
    {
      ...{ ...labels, series, names: "below", height: 320 },
      x: isAligned
        ? { label: "Time since the measured phase began (s)", domain: [0, greatest] }
        : { label: "Time (UTC)", scale: "time", domain: [fromMs, toMs] },
      y: { label: axisText(panel, unit) },
      events: eventsOf(annotations, isAligned),
    },
    { width: WIDTH },
  );
}

/**
 * Events stand out; where cells begin and end is left out where it would hide the curves.
 *
 * @param isAligned cells lie over each other: one line for what they have in common
 */
function eventsOf(annotations: Annotation[], isAligned: boolean): chart.Event[] {
  const isCrowded = annotations.length > MOST_ANNOTATIONS;
  const events = annotations
    .map(({ ms, title, colour }) => ({
      // `nginx · reload`: of cells that lie over each other the event is the same.
      ...{ x: isAligned ? ms / 1000 : ms, label: isAligned ? title.split(" · ").at(-1) : title },
      colour,
      strong: colour?.startsWith("#"),
    }))
    .filter(({ strong }) => strong || !isCrowded);
  if (!isAligned) return events;
  return [...Map.groupBy(events, ({ x, label }) => `${label} ${Math.round(x)}`).values()].map(
    ([first]) => first,
  );
}

/** @returns without gaps of no more than this, in which a sample was late */
function bridged(points: chart.Point[], most: number): chart.Point[] {
  const present = points.filter(({ y }) => y !== null);
  return present.flatMap((point, i) => {
    const isGap = i > 0 && point.x - present[i - 1].x > most;
    return isGap ? [{ x: point.x, y: null }, point] : [point];
  });
}

function drawBars(panel: Panel, fields: Shown[], labels: chart.Labels): string {
  const figures = figuresOf(panel, fields).filter(({ value }) => value !== null);
  const values = figures.map(({ value }) => value);
  const { unit, divisor } = scaleOf(panel.fieldConfig?.defaults.unit, values);
  return chart.bars(
    {
      ...{ ...labels, order: "given", axis: { label: axisText(panel, unit) } },
      rows: figures.map(({ name, colour, value, text }) => ({
        ...{ label: name, colour, values: [{ value: value / divisor, text }] },
      })),
    },
    { width: WIDTH },
  );
}

function drawFigures(panel: Panel, fields: Shown[], labels: chart.Labels): string {
  const figures = figuresOf(panel, fields).map(({ name, ...rest }) => ({ label: name, ...rest }));
  return chart.stat({ ...labels, figures }, { width: WIDTH });
}

function drawTable(
  panel: Panel,
  fields: Shown[],
  labels: chart.Labels,
  _: Around,
  frames: Frame[],
): string {
  if (panel.transformations?.some(({ id }) => id === "groupingToMatrix"))
    return drawMatrix(fields, labels);
  const figures = rankedOf(panel, frames);
  return figures
    ? chart.bars({ ...labels, ...figures }, { width: WIDTH })
    : drawRows(panel, fields, labels);
}

function drawRows({ options }: Panel, fields: Shown[], labels: chart.Labels): string {
  const [by] = options?.sortBy ?? [];
  const whole: Frame = { refId: "", fields: fields.map(({ field }) => field) };
  const rows = by ? sorted(whole, { field: by.displayName, desc: by.desc }).fields : whole.fields;
  const textOf = ({ config }: Shown, { type, values }: Field, row: number) =>
    type === "time"
      ? new Date(values[row]).toISOString().slice(0, 19).replace("T", " ")
      : groundedText(values[row], config);
  return chart.table(
    {
      ...{ ...labels, most: MOST_ROWS },
      columns: fields.map(({ name, field }) => ({
        ...{ label: name, align: field.type === "number" ? "end" : "start" },
      })),
      rows: rows[0].values.map((_, row) => fields.map((one, i) => textOf(one, rows[i], row))),
    },
    { width: WIDTH },
  );
}

/** With the colour that its column has behind the text. */
function groundedText(value: any, config: Config) {
  const text = valueText(value, config);
  const ground = config.mappings?.[0]?.options[value]?.color;
  const isBehind = config.custom?.displayMode === "color-background" && ground !== "transparent";
  return isBehind && ground ? { text, ground } : text;
}

function drawMatrix([names, ...columns]: Shown[], labels: chart.Labels): string {
  const rows = names.field.values.map((name, row) => {
    const cells = columns.map(({ field }) =>
      field.values[row] ? { text: field.values[row] } : null,
    );
    return { ...lookOf(name, names.config, row), cells };
  });
  return chart.matrix(
    { ...labels, columns: columns.map(({ name }) => name), rows },
    { width: WIDTH },
  );
}

/**
 * A table that has the numbers behind its texts is drawn as bars with intervals, the best first.
 *
 * @returns null: it has none
 */
export function rankedOf(
  panel: Panel,
  frames: Frame[],
): Pick<chart.Bars, "axis" | "order" | "rows"> | null {
  if (frames.length === 0) return null;
  const { fields } = sorted(frames[0], { field: "Place" });
  const column = (name: string): any[] => fields.find((field) => field.name === name)?.values ?? [];
  const medians = column("Median");
  if (medians.length === 0) return null;
  const [proxies, texts, ranks, units] = ["Proxy", "Figure", "Rank", "Unit"].map(column);
  const { unit, divisor } = shownUnit(units[0] ?? "", medians.map(Number));
  const scaled = (value: number | null) => (value === null ? undefined : value / divisor);
  const [lows, highs] = ["Low", "High"].map(column);
  const names = shownFields(frames, panel).find(({ name }) => name === "Proxy");
  return {
    order: "given",
    axis: { label: [unit === "times" ? "×" : unit, "with interval"].filter(Boolean).join(", ") },
    rows: proxies.map((proxy, i) => ({
      ...lookOf(proxy, names?.config ?? {}, i),
      strong: String(ranks[i]).startsWith("1"),
      values: [
        {
          ...{ value: scaled(medians[i]) ?? null, low: scaled(lows[i]), high: scaled(highs[i]) },
          text: ranks[i] ? `${texts[i]}  #${ranks[i]}` : texts[i],
        },
      ],
    })),
  };
}

/** By the mapping of its name; what is no proxy is grey there. */
function lookOf(name: string, { mappings = [] }: Config, index: number): chart.Look {
  const { text = name, color = PALETTE[index % PALETTE.length] } = mappings[0]?.options[name] ?? {};
  return { label: text, colour: color, muted: color === GREY };
}

const CALCULATIONS: Record<string, (values: any[]) => any> = {
  lastNotNull: (values) => values.at(-1),
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
};

/** @returns one for each series */
function figuresOf(panel: Panel, fields: Shown[]) {
  const { calcs = ["lastNotNull"] } = panel.options?.reduceOptions ?? {};
  const calculate = CALCULATIONS[calcs[0]];
  if (!calculate) throw new Error(`./bench export does not know the calculation ${calcs[0]}`);
  return fields
    .filter(({ field }) => field.type !== "time")
    .map(({ field, name, config }, index) => {
      const present = field.values.filter((value) => value !== null);
      const value = present.length > 0 ? calculate(present) : null;
      return {
        name,
        value,
        text: valueText(value, config),
        colour: colourOf(config, index, value),
      };
    });
}

/** @returns for an SVG; Grafana's `text` follows light and dark */
function colourOf({ color, thresholds }: Config, index: number, value: unknown = null): string {
  const steps: { value: number | null; color: string }[] = thresholds?.steps ?? [];
  const step =
    color?.mode === "thresholds" && typeof value === "number"
      ? steps.findLast((one) => one.value === null || value >= one.value)
      : undefined;
  const colour = color?.mode === "fixed" ? color.fixedColor : step?.color;
  return colour === "text" ? "currentColor" : (colour ?? PALETTE[index % PALETTE.length]);
}

const IEC = ["B", "KiB", "MiB", "GiB", "TiB"];
const SI = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
/** Names that change with the size of the value, the smallest first. */
const UNITS: Record<string, { base: number; names: string[] }> = {
  bytes: { base: 1024, names: IEC },
  decbytes: { base: 1000, names: ["B", "kB", "MB", "GB", "TB"] },
  Bps: { base: 1000, names: SI },
  µs: { base: 1000, names: ["µs", "ms", "s"] },
  ms: { base: 1000, names: ["ms", "s"] },
  short: { base: 1000, names: [""] },
  locale: { base: 1000, names: [""] },
  string: { base: 1000, names: [""] },
  percent: { base: 1000, names: ["%"] },
};
/** Ms since 1970, which Grafana shows as a distance from now. */
const MOMENT = "dateTimeFromNow";

/**
 * @param unit one of Grafana's
 * @param values that share an axis
 * @returns the largest step that the greatest of them reaches
 */
export function scaleOf(
  unit = "short",
  values: (number | null)[],
): { divisor: number; unit: string } {
  if (unit.startsWith("suffix:")) return { divisor: 1, unit: unit.slice("suffix:".length) };
  if (unit === "percentunit") return { divisor: 0.01, unit: "%" };
  if (unit === "s") {
    const { divisor, unit: name } = scaleOf(
      "µs",
      values.map((value) => (value ?? 0) * 1e6),
    );
    return { divisor: divisor / 1e6, unit: name };
  }
  const ladder = UNITS[unit];
  if (!ladder) throw new Error(`./bench export does not know the unit ${unit}`);
  const greatest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  let step = 0;
  while (step + 1 < ladder.names.length && greatest >= ladder.base ** (step + 1)) step += 1;
  return { divisor: ladder.base ** step, unit: ladder.names[step] };
}

/** A title goes on to say which line is what, behind a colon. */
function axisText({ title }: Panel, unit: string): string {
  const name = title.split(":")[0];
  return unit === "" ? name : `${name} (${unit})`;
}

/** @returns with its unit; without `decimals`: three digits, or all before the decimal point */
export function valueText(value: any, { unit, decimals, mappings = [], noValue }: Config): string {
  for (const { options } of mappings) if (options[value]) return options[value].text;
  if (value === null) return noValue ?? NONE;
  if (unit === MOMENT) return new Date(value).toISOString().slice(0, 19).replace("T", " ");
  if (typeof value !== "number") return String(value);
  const scale = scaleOf(unit, [value]);
  const figure = value / scale.divisor;
  const digits =
    decimals !== undefined
      ? { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
      : Math.abs(figure) >= 1000
        ? { maximumFractionDigits: 0 }
        : { maximumSignificantDigits: 3 };
  // As in 3/s; a space stands between a figure and any other unit.
  const space = scale.unit === "" || scale.unit.startsWith("/") ? "" : "\u00a0";
  return figure.toLocaleString("en", digits) + space + scale.unit;
}

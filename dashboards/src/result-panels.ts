/**
 * Tables of what came of battles. Their figures are texts, as the report has them; what a program
 * that draws them needs as numbers is in columns that a dashboard hides.
 */
import { String as Text } from "@grafana/grafana-foundation-sdk/units";
import { table } from "./panels.ts";
import { column, OKABE_ITO_SKY_BLUE } from "./series.ts";
import type { PanelOptions } from "./panels.ts";
import type { Proxy } from "./proxies.ts";
import type { Override } from "./series.ts";

/** Columns that no dashboard shows: an order, and the numbers behind texts. */
const HIDDEN = ["Time", "Place", "Median", "Low", "High", "Unit", "Value"];
/** What is no proxy: grey, and called what it is. */
const NO_PROXIES = { none: "no proxy (control)", reference: "reference" };
const GREY = "#999999";

/**
 * A table in the order of its column Place.
 *
 * @param options repeated: a table for each value of that variable, so many beside each other
 */
export function placed({
  repeated,
  matrix,
  ...options
}: Omit<PanelOptions, "unit"> & {
  repeated?: { by: string; perRow: number };
  /** columns whose values become columns, rows, and what stands where they meet */
  matrix?: { column: string; row: string; value: string };
}) {
  const panel = table({ ...options, unit: Text }).transformations([
    { id: "sortBy", options: { fields: {}, sort: [{ field: "Place", desc: false }] } },
    matrix
      ? {
          id: "groupingToMatrix",
          options: {
            ...{ columnField: matrix.column, rowField: matrix.row, valueField: matrix.value },
          },
        }
      : {
          id: "organize",
          options: { excludeByName: Object.fromEntries(HIDDEN.map((name) => [name, true])) },
        },
  ]);
  return repeated
    ? panel.repeat(repeated.by).repeatDirection("h").maxPerRow(repeated.perRow)
    : panel;
}

/** Each proxy's name in its colour; the control's in grey, by what it is. */
export function proxyNames(proxies: Proxy[]) {
  const named = proxies.map(({ name, colour }) => ({ name, text: name, color: colour }));
  const others = Object.entries(NO_PROXIES).map(([name, text]) => ({ name, text, color: GREY }));
  const all = [...named.filter(({ name }) => !(name in NO_PROXIES)), ...others];
  return {
    mappings: [
      {
        type: "value",
        options: Object.fromEntries(
          all.map(({ name, ...shown }, index) => [name, { ...shown, index }]),
        ),
      },
    ],
    ...inColour("text"),
  };
}

/** The same of curves and bars: their series are named by the tag `proxy`. */
export function noProxies(): Override[] {
  return Object.entries(NO_PROXIES).map(([name, text]) =>
    column(name, { displayName: text, color: { mode: "fixed", fixedColor: GREY } }),
  );
}

/**
 * A cell in the colour of its value, and else in that of text. A column in which nothing stands has
 * no type either: a plain cell of it would show `null`.
 *
 * @param what has it: the text, or the ground behind it
 */
export function inColour(what: "text" | "background") {
  return {
    color: { mode: "fixed", fixedColor: "text" },
    // 9.4 and later name the kind of a cell differently.
    "custom.displayMode": `color-${what}`,
    "custom.cellOptions": { type: `color-${what}`, mode: "basic" },
  };
}

/** A text that may be missing. */
export function text(name: string, width: number, align: "left" | "right" = "left"): Override {
  const size = { "custom.width": width, "custom.align": align };
  return column(name, { ...size, noValue: "–", ...inColour("text") });
}

const RATIO_WIDTH = 150;

/** Ratios as bars from zero. */
export function ratioBars(name: string): Override {
  return column(name, {
    ...{ unit: "suffix:×", decimals: 2, min: 0, noValue: "–" },
    color: { mode: "fixed", fixedColor: OKABE_ITO_SKY_BLUE },
    ...{ "custom.width": RATIO_WIDTH, "custom.align": "right" },
    "custom.displayMode": "basic",
    "custom.cellOptions": { type: "gauge", mode: "basic" },
  });
}

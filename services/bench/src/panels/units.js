/**
 * Grafana's units, as far as the dashboards use them: how a value is written, and what an axis is called.
 * https://github.com/grafana/grafana/blob/main/packages/grafana-data/src/valueFormats/categories.ts
 */
import { NONE } from "../numbers.js";

/** @import { Panel } from "./dashboards.js" */

/**
 * @typedef {object} Scale in which all values of an axis are written
 * @property {number} divisor
 * @property {string} unit may be empty
 */

const IEC = ["B", "KiB", "MiB", "GiB", "TiB"];
const SI = ["B", "kB", "MB", "GB", "TB"];

/** @type {Record<string, {base: number, names: string[]}>} units that change with the size of the value, the smallest first */
const LADDERS = {
  bytes: { base: 1024, names: IEC },
  decbytes: { base: 1000, names: SI },
  binBps: { base: 1024, names: IEC.map((name) => `${name}/s`) },
  Bps: { base: 1000, names: SI.map((name) => `${name}/s`) },
  ns: { base: 1000, names: ["ns", "µs", "ms", "s"] },
  µs: { base: 1000, names: ["µs", "ms", "s"] },
  ms: { base: 1000, names: ["ms", "s"] },
};

/** @type {Record<string, Scale>} */
const FIXED = {
  none: { divisor: 1, unit: "" },
  short: { divisor: 1, unit: "" },
  string: { divisor: 1, unit: "" },
  locale: { divisor: 1, unit: "" },
  percent: { divisor: 1, unit: "%" },
  percentunit: { divisor: 0.01, unit: "%" },
  s: { divisor: 1, unit: "s" },
  ops: { divisor: 1, unit: "ops/s" },
  reqps: { divisor: 1, unit: "req/s" },
  cps: { divisor: 1, unit: "/s" },
  pps: { divisor: 1, unit: "packets/s" },
};

/**
 * @param {string | undefined} unit one of Grafana's
 * @param {number[]} values that share an axis
 * @returns {Scale} the largest step that the greatest of them reaches
 */
export function scaleOf(unit = "none", values) {
  const [, kind, text] = /^(suffix|prefix|si|count):(.*)$/.exec(unit) ?? [];
  if (kind) return { divisor: 1, unit: text };
  if (FIXED[unit]) return FIXED[unit];
  const ladder = LADDERS[unit];
  // What Grafana does not know either, it shows behind the value.
  if (!ladder) return { divisor: 1, unit };
  const greatest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  let step = 0;
  while (step + 1 < ladder.names.length && greatest >= ladder.base ** (step + 1)) step += 1;
  return { divisor: ladder.base ** step, unit: ladder.names[step] };
}

/**
 * @param {any} value
 * @param {Record<string, any>} config of its field
 * @returns {string} with its unit
 */
export function valueText(value, { unit, decimals, mappings, noValue }) {
  const mapped = mappingOf(value, mappings);
  if (mapped?.text) return mapped.text;
  if (value === null || value === undefined) return noValue ?? NONE;
  if (typeof value !== "number") return String(value);
  if (unit?.startsWith("dateTime"))
    return new Date(value).toISOString().slice(0, 19).replace("T", " ");
  const scale = scaleOf(unit, [value]);
  return withUnit(numberText(value / scale.divisor, decimals), scale.unit);
}

/**
 * @param {string} text
 * @param {string} unit
 */
export function withUnit(text, unit) {
  // As in 3/s; a space stands between a figure and any other unit.
  return unit === "" ? text : `${text}${unit.startsWith("/") ? "" : "\u00a0"}${unit}`;
}

/**
 * @param {number} value
 * @param {number | null} [decimals] none: three significant digits, but every digit before the decimal point
 */
export function numberText(value, decimals) {
  if (decimals !== undefined && decimals !== null)
    return value.toLocaleString("en", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
  return value.toLocaleString(
    "en",
    Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  );
}

/**
 * @param {any} value
 * @param {{type: string, options: any}[]} [mappings]
 * @returns {{text?: string, color?: string} | undefined} what stands for the value
 */
function mappingOf(value, mappings = []) {
  for (const { type, options } of mappings) {
    if (type === "value" && Object.hasOwn(options, String(value))) return options[String(value)];
    if (type === "range" && typeof value === "number") {
      const { from, to, result } = options;
      if (value >= (from ?? -Infinity) && value <= (to ?? Infinity)) return result;
    }
    if (type === "special" && options.match?.includes("null") && value === null)
      return options.result;
  }
  return undefined;
}

/**
 * @param {Panel} panel
 * @param {number[]} values
 * @returns {{text: string, divisor: number}} of the axis of values
 */
export function axisOf({ title, fieldConfig }, values) {
  const { unit, custom } = fieldConfig?.defaults ?? {};
  const scale = scaleOf(unit, values);
  // A title goes on to say which line is what, behind a colon.
  const name = custom?.axisLabel || title.split(":")[0];
  return { text: scale.unit === "" ? name : `${name} (${scale.unit})`, divisor: scale.divisor };
}

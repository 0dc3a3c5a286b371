/**
 * Figures and lists inside of sentences.
 */

/** @import { Estimate, Interval, Measure } from "./types.js" */

const rounded = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * @param {number} value
 * @returns {string} three significant digits, but every digit before the decimal point: `0.0123`, `1.5`, `12,345`
 */
export function number(value) {
  return Math.abs(value) >= 1000 ? whole.format(value) : rounded.format(value);
}

/**
 * @param {number} value
 * @param {Pick<Measure, "unit">} measure
 * @returns {string} `190 µs`, `26.1 MB`
 */
export function amount(value, measure) {
  const { unit, divisor } = shown(value, measure);
  return unit ? `${number(value / divisor)} ${unit}` : number(value / divisor);
}

/**
 * @param {Interval} ends
 * @param {number} value that they stand beside, in whose unit they are
 * @param {Pick<Measure, "unit">} measure
 * @returns {string} `185 to 195`
 */
export function range(ends, value, measure) {
  const { divisor } = shown(value, measure);
  return ends.map((end) => number(end / divisor)).join(" to ");
}

/**
 * @param {number} value
 * @param {Pick<Measure, "unit">} measure
 */
function shown(value, { unit }) {
  if (unit !== "bytes") return { unit, divisor: 1 };
  return Math.abs(value) >= 1e6 ? { unit: "MB", divisor: 1e6 } : { unit: "kB", divisor: 1e3 };
}

/**
 * @param {number} ratio
 * @returns {string} two decimals, as a ratio of 1.04 must not become 1: `1.04`, `12.3`
 */
export function times(ratio) {
  return ratio >= 10 ? number(ratio) : ratio.toFixed(2);
}

/**
 * @param {Estimate} estimate of a ratio
 * @returns {string} `3.10 times`, and in brackets the interval
 */
export function timesWithInterval({ value, interval }) {
  return `${times(value)} times${interval ? ` (${timesRange(interval)})` : ""}`;
}

/**
 * @param {Interval} interval of a ratio
 * @returns {string} `2.90 to 3.40`
 */
export function timesRange([low, high]) {
  return `${times(low)} to ${times(high)}`;
}

/**
 * @param {string[]} words
 * @returns {string} `nginx, HAProxy and http-proxy`
 */
export function list(words) {
  return words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * @param {number} n
 * @param {string} noun in the singular
 * @returns {string} `1 round`, `6 rounds`
 */
export function counted(n, noun) {
  return `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
}

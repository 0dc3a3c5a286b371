/**
 * Figures and lists inside of sentences.
 */
import { figure, range, shownUnit, times } from "../numbers.js";

/** @import { Estimate, Finding, Interval, Measure } from "./types.js" */

/**
 * @param {number} value
 * @param {Pick<Measure, "unit">} measure
 * @param {(value: number) => string} [text] of the figure
 * @returns {string} `190 µs`, `26.1 MB`
 */
export function amount(value, measure, text = figure) {
  const { unit, divisor } = shownUnit(measure.unit, [value]);
  return unit ? `${text(value / divisor)} ${unit}` : text(value / divisor);
}

/**
 * @param {Interval} ends
 * @param {number} value that they stand beside, in whose unit they are
 * @param {Pick<Measure, "unit">} measure
 * @returns {string} `185 to 195`
 */
export function amountRange([low, high], value, measure) {
  const { divisor } = shownUnit(measure.unit, [value]);
  return range([low / divisor, high / divisor], value / divisor, " to ");
}

/**
 * @param {Estimate} estimate of a ratio
 * @returns {string} `3.10 times`, and in brackets the interval
 */
export function timesWithInterval({ value, interval }) {
  return `${times(value)} times${interval ? ` (${timesRange(interval)})` : ""}`;
}

/**
 * @param {Interval} ends of a ratio
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
 * @param {string} text that begins with no name: `nginx` stays as it is written
 * @returns {string} with a capital letter
 */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {Pick<Finding, "message" | "figures">} finding
 * @returns {string} the whole sentence
 */
export function findingText({ message, figures }) {
  return figures ? `${message}: ${figures}` : message;
}

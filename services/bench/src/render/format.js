/**
 * Figures as a reader wants them: three significant digits, thousands separators, and a dash where there is none.
 */

/** Stands where there is no figure. */
export const NONE = "–";

const rounded = new Intl.NumberFormat("en", {
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 3,
});
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * @param {number | null | undefined} value
 * @returns {string} three significant digits, but every digit before the decimal point: `0.0123`, `43.0`, `12,345`
 */
export function figure(value) {
  if (!isFigure(value)) return NONE;
  if (value === 0) return "0";
  return (Math.abs(value) >= 1000 ? whole : rounded).format(value);
}

/**
 * @param {number | null | undefined} value
 * @returns {string} a whole number: `12,345`
 */
export function count(value) {
  return isFigure(value) ? whole.format(value) : NONE;
}

/**
 * Both ends with as many decimals as the figure they belong to, so that they compare at a glance.
 *
 * @param {readonly [number, number] | null} interval
 * @param {number} value
 * @returns {string} `41.2–45.0`
 */
export function range(interval, value) {
  if (!interval || !interval.every(isFigure)) return NONE;
  const decimals = figure(value).split(".")[1]?.length;
  if (!decimals) return interval.map(figure).join("–");
  return interval.map((end) => decimal(end, decimals)).join("–");
}

/**
 * @param {number} value
 * @param {number} decimals
 */
function decimal(value, decimals) {
  return value.toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/**
 * @param {number | null | undefined} value
 * @returns {string} two decimals, as a ratio of 1.04 must not become 1: `×1.04`, `×12.3`
 */
export function ratio(value) {
  if (!isFigure(value)) return NONE;
  return `×${value >= 10 ? figure(value) : value.toFixed(2)}`;
}

/**
 * @param {number | null} p a probability
 * @returns {string} `0.012`, `< 0.001`
 */
export function probability(p) {
  if (!isFigure(p)) return NONE;
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

/**
 * @param {string | null} time ISO 8601
 * @returns {string} `2026-01-31 23:07 UTC`
 */
export function time(time) {
  const date = new Date(time ?? NaN);
  if (Number.isNaN(date.getTime())) return NONE;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * @param {number} n
 * @param {string} noun in the singular
 * @param {string} [plural]
 * @returns {string} `1 cell`, `1,200 cells`
 */
export function counted(n, noun, plural = `${noun}s`) {
  return `${count(n)} ${n === 1 ? noun : plural}`;
}

/**
 * The unit in which figures of a measure are shown, and what to divide by: bytes are shown as MB or kB, as the largest needs.
 *
 * @param {string} unit
 * @param {number[]} values
 * @returns {{unit: string, divisor: number}}
 */
export function shownUnit(unit, values) {
  if (unit !== "bytes") return { unit, divisor: 1 };
  return Math.max(0, ...values) >= 1e6
    ? { unit: "MB", divisor: 1e6 }
    : { unit: "kB", divisor: 1e3 };
}

/**
 * @param {number | null | undefined} value
 * @returns {value is number}
 */
function isFigure(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/**
 * Figures as text, alike in sentences, tables and charts: three significant digits, thousands separators, and a dash where
 * there is none.
 */

/** Stands where there is no figure. */
export const NONE = "–";

const DIGITS = 3;
const fixed = new Intl.NumberFormat("en", {
  minimumSignificantDigits: DIGITS,
  maximumSignificantDigits: DIGITS,
});
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: DIGITS });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * What was measured.
 *
 * @param {number | null | undefined} value
 * @returns {string} three significant digits, but every digit before the decimal point: `0.0123`, `43.0`, `12,345`
 */
export function figure(value) {
  if (!isFigure(value)) return NONE;
  if (value === 0) return "0";
  return (Math.abs(value) >= 1000 ? whole : fixed).format(value);
}

/**
 * What was set or agreed, as a limit: no digit that says nothing.
 *
 * @param {number | null | undefined} value
 * @returns {string} at most three significant digits, but every digit before the decimal point: `0.0123`, `43`, `12,345`
 */
export function number(value) {
  if (!isFigure(value)) return NONE;
  return (Math.abs(value) >= 1000 ? whole : short).format(value);
}

/**
 * @param {number | null | undefined} value
 * @returns {string} a whole number: `12,345`
 */
export function count(value) {
  return isFigure(value) ? whole.format(value) : NONE;
}

/**
 * @param {number} n
 * @param {string} noun in the singular
 * @param {string} [plural]
 * @returns {string} `1 cell`, `1,200 cells`
 */
export function counted(n, noun, plural = `${noun}s`) {
  return `${number(n)} ${n === 1 ? noun : plural}`;
}

/**
 * Both ends with as many decimals as the figure they belong to, so that they compare at a glance.
 *
 * @param {readonly [number, number] | null} ends
 * @param {number} value
 * @param {string} [between]
 * @returns {string} `41.2–45.0`
 */
export function range(ends, value, between = "–") {
  if (!ends || !ends.every(isFigure)) return NONE;
  if (value === 0) return ends.map(figure).join(between);
  const decimals = figure(value).split(".")[1]?.length ?? 0;
  return ends.map((end) => decimal(end, decimals)).join(between);
}

/**
 * @param {number} value
 * @param {number} decimals
 */
function decimal(value, decimals) {
  return value.toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    // A zero has none.
    signDisplay: "negative",
  });
}

/**
 * @param {number} ratio
 * @returns {string} two decimals, as a ratio of 1.04 must not become 1: `1.04`, `12.3`
 */
export function times(ratio) {
  return ratio >= 10 ? figure(ratio) : ratio.toFixed(2);
}

/**
 * A ratio that may be close to 1 and matters for how close.
 *
 * @param {number} ratio
 * @returns {string} three decimals below 1.01, two above: `1.003`, `1.04`
 */
export function timesFinely(ratio) {
  return ratio < 1.01 ? ratio.toFixed(3) : times(ratio);
}

/**
 * @param {number | null | undefined} value
 * @returns {string} `×1.04`
 */
export function ratio(value) {
  return isFigure(value) ? `×${times(value)}` : NONE;
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
 * @param {number | null} rank
 * @param {boolean} isShared
 * @returns {string} `2`, `2 =`; empty where there is none
 */
export function rankText(rank, isShared) {
  if (rank === null) return "";
  return isShared ? `${rank} =` : String(rank);
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
  return Math.max(0, ...values.map(Math.abs)) >= 1e6
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

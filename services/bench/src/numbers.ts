/**
 * Figures as text, alike in sentences, tables and charts: three significant digits at most,
 * thousands separators, and a dash where there is none.
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
 * @returns three significant digits: `0.0123`, `43.0`, `12,300`
 */
export function figure(value: number | null | undefined): string {
  if (!isFigure(value)) return NONE;
  if (value === 0) return "0";
  return fixed.format(value);
}

/**
 * What was set or agreed, as a limit: no digit that says nothing.
 *
 * @returns at most three significant digits, but every digit before the decimal point: `0.0123`,
 *   `43`, `12,345`
 */
export function number(value: number | null | undefined): string {
  if (!isFigure(value)) return NONE;
  return (Math.abs(value) >= 1000 ? whole : short).format(value);
}

/** @returns a whole number: `12,345` */
export function count(value: number | null | undefined): string {
  return isFigure(value) ? whole.format(value) : NONE;
}

/**
 * @param noun in the singular
 * @returns `1 cell`, `1,200 cells`
 */
export function counted(n: number, noun: string, plural: string = `${noun}s`): string {
  return `${number(n)} ${n === 1 ? noun : plural}`;
}

/**
 * Both ends to the same place as the figure that they belong to, so that they compare at a glance.
 *
 * @returns `41.2–45.0`
 */
export function range(
  ends: readonly [number, number] | null,
  value: number,
  between = "–",
): string {
  if (!ends || !ends.every(isFigure)) return NONE;
  if (value === 0) return ends.map(figure).join(between);
  const decimals = figure(value).split(".")[1]?.length ?? 0;
  const place = 10 ** (Math.floor(Math.log10(Math.abs(value))) + 1 - DIGITS);
  const rounded = (end: number) => (place > 1 ? Math.round(end / place) * place : end);
  return ends.map((end) => decimal(rounded(end), decimals)).join(between);
}

function decimal(value: number, decimals: number) {
  return value.toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    // A zero has none.
    signDisplay: "negative",
  });
}

/** @returns two decimals, as a ratio of 1.04 must not become 1: `1.04`, `12.3` */
export function times(ratio: number): string {
  return ratio >= 10 ? figure(ratio) : ratio.toFixed(2);
}

/** @returns `×1.04` */
export function ratio(value: number | null | undefined): string {
  return isFigure(value) ? `×${times(value)}` : NONE;
}

/**
 * @param p a probability
 * @returns `0.012`, `< 0.001`
 */
export function probability(p: number | null): string {
  if (!isFigure(p)) return NONE;
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

/** @returns `2`, `2 =`; empty where there is none */
export function rankText(rank: number | null, isShared: boolean): string {
  if (rank === null) return "";
  return isShared ? `${rank} =` : String(rank);
}

/**
 * The unit in which figures of a measure are shown, and what to divide by: bytes are shown as MB or
 * kB, as the largest needs.
 */
export function shownUnit(unit: string, values: number[]): { unit: string; divisor: number } {
  if (unit !== "bytes") return { unit, divisor: 1 };
  return Math.max(0, ...values.map(Math.abs)) >= 1e6
    ? { unit: "MB", divisor: 1e6 }
    : { unit: "kB", divisor: 1e3 };
}

function isFigure(value: number | null | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

import { studentQuantile } from "./student.ts";
import type { Estimate } from "./types.ts";

interface Observation {
  /** One value a term. */
  x: readonly number[];
  y: number;
  /** Its error is this, or in proportion to it. */
  scale: number;
}

/** A sum of terms, each with its coefficient. */
export interface LinearFit {
  coefficients: number[];
  /** Of the coefficients; 0 where one is left out. */
  covariance: number[][];
  /** Observations less coefficients that are not left out. */
  degrees: number;
}

/**
 * Weighted least squares, no coefficient below 0: of those that would be, the one furthest below
 * in its standard errors is left out, and all others are fitted again. Nothing costs less than
 * nothing, and a term that the observations do not tell from others must not be paid for by them.
 *
 * @returns null: fewer observations than terms, or no term is left
 */
export function leastSquares(observations: readonly Observation[]): LinearFit | null {
  const [first] = observations;
  let terms = (first?.x ?? [])
    .map((_, i) => i)
    .filter((i) => observations.some(({ x }) => x[i] !== 0));
  while (terms.length > 0) {
    const fit = fitted(observations, terms);
    if (!fit) return null;
    const inErrors = terms.map((i) => fit.coefficients[i] / Math.sqrt(fit.covariance[i][i] || 1));
    const lowest = Math.min(...inErrors);
    if (lowest >= 0) return fit;
    terms = terms.filter((_, i) => inErrors[i] !== lowest);
  }
  return null;
}

/** The sum at a place, with an interval of Student's t (errors that are independent and normal). */
export function fittedAt(
  { coefficients, covariance, degrees }: LinearFit,
  x: readonly number[],
  confidence: number,
): Estimate {
  const value = dot(coefficients, x);
  if (degrees < 1) return { value, interval: null };
  const variance = dot(
    x,
    covariance.map((row) => dot(row, x)),
  );
  const half = studentQuantile((1 + confidence) / 2, degrees) * Math.sqrt(Math.max(0, variance));
  return { value, interval: [value - half, value + half] };
}

/** @returns null: fewer observations than terms, or one term is a sum of others */
function fitted(observations: readonly Observation[], terms: number[]): LinearFit | null {
  const degrees = observations.length - terms.length;
  if (degrees < 0) return null;
  const rows = observations.map(({ x, scale }) => terms.map((i) => x[i] / scale));
  const values = observations.map(({ y, scale }) => y / scale);
  // Bytes are a million where connections are one: of the same size, all keep their digits.
  const sizes = terms.map((_, i) => Math.hypot(...rows.map((row) => row[i])));
  const columns = terms.map((_, i) => rows.map((row) => row[i] / sizes[i]));
  const inverse = inverseOf(columns.map((one) => columns.map((other) => dot(one, other))));
  if (!inverse) return null;
  const projected = columns.map((column) => dot(column, values));
  const own = inverse.map((row, i) => dot(row, projected) / sizes[i]);
  const residuals = rows.map((row, i) => values[i] - dot(row, own));
  const variance = degrees > 0 ? dot(residuals, residuals) / degrees : 0;
  const { length } = observations[0].x;
  const all = Array.from({ length }, (_, i) => terms.indexOf(i));
  return {
    coefficients: all.map((i) => own[i] ?? 0),
    covariance: all.map((i) =>
      all.map((j) => (i < 0 || j < 0 ? 0 : (variance * inverse[i][j]) / (sizes[i] * sizes[j]))),
    ),
    degrees,
  };
}

/** Of a pivot, beside 1 on the diagonal: below it, a column is a sum of others. */
const SINGULAR = 1e-10;

/** Gauss-Jordan, with the largest pivot of each column; null: there is none. */
function inverseOf(matrix: number[][]): number[][] | null {
  const { length } = matrix;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => Number(i === j))]);
  for (let column = 0; column < length; column++) {
    let pivot = column;
    for (let i = column + 1; i < length; i++)
      if (Math.abs(rows[i][column]) > Math.abs(rows[pivot][column])) pivot = i;
    if (Math.abs(rows[pivot][column]) < SINGULAR) return null;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    rows[column] = rows[column].map((value) => value / rows[column][column]);
    for (let i = 0; i < length; i++) {
      const factor = rows[i][column];
      if (i !== column) rows[i] = rows[i].map((value, j) => value - factor * rows[column][j]);
    }
  }
  return rows.map((row) => row.slice(length));
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

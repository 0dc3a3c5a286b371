/**
 * What a panel shows, as data.
 *
 * @import { Panel } from "./dashboards.js"
 * @import { Frame, Shown } from "./frames.js"
 */
import { csvText } from "../record/csv.js";
import { shownFields } from "./frames.js";
import { transformed } from "./transform.js";

/**
 * Series beside each other, a row for each time; a table as it is.
 *
 * @param {Shown[]} fields
 * @returns {string} CSV with a header; times in ISO 8601, UTC; an empty field: there is no value
 */
export function csvOf(fields) {
  const frames = [...new Set(fields.map(({ frame }) => frame))];
  const columns = fields.filter(({ field }) => field.type !== "time");
  if (frames.length === 1) {
    const [{ frame }] = fields;
    const rows = frame.fields[0].values.map((_, i) =>
      fields.map(({ field }) =>
        field.type === "time" ? timeText(field.values[i]) : field.values[i],
      ),
    );
    return csvText([fields.map(({ name }) => name), ...rows]);
  }
  /** @type {Map<number, any[]>} a row by its time */
  const rows = new Map();
  columns.forEach(({ field, frame }, column) => {
    const times = frame.fields.find(({ type }) => type === "time")?.values ?? [];
    times.forEach((ms, i) => {
      const row = rows.get(ms) ?? [];
      row[column] = field.values[i];
      rows.set(ms, row);
    });
  });
  const sorted = [...rows].sort(([a], [b]) => a - b);
  return csvText([
    ["Time", ...columns.map(({ name }) => name)],
    ...sorted.map(([ms, row]) => [timeText(ms), ...columns.map((_, i) => row[i])]),
  ]);
}

/** @param {number} ms */
function timeText(ms) {
  return new Date(ms).toISOString();
}

/**
 * @param {Panel} panel
 * @param {Frame[]} frames before its transformations
 * @returns {boolean} whether there is a value to show
 * @throws {Error} when one of its transformations or overrides is not known here
 */
export function hasData(panel, frames) {
  return visibleFields(panel, frames).some(
    ({ field }) => field.type !== "time" && field.values.some((value) => value !== null),
  );
}

/**
 * @param {Panel} panel
 * @param {Frame[]} frames before its transformations
 * @returns {Shown[]} those that are not hidden
 */
export function visibleFields(panel, frames) {
  const fields = shownFields(transformed(frames, panel), panel);
  return fields.filter(({ config }) => !config.custom?.hideFrom?.viz);
}

/**
 * @param {Panel} panel without data
 * @returns {string} what the dashboard says of that: a sentence, and no sign that stands for a missing figure
 */
export function reasonOf({ fieldConfig }) {
  const { noValue } = fieldConfig?.defaults ?? {};
  return /\p{L}/u.test(noValue ?? "") ? noValue : "No sample in this range";
}

/**
 * `live.csv` in the folder of a cell: what its load and its proxy did in each second of the measured phase.
 */
import { csvText, readRows } from "./csv.js";

/** @import { LiveSample } from "../model/run-event.ts" */

/** Name of the file. */
export const LIVE_FILE = "live.csv";

/** Its columns; all but `ms` are also the fields in InfluxDB, where a count is an integer. */
const COLUMNS = /** @type {const} */ ([
  ["ms", "count"],
  ["opened", "count"],
  ["failed", "count"],
  ["open", "count"],
  ["connections_per_second", "number"],
  ["messages_per_second", "number"],
  ["handshake_p50_ms", "number"],
  ["handshake_p95_ms", "number"],
  ["handshake_p99_ms", "number"],
  ["echo_p50_ms", "number"],
  ["echo_p95_ms", "number"],
  ["echo_p99_ms", "number"],
  ["proxy_cores", "number"],
  ["proxy_throttled_seconds", "number"],
]);

/** Fields of the measurement `live`, and whether each is a count. */
export const LIVE_FIELDS = COLUMNS.slice(1).map(([name, kind]) => ({
  name,
  isCount: kind === "count",
}));

/**
 * @param {LiveSample[]} samples
 * @returns {string} a line a sample; an empty field: it is not known
 */
export function liveCsv(samples) {
  const rows = samples.map((sample) => COLUMNS.map(([name]) => sample[name]));
  return csvText([COLUMNS.map(([name]) => name), ...rows]);
}

/**
 * @param {string} csv as `liveCsv` made it; columns that are not known here are left out
 * @returns {LiveSample[]}
 */
export function readLive(csv) {
  return readRows(csv).map(
    (row) =>
      /** @type {any} */ (
        Object.fromEntries(
          COLUMNS.flatMap(([name]) => (row[name] ? [[name, Number(row[name])]] : [])),
        )
      ),
  );
}

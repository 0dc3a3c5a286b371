/**
 * `live.csv` in the folder of a cell: what its load and its proxy did in each second of the
 * measured phase.
 */
import { csvText, readRows } from "./csv.ts";
import type { LiveSample } from "../model/run-event.ts";

/** Name of the file. */
export const LIVE_FILE = "live.csv";

/** Its columns; all but `ms` are also the fields in InfluxDB, where a count is an integer. */
const COLUMNS = [
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
] as const;

/** Fields of the measurement `live`, and whether each is a count. */
export const LIVE_FIELDS = COLUMNS.slice(1).map(([name, kind]) => ({
  name,
  isCount: kind === "count",
}));

/** @returns a line a sample; an empty field: it is not known */
export function liveCsv(samples: LiveSample[]): string {
  const rows = samples.map((sample) => COLUMNS.map(([name]) => sample[name]));
  return csvText([COLUMNS.map(([name]) => name), ...rows]);
}

/** @param csv as `liveCsv` made it; columns that are not known here are left out */
export function readLive(csv: string): LiveSample[] {
  return readRows(csv).map(
    (row) =>
      Object.fromEntries(
        COLUMNS.flatMap(([name]) => (row[name] ? [[name, Number(row[name])]] : [])),
      ) as any,
  );
}

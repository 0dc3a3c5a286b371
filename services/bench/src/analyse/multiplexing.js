/**
 * What WebSockets that share HTTP/2 connections cost beside the same on connections of their own, on each proxy.
 */
import { isSameBut } from "./handshakes.js";
import { pairedRows } from "./paired-rows.js";

/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, Multiplexing, Setting } from "./types.js" */

const MEASURES = [
  "handshake_ms_median",
  "cpu_us_per_message",
  "proxy_memory_per_connection_bytes",
  "echo_latency_ms_median",
  "echo_latency_ms_p99",
];

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {Multiplexing[]} empty: none shares connections, or the same on connections of their own was not measured
 */
export function multiplexingOf(results, settings, cells) {
  return settings.flatMap((setting) => {
    if (!setting.workload.streams) return [];
    const beside = settings.find(
      (one) => one.workload.streams === 0 && isSameBut("streams", one, setting),
    );
    if (!beside) return [];
    const measures = pairedRows({ results, cells }, [setting, beside], MEASURES).map(
      ({ measure, rows }) => ({
        measure,
        rows: rows.map(({ medians: [shared, own], ...row }) => ({ ...row, shared, own })),
      }),
    );
    return measures.length > 0 ? [{ setting, beside, measures }] : [];
  });
}

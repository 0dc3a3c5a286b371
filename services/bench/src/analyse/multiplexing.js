/**
 * What WebSockets that share HTTP/2 connections cost beside the same on connections of their own, on each proxy.
 */
import { medianOf } from "../statistics/index.js";
import { isSameBut } from "./handshakes.js";
import { ratiosOf, valuesByRound } from "./settings.js";

/** @import { Results } from "../record/types.js" */
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
    const measures = MEASURES.flatMap((measure) => {
      const ratios = ratiosOf({ results, cells }, measure, [[setting, beside]]);
      const median = (/** @type {Setting} */ { key }, /** @type {string} */ proxy) => {
        const own = cells.filter((cell) => cell.setting === key);
        return medianOf([...valuesByRound(own, proxy, measure).values()]) ?? NaN;
      };
      const rows = ratios.map(({ proxy, ratio }) => ({
        proxy,
        shared: median(setting, proxy),
        own: median(beside, proxy),
        ratio,
      }));
      return rows.length > 0 ? [{ measure, rows }] : [];
    });
    return measures.length > 0 ? [{ setting, beside, measures }] : [];
  });
}

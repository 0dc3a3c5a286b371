/**
 * k6's options that all scenarios share.
 */
import { thresholds } from "./connection.js";
import { trendStats } from "./summary.js";

/**
 * @param {string} name
 * @param {import("k6/options").Scenario} scenario
 * @param {Record<string, string>} tags of every sample
 * @returns {import("k6/options").Options}
 */
export function optionsOf(name, scenario, tags) {
  return {
    scenarios: { [name]: scenario },
    setupTimeout: "1h",
    // While this waits for the proxy, a refused request writes no line to the log.
    throw: true,
    tags,
    // k6's own tags would multiply the series in InfluxDB.
    systemTags: [],
    summaryTrendStats: trendStats,
    thresholds,
  };
}

/**
 * k6's options that all scenarios share.
 */
import { thresholds } from "./connection.js";
import { metricsOfPart, trendStats } from "./summary.js";

/**
 * @param {Record<string, import("k6/options").Scenario>} scenarios those with a tag `part` are summed up apart
 * @param {Record<string, string>} tags of every sample
 * @returns {import("k6/options").Options}
 */
export function optionsOf(scenarios, tags) {
  const parts = Object.values(scenarios).flatMap((scenario) => scenario.tags?.part ?? []);
  return {
    scenarios,
    setupTimeout: "1h",
    // While this waits for the proxy, a refused request writes no line to the log.
    throw: true,
    tags,
    // k6's own tags would multiply the series in InfluxDB.
    systemTags: [],
    summaryTrendStats: trendStats,
    // k6 sums up a tag's values apart only where a threshold names them.
    thresholds: {
      ...thresholds,
      ...Object.fromEntries(parts.flatMap(metricsOfPart).map((metric) => [metric, []])),
    },
  };
}

/**
 * The queries, in InfluxQL with Grafana's macros ($timeFilter, $__interval) and the variables of variables.js.
 * They run on InfluxDB 1.6 and later.
 */

/** The data sources, as services/grafana/provisioning/datasources defines them. */
export const CADVISOR = { type: "influxdb", uid: "influxdb-cadvisor" };
export const K6 = { type: "influxdb", uid: "influxdb-k6" };

/**
 * The databases. Queries name theirs, so that each is complete by itself, with or without Grafana: some versions of
 * Grafana lose a data source's database at their first start.
 */
const CADVISOR_DATABASE = '"cadvisor"';
export const K6_DATABASE = '"k6"';

/**
 * @typedef {object} Query
 * @property {typeof CADVISOR} datasource
 * @property {string} query InfluxQL
 * @property {string} alias a series' name; Grafana replaces $tag_<name> by the tag's value and $col by the column
 */

/** The end of the time range in whole seconds, in InfluxQL. */
const RANGE_END = `\${__to:date:seconds}s`;

/** Samples of k6 that the variables choose. */
const CHOSEN = `"proxy" =~ /^\${proxy:regex}$/ AND "run" =~ /^\${run:regex}$/`;

/**
 * A rate per second of a counter of cAdvisor.
 *
 * The rate is taken between the samples as they came and only then averaged. Bucketed first, a sample at the end of
 * one bucket and the next at the start of another would count as one bucket apart: steps in the curve that never were.
 * @param {string} measurement
 * @param {string} containers a condition from containers.js
 * @param {{ suffix?: string, divisor?: number }} [options] suffix of the series' name; what to divide the rate by
 * @returns {Query}
 */
export function containerRate(measurement, containers, { suffix = "", divisor = 1 } = {}) {
  return {
    datasource: CADVISOR,
    query:
      `SELECT mean("rate")${divisor === 1 ? "" : ` / ${divisor}`} FROM (` +
      `SELECT non_negative_derivative("value", 1s) AS "rate" FROM ${CADVISOR_DATABASE}.."${measurement}" ` +
      `WHERE ${containers} AND $timeFilter GROUP BY "container_name"` +
      `) WHERE $timeFilter GROUP BY time($__interval), "container_name" fill(null)`,
    alias: `$tag_container_name${suffix}`,
  };
}

/**
 * A gauge of cAdvisor. Of several samples in one step the highest counts, so that no peak is lost in a long range.
 * @param {string} measurement
 * @param {string} containers a condition from containers.js
 * @param {{ suffix?: string }} [options] suffix of the series' name
 * @returns {Query}
 */
export function containerGauge(measurement, containers, { suffix = "" } = {}) {
  return {
    datasource: CADVISOR,
    query:
      `SELECT max("value") FROM ${CADVISOR_DATABASE}.."${measurement}" WHERE ${containers} AND $timeFilter ` +
      `GROUP BY time($__interval), "container_name" fill(null)`,
    alias: `$tag_container_name${suffix}`,
  };
}

/**
 * Events per second of a Counter of k6, by proxy. A second without one counts as 0.
 *
 * The newest seconds are left out, up to a whole one: k6 writes once a second, so they would always look like a drop.
 * @param {string} metric
 * @returns {Query}
 */
export function eventRate(metric) {
  return {
    datasource: K6,
    query:
      `SELECT mean("count") FROM (` +
      `SELECT sum("value") AS "count" FROM ${K6_DATABASE}.."${metric}" ` +
      `WHERE ${CHOSEN} AND $timeFilter AND time < ${RANGE_END} - 3s GROUP BY time(1s), "proxy" fill(0)` +
      `) WHERE $timeFilter GROUP BY time($__interval), "proxy" fill(null)`,
    alias: "$tag_proxy",
  };
}

/**
 * Events of a Counter of k6 in each step, by a tag.
 * @param {string} metric
 * @param {string} tag
 * @returns {Query}
 */
export function eventCount(metric, tag) {
  return {
    datasource: K6,
    query:
      `SELECT sum("value") FROM ${K6_DATABASE}.."${metric}" WHERE ${CHOSEN} AND $timeFilter ` +
      `GROUP BY time($__interval), "${tag}" fill(0)`,
    alias: `$tag_${tag}`,
  };
}

/**
 * Percentiles of a Trend of k6, by proxy.
 * @param {string} metric
 * @param {number[]} percentiles
 * @returns {Query}
 */
export function percentiles(metric, percentiles) {
  const columns = percentiles.map((p) => `percentile("value", ${p}) AS "p${p}"`);
  return {
    datasource: K6,
    query:
      `SELECT ${columns.join(", ")} FROM ${K6_DATABASE}.."${metric}" WHERE ${CHOSEN} AND $timeFilter ` +
      `GROUP BY time($__interval), "proxy" fill(null)`,
    alias: percentiles.length === 1 ? "$tag_proxy" : "$tag_proxy $col",
  };
}

/**
 * The same of the last half minute of the time range alone, so that what has ended has no latest value.
 * @param {Query} query
 * @returns {Query}
 */
export function atRangeEnd(query) {
  const filter = `$timeFilter AND time >= ${RANGE_END} - 30s`;
  return { ...query, query: query.query.replaceAll("$timeFilter", () => filter) };
}

/**
 * The queries of what happens now, in InfluxQL with Grafana's macros ($timeFilter, $__interval) and
 * the variables of variables.ts. They run on InfluxDB 1.6 and later. What came of a battle is in
 * result-queries.ts.
 */

/** The data sources, as services/grafana/provisioning/datasources defines them. */
export const CADVISOR = { type: "influxdb", uid: "influxdb-cadvisor" };
export const K6 = { type: "influxdb", uid: "influxdb-k6" };
export const BENCH = { type: "influxdb", uid: "influxdb-bench" };

/** Grafana's own, for a panel whose queries ask several. */
export const MIXED = { type: "datasource", uid: "-- Mixed --" };

/**
 * The databases. Queries name theirs, so that each is complete by itself, with or without Grafana:
 * some versions of Grafana lose a data source's database at their first start.
 */
export const CADVISOR_DATABASE = '"cadvisor"';
const K6_DATABASE = '"k6"';
export const BENCH_DATABASE = '"bench"';

export interface Query {
  datasource: typeof CADVISOR;
  /** InfluxQL */
  query: string;
  /**
   * a series' name; Grafana replaces $tag_<name> by the tag's value and $col by the column;
   * none: all series together are one table, with a column a tag
   */
  alias?: string;
}

/** Tags that tell containers apart: over several machines, each has one of some names. */
const OF_CONTAINER = '"container_name", "machine"';
/** What a container's series is called, which SHORT_NAMES of containers.ts makes readable. */
const CONTAINER = "$tag_container_name on $tag_machine";

/** The end of the time range in whole seconds, in InfluxQL. */
const RANGE_END = `\${__to:date:seconds}s`;

/** Samples of k6 and points of the runner that the variable chooses. */
const CHOSEN = `"proxy" =~ /^\${proxy:regex}$/`;

/**
 * A rate per second of a counter of cAdvisor.
 *
 * The rate is taken between the samples as they came and only then averaged. Bucketed first, a
 * sample at the end of one bucket and the next at the start of another would count as one bucket
 * apart: steps in the curve that never were.
 *
 * @param containers a condition from containers.ts
 * @param options suffix of the series' name; what to divide the rate by
 */
export function containerRate(
  measurement: string,
  containers: string,
  { suffix = "", divisor = 1 }: { suffix?: string; divisor?: number } = {},
): Query {
  return {
    datasource: CADVISOR,
    query:
      `SELECT mean("rate")${divisor === 1 ? "" : ` / ${divisor}`} FROM (` +
      `SELECT non_negative_derivative("value", 1s) AS "rate" FROM ${CADVISOR_DATABASE}.."${measurement}" ` +
      `WHERE ${containers} AND $timeFilter GROUP BY ${OF_CONTAINER}` +
      `) WHERE $timeFilter GROUP BY time($__interval), ${OF_CONTAINER} fill(null)`,
    alias: `${CONTAINER}${suffix}`,
  };
}

/**
 * A gauge of cAdvisor. Of several samples in one step the highest counts, so that no peak is lost
 * in a long range.
 *
 * @param containers a condition from containers.ts
 * @param options suffix of the series' name
 */
export function containerGauge(
  measurement: string,
  containers: string,
  { suffix = "" }: { suffix?: string } = {},
): Query {
  return {
    datasource: CADVISOR,
    query:
      `SELECT max("value") FROM ${CADVISOR_DATABASE}.."${measurement}" WHERE ${containers} AND $timeFilter ` +
      `GROUP BY time($__interval), ${OF_CONTAINER} fill(null)`,
    alias: `${CONTAINER}${suffix}`,
  };
}

/** Events of a Counter of k6 in each step, by a tag. */
export function eventCount(metric: string, tag: string): Query {
  return {
    datasource: K6,
    query:
      `SELECT sum("value") FROM ${K6_DATABASE}.."${metric}" WHERE ${CHOSEN} AND $timeFilter ` +
      `GROUP BY time($__interval), "${tag}" fill(0)`,
    alias: `$tag_${tag}`,
  };
}

/**
 * A figure that is written each second of a load, by proxy.
 *
 * @param field of `live`
 * @param aggregate of the seconds in a step
 */
export function liveFigure(field: string, aggregate: "mean" | "max" = "mean"): Query {
  return live(`${aggregate}("${field}")`, "$tag_proxy");
}

/**
 * The same of whichever proxy is under load, as one series.
 *
 * @param name of the series
 */
export function liveNow(field: string, name: string, aggregate: "mean" | "max" = "mean"): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT ${aggregate}("${field}") FROM ${BENCH_DATABASE}.."live" WHERE ${CHOSEN} AND $timeFilter ` +
      `GROUP BY time($__interval) fill(null)`,
    alias: name,
  };
}

/**
 * What a whole load came to, or has come to so far: of the last one that had begun by the end of
 * the time range, whenever that was. A table of one row.
 *
 * @param columns by the field of `glance`, or what is made of it
 * @param loads so many, the last one first
 */
export function glance(columns: Record<string, string>, loads = 1): Query {
  // A load without these figures has a row too, as it has a state: they are not those of the one before.
  const selected = Object.entries({ ...columns, state: columns.state ?? "state" }).map(
    ([field, name]) => `${/^\w+$/.test(field) ? `"${field}"` : field} AS "${name}"`,
  );
  return {
    datasource: BENCH,
    query:
      `SELECT ${selected.join(", ")} FROM ${BENCH_DATABASE}.."glance" ` +
      `WHERE ${CHOSEN} AND time <= ${RANGE_END} ORDER BY time DESC LIMIT ${loads}`,
  };
}

/** The proxies' memory, together. */
export function memoryNow(containers: string, name: string): Query {
  return {
    datasource: CADVISOR,
    query:
      `SELECT sum("bytes") FROM (` +
      `SELECT max("value") AS "bytes" FROM ${CADVISOR_DATABASE}.."memory_working_set" WHERE ${containers} AND $timeFilter ` +
      `GROUP BY time($__interval), ${OF_CONTAINER} fill(none)` +
      `) WHERE $timeFilter GROUP BY time($__interval) fill(null)`,
    alias: name,
  };
}

/**
 * Percentiles of each second of a load. Where a step has several seconds, p50 is the middle one
 * of them and the others are their highest: percentiles cannot be averaged.
 */
export function livePercentiles(metric: string, percentiles: number[]): Query {
  const columns = percentiles.map(
    (p) => `${p === 50 ? "median" : "max"}("${metric}_p${p}_ms") AS "p${p}"`,
  );
  return live(columns.join(", "), percentiles.length === 1 ? "$tag_proxy" : "$tag_proxy $col");
}

/** Share of the time for which the CPU budget held the proxy back: seconds per second. */
export function liveThrottling(): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT mean("rate") FROM (` +
      `SELECT non_negative_derivative("proxy_throttled_seconds", 1s) AS "rate" FROM ${BENCH_DATABASE}.."live" ` +
      `WHERE ${CHOSEN} AND $timeFilter GROUP BY "proxy", "scenario", "scheme", "setting", "run"` +
      `) WHERE $timeFilter GROUP BY time($__interval), "proxy" fill(null)`,
    alias: "$tag_proxy",
  };
}

/** Failures in a battle, which are counted by their cause as a cell ends. */
export function failureCount(tag: string): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT sum("connections") FROM ${BENCH_DATABASE}.."failures" WHERE ${CHOSEN} AND $timeFilter ` +
      `GROUP BY time($__interval), "${tag}" fill(0)`,
    alias: `$tag_${tag}`,
  };
}

/**
 * Phases of a battle's cells, for annotations.
 *
 * @param operator which to take: the phase `start`, with which a cell begins, or all others
 */
export function phases(operator: "=" | "!=") {
  return (
    `SELECT "title", "text", "proxy" FROM ${BENCH_DATABASE}.."phases" ` +
    `WHERE ${CHOSEN} AND "phase" ${operator} 'start' AND $timeFilter`
  );
}

/** Parts of a single load, for annotations. */
export function loadParts() {
  return (
    `SELECT "title", "text", "proxy", "end_ms" FROM ${BENCH_DATABASE}.."parts" ` +
    `WHERE ${CHOSEN} AND $timeFilter`
  );
}

/**
 * What is done to a proxy, or behind it, in the cells that have an event; for annotations.
 */
export function proxyEvents() {
  return (
    `SELECT "title", "text", "proxy" FROM ${BENCH_DATABASE}.."events" ` +
    `WHERE ${CHOSEN} AND $timeFilter`
  );
}

function live(select: string, alias: string): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT ${select} FROM ${BENCH_DATABASE}.."live" WHERE ${CHOSEN} AND $timeFilter ` +
      `GROUP BY time($__interval), "proxy" fill(null)`,
    alias,
  };
}

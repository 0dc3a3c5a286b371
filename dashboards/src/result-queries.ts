/**
 * The queries of what came of battles: cells, summaries and comparisons of the database `bench`,
 * which services/influxdb/README.md describes. They choose by run and setting; only `alignedCurve`
 * has a time range.
 */
import { BENCH, BENCH_DATABASE } from "./queries.ts";
import type { Query } from "./queries.ts";

const RUN = `"run" =~ /^\${run:regex}$/`;
const BASELINE = `"run" =~ /^\${baseline:regex}$/`;
const COMPARED = `${RUN} AND "baseline" =~ /^\${baseline:regex}$/`;
const SETTING = `"setting" =~ /^\${setting:regex}$/`;

/** Cells that count, as in the report. */
const COUNTED = `"validity" =~ /^(valid|weak)$/`;

/** Twice the time between two points, so that each step of a curve has some. */
const STEP = "500ms";

/**
 * The median over the rounds, by proxy.
 *
 * @param measure its key
 */
export function cellMedian(measure: string): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT median("${measure}") FROM ${BENCH_DATABASE}.."cells" ` +
      `WHERE ${RUN} AND ${SETTING} AND ${COUNTED} GROUP BY "proxy"`,
    alias: "$tag_proxy",
  };
}

/** How many cells of the run are valid, weak and so on. */
export function cellsByValidity(): Query {
  return {
    datasource: BENCH,
    query: `SELECT count("cell") FROM ${BENCH_DATABASE}.."cells" WHERE ${RUN} GROUP BY "validity"`,
    alias: "$tag_validity",
  };
}

/** Each cell of the run, with what is to be said of it. */
export function cells(): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT "validity" AS "Validity", "proxy" AS "Proxy", "setting" AS "Setting", "round" AS "Round", ` +
      `"cell" AS "Cell", "findings" AS "Why" FROM ${BENCH_DATABASE}.."cells" WHERE ${RUN}`,
  };
}

/** Each rate that a search of the run tried, and the fresh cells after it. */
export function probes(): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT "verdict" AS "Verdict", "proxy" AS "Proxy", "setting" AS "Setting", "part" AS "Part", "rate" AS "Rate", ` +
      `"p99_ms" AS "p99", "why" AS "Why" FROM ${BENCH_DATABASE}.."probes" WHERE ${RUN}`,
  };
}

/**
 * A curve over the cells' own time: the services of a role together, and the mean of the rounds.
 */
export function alignedCurve(
  field: "cpu_cores" | "working_set_bytes",
  role: "proxy" | "echo" | "load",
): Query {
  const perService =
    `SELECT mean("${field}") AS "of_service" FROM ${BENCH_DATABASE}.."aligned" ` +
    `WHERE ${RUN} AND ${SETTING} AND "role" = '${role}' AND $timeFilter ` +
    `GROUP BY time(${STEP}), "proxy", "round", "service" fill(none)`;
  const perRound =
    `SELECT sum("of_service") AS "of_round" FROM (${perService}) WHERE $timeFilter ` +
    `GROUP BY time(${STEP}), "proxy", "round" fill(none)`;
  return {
    datasource: BENCH,
    query:
      `SELECT mean("of_round") FROM (${perRound}) WHERE $timeFilter ` +
      `GROUP BY time(${STEP}), "proxy" fill(none)`,
    alias: "$tag_proxy",
  };
}

/**
 * The medians that the report of the run, or of its baseline, shows.
 *
 * @param measure its key
 * @returns the run's, then the baseline's
 */
export function medians(measure: string): Query[] {
  const of = (run: string, alias: string) => ({
    datasource: BENCH,
    query:
      `SELECT last("median") FROM ${BENCH_DATABASE}.."summaries" ` +
      `WHERE ${run} AND ${SETTING} AND "measure" = '${measure}' GROUP BY "proxy"`,
    alias,
  });
  return [of(RUN, "$tag_proxy"), of(BASELINE, "$tag_proxy baseline")];
}

/** Every figure of the report's tables. */
export function summaries(which: "run" | "baseline"): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT "proxy" AS "Proxy", "measure" AS "Measure", "rank" AS "Rank", "median" AS "Median", "low" AS "Low", ` +
      `"high" AS "High", "unit" AS "Unit", "ratio" AS "To the control", "rounds" AS "Rounds" ` +
      `FROM ${BENCH_DATABASE}.."summaries" WHERE ${which === "run" ? RUN : BASELINE} AND ${SETTING}`,
  };
}

/**
 * The ratio of one measure, run to baseline, with the ends of its interval.
 *
 * @param measure its key
 */
export function ratio(measure: string): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT last("low") AS "low", last("ratio") AS "ratio", last("high") AS "high" ` +
      `FROM ${BENCH_DATABASE}.."comparisons" ` +
      `WHERE ${COMPARED} AND ${SETTING} AND "measure" = '${measure}' GROUP BY "proxy"`,
    alias: "$tag_proxy $col",
  };
}

/** All ratios of the setting. */
export function ratios(): Query {
  return {
    datasource: BENCH,
    query:
      `SELECT "proxy" AS "Proxy", "measure" AS "Measure", "differs" AS "Difference", "ratio" AS "Ratio", ` +
      `"low" AS "Low", "high" AS "High", "value" AS "Run", "baseline_value" AS "Baseline", "unit" AS "Unit" ` +
      `FROM ${BENCH_DATABASE}.."comparisons" WHERE ${COMPARED} AND ${SETTING}`,
  };
}

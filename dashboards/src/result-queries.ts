/**
 * The queries of what came of battles: cells, summaries and comparisons of the database `bench`,
 * which services/influxdb/README.md describes. They choose by run and setting; only curves have a
 * time range.
 */
import { BENCH, BENCH_DATABASE } from "./queries.ts";
import type { Query } from "./queries.ts";

const RUN = chosen("run");
const COMPARED = `${RUN} AND ${chosen("baseline")}`;
const SETTING = chosen("setting");

/** Twice the time between two points, so that each step of a curve has some. */
const STEP = "500ms";

/** A condition: the tag is what the variable of its name has. */
function chosen(tag: string, variable = tag) {
  return `"${tag}" =~ /^\${${variable}:regex}$/`;
}

/**
 * A table of one measurement.
 *
 * @param columns the tag or field of each, by its title
 * @param where a condition
 */
function rows(measurement: string, columns: Record<string, string>, where: string): Query {
  const selected = Object.entries(columns).map(([title, name]) => `"${name}" AS "${title}"`);
  return {
    datasource: BENCH,
    query: `SELECT ${selected.join(", ")} FROM ${BENCH_DATABASE}.."${measurement}" WHERE ${where}`,
  };
}

/** Of each proxy what the report says of one question in one setting. */
export function ranking(): Query {
  return rows(
    "summaries",
    {
      ...{ Rank: "rank", Proxy: "proxy", Figure: "figure", Interval: "interval" },
      ...{ "To the best": "to_best", Why: "why", Place: "place" },
      ...{ Median: "median", Low: "low", High: "high", Unit: "unit" },
    },
    `${RUN} AND ${SETTING} AND ${chosen("question")}`,
  );
}

/** The same in all settings. */
export function everySetting(): Query {
  return rows(
    "summaries",
    { Proxy: "proxy", Setting: "setting", Figure: "figure", Place: "place" },
    `${RUN} AND ${chosen("question", "everywhere")}`,
  );
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
  return rows(
    "cells",
    {
      ...{ Validity: "validity", Proxy: "proxy", Setting: "setting", Round: "round" },
      ...{ Attempt: "attempt", Why: "findings", Place: "concern" },
    },
    RUN,
  );
}

/** Each rate that a search of the run tried, and the fresh cells after it. */
export function probes(): Query {
  return rows(
    "probes",
    {
      ...{ Verdict: "verdict", Proxy: "proxy", Setting: "setting", Part: "part" },
      ...{ Rate: "rate", p99: "p99_ms", Why: "why" },
    },
    RUN,
  );
}

/** All that two runs have in common. */
export function comparison(): Query {
  return rows(
    "comparisons",
    {
      ...{ Measure: "measure", Proxy: "proxy", Difference: "outcome", Ratio: "change" },
      ...{ Interval: "interval", Run: "now", Baseline: "was", Setting: "setting" },
      ...{ Place: "place", Value: "ratio", Low: "low", High: "high" },
    },
    `${COMPARED} AND ${SETTING}`,
  );
}

/**
 * A curve over the cells' own time: the services of a role together, and the mean of the rounds.
 */
export function alignedCurve(
  field: "cpu_cores" | "working_set_bytes" | "open_percent" | "new_failed_percent",
  role: "proxy" | "echo" | "load" | "clients",
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

/** The steps of the events in the cells of the setting, over the cells' own time. */
export function alignedEvents() {
  return (
    `SELECT "title", "text", "proxy" FROM ${BENCH_DATABASE}.."aligned_events" ` +
    `WHERE ${RUN} AND ${SETTING} AND $timeFilter`
  );
}

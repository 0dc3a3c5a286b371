/**
 * Runs of `docker compose up` in InfluxDB: k6 writes its samples there itself, and beside them
 * stands, once, what the load was.
 */

import type { Influx, Point } from "../platform/influx.ts";
import type { Parameters, Scheme } from "../model/plan.ts";

/** what a proxy was put under */
export interface Load {
  proxy: string;
  scenario: string;
  scheme: Scheme;
  /** null: they are not known, as of a run that an older version made */
  parameters: Parameters | null;
}

/** The database that k6 writes to. */
export const K6_DATABASE = "k6";
const MEASUREMENT = "loads";
/**
 * k6 takes the first each second, and so not at all in a load that is through sooner; the second as
 * each virtual user's turn ends.
 */
const SAMPLES = '"vus", "iterations"';

/**
 * @param ms since 1970, its start
 * @returns for the database of k6; none of a scenario without parameters, as a point needs a field
 */
export function loadPoints(
  run: string,
  { proxy, scenario, scheme, parameters }: Load,
  ms: number,
): Point[] {
  const fields = { ...parameters };
  if (Object.keys(fields).length === 0) return [];
  return [{ measurement: MEASUREMENT, tags: { run, proxy, scenario, scheme }, fields, ms }];
}

/** @returns in no order; fromMs: since 1970, its first sample */
export async function singleLoads(influx: Influx): Promise<{ name: string; fromMs: number }[]> {
  if (!(await influx.databases()).includes(K6_DATABASE)) return [];
  const series = await influx.query(`SELECT first("value") FROM ${SAMPLES} GROUP BY "run"`, {
    database: K6_DATABASE,
  });
  return [...Map.groupBy(series, ({ tags }) => tags.run)].map(([name, its]) => ({
    name,
    fromMs: Math.min(...its.map(timeOf)),
  }));
}

/**
 * @param name one of `singleLoads`
 * @returns first and last sample in ms since 1970
 */
export async function singleLoad(
  influx: Influx,
  name: string,
): Promise<{ fromMs: number; toMs: number; loads: Load[] }> {
  const where = `WHERE "run" = '${name.replace(/['\\]/g, "\\$&")}'`;
  const ask = (query: string) => influx.query(query, { database: K6_DATABASE });
  const [first, last] = await Promise.all(
    ["first", "last"].map((which) => ask(`SELECT ${which}("value") FROM ${SAMPLES} ${where}`)),
  );
  const labelled = await ask(
    `SELECT last("value") FROM ${SAMPLES} ${where} GROUP BY "proxy", "scenario", "scheme"`,
  );
  const labels = Map.groupBy(
    labelled,
    ({ tags: { proxy, scenario, scheme } }) => `${proxy} ${scenario} ${scheme}`,
  );
  const described = await ask(
    `SELECT * FROM "${MEASUREMENT}" ${where} GROUP BY "run", "proxy", "scenario", "scheme"`,
  );
  const loads = [...labels.values()].map(([{ tags }]) => {
    const { proxy, scenario, scheme } = tags;
    const own = described.find(
      (each) =>
        each.tags.proxy === proxy && each.tags.scenario === scenario && each.tags.scheme === scheme,
    );
    return {
      proxy,
      scenario,
      scheme: scheme as Scheme,
      parameters: own ? parametersIn(own) : null,
    };
  });
  return {
    fromMs: Math.min(...first.map(timeOf)),
    toMs: Math.max(...last.map(timeOf)),
    loads,
  };
}

/** @param series of one row */
function timeOf({ values: [[ms]] }: { values: any[][] }) {
  return ms;
}

/** @returns of its last row; a column that belongs to other scenarios is empty in it */
function parametersIn({ columns, values }: { columns: string[]; values: any[][] }): Parameters {
  const row = values[values.length - 1];
  return Object.fromEntries(
    columns.flatMap((name, i) => (name === "time" || row[i] === null ? [] : [[name, row[i]]])),
  );
}

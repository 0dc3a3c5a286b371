/**
 * Writes a whole run to InfluxDB, from its record alone: at the end of a battle, or afterwards, as
 * on another machine.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { analyse } from "../analyse/index.ts";
import { readRows } from "../record/csv.ts";
import { containerOf, CURVES_FILE, OWN_MACHINE } from "../record/curve-names.ts";
import { LIVE_FILE } from "../record/live.ts";
import { versionsOf } from "../analyse/versions.ts";
import { glancePoints } from "./glance.ts";
import {
  alignedEventPoints,
  alignedPoints,
  cellPoint,
  eventPoints,
  failurePoints,
  livePoints,
  phasePoints,
  probePoints,
  summaryPoints,
} from "./points.ts";
import { DATABASE } from "./publisher.ts";
import type { Reported } from "../model/comparison.ts";
import type { Influx, Point } from "../platform/influx.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Store } from "../record/store.ts";
import type { Words } from "./points.ts";

/** What is written from a run's record alone; `comparisons` need a second run. */
const MEASUREMENTS = [
  ...["phases", "events", "live", "glance", "failures", "aligned", "aligned_events"],
  ...["cells", "summaries", "probes"],
];
/** Points per request: about 2 MB. */
const BATCH = 5000;
/** The database of cAdvisor, and the name of the Compose project that the dashboards look for. */
const CADVISOR = "cadvisor";
const PROJECT = "ws-proxy-bench";

/**
 * Replaces all that the database `bench` holds of the run, but `comparisons`: what was written
 * while it ran is there once, and cells are judged by the rules of today. And gives back cAdvisor's
 * curves where its database has none of a cell's time.
 *
 * @param store of the run, complete or not
 * @param influx with or without the database `bench`
 * @returns points written to `bench`, cells whose curves were written, and what could not be
 *   written, a sentence each
 * @throws {UserError} when InfluxDB does not answer
 */
export async function republish(
  store: Store,
  influx: Influx,
  {
    directory,
    words,
    project = PROJECT,
  }: {
    /** the project's: the TLS policy by which cells are judged is there */
    directory: string;
    words: Words;
    /** name of the Compose project under which cAdvisor's containers are to appear */
    project?: string;
  },
): Promise<{ points: number; curves: number; notes: string[] }> {
  const policy = JSON.parse(readFileSync(join(directory, "certs/policy.json"), "utf8"));
  const points = pointsOf(store, analyse(store.results, { policy }), words);
  await replace(influx, MEASUREMENTS, { run: store.results.run.name }, points);
  return { points: points.length, ...(await republishCurves(store, influx, project)) };
}

/** @param tags what has them is replaced */
export async function replace(
  influx: Influx,
  measurements: string[],
  tags: Record<string, string>,
  points: Point[],
) {
  await influx.createDatabase(DATABASE);
  for (const measurement of measurements) await influx.remove(DATABASE, measurement, tags);
  await writeAll(influx, DATABASE, points);
}

/** @returns of all measurements that one run has */
export function pointsOf(store: Store, reported: Reported, words: Words): Point[] {
  const run = store.results.run.name;
  return [
    ...reported.cells.flatMap((cell) => {
      const { record } = cell;
      const live = store.readRaw(record, LIVE_FILE);
      const samples = store.readRaw(record, "samples.csv");
      const version = versionsOf(store.results, [record.proxy]).join();
      return [
        ...phasePoints(run, record),
        ...eventPoints(run, record),
        // Runs from before it was kept have none.
        ...(live ? livePoints(run, record, live) : []),
        ...glancePoints(run, cell, { csv: live ?? undefined, version }),
        ...failurePoints(run, record),
        ...(samples ? alignedPoints(run, record, samples) : []),
        ...alignedEventPoints(run, record),
        cellPoint(run, cell, words.flag),
      ];
    }),
    ...summaryPoints(reported, words),
    ...probePoints(reported),
  ];
}

async function republishCurves(
  store: Store,
  influx: Influx,
  project: string,
): Promise<{ curves: number; notes: string[] }> {
  if (!(await influx.databases()).includes(CADVISOR))
    return { curves: 0, notes: [`InfluxDB has no database ${CADVISOR}`] };
  const keptMs = await influx.keptMs(CADVISOR);
  let curves = 0;
  let tooOld = 0;
  for (const record of store.results.cells) {
    const csv = record.measured && store.readRaw(record, CURVES_FILE);
    if (!csv || (await hasCurves(influx, record, project))) continue;
    const points = curvePoints(csv, project);
    const isTooOld = points.some(({ ms }) => ms < Date.now() - keptMs);
    if (isTooOld) tooOld += 1;
    else {
      await writeAll(influx, CADVISOR, points);
      curves += 1;
    }
  }
  const note = `cAdvisor's curves of ${tooOld} cells are older than the database ${CADVISOR} keeps; see cadvisor.csv of each cell`;
  return { curves, notes: tooOld > 0 ? [note] : [] };
}

/**
 * Those of the proxy: at the same time cAdvisor may have seen other containers of a project of that
 * name, as an InfluxDB that was up.
 *
 * @param record with a measured phase
 */
async function hasCurves(influx: Influx, { measured, containers }: CellRecord, project: string) {
  const { fromMs, toMs } = measured as NonNullable<typeof measured>;
  const proxies = Object.keys(containers).filter((name) => containers[name].role === "proxy");
  const found = await influx.query(
    `SELECT count(value) FROM cpu_usage_total WHERE time >= ${fromMs}ms AND time <= ${toMs}ms ` +
      `AND container_name =~ /^${project}-(${proxies.join("|")})-[0-9]+$/`,
    { database: CADVISOR },
  );
  return found.length > 0;
}

/**
 * As cAdvisor's InfluxDB driver writes them: offline/cadvisor/influxdb.go.
 *
 * @param csv cadvisor.csv of a cell
 */
export function curvePoints(csv: string, project: string): Point[] {
  return readRows(csv).map(({ ms, service, series, value, machine }) => ({
    measurement: series,
    tags: { container_name: containerOf(service, project), machine: machine || OWN_MACHINE },
    fields: { value: BigInt(value) },
    ms: Number(ms),
  }));
}

async function writeAll(influx: Influx, database: string, points: Point[]) {
  for (let from = 0; from < points.length; from += BATCH)
    await influx.write(database, points.slice(from, from + BATCH));
}

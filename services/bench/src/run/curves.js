/**
 * What cAdvisor saw of each cell, out of InfluxDB into the run's folder: there it outlives the database.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvText } from "../record/csv.js";

/** @import { Influx } from "../platform/influx.js" */
/** @import { Store } from "../record/store.js" */

/** Measurements of cAdvisor's InfluxDB driver: CPU in ns since the container started, the others in bytes. */
const SERIES = ["cpu_usage_total", "memory_usage", "memory_working_set", "rx_bytes", "tx_bytes"];

/** Name of the file in the folder of a cell: `ms` since 1970, `service`, `series`, `value`. */
export const CURVES_FILE = "cadvisor.csv";

/**
 * Writes the curves of every cell that has none yet.
 *
 * @param {Store} store
 * @param {Influx} influx
 * @param {string} project name of the Compose project
 * @returns {Promise<number>} cells for which InfluxDB had none
 */
export async function keepCurves(store, influx, project) {
  let missing = 0;
  for (const { id, attempt, measured } of store.results.cells) {
    const file = join(store.cellPath(id, attempt), CURVES_FILE);
    if (!measured || existsSync(file)) continue;
    const { fromMs, toMs } = measured;
    const series = await influx.query(
      SERIES.map(
        (name) =>
          `SELECT value FROM ${name} WHERE time >= ${fromMs - 1000}ms AND time <= ${toMs + 1000}ms ` +
          `AND container_name =~ /^${project}-/ GROUP BY container_name`,
      ).join("; "),
      { database: "cadvisor" },
    );
    const rows = series.flatMap(({ name, tags, values }) =>
      values.map(([ms, value]) => [ms, serviceOf(tags.container_name, project), name, value]),
    );
    if (rows.length === 0) missing += 1;
    else writeFileSync(file, csvText([["ms", "service", "series", "value"], ...rows]));
  }
  return missing;
}

/** Containers of the load: there may be several in a cell, and the record tells them apart. */
const LOAD = /^load-\d+$/;

/**
 * @param {string} container `<project>-<service>-<number>`
 * @param {string} project
 * @returns {string} as in samples.csv: `nginx`, `load-2`
 */
export function serviceOf(container, project) {
  const name = container.slice(project.length + 1);
  return LOAD.test(name) ? name : name.replace(/-\d+$/, "");
}

/**
 * @param {string} service as of `serviceOf`; older records have `load` for every load
 * @param {string} project
 * @returns {string} the container's name
 */
export function containerOf(service, project) {
  return `${project}-${LOAD.test(service) ? service : `${service}-1`}`;
}

/**
 * What cAdvisor saw of each cell, out of InfluxDB into the run's folder: there it outlives the database.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvText } from "../record/csv.js";
import { CURVES_FILE, serviceOf } from "../record/curve-names.js";

/** @import { Influx } from "../platform/influx.js" */
/** @import { Store } from "../record/store.js" */

/** Measurements of cAdvisor's InfluxDB driver: CPU in ns since the container started, the others in bytes. */
const SERIES = ["cpu_usage_total", "memory_usage", "memory_working_set", "rx_bytes", "tx_bytes"];
/** Of those, of a network. */
const OF_NETWORK = ["rx_bytes", "tx_bytes"];

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
  for (const { id, attempt, measured, containers } of store.results.cells) {
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
    const rows = series.flatMap(({ name, tags, values }) => {
      const service = serviceOf(tags.container_name, project);
      // On the machine's own network cAdvisor counts all that passes there.
      if (OF_NETWORK.includes(name) && containers[service]?.network === null) return [];
      return values.map(([ms, value]) => [ms, service, name, value]);
    });
    if (rows.length === 0) missing += 1;
    else writeFileSync(file, csvText([["ms", "service", "series", "value"], ...rows]));
  }
  return missing;
}

/**
 * What cAdvisor saw of each cell, out of InfluxDB into the run's folder: there it outlives the
 * database.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvText } from "../record/csv.ts";
import { CURVES_FILE, OWN_MACHINE, serviceOf } from "../record/curve-names.ts";
import type { Influx } from "../platform/influx.ts";
import type { Store } from "../record/store.ts";

/**
 * Measurements of cAdvisor's InfluxDB driver: CPU in ns since the container started, the others in
 * bytes.
 */
const SERIES = ["cpu_usage_total", "memory_usage", "memory_working_set", "rx_bytes", "tx_bytes"];
/** Of those, of a network. */
const OF_NETWORK = ["rx_bytes", "tx_bytes"];

/**
 * Writes the curves of every cell that has none yet. Of several machines each has its own cAdvisor,
 * whose points have the time of that machine's clock; here they get that of this one's.
 *
 * @param projectOf name of the Compose project in which a proxy was measured
 * @returns cells for which InfluxDB had none
 */
export async function keepCurves(
  store: Store,
  influx: Influx,
  projectOf: (proxy: string) => string,
): Promise<number> {
  let missing = 0;
  for (const { id, attempt, proxy, measured, containers, clocks } of store.results.cells) {
    const file = join(store.cellPath(id, attempt), CURVES_FILE);
    if (!measured || existsSync(file)) continue;
    const project = projectOf(proxy);
    const hasMachines = clocks !== undefined;
    const fromMs = measured.fromMs - 1000;
    const toMs = measured.toMs + 1000;
    const offsets = [0, ...Object.values(clocks ?? {}).map(({ offsetMs }) => offsetMs)];
    const from = fromMs + Math.floor(Math.min(...offsets));
    const to = toMs + Math.ceil(Math.max(...offsets));
    const series = await influx.query(
      SERIES.map(
        (name) =>
          `SELECT value FROM ${name} WHERE time >= ${from}ms AND time <= ${to}ms ` +
          `AND container_name =~ /^${project}-/ GROUP BY container_name, machine`,
      ).join("; "),
      { database: "cadvisor" },
    );
    const rows = series.flatMap(({ name, tags, values }) => {
      const service = serviceOf(tags.container_name, project);
      // On the machine's own network cAdvisor counts all that passes there.
      if (OF_NETWORK.includes(name) && containers[service]?.network === null) return [];
      const offsetMs = clocks?.[tags.machine]?.offsetMs ?? 0;
      const machine = hasMachines ? [tags.machine === OWN_MACHINE ? "" : tags.machine] : [];
      return values
        .map(([ms, value]) => [Math.round(Number(ms) - offsetMs), service, name, value, ...machine])
        .filter(([ms]) => Number(ms) >= fromMs && Number(ms) <= toMs);
    });
    const columns = ["ms", "service", "series", "value", ...(hasMachines ? ["machine"] : [])];
    if (rows.length === 0) missing += 1;
    else writeFileSync(file, csvText([columns, ...rows]));
  }
  return missing;
}

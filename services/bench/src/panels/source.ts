/** The project's InfluxDB: the one that is up, or one that is started, and stopped again. */
import { UserError } from "../errors.ts";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { Influx, INFLUXDB_URL } from "../platform/influx.ts";
import { until } from "../platform/wait.ts";

const READY_LIMIT_MS = 30_000;
/** A panel over a long run may take InfluxDB seconds. */
const QUERY_LIMIT_MS = 60_000;

export type Source = {
  influx: Influx;
  /** Address of the project's Grafana, where it and its renderer are up. */
  grafana: string | null;
  /** Leaves everything as it was. */
  close: () => Promise<void>;
};

/**
 * @param directory the project's
 * @param start where it is not up
 * @returns null: it is not up
 * @throws {UserError} when InfluxDB cannot be started, or does not answer
 */
export async function openSource(
  directory: string,
  say: (line: string) => void,
  { start }: { start: boolean },
): Promise<Source | null> {
  const project = new Project(directory, { profile: "*" });
  const { name, networks } = await project.readOnce();
  const network = networks.default.name;
  const running = (await OWN_ENGINE.containersOf(name)).filter((container) => container.running);
  const isUp = (service: string) => running.some((container) => container.service === service);
  const wasUp = isUp("influxdb");
  if (!wasUp && !start) return null;

  const close = async () => {
    await OWN_ENGINE.leaveNetwork(network);
    if (wasUp) return;
    // What else runs stays. `down` alone removes the network too; both keep the data.
    const stop = ["rm", "--stop", "--force", "influxdb"];
    const down = ["down", "--remove-orphans", "--timeout", "5"];
    await project.run(running.length > 0 ? stop : down);
  };

  if (!wasUp) say("starting InfluxDB");
  try {
    if (!wasUp) await project.check(["up", "--detach", "--no-deps", "influxdb"]);
    await OWN_ENGINE.joinNetwork(network);
    const influx = new Influx(INFLUXDB_URL, { timeoutMs: QUERY_LIMIT_MS });
    const limit = Date.now() + READY_LIMIT_MS;
    const names = await until(
      limit,
      () => influx.databases().catch((): string[] => []),
      ({ length }) => length > 0,
    );
    if (names.length === 0)
      throw new UserError(
        `InfluxDB does not answer after ${READY_LIMIT_MS / 1000} s`,
        "See its log: docker compose logs influxdb.",
      );
    const hasGrafana = isUp("grafana") && isUp("renderer");
    return { influx, grafana: hasGrafana ? "http://grafana:3000" : null, close };
  } catch (error) {
    await close();
    throw error;
  }
}

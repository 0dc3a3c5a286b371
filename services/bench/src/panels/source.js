/**
 * The project's InfluxDB, for as long as an export needs it: the one that is up, or one that is started, and stopped again.
 */
import { OWN_ENGINE, Project } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { Influx, INFLUXDB_URL } from "../platform/influx.js";
import { until } from "../platform/wait.js";

const READY_LIMIT_MS = 30_000;
/** A panel over a long run may take InfluxDB seconds. */
const QUERY_LIMIT_MS = 60_000;

/**
 * @typedef {object} Source
 * @property {Influx} influx
 * @property {string | null} grafana address of the project's Grafana, where it and its renderer are up
 * @property {() => Promise<void>} close leaves everything as it was
 */

/**
 * @param {string} directory the project's
 * @param {(line: string) => void} say
 * @param {{start: boolean}} options start: where it is not up
 * @returns {Promise<Source | null>} null: it is not up
 * @throws {UserError} when InfluxDB cannot be started, or does not answer
 */
export async function openSource(directory, say, { start }) {
  const project = new Project(directory, { profile: "*" });
  const { name, networks } = await project.config();
  const network = networks.default.name;
  const running = (await OWN_ENGINE.containersOf(name)).filter((container) => container.running);
  const isUp = (/** @type {string} */ service) =>
    running.some((container) => container.service === service);
  const wasUp = isUp("influxdb");
  if (!wasUp && !start) return null;

  const close = async () => {
    await OWN_ENGINE.leaveNetwork(network);
    if (wasUp) return;
    // What else of the project runs stays. `down` alone removes the network too; the data are kept by both.
    await project.run(
      running.length > 0
        ? ["rm", "--stop", "--force", "influxdb"]
        : ["down", "--remove-orphans", "--timeout", "5"],
    );
  };

  if (!wasUp) say("starting InfluxDB");
  try {
    if (!wasUp) await project.check(["up", "--detach", "--no-deps", "influxdb"]);
    await OWN_ENGINE.joinNetwork(network);
    const influx = new Influx(INFLUXDB_URL, { timeoutMs: QUERY_LIMIT_MS });
    await waitFor(influx);
    return {
      influx,
      grafana: isUp("grafana") && isUp("renderer") ? "http://grafana:3000" : null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {Influx} influx */
async function waitFor(influx) {
  const names = await until(
    Date.now() + READY_LIMIT_MS,
    () => influx.databases().catch(() => /** @type {string[]} */ ([])),
    ({ length }) => length > 0,
  );
  if (names.length > 0) return;
  throw new UserError(
    `InfluxDB does not answer after ${READY_LIMIT_MS / 1000} s`,
    "See its log: docker compose logs influxdb.",
  );
}

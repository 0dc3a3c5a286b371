/**
 * Where CPU time was spent: in the proxy in front, in a container of its own for TLS, in the server.
 */
import { median } from "simple-statistics";
import { CONTROL } from "../plan/proxies.js";
import { without } from "../plan/workload.js";
import { medianInterval } from "../statistics/index.js";
import { comparesServers, CONFIDENCE, settingKey } from "./settings.js";
import { reachesServer } from "./measures.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { ContainerRecord } from "../model/container.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, CpuByPlace, Place, Setting } from "./types.js" */
/** @import { Estimate } from "../statistics/types.js" */

/** From the client to the answer. */
const PLACES = /** @type {const} */ (["front", "tls", "server"]);

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {CpuByPlace[]}
 */
export function cpuByPlaceOf(results, settings, cells) {
  const hasParts = results.proxies.some(({ parts }) => parts.length > 1);
  const shown = settings.filter(({ workload }) => hasParts || comparesServers(workload));
  const families = Map.groupBy(
    shown.filter(({ workload }) => workload.fileBytes !== undefined),
    ({ scenario, scheme, parameters, workload: { parameterNames } }) =>
      settingKey({ scenario, scheme, parameters: without(parameters, [parameterNames.fileBytes]) }),
  );
  const sums = [...families.values()]
    .filter((family) => family.length > 1)
    .map((family) => placesOf(family, results, cells));
  return [...sums, ...shown.map((setting) => placesOf([setting], results, cells))].filter(
    ({ rows }) => rows.some(({ places }) => places.length > 0),
  );
}

/**
 * @param {Setting[]} settings whose CPU time is added up
 * @param {Results} results
 * @param {AnalysedCell[]} cells
 * @returns {CpuByPlace}
 */
function placesOf(settings, results, cells) {
  const keys = settings.map(({ key }) => key);
  const own = cells.filter(
    ({ counted, setting, measures }) =>
      counted && keys.includes(setting) && "servers_cpu_seconds" in measures,
  );
  const rows = results.plan.proxies.map((proxy) => {
    const records = own.filter(({ record }) => record.proxy === proxy).map(({ record }) => record);
    // A sum stands for all sizes, or for nothing.
    const rounds = [...Map.groupBy(records, ({ round }) => round).values()].filter(
      (round) => round.length === settings.length,
    );
    const services = rounds.length > 0 ? servicesOf(rounds[0][0], settings[0]) : [];
    const places = services
      .map(({ service, place }) => {
        /** @param {keyof ContainerRecord["cpu"]} part */
        const sums = (part) =>
          rounds.map((round) =>
            round.reduce((sum, { containers }) => sum + (containers[service]?.cpu[part] ?? 0), 0),
          );
        return {
          place,
          service,
          total: estimateOf(sums("totalSeconds")),
          user: median(sums("userSeconds")),
          system: median(sums("systemSeconds")),
        };
      })
      .sort((a, b) => PLACES.indexOf(a.place) - PLACES.indexOf(b.place));
    const totals = rounds.map((round) =>
      services.reduce(
        (sum, { service }) =>
          sum +
          round.reduce(
            (all, { containers }) => all + (containers[service]?.cpu.totalSeconds ?? 0),
            0,
          ),
        0,
      ),
    );
    return { proxy, places, total: totals.length > 0 ? estimateOf(totals) : null };
  });
  return { settings, rows };
}

/**
 * A server that nothing reaches is not a place: behind the control, and behind one that serves files by itself.
 *
 * @param {CellRecord} record
 * @param {Setting} setting of it
 * @returns {{service: string, place: Place}[]}
 */
function servicesOf(record, { workload }) {
  const entries = Object.entries(record.containers);
  const isServer =
    record.proxy === CONTROL || (comparesServers(workload) && !reachesServer(record));
  const servers = isServer ? [] : entries.filter(([, { role }]) => role === "echo");
  return [
    ...entries
      .filter(([, { role }]) => role === "proxy")
      .map(([service]) => {
        /** @type {Place} */
        const place = isServer ? "server" : service.endsWith("-tls") ? "tls" : "front";
        return { service, place };
      }),
    ...servers.map(([service]) => ({ service, place: /** @type {const} */ ("server") })),
  ];
}

/**
 * @param {number[]} values at least one
 * @returns {Estimate}
 */
function estimateOf(values) {
  return { value: median(values), interval: medianInterval(values, CONFIDENCE) };
}

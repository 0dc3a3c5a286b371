/**
 * Where CPU time was spent: in the proxy in front, in a container of its own for TLS, in the
 * server.
 */
import { median } from "simple-statistics";
import type { Extra, JudgedCell, Setting } from "../model/comparison.ts";
import { CONTROL } from "../plan/proxies.ts";
import type { CellRecord } from "../model/cell.ts";
import type { ContainerRecord } from "../model/container.ts";
import { reachesServer } from "./readings.ts";
import { comparesServers } from "./settings.ts";
import type { Run } from "./settings.ts";

/** From the client to the answer. */
const PLACES = ["front", "tls", "server"] as const;

type Places = NonNullable<Extra["places"]>;

/**
 * @param cells of one proxy in the setting
 * @returns medians over the rounds; empty unless a proxy has several containers, or servers compare
 */
export function placesIn({ results }: Run, setting: Setting, cells: JudgedCell[]): Places {
  const hasParts = results.proxies.some(({ parts }) => parts.length > 1);
  if (!hasParts && !comparesServers(setting.workload)) return [];
  const records = cells
    .filter(({ counted, measures }) => counted && "servers_cpu_seconds" in measures)
    .map(({ record }) => record);
  if (records.length === 0) return [];
  return servicesOf(records[0], setting)
    .map(({ service, place }) => {
      const of = (part: keyof ContainerRecord["cpu"]) =>
        median(records.map(({ containers }) => containers[service]?.cpu[part] ?? 0));
      return {
        place,
        service,
        seconds: of("totalSeconds"),
        user: of("userSeconds"),
        system: of("systemSeconds"),
      };
    })
    .sort((a, b) => PLACES.indexOf(a.place) - PLACES.indexOf(b.place));
}

/**
 * A server that nothing reaches is no place: behind the control, and behind one that serves files
 * by itself.
 */
function servicesOf(record: CellRecord, { workload }: Setting) {
  const entries = Object.entries(record.containers);
  const isServer =
    record.proxy === CONTROL || (comparesServers(workload) && !reachesServer(record));
  const placeOf = (service: string): (typeof PLACES)[number] =>
    isServer ? "server" : service.endsWith("-tls") ? "tls" : "front";
  return [
    ...entries
      .filter(([, { role }]) => role === "proxy")
      .map(([service]) => ({ service, place: placeOf(service) })),
    ...entries
      .filter(([, { role }]) => role === "echo" && !isServer)
      .map(([service]) => ({ service, place: "server" as const })),
  ];
}

/**
 * Between the own network of a machine and that over all machines: what is measured on the first
 * meets this program on the second, and nothing is opened to other machines for it.
 */
import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { forward } from "../platform/forward.ts";
import { EDGE_HOST } from "../run/edges.ts";
import type { Door, RelayedPorts } from "../run/host-network.ts";

/** Destination of the default route. */
const NOWHERE = "00000000";

/**
 * Runs in a container that is on the network over all machines, and so on a bridge of its machine
 * too, which is its way out.
 *
 * @returns once both ways lead through this container
 */
export async function openDoor({ edges, own }: RelayedPorts): Promise<Door> {
  const door = doorIn(readFileSync("/proc/net/route", "utf8"), networkInterfaces());
  const { machine, bench, inside } = door;
  await forward(edges, { host: EDGE_HOST, port: edges }, bench);
  for (const port of own) await forward(port, { host: machine, port }, inside);
  return door;
}

/**
 * @param route as /proc/net/route is
 * @throws {Error} where the container is not on both
 */
export function doorIn(route: string, interfaces: ReturnType<typeof networkInterfaces>): Door {
  const [outside, , gateway] =
    route
      .split("\n")
      .map((line) => line.split("\t"))
      .find(([, destination]) => destination === NOWHERE) ?? [];
  const addresses = Object.entries(interfaces).flatMap(([name, all = []]) =>
    all.flatMap(({ family, internal, address }) =>
      family === "IPv4" && !internal ? { name, address } : [],
    ),
  );
  const bench = addresses.find(({ name }) => name === outside)?.address;
  const inside = addresses.find(({ name }) => name !== outside)?.address;
  if (!gateway || !bench || !inside)
    throw new Error("this container is not both on the network over all machines and on a bridge");
  return { machine: addressIn(gateway), bench, inside };
}

/**
 * @param hex as the kernel writes it on machines that put the lowest byte first, which all are that
 *   Docker knows but s390x
 */
function addressIn(hex: string) {
  const bytes = hex.match(/../g) ?? [];
  return bytes
    .reverse()
    .map((byte) => parseInt(byte, 16))
    .join(".");
}

/**
 * Whether the ports of a measured path on the machine's own network are free.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { UserError } from "../errors.ts";
import { BENCH_IMAGE, HARDENED } from "./engine.ts";
import type { Engine } from "../platform/engine.ts";

export type Port = { protocol: "tcp" | "udp"; port: number };

/**
 * Asks from inside the machine's own network, by a container of this program (`taken-ports`).
 *
 * @param ports of TCP
 * @param machine name: as hosts.yaml has it; "": there is this one alone
 * @throws {UserError} when something listens on one of them
 */
export async function refuseTakenPorts(
  ports: number[],
  { name, engine }: { name: string; engine: Pick<Engine, "check"> },
) {
  const answer = await engine.check([
    ...["docker", "run", "--rm", "--network", "host", ...HARDENED],
    ...[BENCH_IMAGE, "taken-ports", ...ports.map(String)],
  ]);
  const taken: Port[] = JSON.parse(answer);
  if (taken.length === 0) return;
  const whose =
    name === "" ? "this machine's own network" : `the own network of the machine ${name}`;
  throw new UserError(
    `on ${whose} (NETWORK=host) something already listens on port ${taken.map(({ port }) => port).join(", ")}`,
    `Expected ${ports.join(", ")} to be free for proxy, reference, server and k6. Stop what listens there (ss -ltnp shows it), or leave NETWORK=host out.`,
  );
}

/** @returns those that something listens on where this runs */
export async function takenPorts(ports: Port[]): Promise<Port[]> {
  const taken: Port[] = [];
  for (const port of ports) {
    try {
      await (port.protocol === "tcp" ? listen(port) : bind(port));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      taken.push(port);
    }
  }
  return taken;
}

async function listen({ port }: Port) {
  const server = createServer().listen(port, "0.0.0.0");
  await once(server, "listening");
  await new Promise((resolve) => server.close(resolve));
}

async function bind({ port }: Port) {
  const socket = createSocket("udp4").bind(port, "0.0.0.0");
  await once(socket, "listening");
  await new Promise((resolve) => socket.close(() => resolve(null)));
}

/**
 * Whether the ports of a measured path on the machine's own network are free.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { UserError } from "../errors.js";
import { BENCH_IMAGE, HARDENED } from "./engine.js";

/** @import { Engine } from "../platform/docker.js" */

/** @typedef {{protocol: "tcp" | "udp", port: number}} Port */

/**
 * Asks from inside the machine's own network, by a container of this program (`taken-ports`).
 *
 * @param {number[]} ports of TCP
 * @param {{name: string, engine: Pick<Engine, "check">}} machine name: as hosts.yaml has it; "": there is this one alone
 * @throws {UserError} when something listens on one of them
 */
export async function refuseTakenPorts(ports, { name, engine }) {
  const answer = await engine.check([
    ...["docker", "run", "--rm", "--network", "host", ...HARDENED],
    ...[BENCH_IMAGE, "taken-ports", ...ports.map(String)],
  ]);
  /** @type {Port[]} */
  const taken = JSON.parse(answer);
  if (taken.length === 0) return;
  const whose =
    name === "" ? "this machine's own network" : `the own network of the machine ${name}`;
  throw new UserError(
    `on ${whose} (NETWORK=host) something listens on port ${taken.map(({ port }) => port).join(", ")} already`,
    `Expected ${ports.join(", ")} to be free: what of proxy, reference proxy, server and k6 runs there listens on them. End what does now (ss -ltnp tells), or leave NETWORK=host out.`,
  );
}

/**
 * @param {Port[]} ports
 * @returns {Promise<Port[]>} those that something listens on where this runs
 */
export async function takenPorts(ports) {
  /** @type {Port[]} */
  const taken = [];
  for (const port of ports) {
    try {
      await (port.protocol === "tcp" ? listen(port) : bind(port));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EADDRINUSE") throw error;
      taken.push(port);
    }
  }
  return taken;
}

/** @param {Port} port */
async function listen({ port }) {
  const server = createServer().listen(port, "0.0.0.0");
  await once(server, "listening");
  await new Promise((resolve) => server.close(resolve));
}

/** @param {Port} port */
async function bind({ port }) {
  const socket = createSocket("udp4").bind(port, "0.0.0.0");
  await once(socket, "listening");
  await new Promise((resolve) => socket.close(() => resolve(null)));
}

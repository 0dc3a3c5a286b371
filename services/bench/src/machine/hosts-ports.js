/**
 * Whether the ports that Swarm needs are free on a machine.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { BENCH_IMAGE } from "./engine.js";
import { askEngine, HARDENED } from "./hosts-engines.js";
import { MARK } from "./hosts-swarm.js";

/**
 * @import { HostEngine } from "./hosts-engines.js"
 *
 * @typedef {{protocol: "tcp" | "udp", port: number}} Port
 */

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

/**
 * Asks from inside the machine's own network, by a container of this program (`taken-ports`).
 *
 * @param {HostEngine} engine that has this program's image
 * @returns {Promise<Port[]>}
 * @throws {UserError} when the container does not run there
 */
export async function takenPortsOn(engine) {
  const answer = await askEngine(engine, [
    ...["run", "--rm", "--label", MARK, "--network", "host", ...HARDENED],
    ...[BENCH_IMAGE, "taken-ports"],
  ]);
  return JSON.parse(answer);
}

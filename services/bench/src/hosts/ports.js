/**
 * Whether the ports that Swarm needs are free on a machine.
 */
import { BENCH_IMAGE, HARDENED } from "../machine/engine.js";
import { askEngine } from "./engines.js";
import { MARK } from "./swarm.js";

/** @import { Port } from "../machine/host-network-ports.js" */
/** @import { HostEngine } from "./engines.js" */

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

/**
 * `taken-ports`: which ports of Swarm something listens on here. `hosts check` asks it in a container in each machine's own network.
 */
import { takenPorts } from "../machine/hosts-ports.js";
import { SWARM_PORTS } from "../machine/hosts-swarm.js";

/**
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit status
 */
export async function printTakenPorts(print) {
  print(JSON.stringify(await takenPorts(SWARM_PORTS)));
  return 0;
}

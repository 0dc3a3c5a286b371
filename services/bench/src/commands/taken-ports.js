/**
 * `taken-ports`: on which of these ports something listens here. It is asked in a container in a machine's own network: by `hosts check` of
 * Swarm's, and by a run that is to be on that network of its own.
 */
import { takenPorts } from "../machine/host-network-ports.js";
import { SWARM_PORTS } from "../hosts/swarm.js";

/**
 * @param {string[]} ports of TCP; []: those of Swarm
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit status
 */
export async function printTakenPorts(ports, print) {
  const asked = ports.map((port) => ({
    protocol: /** @type {const} */ ("tcp"),
    port: Number(port),
  }));
  print(JSON.stringify(await takenPorts(asked.length > 0 ? asked : SWARM_PORTS)));
  return 0;
}

/**
 * `taken-ports`: on which of these ports something listens here. It is asked in a container in a
 * machine's own network: by `hosts check` of Swarm's, and by a run that is to be on that network of
 * its own.
 */
import { takenPorts } from "../machine/host-network-ports.ts";
import { SWARM_PORTS } from "../hosts/swarm.ts";

/**
 * @param ports of TCP; []: those of Swarm
 * @returns exit status
 */
export async function printTakenPorts(
  ports: string[],
  print: (line: string) => void,
): Promise<number> {
  const asked = ports.map((port) => ({
    protocol: "tcp" as const,
    port: Number(port),
  }));
  print(JSON.stringify(await takenPorts(asked.length > 0 ? asked : SWARM_PORTS)));
  return 0;
}

/**
 * Whether the ports that Swarm needs are free on a machine.
 */
import { BENCH_IMAGE, HARDENED } from "../machine/engine.ts";
import { askEngine } from "./engines.ts";
import { MARK } from "./swarm.ts";
import type { Port } from "../machine/host-network-ports.ts";
import type { HostEngine } from "./engines.ts";

/**
 * Asks from inside the machine's own network, by a container of this program (`taken-ports`).
 *
 * @param engine that has this program's image
 * @throws {UserError} when the container does not run there
 */
export async function takenPortsOn(engine: HostEngine): Promise<Port[]> {
  const answer = await askEngine(engine, [
    ...["run", "--rm", "--label", MARK, "--network", "host", ...HARDENED],
    ...[BENCH_IMAGE, "taken-ports"],
  ]);
  return JSON.parse(answer);
}

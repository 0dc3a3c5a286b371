/**
 * Whether the ports of a measured path on the machine's own network are free.
 */
import { UserError } from "../errors.js";
import { BENCH_IMAGE } from "./engine.js";
import { HARDENED } from "./hosts-engines.js";

/** @import { Engine } from "../platform/docker.js" */
/** @import { Port } from "./hosts-ports.js" */

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

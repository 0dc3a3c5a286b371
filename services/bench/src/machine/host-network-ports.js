/**
 * Whether the ports of a measured path on the machine's own network are free.
 */
import { UserError } from "../errors.js";
import { OWN_ENGINE } from "../platform/docker.js";
import { BENCH_IMAGE } from "./engine.js";
import { HARDENED } from "./hosts-engines.js";

/** @import { Engine } from "../platform/docker.js" */
/** @import { Port } from "./hosts-ports.js" */

/**
 * Asks from inside the machine's own network, by a container of this program (`taken-ports`).
 *
 * @param {number[]} ports of TCP
 * @param {Pick<Engine, "check">} [engine]
 * @throws {UserError} when something listens on one of them
 */
export async function refuseTakenPorts(ports, engine = OWN_ENGINE) {
  const answer = await engine.check([
    ...["docker", "run", "--rm", "--network", "host", ...HARDENED],
    ...[BENCH_IMAGE, "taken-ports", ...ports.map(String)],
  ]);
  /** @type {Port[]} */
  const taken = JSON.parse(answer);
  if (taken.length === 0) return;
  throw new UserError(
    `on this machine's own network (NETWORK=host) something listens on port ${taken.map(({ port }) => port).join(", ")} already`,
    `Expected ${ports.join(", ")} to be free: proxy, reference proxy, server and k6 listen there. End what does (ss -ltnp tells), or leave NETWORK=host out.`,
  );
}

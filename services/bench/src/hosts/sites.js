/**
 * The machines of hosts.yaml as a run uses them, once they are known to be joined.
 */
import { isOwn } from "./file.js";
import { OWN_ENGINE } from "../platform/docker.js";
import { withRole } from "./engines.js";

/** @import { ReachedEngine } from "./engines.js" */
/** @import { Role } from "./file.js" */
/** @import { Site } from "../run/placement.js" */

/** What an engine elsewhere may take for a command: where its machine is lost nothing comes, not even an error. */
const ANSWER_LIMIT_MS = 30_000;

/**
 * @param {ReachedEngine[]} engines each role once, but that of the load
 * @returns {{sites: Record<Role, Site>, loads: Site[]}} who has which role; loads: all that share it
 */
export function sitesOf(engines) {
  const sites = new Map(
    engines.map((engine) => {
      const { machine, info } = engine;
      const isHere = isOwn(machine);
      const site = {
        name: machine.name,
        engine: isHere ? OWN_ENGINE : engine.within(ANSWER_LIMIT_MS),
        isHere,
        cores: info.NCPU,
        address: info.Swarm.NodeAddr,
      };
      return [engine, site];
    }),
  );
  const all = (/** @type {Role} */ role) =>
    withRole(engines, role).flatMap((engine) => sites.get(engine) ?? []);
  const of = (/** @type {Role} */ role) => {
    const [site] = all(role);
    if (!site) throw new Error(`no machine has the role ${role}`);
    return site;
  };
  return {
    loads: all("load"),
    sites: { proxy: of("proxy"), servers: of("servers"), load: of("load"), observe: of("observe") },
  };
}

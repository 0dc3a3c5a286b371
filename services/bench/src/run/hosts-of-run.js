/**
 * The machines of hosts.yaml as a run uses them, once they are known to be joined.
 */
import { isOwn } from "../plan/hosts-file.js";
import { OWN_ENGINE } from "../platform/docker.js";
import { withRole } from "../machine/hosts-engines.js";

/** @import { ReachedEngine } from "../machine/hosts-engines.js" */
/** @import { Role } from "../plan/hosts-file.js" */
/** @import { Site } from "./placement.js" */

/** What an engine elsewhere may take for a command: where its machine is lost nothing comes, not even an error. */
const ANSWER_LIMIT_MS = 30_000;

/**
 * @typedef {object} HostsOfRun
 * @property {Record<Role, Site>} sites who has which role
 * @property {Site[]} loads all that share the load
 * @property {string} network over all of them
 *
 * @param {ReachedEngine[]} engines each role once, but that of the load
 * @param {string} network
 * @returns {HostsOfRun}
 */
export function hostsOfRun(engines, network) {
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
    network,
  };
}

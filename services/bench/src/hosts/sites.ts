/**
 * The machines of hosts.yaml as a run uses them, once they are known to be joined.
 */
import { isOwn } from "./file.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { withRole } from "./engines.ts";
import type { ReachedEngine } from "./engines.ts";
import type { Role } from "./file.ts";
import type { Site } from "../run/placement.ts";

/**
 * What an engine elsewhere may take for a command: where its machine is lost nothing comes, not
 * even an error.
 */
const ANSWER_LIMIT_MS = 30_000;

/**
 * @param engines each role once, but that of the load
 * @returns who has which role; loads: all that share it
 */
export function sitesOf(engines: ReachedEngine[]): { sites: Record<Role, Site>; loads: Site[] } {
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
  const all = (role: Role) => withRole(engines, role).flatMap((engine) => sites.get(engine) ?? []);
  const of = (role: Role) => {
    const [site] = all(role);
    if (!site) throw new Error(`no machine has the role ${role}`);
    return site;
  };
  return {
    loads: all("load"),
    sites: { proxy: of("proxy"), servers: of("servers"), load: of("load"), observe: of("observe") },
  };
}

/**
 * What the machines of a run over several give, for the preflight.
 */
import { probeEngine } from "../machine/engine.ts";
import { withRole } from "./engines.ts";
import { rangeOf } from "../machine/limits.ts";
import type { Limits } from "../machine/limits.ts";
import type { ReachedEngine } from "./engines.ts";

/**
 * The preflight knows one machine. The needs of each part are compared with the smallest machine
 * that carries one, and a smaller one is named.
 *
 * @param own of the machine where this runs
 * @returns what is not known of another machine is null
 */
export async function limitsOfMachines(engines: ReachedEngine[], own: Limits): Promise<Limits> {
  const carrying = engines.filter(({ machine }) =>
    machine.roles.some((role) => role !== "observe"),
  );
  const [proxy] = withRole(engines, "proxy");
  const probes = await Promise.all(carrying.map(({ run }) => probeEngine(run)));
  const descriptors = (kind: "soft" | "hard") =>
    least(probes.map((probe) => numberOr(probe?.descriptors[kind])));
  return {
    cores: proxy.info.NCPU,
    memoryBytes: least(carrying.map(({ info }) => info.MemTotal)),
    availableBytes: null,
    softDescriptors: descriptors("soft") ?? own.softDescriptors,
    descriptorsPerProcess: descriptors("hard") ?? own.descriptorsPerProcess,
    fileMax: null,
    filesOpen: null,
    conntrackMax: least(
      probes.map((probe) => numberOr(probe?.settings["net.netfilter.nf_conntrack_max"])),
    ),
    conntrackCount: null,
    pidMax: null,
    portRange: own.portRange,
    hostPortRange: narrowest(
      probes.map((probe) => rangeOf(probe?.settings["net.ipv4.ip_local_port_range"])),
    ),
  };
}

/** @returns null: none is known */
function narrowest(ranges: (Limits["portRange"] | null)[]): Limits["portRange"] | null {
  const [first] = ranges
    .filter((range) => range !== null)
    .sort((a, b) => a.to - a.from - (b.to - b.from));
  return first ?? null;
}

/** @returns null: there is no limit, or it is not known */
function numberOr(told: string | undefined): number | null {
  return told !== undefined && /^\d+$/.test(told) ? Number(told) : null;
}

/** @returns null: none is known */
function least(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

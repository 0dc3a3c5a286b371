/**
 * What machine and engine give: the other side of preflight.ts.
 */
import { run as dockerRun } from "../platform/subprocess.ts";
import { probeEngine } from "./engine.ts";
import { openHost, readCpu, readMemory, toNumber } from "./host.ts";

/**
 * What compose.yaml and proxies/proxy.yaml set in each container that needs it; limits.test.ts
 * holds them against those files.
 */
export const CONTAINER_SETTINGS = {
  "net.core.somaxconn": "65535",
  "net.ipv4.ip_local_port_range": "1024 65535",
};

/** null: it could not be read, or there is no such limit. */
export interface Limits {
  cores: number | null;
  memoryBytes: number | null;
  /** for new programs without swapping */
  availableBytes: number | null;
  /** of a process as a container starts; it is raised at once (proxies/raise-limits.sh) */
  softDescriptors: number | null;
  /** the engine's hard limit, which is what a process then has */
  descriptorsPerProcess: number | null;
  /** descriptors of the whole machine */
  fileMax: number | null;
  /** of those */
  filesOpen: number | null;
  conntrackMax: number | null;
  /** entries now */
  conntrackCount: number | null;
  pidMax: number | null;
  /** of a container */
  portRange: { from: number; to: number };
  /** of the machine, which counts on its own network */
  hostPortRange?: { from: number; to: number } | null;
}

export async function readLimits({
  root,
  sys,
  run = dockerRun,
}: { root?: string; sys?: string; run?: typeof dockerRun } = {}): Promise<Limits> {
  const host = openHost({ root, sys });
  const probe = await probeEngine(run);
  const memory = readMemory(host);
  const descriptors = (told: string | undefined) =>
    toNumber(
      // No process gets more than that: getrlimit(2), RLIMIT_NOFILE.
      told === "unlimited" ? host.proc("sys/fs/nr_open") : (told ?? null),
    );
  const [from, to] = CONTAINER_SETTINGS["net.ipv4.ip_local_port_range"].split(" ").map(Number);
  return {
    cores: readCpu(host).cores,
    memoryBytes: memory.total,
    availableBytes: memory.available,
    softDescriptors: descriptors(probe?.descriptors.soft),
    descriptorsPerProcess: descriptors(probe?.descriptors.hard),
    fileMax: toNumber(host.proc("sys/fs/file-max")),
    filesOpen: toNumber(host.proc("sys/fs/file-nr")),
    conntrackMax: toNumber(probe?.settings["net.netfilter.nf_conntrack_max"] ?? null),
    conntrackCount: toNumber(probe?.settings["net.netfilter.nf_conntrack_count"] ?? null),
    pidMax: toNumber(host.proc("sys/kernel/pid_max")),
    portRange: { from, to },
    hostPortRange: rangeOf(probe?.settings["net.ipv4.ip_local_port_range"]),
  };
}

/**
 * @param told such as `32768 60999`
 * @returns null: it is not known
 */
export function rangeOf(told: string | undefined): NonNullable<Limits["hostPortRange"]> | null {
  const [, from, to] = told?.match(/^(\d+) (\d+)$/) ?? [];
  return to === undefined ? null : { from: Number(from), to: Number(to) };
}

/** @returns both limits, and which one counts */
export function describeDescriptors({
  softDescriptors: soft,
  descriptorsPerProcess: hard,
}: Pick<Limits, "softDescriptors" | "descriptorsPerProcess">): string {
  if (soft === null || hard === null)
    return "not known: this engine refused the container that reads it";
  const [from, to] = [soft, hard].map((limit) => limit.toLocaleString("en-US"));
  return `soft limit ${from}, hard limit ${to}${soft < hard ? "; raised to the hard one" : ""}`;
}

/**
 * What the Docker engine tells about itself, and what it grants to a container.
 */
import { UserError } from "../errors.ts";
import { run as dockerRun } from "../platform/subprocess.ts";
import type { run as Run } from "../platform/subprocess.ts";

/** The image of this program: it is here, or nobody could read this. */
export const BENCH_IMAGE = "ws-proxy-bench/bench";

/** Options of every container that looks at a machine. */
export const HARDENED = [
  "--cap-drop",
  "ALL",
  "--read-only",
  "--security-opt",
  "no-new-privileges:true",
];

/**
 * Settings of the host's own network namespace that count for containers too, as their traffic
 * passes it.
 */
const HOST_SETTINGS = [
  "net.core.netdev_max_backlog",
  // What is on the machine's own network has none of its own.
  "net.ipv4.ip_local_port_range",
  "net.core.rmem_max",
  "net.core.wmem_max",
  "net.ipv4.tcp_mem",
  "net.netfilter.nf_conntrack_max",
  "net.netfilter.nf_conntrack_count",
  "net.bridge.bridge-nf-call-iptables",
];

/** the part of `docker info` that is used here */
export interface EngineInfo {
  ID: string;
  ServerVersion: string;
  /** as the kernel calls it: x86_64 */
  Architecture: string;
  /** cores */
  NCPU: number;
  /** in bytes */
  MemTotal: number;
  /** ControlAvailable: it is a manager */
  Swarm: {
    LocalNodeState: "inactive" | "pending" | "active" | "error" | "locked";
    NodeID: string;
    NodeAddr: string;
    ControlAvailable: boolean;
    Error: string;
  };
  Driver: string;
  CgroupDriver: string;
  CgroupVersion: string;
  /** whether containers have a memory controller */
  MemoryLimit: boolean;
  SecurityOptions: string[] | null;
  OperatingSystem: string;
  KernelVersion: string;
  DefaultRuntime: string;
}

/** @throws {UserError} when the engine does not answer */
export async function engineInfo(run: typeof Run = dockerRun): Promise<EngineInfo> {
  const { code, stdout, stderr } = await run(["docker", "info", "--format", "{{json .}}"]);
  // Clients also write what they know themselves then, and some end well.
  const info = stdout.startsWith("{") ? JSON.parse(stdout) : {};
  if (code === 0 && info.ID) return info;
  const why = [stderr.trim(), ...(info.ServerErrors ?? [])].filter(Boolean).join("; ");
  throw new UserError(`the Docker engine does not answer: ${why}`);
}

/** What to do for counters. */
export const COUNTERS_FIX =
  'Use an engine that runs as root (docker context ls; docker context use NAME), or a rootless one on cgroup v2 with systemd, to whose user the controllers cpu, cpuset, memory and pids are delegated (Docker manual, "Rootless mode"). Where the kernel has memory off, start it with cgroup_enable=memory.';

/**
 * A rootless engine on cgroup v1, or on v2 without systemd, has no cgroups: driver "none" (moby,
 * daemon/info_unix.go, fillPlatformInfo). Without the memory controller (off in the kernel, or not
 * delegated to the user of a rootless engine) a cgroup has no memory.current. CPU time is counted
 * in every cgroup.
 *
 * @returns which counters this engine's containers lack; null: none
 */
export function missingCounters({
  CgroupDriver,
  CgroupVersion,
  MemoryLimit,
}: Pick<EngineInfo, "CgroupDriver" | "CgroupVersion" | "MemoryLimit">): string | null {
  if (CgroupDriver === "none")
    return `no cgroup for each container (rootless, cgroup v${CgroupVersion})`;
  return MemoryLimit ? null : "no memory controller";
}

/**
 * @throws {UserError} when CPU and memory of a container cannot be read from this engine's cgroups
 */
export async function requireCounters(run: typeof Run = dockerRun) {
  const missing = missingCounters(await engineInfo(run));
  if (missing)
    throw new UserError(
      `this engine does not count the usage of containers: ${missing}`,
      COUNTERS_FIX,
    );
}

export interface EngineProbe {
  /**
   * limits of a process in a container, as `ulimit` says them; the containers of the measured
   * path raise the soft one to the hard one (proxies/raise-limits.sh)
   */
  descriptors: { soft: string; hard: string };
  /**
   * of the host's network namespace, by name; absent: this kernel does not have it, or its
   * module is not loaded
   */
  settings: Record<string, string>;
}

/**
 * Asks from inside a container (0.3 s): no file outside shows what the engine grants, and a
 * container of its own network cannot see the host's settings.
 *
 * @returns null: this engine does not run such a container, with remapped users for one
 */
export async function probeEngine(run: typeof Run): Promise<EngineProbe | null> {
  const script =
    'echo "$(ulimit -Sn) $(ulimit -Hn)"; for name in "$@"; do file=/proc/sys/$(echo "$name" | tr . /); [ ! -r "$file" ] || echo "$name $(cat "$file")"; done';
  const { code, stdout } = await run([
    ...["docker", "run", "--rm", "--network", "host", "--cap-drop", "ALL", "--read-only"],
    ...["--security-opt", "no-new-privileges:true", "--entrypoint", "sh"],
    ...[BENCH_IMAGE, "-c", script, "sh", ...HOST_SETTINGS],
  ]);
  if (code !== 0) return null;
  const [descriptors, ...lines] = stdout.trim().split("\n");
  const [soft, hard] = descriptors.split(" ");
  return {
    descriptors: { soft, hard },
    settings: Object.fromEntries(
      lines.map((line) => {
        const [name, ...values] = line.split(/\s+/);
        return [name, values.join(" ")];
      }),
    ),
  };
}

/**
 * Host settings that matter to the figures: what they are, what they should be, and how to change
 * them.
 *
 * The network settings are those that BalancerBattle tuned in 2013 (README of
 * observing/balancerbattle, "Kernel tuning", marked 2013 below) and those that guides for many
 * connections name beside them. What each does: Documentation/networking/ip-sysctl.rst and
 * Documentation/admin-guide/sysctl/net.rst of the kernel.
 */
import { statfsSync } from "node:fs";
import { COUNTERS_FIX, engineInfo, missingCounters, probeEngine } from "./engine.ts";
import { openHost, readCpu, readMemory, stealShare, toNumber } from "./host.ts";
import { CONTAINER_SETTINGS } from "./limits.ts";
import type { run as Run } from "../platform/subprocess.ts";
import type { Advice } from "../model/environment.ts";
import type { EngineInfo, EngineProbe } from "./engine.ts";
import type { Cpu, Host, Memory } from "./host.ts";

/** As `Advice`, and also of what is as it should be. */
export type Finding = Omit<Advice, "severity"> & { severity: Advice["severity"] | "ok" };

interface Facts {
  host: Host;
  cpu: Cpu;
  memory: Memory;
  engine: EngineInfo;
  probe: EngineProbe | null;
  /** free where results go */
  diskBytes: number | null;
}

interface Check {
  setting: string;
  /** null: not readable here */
  read: (facts: Facts) => string | null;
  judge: (found: string, facts: Facts) => Finding["severity"];
  expected: string;
  why: string;
  fix: string;
}

interface DoctorOptions {
  /** the project's */
  directory: string;
  run: typeof Run;
  /** has the host's `proc` */
  root?: string;
  sys?: string;
}

/** @returns what is not as it should be, the gravest first; with what could not be read as notes */
export async function advise(options: DoctorOptions): Promise<Advice[]> {
  return (await examine(options)).flatMap((finding) =>
    finding.severity === "ok" ? [] : [{ ...finding, severity: finding.severity }],
  );
}

/** @returns of every setting, the gravest first */
export async function examine({ directory, run, root, sys }: DoctorOptions): Promise<Finding[]> {
  const host = openHost({ root, sys });
  const facts = {
    host,
    cpu: readCpu(host),
    memory: readMemory(host),
    engine: await engineInfo(run),
    probe: await probeEngine(run),
    diskBytes: freeBytes(directory),
  };
  const order = ["stop", "warn", "note", "ok"];
  return CHECKS.map(({ setting, read, judge, expected, why, fix }) => {
    const found = read(facts);
    return {
      setting,
      found: found ?? "not readable here",
      expected,
      why,
      fix,
      severity: found === null ? ("note" as const) : judge(found, facts),
    };
  }).sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

function freeBytes(directory: string) {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return null;
  }
}

const GIB = 2 ** 30;
const NOTHING_TO_DO = "Nothing to do.";
const ALL_COUNTERS = "CPU, memory";

const CHECKS: Check[] = [
  // ---- The engine ----
  {
    setting: "counters of containers",
    read: ({ engine }) => missingCounters(engine) ?? ALL_COUNTERS,
    judge: (found) => (found === ALL_COUNTERS ? "ok" : "stop"),
    expected: ALL_COUNTERS,
    why: "Every figure of CPU and memory comes from a container's cgroup.",
    fix: COUNTERS_FIX,
  },
  {
    setting: "descriptors per process",
    read: ({ probe }) =>
      probe && `${probe.descriptors.hard} (soft limit: ${probe.descriptors.soft})`,
    // 100 connections at a time need about 400 in a proxy; 65,536 is where HAProxy's config here
    // ends too.
    judge: (found) =>
      atLeast(found.startsWith("unlimited") ? "Infinity" : found.split(" ")[0], {
        stop: 1024,
        note: 65536,
      }),
    expected: "at least 65536",
    why: "A proxied connection takes two. Cells that need more are skipped, or their load is split; the plan says which. The soft limit does not matter: every measured container raises it to the hard one.",
    fix: 'Raise LimitNOFILE of the engine (systemctl edit docker.service), or "default-ulimits" in /etc/docker/daemon.json, and restart it.',
  },
  {
    setting: "cgroup version",
    read: ({ host }) => cgroupVersion(host),
    judge: (found) => (found === "2" ? "ok" : "note"),
    expected: "2",
    why: "Version 1 works; version 2 also separates kernel and socket memory.",
    fix: "Boot with systemd.unified_cgroup_hierarchy=1.",
  },

  // ---- The CPU ----
  {
    setting: "cores",
    read: ({ cpu }) => text(cpu.cores),
    judge: (found) => atLeast(found, { note: 4 }),
    expected: "at least 4",
    why: "With 4 or more, load, proxy and echo server have their own cores; with fewer they share.",
    fix: "Use a larger machine, or compare CPU per operation instead of throughput.",
  },
  {
    setting: "CPU governor",
    read: ({ cpu }) => cpu.governor,
    judge: (found) => (found === "performance" ? "ok" : "warn"),
    expected: "performance",
    why: "Other governors lower the clock under light load: the same work then takes more CPU seconds. A virtual machine does not see its host's.",
    fix: "sudo cpupower frequency-set --governor performance",
  },
  {
    setting: "turbo",
    read: ({ cpu }) => onOff(cpu.turbo),
    judge: (found) => (found === "off" ? "ok" : "note"),
    expected: "off",
    why: "With it the clock depends on heat and on how many cores are busy. Interleaved rounds reduce the effect; off is steadier.",
    fix: "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
  },
  {
    setting: "SMT",
    read: ({ cpu }) => onOff(cpu.smt),
    judge: (found) => (found === "off" ? "ok" : "note"),
    expected: "off",
    why: "Two threads share a core: a CPU second is worth less while the neighbour works.",
    fix: "echo off | sudo tee /sys/devices/system/cpu/smt/control",
  },
  {
    setting: "clocksource",
    read: ({ cpu }) => cpu.clocksource,
    // Those that the vDSO reads without a system call: vdso(7), and clocksource drivers of the
    // kernel.
    judge: (found) =>
      /^(tsc|kvm-clock|hyperv_clocksource_tsc_page|arch_sys_counter)$/.test(found) ? "ok" : "warn",
    expected: "tsc",
    why: "Reading another clock is a system call; proxies, Node and k6 read it for every message.",
    fix: "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource, if it is in available_clocksource",
  },
  {
    setting: "steal time since boot",
    read: ({ host }) => percent(stealShare(host)),
    judge: (found) => atMost(found, { warn: 1 }),
    expected: "at most 1 %",
    why: "Time that the hypervisor gave to other machines. 0 may also mean that it does not report it.",
    fix: "Use a machine with dedicated cores. Each cell records its own steal time.",
  },
  {
    setting: "load average (1 min)",
    read: ({ host }) => host.proc("loadavg")?.split(" ")[0] ?? null,
    judge: (found, { cpu }) => atMost(found, { warn: 0.25 * (cpu.cores ?? 1) }),
    expected: "at most 0.25 for each core",
    why: "In a test, other load cut connections per second to a third. It may still be from your last run.",
    fix: "Stop other programs (see top), wait a minute, and check again.",
  },

  // ---- Memory and disk ----
  {
    setting: "memory available",
    read: ({ memory }) => gibibytes(memory.available),
    judge: (found) => atLeast(found, { stop: 0.75, warn: 2 }),
    expected: "at least 2 GiB",
    why: "All containers together take about 0.75 GiB at 100 connections; a shortage shrinks the file cache or swaps.",
    fix: "Stop what else runs.",
  },
  {
    setting: "swap in use",
    read: ({ memory }) => gibibytes(memory.swapUsed),
    judge: (found) => atMost(found, { warn: 0 }),
    expected: "0.0 GiB",
    why: "Memory that was swapped out is missing in the memory figures, and comes back slowly.",
    fix: "sudo swapoff --all",
  },
  {
    setting: "transparent huge pages",
    read: ({ host }) =>
      host.sys("kernel/mm/transparent_hugepage/enabled")?.match(/\[(.+)\]/)?.[1] ?? null,
    judge: (found) => (found === "always" ? "note" : "ok"),
    expected: "madvise",
    why: "With always, a process that touches 4 KB may be charged for 2 MB: memory figures are less comparable.",
    fix: "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
  },
  {
    setting: "free disk for results",
    read: ({ diskBytes }) => gibibytes(diskBytes),
    judge: (found) => atLeast(found, { stop: 0.2, warn: 2 }),
    expected: "at least 2 GiB",
    why: "Every raw sample of a run is kept. A run stops when the disk is full.",
    fix: "Make room on the disk of this project.",
  },
  {
    setting: "fs.file-max",
    read: ({ host }) => host.proc("sys/fs/file-max"),
    judge: (found) => atLeast(found, { warn: 200_000 }),
    expected: "at least 200000",
    why: "Descriptors of the whole machine. A proxied connection takes one in k6, two in the proxy, one in the echo server.",
    fix: "sudo sysctl -w fs.file-max=1000000",
  },

  // ---- Network settings of the whole host ----
  {
    setting: "net.netfilter.nf_conntrack_max",
    read: ({ probe }) => conntrack(probe),
    judge: (found) =>
      found === "not loaded" ? "ok" : atLeast(free(found), { stop: 1000, warn: 100_000 }),
    expected: "100000 entries free, or no connection tracking",
    why: "A connection through a proxy takes two or three entries for 120 s after its end. A full table drops packets.",
    fix: "sudo sysctl -w net.netfilter.nf_conntrack_max=262144",
  },
  {
    setting: "net.bridge.bridge-nf-call-iptables",
    read: ({ probe }) =>
      probe && (probe.settings["net.bridge.bridge-nf-call-iptables"] ?? "not loaded"),
    judge: (found) => (found === "1" ? "note" : "ok"),
    expected: "0, or not loaded",
    why: "With 1 each packet between containers passes iptables and connection tracking: kernel time that a connection through a proxy costs twice.",
    fix: "sudo sysctl -w net.bridge.bridge-nf-call-iptables=0, where nothing else on this machine relies on it (Kubernetes does)",
  },
  {
    setting: "net.core.netdev_max_backlog",
    read: ({ probe }) => setting(probe, "net.core.netdev_max_backlog"),
    judge: (found) => atLeast(found, { note: 2500 }),
    expected: "at least 2500 (as in 2013)",
    why: "Packets that wait for a core. Traffic between containers passes this queue, which drops packets when it is full.",
    fix: "sudo sysctl -w net.core.netdev_max_backlog=2500",
  },
  {
    setting: "packets dropped since boot",
    read: ({ host }) => text(droppedPackets(host)),
    judge: (found) => atMost(found, { warn: 0 }),
    expected: "0",
    why: "From the queue of net.core.netdev_max_backlog. Each is sent again after 200 ms or more, which shows in the latencies.",
    fix: "sudo sysctl -w net.core.netdev_max_backlog=10000. The counter starts again at boot.",
  },
  {
    setting: "net.ipv4.tcp_mem",
    read: ({ probe }) => setting(probe, "net.ipv4.tcp_mem"),
    judge: (found) => atLeast(found.split(" ").at(-1) ?? "", { warn: 98152 }),
    expected: "third value at least 98152 pages (as in 2013)",
    why: "Memory of all TCP buffers of the machine. Above it connections are dropped.",
    fix: 'sudo sysctl -w net.ipv4.tcp_mem="50576 64768 98152"',
  },
  ...["net.core.rmem_max", "net.core.wmem_max"].map((name) => ({
    setting: name,
    read: ({ probe }: Facts) => setting(probe, name),
    judge: () => "ok" as const,
    expected: "any (16777216 in 2013)",
    why: "Limits a buffer size that a program sets itself. None here does: the kernel sizes them by tcp_rmem and tcp_wmem.",
    fix: NOTHING_TO_DO,
  })),

  // ---- Network settings of each container ----
  ...[
    {
      name: "net.core.somaxconn" as const,
      why: "Limits the queue of connections that wait to be accepted (16384 in 2013).",
    },
    {
      name: "net.ipv4.ip_local_port_range" as const,
      why: "Ports towards one destination: 28,232 by default, 64,512 with this.",
    },
  ].map(({ name, why }) => ({
    setting: name,
    read: () => `${CONTAINER_SETTINGS[name]} in the containers that need it`,
    judge: () => "ok" as const,
    expected: CONTAINER_SETTINGS[name],
    why: `${why} The Compose files set it.`,
    fix: NOTHING_TO_DO,
  })),
  ...["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"].map((name) => ({
    setting: name,
    read: ({ host }: Facts) => inContainer(host, name),
    judge: (found: string) => atLeast(found.split(" ").at(-1) ?? "", { note: 4 * 2 ** 20 }),
    expected: "third value at least 4194304 (16777216 in 2013)",
    why: "Limits of each connection's buffer. Containers have the host's. The default is ample on one machine.",
    fix: `sudo sysctl -w ${name}="4096 131072 6291456"`,
  })),
  {
    setting: "net.ipv4.tcp_syncookies",
    read: ({ host }) => inContainer(host, "net.ipv4.tcp_syncookies"),
    judge: (found) => (found === "1" ? "ok" : "warn"),
    expected: "1 (as in 2013)",
    why: "Without it a storm of connections loses some, and each is tried again after a second.",
    fix: "Remove what sets it to 0: a new network namespace begins with 1.",
  },
  {
    setting: "net.ipv4.tcp_max_syn_backlog",
    read: ({ host }) => inContainer(host, "net.ipv4.tcp_max_syn_backlog"),
    judge: () => "ok",
    expected: "any",
    why: "Matters only where tcp_syncookies is 0; otherwise the listen backlog is the limit, 65535 here.",
    fix: NOTHING_TO_DO,
  },
  {
    setting: "net.ipv4.tcp_tw_reuse",
    read: ({ host }) => inContainer(host, "net.ipv4.tcp_tw_reuse"),
    judge: () => "ok",
    expected: "any",
    why: "Reuses ports in TIME_WAIT early (2: on loopback only). Fresh containers have none, and WebSocket servers close first; the preflight counts the rest.",
    fix: NOTHING_TO_DO,
  },
  {
    setting: "net.ipv4.tcp_tw_recycle",
    read: ({ host }) => inContainer(host, "net.ipv4.tcp_tw_recycle") ?? "gone",
    judge: (found) => (found === "1" ? "warn" : "ok"),
    expected: "gone, or 0",
    why: "Lost connections behind address translation, and was removed in Linux 4.12. Old tuning guides still name it.",
    fix: "sudo sysctl -w net.ipv4.tcp_tw_recycle=0",
  },
  {
    setting: "net.ipv4.tcp_fin_timeout",
    read: ({ host }) => inContainer(host, "net.ipv4.tcp_fin_timeout"),
    judge: () => "ok",
    expected: "any",
    why: "Ends half-closed connections that no program owns. It does not shorten TIME_WAIT, which is always 60 s.",
    fix: NOTHING_TO_DO,
  },
  {
    setting: "net.ipv4.tcp_max_tw_buckets",
    read: ({ host }) => inContainer(host, "net.ipv4.tcp_max_tw_buckets"),
    judge: () => "ok",
    expected: "any",
    why: "Above it a closed connection skips TIME_WAIT, which costs nothing here.",
    fix: NOTHING_TO_DO,
  },
];

/**
 * @param name of a setting
 * @returns its value in a fresh container: the runner's own, see `Host`
 */
function inContainer(host: Host, name: string): string | null {
  return host.proc(`sys/${name.replaceAll(".", "/")}`)?.replace(/\s+/g, " ") ?? null;
}

function setting(probe: EngineProbe | null, name: string) {
  return probe?.settings[name] ?? null;
}

/**
 * Version 2 alone has no controllers of version 1, which /proc/cgroups would show with a hierarchy
 * of their own: cgroups(7).
 */
function cgroupVersion(host: Host) {
  const controllers = host.proc("cgroups")?.match(/^(cpu|cpuacct|memory)\t(\d+)/gm);
  if (!controllers?.length) return host.proc("filesystems")?.includes("cgroup2") ? "2" : null;
  return controllers.every((line) => line.endsWith("\t0")) ? "2" : "1";
}

/** The second column of each core's line: net-procfs.c of the kernel. */
function droppedPackets(host: Host) {
  const lines = host.proc("net/softnet_stat")?.split("\n");
  return lines?.reduce((sum, line) => sum + parseInt(line.split(" ")[1], 16), 0) ?? null;
}

function conntrack(probe: EngineProbe | null) {
  if (!probe) return null;
  const max = setting(probe, "net.netfilter.nf_conntrack_max");
  const used = setting(probe, "net.netfilter.nf_conntrack_count");
  return max === null ? "not loaded" : `${max}, ${used ?? 0} in use`;
}

/** @param found as `conntrack` says it */
function free(found: string) {
  const [max, used] = found.split(", ").map((part) => toNumber(part) ?? 0);
  return String(max - used);
}

/**
 * @param found begins with a number
 * @param limits below which it is so grave
 */
function atLeast(
  found: string,
  {
    stop = -Infinity,
    warn = -Infinity,
    note = -Infinity,
  }: { stop?: number; warn?: number; note?: number },
) {
  const value = toNumber(found) ?? NaN;
  return value < stop ? "stop" : value < warn ? "warn" : value < note ? "note" : "ok";
}

/**
 * @param found begins with a number
 * @param limits above which it is so grave
 */
function atMost(found: string, { warn }: { warn: number }) {
  return (toNumber(found) ?? NaN) > warn ? "warn" : "ok";
}

function text(value: number | null) {
  return value === null ? null : String(value);
}

function onOff(value: boolean | null) {
  return value === null ? null : value ? "on" : "off";
}

function gibibytes(bytes: number | null) {
  return bytes === null ? null : `${(bytes / GIB).toFixed(1)} GiB`;
}

function percent(share: number | null) {
  return share === null ? null : `${(share * 100).toFixed(1)} %`;
}

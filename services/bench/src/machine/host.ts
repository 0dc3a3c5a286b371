/**
 * What the kernel tells about this machine in /proc and /sys. A file that cannot be read is null,
 * never a guess.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Host {
  /**
   * a file of the host's /proc. Below `sys/net` the kernel answers for the network namespace of
   * the reader, whichever /proc is mounted (proc(5), sysctl(7)): in the runner's container
   * those are the values that a fresh container gets. Those of the host's own namespace come
   * from `probeEngine`.
   */
  proc: (path: string) => string | null;
  /** a file of /sys */
  sys: (path: string) => string | null;
}

/**
 * @param folders root: has the host's `proc`; sys: a sysfs, which shows the host's devices in a
 *   container too
 */
export function openHost({
  root = "/host",
  sys = "/sys",
}: { root?: string; sys?: string } = {}): Host {
  return {
    proc: (path) => readText(join(root, "proc", path)),
    sys: (path) => readText(join(sys, path)),
  };
}

function readText(path: string) {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}

export interface Cpu {
  /** `AMD EPYC (family 26, model 2)`: under that name a hypervisor hides several generations */
  model: string | null;
  /** as the scheduler counts them: hardware threads that are online */
  cores: number | null;
  /** a hypervisor runs below this kernel; null: this architecture does not tell */
  virtual: boolean | null;
  /** two threads or more share a core */
  smt: boolean | null;
  /** of all cores; several where they differ */
  governor: string | null;
  turbo: boolean | null;
  clocksource: string | null;
  /** OpenSSL signs with RSA keys several times faster where there is */
  avx512Ifma: boolean | null;
}

export function readCpu(host: Host): Cpu {
  const info = host.proc("cpuinfo");
  const field = (name: string) =>
    info?.match(new RegExp(`^${name}\\s*:\\s*(.+)$`, "m"))?.[1] ?? null;
  const cores = countCores(host);
  const flags = field("flags")?.split(" ") ?? null;
  const smt = host.sys("devices/system/cpu/smt/active");
  return {
    // Arm has no name there, but numbers.
    model:
      x86(field("model name"), field("cpu family"), field("model")) ??
      arm(field("CPU implementer"), field("CPU part")),
    cores,
    virtual: flags?.includes("hypervisor") ?? null,
    smt: smt === null ? null : smt === "1",
    governor: governors(host, cores ?? 0),
    turbo: turbo(host),
    clocksource: host.sys("devices/system/clocksource/clocksource0/current_clocksource"),
    avx512Ifma: flags?.includes("avx512ifma") ?? null,
  };
}

function countCores(host: Host) {
  const stat = host.proc("stat");
  return stat === null ? null : (stat.match(/^cpu\d+ /gm)?.length ?? null);
}

function x86(name: string | null, family: string | null, model: string | null) {
  return name && family && model ? `${name} (family ${family}, model ${model})` : name;
}

function arm(implementer: string | null, part: string | null) {
  return implementer && part ? `Arm implementer ${implementer} part ${part}` : null;
}

function governors(host: Host, cores: number) {
  const found = new Set();
  for (let core = 0; core < cores; core++)
    found.add(host.sys(`devices/system/cpu/cpu${core}/cpufreq/scaling_governor`));
  found.delete(null);
  return found.size === 0 ? null : [...found].sort().join(", ");
}

/**
 * Intel's own driver says no_turbo, the others boost: Documentation/admin-guide/pm/intel_pstate.rst
 * and cpufreq.rst of the kernel.
 */
function turbo(host: Host) {
  const off = host.sys("devices/system/cpu/intel_pstate/no_turbo");
  if (off !== null) return off === "0";
  const boost = host.sys("devices/system/cpu/cpufreq/boost");
  return boost === null ? null : boost === "1";
}

/** in bytes */
export interface Memory {
  total: number | null;
  /** for new programs without swapping, as the kernel estimates */
  available: number | null;
  swap: number | null;
  swapUsed: number | null;
}

export function readMemory(host: Host): Memory {
  const info = host.proc("meminfo");
  const bytes = (name: string) => {
    const kib = info?.match(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m"))?.[1];
    return kib === undefined ? null : Number(kib) * 1024;
  };
  const swap = bytes("SwapTotal");
  const free = bytes("SwapFree");
  return {
    total: bytes("MemTotal"),
    available: bytes("MemAvailable"),
    swap,
    swapUsed: swap === null || free === null ? null : swap - free,
  };
}

/**
 * @returns share of all CPU time since boot that a hypervisor took away, 0 to 1. Some hypervisors
 *   do not tell, which reads as 0.
 */
export function stealShare(host: Host): number | null {
  const times = host
    .proc("stat")
    ?.match(/^cpu +(.+)$/m)?.[1]
    .split(" ")
    .map(Number);
  if (!times || times.length < 8) return null;
  // proc(5): user nice system idle iowait irq softirq steal; guest time is already in user and
  // nice.
  const [user, nice, system, idle, iowait, irq, softirq, steal] = times;
  const total = user + nice + system + idle + iowait + irq + softirq + steal;
  return total === 0 ? null : steal / total;
}

/** @returns its first number */
export function toNumber(text: string | null): number | null {
  const value = Number(text?.split(/\s+/)[0] || NaN);
  return Number.isNaN(value) ? null : value;
}

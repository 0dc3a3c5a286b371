/**
 * What the kernel tells about this machine in /proc and /sys. A file that cannot be read is null, never a guess.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Host
 * @property {(path: string) => string | null} proc a file of the host's /proc. Below `sys/net` the kernel answers for the
 *   network namespace of the reader, whichever /proc is mounted (proc(5), sysctl(7)): in the runner's container those are the values that
 *   a fresh container gets. Those of the host's own namespace come from `probeEngine`.
 * @property {(path: string) => string | null} sys a file of /sys
 */

/**
 * @param {{root?: string, sys?: string}} [folders] root: has the host's `proc`; sys: a sysfs, which shows the host's devices in a container too
 * @returns {Host}
 */
export function openHost({ root = "/host", sys = "/sys" } = {}) {
  return {
    proc: (path) => readText(join(root, "proc", path)),
    sys: (path) => readText(join(sys, path)),
  };
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}

/**
 * @typedef {object} Cpu
 * @property {string | null} model
 * @property {number | null} cores as the scheduler counts them: hardware threads that are online
 * @property {boolean | null} virtual a hypervisor runs below this kernel; null: this architecture does not tell
 * @property {boolean | null} smt two threads or more share a core
 * @property {string | null} governor of all cores; several where they differ
 * @property {boolean | null} turbo
 * @property {string | null} clocksource
 */

/**
 * @param {Host} host
 * @returns {Cpu}
 */
export function readCpu(host) {
  const info = host.proc("cpuinfo");
  const field = (/** @type {string} */ name) =>
    info?.match(new RegExp(`^${name}\\s*:\\s*(.+)$`, "m"))?.[1] ?? null;
  const cores = countCores(host);
  const flags = field("flags");
  const smt = host.sys("devices/system/cpu/smt/active");
  return {
    // Arm has no name there, but numbers.
    model: field("model name") ?? arm(field("CPU implementer"), field("CPU part")),
    cores,
    virtual: flags === null ? null : flags.split(" ").includes("hypervisor"),
    smt: smt === null ? null : smt === "1",
    governor: governors(host, cores ?? 0),
    turbo: turbo(host),
    clocksource: host.sys("devices/system/clocksource/clocksource0/current_clocksource"),
  };
}

/** @param {Host} host */
function countCores(host) {
  const stat = host.proc("stat");
  return stat === null ? null : (stat.match(/^cpu\d+ /gm)?.length ?? null);
}

/**
 * @param {string | null} implementer
 * @param {string | null} part
 */
function arm(implementer, part) {
  return implementer && part ? `Arm implementer ${implementer} part ${part}` : null;
}

/**
 * @param {Host} host
 * @param {number} cores
 */
function governors(host, cores) {
  const found = new Set();
  for (let core = 0; core < cores; core++)
    found.add(host.sys(`devices/system/cpu/cpu${core}/cpufreq/scaling_governor`));
  found.delete(null);
  return found.size === 0 ? null : [...found].sort().join(", ");
}

/**
 * Intel's own driver says no_turbo, the others boost: Documentation/admin-guide/pm/intel_pstate.rst and cpufreq.rst of the kernel.
 *
 * @param {Host} host
 */
function turbo(host) {
  const off = host.sys("devices/system/cpu/intel_pstate/no_turbo");
  if (off !== null) return off === "0";
  const boost = host.sys("devices/system/cpu/cpufreq/boost");
  return boost === null ? null : boost === "1";
}

/**
 * @typedef {object} Memory in bytes
 * @property {number | null} total
 * @property {number | null} available for new programs without swapping, as the kernel estimates
 * @property {number | null} swap
 * @property {number | null} swapUsed
 */

/**
 * @param {Host} host
 * @returns {Memory}
 */
export function readMemory(host) {
  const info = host.proc("meminfo");
  const bytes = (/** @type {string} */ name) => {
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
 * @param {Host} host
 * @returns {number | null} share of all CPU time since boot that a hypervisor took away, 0 to 1. Some hypervisors do not tell, which reads as 0.
 */
export function stealShare(host) {
  const times = host
    .proc("stat")
    ?.match(/^cpu +(.+)$/m)?.[1]
    .split(" ")
    .map(Number);
  if (!times || times.length < 8) return null;
  // proc(5): user nice system idle iowait irq softirq steal; guest time is already in user and nice.
  const [user, nice, system, idle, iowait, irq, softirq, steal] = times;
  const total = user + nice + system + idle + iowait + irq + softirq + steal;
  return total === 0 ? null : steal / total;
}

/**
 * @param {string | null} text
 * @returns {number | null} its first number
 */
export function toNumber(text) {
  const value = Number(text?.split(/\s+/)[0] || NaN);
  return Number.isNaN(value) ? null : value;
}

/**
 * The one module that knows where the kernel counts what a container uses: cgroup v1 and v2, and
 * the parts of /proc that belong to it. It reads files only, as an ordinary user, and asks no
 * engine.
 *
 * What the counters are worth, from the kernel's documentation
 * (admin-guide/cgroup-v1/{cpuacct,memory}.rst, admin-guide/cgroup-v2.rst, proc_stat(5)) and tried
 * on Linux 6.18 with v1:
 *
 * - CPU in total is the scheduler's own clock, in ns (v1) or µs (v2), not sampled. A task that is
 *   running is charged at every tick and switch: a reading lags by up to one tick (4 ms seen,
 *   CONFIG_HZ=250) for each CPU that is busy just then.
 * - User and system are sampled by the tick. v2 scales them, so that their sum is the total; v1
 *   does not (`cpuacct.usage_user`, `usage_sys`), or in steps of 10 ms (`cpuacct.stat`).
 *   `difference` scales both.
 * - Memory use is charged in batches of 64 pages a CPU: the last 256 KiB for each CPU are not
 *   exact.
 * - v1: `memory.kmem.usage_in_bytes` is part of the usage: with 3,000 open connections usage was
 *   kmem + rss + cache to the byte.
 * - v1: socket buffers are in no counter unless `memory.kmem.tcp.limit_in_bytes` is set, which
 *   engines do not: with 60 MB unread in 1,000 sockets `memory.kmem.tcp.usage_in_bytes` read 0 and
 *   usage grew by 3 MB. With a limit it read 65,536,000, and usage still left them out. So
 *   `socketBytes` is null without one. `/proc/<pid>/net/sockstat` is no way out: its `mem` was the
 *   same in three network namespaces; it counts the whole machine.
 * - v1: without that limit an accepted connection was charged with 1.4 KB of kernel memory, with it
 *   3.9 KB; one opened by connect() with 4.3 KB. The difference is about the size of the socket
 *   itself (2.4 KB in /proc/slabinfo), which seems to be charged on accept only with a limit.
 * - v2 counts socket buffers, in `memory.stat` and in the usage. Never compare memory over v1 and
 *   v2.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import type {
  ContainerRecord,
  MemoryReading,
  NetworkReading,
  SocketReading,
} from "../model/container.ts";

/** since the container started */
interface CpuReading {
  /** as the kernel has it: on v1 it need not add up with `systemSeconds` to the total */
  userSeconds: number;
  systemSeconds: number;
  totalSeconds: number;
  /** summed over CPUs; null: this cgroup has no CPU controller, hence no limit */
  throttledSeconds: number | null;
  throttledPeriods: number | null;
}

/** what one container has used; null: this kernel does not count it */
export interface Reading {
  /** ms since 1970, with fractions; never steps back, as the wall clock may */
  atMs: number;
  cpu: CpuReading;
  /** highWaterBytes: most usage since the start */
  memory: MemoryReading & { highWaterBytes: number | null };
  /** all interfaces but lo, of a network namespace that containers may share */
  network: NetworkReading | null;
  /** processes that the kernel killed for want of memory */
  oomKills: number | null;
}

/**
 * of a container's main process as the host sees it, or "self" for the container that this program
 * runs in
 */
type Pid = number | "self";

/** The container that was to be read is no more: its main process or its cgroup is gone. */
export class ContainerGone extends Error {
  pid: Pid;

  /** @param pid of its main process */
  constructor(pid: Pid, cause?: unknown) {
    super(`the container of process ${pid} is gone`, { cause });
    this.pid = pid;
  }
}

/** Codes of a file in a cgroup or in /proc/<pid> that was removed before or while it was read. */
const GONE = new Set(["ENOENT", "ENODEV", "ESRCH"]);

/**
 * Ticks in a second as /proc and cpuacct.stat show them: USER_HZ, 100 on every architecture Docker
 * runs on, whatever CONFIG_HZ is (time(7), proc_stat(5)).
 */
const TICKS_PER_SECOND = 100;

/** Reads the counters of one container. Made by `locate`. */
export class Counters {
  #pid: Pid;
  #root: string;
  #readCgroup: () => Omit<Reading, "atMs" | "network">;
  #networkFile: string | null;
  /** Of the cgroups that were read; memory means something else in each. */
  version: 1 | 2;

  constructor(
    pid: Pid,
    root: string,
    version: 1 | 2,
    readCgroup: () => Omit<Reading, "atMs" | "network">,
    networkFile: string | null,
  ) {
    this.#pid = pid;
    this.#root = root;
    this.version = version;
    this.#readCgroup = readCgroup;
    this.#networkFile = networkFile;
  }

  /**
   * Takes 85 µs in a loop and 115 µs every 250 ms (median on two virtual cores of 2026, v1, ten
   * files). CPU is read first.
   *
   * @throws {ContainerGone} also when the container was restarted: the new one has another main
   *   process
   */
  read(): Reading {
    const atMs = performance.timeOrigin + performance.now();
    try {
      return { atMs, ...this.#readCgroup(), network: this.#network() };
    } catch (error) {
      throw isGone(error) ? new ContainerGone(this.#pid, error) : error;
    }
  }

  /**
   * What the container holds open now. It looks at every process of the machine and every TCP
   * socket of the container, so it is for the edges, not for in between: 30 ms with 300 processes
   * and 2,000 sockets.
   *
   * TCP is counted by the network namespace: /proc/<pid>/net/sockstat and sockstat6
   * (Documentation/networking/proc_net_tcp.rst, net/ipv4/proc.c; `inuse` and `tw` are the
   * namespace's own, the rest of the line is the whole machine's). The size of /proc/<pid>/fd is
   * the number of open files since Linux 6.2 (Documentation/filesystems/proc.rst,
   * "/proc/<pid>/fd"), and needs no right over the process, which listing them would.
   *
   * @throws {ContainerGone}
   */
  sockets(): SocketReading {
    const net = join(this.#root, "/proc", String(this.#pid), "net");
    try {
      const families = ["", "6"];
      const known = families.filter((family) => isReadable(join(net, `sockstat${family}`)));
      const stat = known.map((family) => text(join(net, `sockstat${family}`)));
      const inUse = stat.map((content) => Number(content.match(/^TCP6?: inuse (\d+)/m)?.[1]));
      const timeWait = stat[0]?.match(/^TCP: .*\btw (\d+)/m)?.[1];
      return {
        tcpInUse: stat.length > 0 ? inUse.reduce((a, b) => a + b) : null,
        tcpTimeWait: timeWait === undefined ? null : Number(timeWait),
        tcpCloseWait:
          known.length > 0
            ? known.reduce(
                (n, f) => n + (text(join(net, `tcp${f}`)).match(CLOSE_WAIT)?.length ?? 0),
                0,
              )
            : null,
        descriptors: this.#descriptors(),
      };
    } catch (error) {
      throw isGone(error) ? new ContainerGone(this.#pid, error) : error;
    }
  }

  /**
   * Looks at every process of the machine, as `sockets` does.
   *
   * @returns the container's processes as the host numbers them, its main process among them
   * @throws {ContainerGone}
   */
  processes(): number[] {
    const proc = join(this.#root, "/proc");
    try {
      // The cgroup's own list of processes has the numbers of the reader's namespace, which is
      // another one than the host's.
      const own = text(join(proc, String(this.#pid), "cgroup"));
      return readdirSync(proc)
        .filter((name) => /^\d+$/.test(name) && cgroupsOf(join(proc, name)) === own)
        .map(Number);
    } catch (error) {
      throw isGone(error) ? new ContainerGone(this.#pid, error) : error;
    }
  }

  /** @returns null: this kernel does not tell */
  #descriptors(): number | null {
    try {
      const count = this.processes()
        .map((pid) => descriptorsOf(join(this.#root, "/proc", String(pid))))
        .reduce((sum, of) => sum + of, 0);
      // Older kernels show 0, and no process has no file open.
      return count > 0 ? count : null;
    } catch (error) {
      // One that may not be looked at could be the container's (hidepid).
      if (error instanceof ContainerGone) throw error;
      return null;
    }
  }

  #network() {
    return this.#networkFile === null ? null : sumOfInterfaces(text(this.#networkFile));
  }
}

/**
 * A socket in /proc/<pid>/net/tcp: number, both addresses, and its state, which is 8 for CLOSE_WAIT
 * (include/net/tcp_states.h).
 */
const CLOSE_WAIT = /^ *\d+: \S+ \S+ 08 /gm;

/**
 * Finds the counters of the container whose main process has this pid.
 *
 * @param options root: where the host's /proc and /sys/fs/cgroup are mounted; hasNetwork: false:
 *   its network is the machine's, whose counters say nothing of it
 * @throws {ContainerGone} when there is no such process any more
 * @throws {UserError} when this machine does not show its counters
 */
export function locate({
  pid,
  root = "/host",
  hasNetwork = true,
}: {
  pid: Pid;
  root?: string;
  hasNetwork?: boolean;
}): Counters {
  if (!existsSync(join(root, "/proc", "stat"))) {
    throw new UserError(
      `the host's processes are not visible: ${join(root, "/proc")} is not a /proc`,
      `Expected the host's /proc and /sys/fs/cgroup there. Start this with ./bench, which mounts them.`,
    );
  }
  const groups = groupsOf(pid, root);
  const version = groups.has("cpuacct") ? 1 : 2;
  const networkFile = join(root, "/proc", String(pid), "net", "dev");
  try {
    const counters = new Counters(
      pid,
      root,
      version,
      version === 1 ? readerOfV1(pid, root, groups) : readerOfV2(pid, root, groups),
      hasNetwork && isReadable(networkFile) ? networkFile : null,
    );
    counters.read();
    return counters;
  } catch (error) {
    if (!(error instanceof ContainerGone) || !isGone(error.cause)) throw error;
    // A file is missing: because the container has ended just now, or because this machine has
    // none?
    directoryOf(pid, root, groupsOf(pid, root), version === 1 ? "cpuacct" : "");
    const { path } = error.cause as NodeJS.ErrnoException;
    throw new UserError(
      `this machine does not count the usage of containers: ${path} is missing`,
      "Expected the CPU and memory controllers of cgroup v1 or v2. Where memory is off, start the kernel with cgroup_enable=memory.",
    );
  }
}

/**
 * @returns by controller, "" for v2: path of the process' cgroup, and under which names in
 *   /sys/fs/cgroup its hierarchy may be mounted (cgroups(7), /proc/pid/cgroup)
 */
function groupsOf(pid: Pid, root: string): Map<string, { path: string; mounts: string[] }> {
  let lines;
  try {
    lines = text(join(root, "/proc", String(pid), "cgroup"))
      .trim()
      .split("\n");
  } catch (error) {
    throw isGone(error) ? new ContainerGone(pid, error) : error;
  }
  const groups = new Map();
  for (const line of lines) {
    const [, controllers, path] = line.match(/^\d+:([^:]*):(.*)$/) as RegExpMatchArray;
    for (const controller of controllers.split(",")) {
      groups.set(controller, { path, mounts: [controller, controllers] });
    }
  }
  return groups;
}

/**
 * @param root where the host's /proc and /sys/fs/cgroup are mounted
 * @returns the cgroup that limits the CPU time of this process: its path in the hierarchy, and
 *   where that is mounted
 * @throws {ContainerGone} when there is no such process any more
 */
export function cpuGroupOf(
  pid: Pid,
  root: string,
): { path: string; directory: string; version: 1 | 2 } {
  const groups = groupsOf(pid, root);
  const version = groups.has("cpu") ? 1 : 2;
  const controller = version === 1 ? "cpu" : "";
  const directory = directoryOf(pid, root, groups, controller);
  return { path: groups.get(controller)?.path ?? "", directory, version };
}

/**
 * @param controller "" for v2
 * @returns folder of the process' cgroup
 */
function directoryOf(
  pid: Pid,
  root: string,
  groups: ReturnType<typeof groupsOf>,
  controller: string,
): string {
  const group = groups.get(controller);
  if (!group) {
    throw new UserError(
      `this machine does not count the usage of containers: it has no cgroup controller "${controller}"`,
      "Where memory is off, start the kernel with cgroup_enable=memory.",
    );
  }
  if (group.path === "/" && pid === "self") {
    throw new UserError(
      "this program runs in no container of its own, so its use is not separable from the machine's",
      "Start it with ./bench.",
    );
  }
  // No container lives in the root. A process that has ended is shown there until its parent has
  // taken note.
  if (group.path === "/" || group.path.endsWith(" (deleted)")) throw new ContainerGone(pid);
  if (group.path.startsWith("/..")) {
    throw new UserError(
      `the host's cgroups are not visible: that of process ${pid} is ${group.path}`,
      "Expected its path from the root. Start this with ./bench, or with `docker run --cgroupns host`.",
    );
  }
  const mounts = group.mounts.map((mount) => join(root, "/sys/fs/cgroup", mount));
  return join(mounts.find((mount) => existsSync(mount)) ?? mounts[0], group.path);
}

function readerOfV1(
  pid: Pid,
  root: string,
  groups: ReturnType<typeof groupsOf>,
): () => Omit<Reading, "atMs" | "network"> {
  const cpuacct = directoryOf(pid, root, groups, "cpuacct");
  const memory = directoryOf(pid, root, groups, "memory");
  const totalFile = join(cpuacct, "cpuacct.usage");
  const userFile = join(cpuacct, "cpuacct.usage_user");
  const systemFile = join(cpuacct, "cpuacct.usage_sys");
  const ticksFile = join(cpuacct, "cpuacct.stat");
  const throttleFile = groups.has("cpu")
    ? offered(join(directoryOf(pid, root, groups, "cpu"), "cpu.stat"))
    : null;
  const usageFile = join(memory, "memory.usage_in_bytes");
  const statFile = join(memory, "memory.stat");
  const kernelFile = offered(join(memory, "memory.kmem.usage_in_bytes"));
  const socketFile = offered(join(memory, "memory.kmem.tcp.usage_in_bytes"));
  const socketLimit = optionalNumber(offered(join(memory, "memory.kmem.tcp.limit_in_bytes")));
  // Without a limit the kernel shows 2^63 less a page, and counts nothing.
  const countsSockets = socketLimit !== null && socketLimit < 2 ** 62;
  const highWaterFile = offered(join(memory, "memory.max_usage_in_bytes"));
  const oomFile = offered(join(memory, "memory.oom_control"));
  // Since Linux 4.7.
  const splitsInNs = existsSync(userFile);

  return () => {
    const totalSeconds = number(totalFile) / 1e9;
    const ticks = splitsInNs ? "" : text(ticksFile);
    const throttle = throttleFile === null ? "" : text(throttleFile);
    const usageBytes = number(usageFile);
    const stat = text(statFile);
    const throttledNs = field(throttle, "throttled_time");
    return {
      cpu: {
        userSeconds: splitsInNs
          ? number(userFile) / 1e9
          : required(field(ticks, "user"), ticksFile) / TICKS_PER_SECOND,
        systemSeconds: splitsInNs
          ? number(systemFile) / 1e9
          : required(field(ticks, "system"), ticksFile) / TICKS_PER_SECOND,
        totalSeconds,
        throttledSeconds: throttledNs === null ? null : throttledNs / 1e9,
        throttledPeriods: field(throttle, "nr_throttled"),
      },
      memory: {
        usageBytes,
        workingSetBytes: workingSet(
          usageBytes,
          required(field(stat, "total_inactive_file"), statFile),
        ),
        rssBytes: required(field(stat, "total_rss"), statFile),
        kernelBytes: optionalNumber(kernelFile),
        socketBytes: countsSockets ? optionalNumber(socketFile) : null,
        highWaterBytes: optionalNumber(highWaterFile),
      },
      // Since Linux 4.13.
      oomKills: oomFile === null ? null : field(text(oomFile), "oom_kill"),
    };
  };
}

function readerOfV2(
  pid: Pid,
  root: string,
  groups: ReturnType<typeof groupsOf>,
): () => Omit<Reading, "atMs" | "network"> {
  const directory = directoryOf(pid, root, groups, "");
  const cpuFile = join(directory, "cpu.stat");
  const usageFile = join(directory, "memory.current");
  const statFile = join(directory, "memory.stat");
  // Since Linux 5.19.
  const highWaterFile = offered(join(directory, "memory.peak"));
  const eventsFile = offered(join(directory, "memory.events"));

  return () => {
    const cpu = text(cpuFile);
    const usageBytes = number(usageFile);
    const stat = text(statFile);
    const throttledUs = field(cpu, "throttled_usec");
    return {
      cpu: {
        userSeconds: required(field(cpu, "user_usec"), cpuFile) / 1e6,
        systemSeconds: required(field(cpu, "system_usec"), cpuFile) / 1e6,
        totalSeconds: required(field(cpu, "usage_usec"), cpuFile) / 1e6,
        throttledSeconds: throttledUs === null ? null : throttledUs / 1e6,
        throttledPeriods: field(cpu, "nr_throttled"),
      },
      memory: {
        usageBytes,
        workingSetBytes: workingSet(usageBytes, required(field(stat, "inactive_file"), statFile)),
        rssBytes: required(field(stat, "anon"), statFile),
        // Since Linux 5.18.
        kernelBytes: field(stat, "kernel"),
        socketBytes: field(stat, "sock"),
        highWaterBytes: optionalNumber(highWaterFile),
      },
      oomKills: eventsFile === null ? null : field(text(eventsFile), "oom_kill"),
    };
  };
}

/**
 * As cAdvisor and Kubernetes define it. Both numbers are read one after the other, hence the floor.
 */
function workingSet(usageBytes: number, inactiveFileBytes: number) {
  return Math.max(0, usageBytes - inactiveFileBytes);
}

/**
 * What a container used from one reading to the next.
 *
 * CPU in total is exact. Ticks tell how it splits into user and system, so their share is taken, as
 * the kernel itself does for v2 and for processes (cputime_adjust in kernel/sched/cputime.c); where
 * no tick fell on the container, all is user.
 *
 * @returns throttledSeconds is 0 where no CPU controller could throttle
 */
export function difference(from: Reading, to: Reading): Pick<ContainerRecord, "cpu" | "network"> {
  const totalSeconds = to.cpu.totalSeconds - from.cpu.totalSeconds;
  const user = to.cpu.userSeconds - from.cpu.userSeconds;
  const system = to.cpu.systemSeconds - from.cpu.systemSeconds;
  // Where all of it is system time, the division may come out a rounding error above the total.
  const systemSeconds =
    system > 0 ? Math.min(totalSeconds, (totalSeconds * system) / (user + system)) : 0;
  return {
    cpu: {
      userSeconds: totalSeconds - systemSeconds,
      systemSeconds,
      totalSeconds,
      throttledSeconds: (to.cpu.throttledSeconds ?? 0) - (from.cpu.throttledSeconds ?? 0),
    },
    network: from.network &&
      to.network && {
        rxBytes: to.network.rxBytes - from.network.rxBytes,
        txBytes: to.network.txBytes - from.network.txBytes,
        rxPackets: to.network.rxPackets - from.network.rxPackets,
        txPackets: to.network.txPackets - from.network.txPackets,
      },
  };
}

/**
 * CPU time of the whole machine since it started, in steps of 10 ms, sampled by the tick. User and
 * nice hold the time of guests already (proc_stat(5)), so it is not added.
 *
 * @param root where the host's /proc is mounted
 * @returns stealSeconds: taken away by the hypervisor, not part of busy; idleSeconds: waiting for
 *   disks included; cores: those online
 */
export function machineCpu(root = "/host"): {
  busySeconds: number;
  stealSeconds: number;
  idleSeconds: number;
  cores: number;
} {
  const stat = text(join(root, "/proc", "stat"));
  const [user, nice, system, idle, iowait, irq, softirq, steal] = stat
    .slice(0, stat.indexOf("\n"))
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) / TICKS_PER_SECOND);
  return {
    busySeconds: user + nice + system + irq + softirq,
    stealSeconds: steal,
    idleSeconds: idle + iowait,
    cores: stat.match(/^cpu\d/gm)?.length ?? 0,
  };
}

/**
 * @param root where the host's /proc is mounted
 * @returns what every program on this machine reads until the machine restarts, in whichever
 *   container (random(4)); null: it cannot be read
 */
export function bootId(root = "/host"): string | null {
  const file = join(root, "/proc/sys/kernel/random/boot_id");
  return isReadable(file) ? text(file).trim() : null;
}

/**
 * @param table /proc/<pid>/net/dev: name, then eight columns received and eight sent, bytes and
 *   packets first
 */
function sumOfInterfaces(table: string): NetworkReading {
  const sum = { rxBytes: 0, txBytes: 0, rxPackets: 0, txPackets: 0 };
  for (const [, name, values] of table.matchAll(/^ *([^\s:]+):(.*)$/gm)) {
    if (name === "lo") continue;
    const columns = values.trim().split(/ +/).map(Number);
    sum.rxBytes += columns[0];
    sum.rxPackets += columns[1];
    sum.txBytes += columns[8];
    sum.txPackets += columns[9];
  }
  return sum;
}

/**
 * @param process its folder in /proc
 * @returns its cgroups; "": it has ended
 */
function cgroupsOf(process: string): string {
  return unlessGone(() => text(join(process, "cgroup")), "");
}

/**
 * @param process its folder in /proc
 * @returns files that it has open; 0 too when it has ended
 */
function descriptorsOf(process: string): number {
  return unlessGone(() => statSync(join(process, "fd")).size, 0);
}

/** @returns what was read, or the other when that process has ended */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (isGone(error)) return otherwise;
    throw error;
  }
}

function text(file: string) {
  return readFileSync(file, "utf8");
}

/** @param file that holds one number */
function number(file: string) {
  return Number(text(file));
}

/** @param file that holds one number */
function optionalNumber(file: string | null): number | null {
  return file === null ? null : number(file);
}

/**
 * @param content lines of key, blank, number
 * @returns null: not there
 */
function field(content: string, key: string): number | null {
  const line = `\n${content}`;
  const at = line.indexOf(`\n${key} `);
  if (at < 0) return null;
  const end = line.indexOf("\n", at + 1);
  return Number(line.slice(at + key.length + 2, end < 0 ? undefined : end));
}

function required(value: number | null, file: string): number {
  if (value === null) throw new Error(`${file} has another format: a line is missing`);
  return value;
}

/** @returns null: this kernel has no such file */
function offered(file: string): string | null {
  return existsSync(file) ? file : null;
}

function isReadable(file: string) {
  try {
    text(file);
    return true;
  } catch {
    return false;
  }
}

function isGone(error: unknown) {
  return error instanceof Error && GONE.has(String((error as NodeJS.ErrnoException).code));
}

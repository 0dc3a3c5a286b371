import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { UserError } from "../errors.ts";
import { ContainerGone, difference, locate, machineCpu } from "./counters.ts";
import type { TestContext } from "node:test";

const samples = join(import.meta.dirname, "testing/cgroup-samples");
const ID = "9505cc6b23aec17a08d921b89b2b43dfcbccce5b670aba2297a89f3b3e54e76b";
const V1 = { pid: 19990, root: join(samples, "v1-before") };
const V2 = { pid: 4242, root: join(samples, "v2") };
/** Folders of the container's cgroup in the samples. */
const CPUACCT = `sys/fs/cgroup/cpuacct/docker/${ID}`;
const MEMORY = `sys/fs/cgroup/memory/docker/${ID}`;
const UNIFIED = `sys/fs/cgroup/system.slice/docker-${ID}.scope`;

/** A copy of a sample that the test may change. */
function copyOf(t: TestContext, { pid, root: original }: { pid: number; root: string }) {
  const root = mkdtempSync(join(tmpdir(), "counters-"));
  t.after(() => rmSync(root, { recursive: true }));
  cpSync(original, root, { recursive: true });
  return {
    pid,
    root,
    remove: (path: string) => rmSync(join(root, path), { recursive: true }),
    write: ((path, content) => writeFileSync(join(root, path), content)) as (
      path: string,
      content: string,
    ) => void,
    replace(path: string, from: string | RegExp, to: string): void {
      const before = readFileSync(join(root, path), "utf8");
      assert.match(before, new RegExp(from));
      writeFileSync(join(root, path), before.replace(from, to));
    },
  };
}

test("v1: every figure of a recorded container", () => {
  const counters = locate(V1);
  assert.equal(counters.version, 1);
  const { atMs, ...reading } = counters.read();
  assert.ok(Math.abs(atMs - Date.now()) < 1000);
  assert.deepEqual(reading, {
    cpu: {
      userSeconds: 0.143968653,
      systemSeconds: 0.067972869,
      totalSeconds: 0.225570182,
      throttledSeconds: 0,
      throttledPeriods: 0,
    },
    memory: {
      usageBytes: 57479168,
      workingSetBytes: 57479168,
      rssBytes: 53108736,
      kernelBytes: 3862528,
      // Without a limit nothing is counted, whatever the file says.
      socketBytes: null,
      highWaterBytes: 57479168,
    },
    network: { rxBytes: 736, txBytes: 0, rxPackets: 8, txPackets: 0 },
    oomKills: 0,
  });
});

test("v2: every figure of a recorded container", () => {
  const counters = locate(V2);
  assert.equal(counters.version, 2);
  const { atMs, ...reading } = counters.read();
  assert.deepEqual(reading, {
    cpu: {
      userSeconds: 61355.716211,
      systemSeconds: 37345.608977,
      totalSeconds: 98701.325189,
      throttledSeconds: 19175.137007,
      throttledPeriods: 6004,
    },
    memory: {
      usageBytes: 13071106048,
      workingSetBytes: 13071106048 - 2935459840,
      rssBytes: 2471755776,
      kernelBytes: 2065149952,
      socketBytes: 0,
      highWaterBytes: 87302021120,
    },
    network: { rxBytes: 4505178, txBytes: 4450698, rxPackets: 5009, txPackets: 4717 },
    oomKills: 0,
  });
});

test("v1: controllers that share a mount, and the systemd driver's path", (t) => {
  const sample = copyOf(t, V1);
  const path = `/system.slice/docker-${ID}.scope`;
  sample.write(
    "proc/19990/cgroup",
    `5:memory:${path}\n4:cpu,cpuacct:${path}\n1:name=systemd:${path}\n0::${path}\n`,
  );
  const cgroup = join(sample.root, "sys/fs/cgroup");
  const scope = join("system.slice", `docker-${ID}.scope`);
  cpSync(join(sample.root, CPUACCT), join(cgroup, "cpu,cpuacct", scope), { recursive: true });
  cpSync(join(sample.root, MEMORY), join(cgroup, "memory", scope), { recursive: true });
  writeFileSync(
    join(cgroup, "cpu,cpuacct", scope, "cpu.stat"),
    "nr_periods 40\nnr_throttled 7\nthrottled_time 1500000000\n",
  );
  sample.remove("sys/fs/cgroup/cpu");
  sample.remove("sys/fs/cgroup/cpuacct");

  const withoutLinks = locate(sample).read();
  assert.equal(withoutLinks.cpu.totalSeconds, 0.225570182);
  assert.equal(withoutLinks.cpu.throttledSeconds, 1.5);
  assert.equal(withoutLinks.cpu.throttledPeriods, 7);

  symlinkSync("cpu,cpuacct", join(cgroup, "cpu"));
  symlinkSync("cpu,cpuacct", join(cgroup, "cpuacct"));
  assert.deepEqual({ ...locate(sample).read(), atMs: 0 }, { ...withoutLinks, atMs: 0 });
});

test("v1: cgroups below count too", (t) => {
  const sample = copyOf(t, V1);
  sample.replace(`${MEMORY}/memory.stat`, /total_rss .*/, "total_rss 54000000");
  assert.equal(locate(sample).read().memory.rssBytes, 54000000);
});

test("v1: inactive file cache is not part of the working set", (t) => {
  const sample = copyOf(t, V1);
  sample.replace(`${MEMORY}/memory.stat`, /total_inactive_file 0/, "total_inactive_file 7479168");
  assert.equal(locate(sample).read().memory.workingSetBytes, 50000000);
  sample.replace(`${MEMORY}/memory.stat`, /total_inactive_file .*/, "total_inactive_file 57479169");
  assert.equal(locate(sample).read().memory.workingSetBytes, 0);
});

test("v1: socket memory counts once a limit is set", (t) => {
  const sample = copyOf(t, V1);
  sample.write(`${MEMORY}/memory.kmem.tcp.limit_in_bytes`, "8000000000\n");
  sample.write(`${MEMORY}/memory.kmem.tcp.usage_in_bytes`, "65536000\n");
  assert.equal(locate(sample).read().memory.socketBytes, 65536000);
});

test("v1: what an older kernel does not offer is null, and ticks stand in for nanoseconds", (t) => {
  const sample = copyOf(t, V1);
  for (const file of [
    "kmem.usage_in_bytes",
    "kmem.tcp.usage_in_bytes",
    "kmem.tcp.limit_in_bytes",
  ]) {
    sample.remove(`${MEMORY}/memory.${file}`);
  }
  sample.remove(`${MEMORY}/memory.max_usage_in_bytes`);
  sample.replace(`${MEMORY}/memory.oom_control`, /oom_kill \d+\n/, "");
  sample.remove(`${CPUACCT}/cpuacct.usage_user`);
  sample.remove(`${CPUACCT}/cpuacct.usage_sys`);
  sample.remove(`sys/fs/cgroup/cpu/docker/${ID}/cpu.stat`);
  sample.remove("proc/19990/net");
  const { cpu, memory, network, oomKills } = locate(sample).read();
  assert.deepEqual(cpu, {
    userSeconds: 0.15,
    systemSeconds: 0.07,
    totalSeconds: 0.225570182,
    throttledSeconds: null,
    throttledPeriods: null,
  });
  assert.equal(memory.kernelBytes, null);
  assert.equal(memory.socketBytes, null);
  assert.equal(memory.highWaterBytes, null);
  assert.equal(network, null);
  assert.equal(oomKills, null);
});

test("v2: what an older kernel or a cgroup without CPU controller does not offer is null", (t) => {
  const sample = copyOf(t, V2);
  sample.replace(`${UNIFIED}/memory.stat`, /^kernel \d+\n/m, "");
  sample.replace(`${UNIFIED}/memory.stat`, /^sock \d+\n/m, "");
  sample.remove(`${UNIFIED}/memory.peak`);
  sample.remove(`${UNIFIED}/memory.events`);
  sample.write(`${UNIFIED}/cpu.stat`, "usage_usec 42849\nuser_usec 25005\nsystem_usec 17844\n");
  const { cpu, memory, oomKills } = locate(sample).read();
  assert.deepEqual(cpu, {
    userSeconds: 0.025005,
    systemSeconds: 0.017844,
    totalSeconds: 0.042849,
    throttledSeconds: null,
    throttledPeriods: null,
  });
  assert.equal(memory.kernelBytes, null);
  assert.equal(memory.socketBytes, null);
  assert.equal(memory.highWaterBytes, null);
  assert.equal(oomKills, null);
});

test("v2: socket memory and OOM kills", (t) => {
  const sample = copyOf(t, V2);
  sample.replace(`${UNIFIED}/memory.stat`, /^sock 0$/m, "sock 16384");
  sample.replace(`${UNIFIED}/memory.events`, /^oom_kill 0$/m, "oom_kill 2");
  const { memory, oomKills } = locate(sample).read();
  assert.equal(memory.socketBytes, 16384);
  assert.equal(oomKills, 2);
});

test("network: all interfaces count but lo, and a long name may touch its first column", (t) => {
  const sample = copyOf(t, V2);
  sample.write(
    "proc/4242/net/dev",
    `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 5000      50    0    0    0     0          0         0     5000      50    0    0    0     0       0          0
  eth0: 100       1    9    9    9     9          9         9     200       2    9    9    9     9       9          9
vethaf159c0:1000      10    0    0    0     0          0         0     2000      20    0    0    0     0       0          0
`,
  );
  assert.deepEqual(locate(sample).read().network, {
    rxBytes: 1100,
    rxPackets: 11,
    txBytes: 2200,
    txPackets: 22,
  });
});

test("difference: what the recorded v1 container used for 4,000 echoes", () => {
  const from = locate(V1).read();
  const to = locate({ ...V1, root: join(samples, "v1-after") }).read();
  const { cpu, network } = difference(from, to);
  assert.ok(Math.abs(cpu.totalSeconds - 0.226019089) < 1e-12);
  // 151.987618 ms and 76 ms were counted by the tick: 227.987618 ms in all, of which 226.019089 ms are
  // true.
  assert.ok(Math.abs(cpu.userSeconds - (0.226019089 * 151.987618) / 227.987618) < 1e-9);
  assert.ok(Math.abs(cpu.userSeconds + cpu.systemSeconds - cpu.totalSeconds) < 1e-12);
  assert.equal(cpu.throttledSeconds, 0);
  assert.deepEqual(network, {
    rxBytes: 4504442,
    txBytes: 4450698,
    rxPackets: 5001,
    txPackets: 4717,
  });
});

test("difference: without a tick all is user; without a CPU controller nothing was throttled", () => {
  const from = locate(V1).read();
  const to: typeof from = {
    ...from,
    network: null,
    cpu: { ...from.cpu, totalSeconds: from.cpu.totalSeconds + 0.001, throttledSeconds: null },
  };
  from.cpu.throttledSeconds = null;
  const { cpu, network } = difference(from, to);
  assert.ok(Math.abs(cpu.userSeconds - 0.001) < 1e-12);
  assert.equal(cpu.systemSeconds, 0);
  assert.equal(cpu.throttledSeconds, 0);
  assert.equal(network, null);
});

test("difference: throttled time", () => {
  const from = locate(V2).read();
  const to = { ...from, cpu: { ...from.cpu, throttledSeconds: 19176.637007 } };
  assert.ok(Math.abs(difference(from, to).cpu.throttledSeconds - 1.5) < 1e-6);
});

test("a container that has never been or has ended is gone", () => {
  assert.throws(() => locate({ ...V1, pid: 1 }), { constructor: ContainerGone, pid: 1 });
});

test("a process that has ended and is still listed is gone, and not the whole machine", (t) => {
  const v1 = copyOf(t, V1);
  v1.write("proc/19990/cgroup", "4:memory:/\n2:cpuacct:/\n0::/\n");
  assert.throws(() => locate(v1), ContainerGone);
  const v2 = copyOf(t, V2);
  v2.write("proc/4242/cgroup", `0::/system.slice/docker-${ID}.scope (deleted)\n`);
  assert.throws(() => locate(v2), ContainerGone);
});

for (const [what, sample, folder] of [
  ["v1, CPU", V1, CPUACCT],
  ["v1, memory", V1, MEMORY],
  ["v2", V2, UNIFIED],
  ["v1, restarted: another process in the same cgroup", V1, "proc/19990"],
] as const) {
  test(`read: the container is gone when its files are (${what})`, (t) => {
    const copy = copyOf(t, sample);
    const counters = locate(copy);
    copy.remove(folder);
    assert.throws(() => counters.read(), { constructor: ContainerGone, pid: copy.pid });
  });
}

test("read: a file that is not as expected is another error", (t) => {
  const sample = copyOf(t, V2);
  const counters = locate(sample);
  sample.write(`${UNIFIED}/memory.stat`, "file 1\n");
  assert.throws(() => counters.read(), /memory\.stat has another format/);
});

test("errors that the user can fix", async (t) => {
  await t.test("nothing mounted", () => {
    assert.throws(
      () => locate({ pid: 1, root: "/nowhere" }),
      (error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, /\/nowhere\/proc/);
        return true;
      },
    );
  });
  await t.test("in a cgroup namespace of its own", (t) => {
    const sample = copyOf(t, V2);
    sample.write("proc/4242/cgroup", `0::/../docker-${ID}.scope\n`);
    assert.throws(
      () => locate(sample),
      (error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.next, /--cgroupns host/);
        return true;
      },
    );
  });
  await t.test("v1 without the memory controller", (t) => {
    const sample = copyOf(t, V1);
    sample.replace("proc/19990/cgroup", /^\d+:memory:.*\n/m, "");
    assert.throws(() => locate(sample), { constructor: UserError, message: /"memory"/ });
  });
  await t.test("v2 without the memory controller", (t) => {
    const sample = copyOf(t, V2);
    for (const file of ["current", "stat", "peak", "events"])
      sample.remove(`${UNIFIED}/memory.${file}`);
    assert.throws(() => locate(sample), {
      constructor: UserError,
      message: /memory\.current is missing/,
    });
  });
  await t.test("this program outside of a container", (t) => {
    const sample = copyOf(t, V1);
    mkdirSync(join(sample.root, "proc/self"));
    sample.write("proc/self/cgroup", "4:memory:/\n2:cpuacct:/\n1:cpu:/\n0::/\n");
    assert.throws(() => locate({ pid: "self", root: sample.root }), {
      constructor: UserError,
      message: /no container/,
    });
  });
});

test("machineCpu: guest time is not counted twice, and waiting for disks is idle", (t) => {
  const sample = copyOf(t, V1);
  sample.write(
    "proc/stat",
    "cpu  1000 200 300 40000 500 60 70 80 900 100\ncpu0 1 1 1 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1 1 1 1\nintr 5\n",
  );
  assert.deepEqual(machineCpu(sample.root), {
    busySeconds: 16.3,
    stealSeconds: 0.8,
    idleSeconds: 405,
    cores: 2,
  });
});

test("machineCpu: recorded", () => {
  const { busySeconds, stealSeconds, cores } = machineCpu(V1.root);
  assert.equal(Math.round(busySeconds * 100), 62953 + 24502 + 7609);
  assert.equal(stealSeconds, 0.8);
  assert.equal(cores, 2);
});

/** As Linux 6.18 shows them, with other lines left out. */
const SOCKSTAT = `sockets: used 42
TCP: inuse 7 orphan 3 tw 11 alloc 99 mem 1234
UDP: inuse 0 mem 0
`;
const TCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 1 1 0 100 0 0 10 0
   1: 020011AC:1F90 030011AC:C350 01 00000000:00000000 00:00000000 00000000   101        0 2 1 0 20 4 30 10 -1
  10: 020011AC:1F90 030011AC:0808 08 00000000:00000000 00:00000000 00000000   101        0 3 1 0 20 4 30 10 -1
`;

test("open sockets: those of the namespace, IPv4 and IPv6, and closed by the other side alone", (t) => {
  const sample = copyOf(t, V1);
  sample.write("proc/19990/net/sockstat", SOCKSTAT);
  sample.write("proc/19990/net/sockstat6", "TCP6: inuse 5\nUDP6: inuse 0\n");
  sample.write("proc/19990/net/tcp", TCP);
  sample.write("proc/19990/net/tcp6", TCP);
  const { descriptors, ...tcp } = locate(sample).sockets();
  assert.deepEqual(tcp, { tcpInUse: 12, tcpTimeWait: 11, tcpCloseWait: 2 });
  // The sample has no folder of descriptors.
  assert.equal(descriptors, null);
});

test("a kernel without IPv6, and one that shows no sockets", (t) => {
  const sample = copyOf(t, V1);
  sample.write("proc/19990/net/sockstat", SOCKSTAT);
  sample.write("proc/19990/net/tcp", TCP);
  assert.deepEqual(locate(sample).sockets(), {
    tcpInUse: 7,
    tcpTimeWait: 11,
    tcpCloseWait: 1,
    descriptors: null,
  });
  assert.deepEqual(locate(V1).sockets(), {
    tcpInUse: null,
    tcpTimeWait: null,
    tcpCloseWait: null,
    descriptors: null,
  });
});

test("descriptors are those of every process in the container's cgroup, and of no other", (t) => {
  const sample = copyOf(t, V1);
  const cgroup = readFileSync(join(sample.root, "proc/19990/cgroup"), "utf8");
  // The size of a real folder is what its file system makes of it: at least something.
  const sizes = ["19990", "19991", "20000"].map((pid) => {
    mkdirSync(join(sample.root, "proc", pid, "fd"), { recursive: true });
    sample.write(`proc/${pid}/cgroup`, pid === "20000" ? "0::/other\n" : cgroup);
    return statSync(join(sample.root, "proc", pid, "fd")).size;
  });
  mkdirSync(join(sample.root, "proc/30000"));
  const { descriptors } = locate(sample).sockets();
  assert.equal(descriptors, sizes[0] + sizes[1] || null);
  assert.deepEqual(locate(sample).processes(), [19990, 19991]);
});

test("open sockets of a container that is gone", (t) => {
  const sample = copyOf(t, V1);
  const counters = locate(sample);
  sample.remove("proc/19990");
  assert.throws(() => counters.sockets(), ContainerGone);
});

test("time that is all the kernel's is never more than the total, by no rounding either", () => {
  const from = locate(V1).read();
  // Differences measured in a run: 0.003883091 s, of which the user's share came out as
  // −4e−19 s.
  for (let i = 1; i <= 1000; i++) {
    const cpu = { ...from.cpu };
    cpu.totalSeconds += 0.003883091 * i;
    cpu.systemSeconds += 0.001 * i + 1e-9;
    const { userSeconds } = difference(from, { ...from, cpu }).cpu;
    assert.ok(userSeconds >= 0, `${userSeconds}`);
  }
});

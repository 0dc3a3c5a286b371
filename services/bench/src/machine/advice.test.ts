import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFindings } from "../commands/doctor.ts";
import { advise, examine } from "./advice.ts";
import { engineWith, fakeRun, machine, RECORDED_INFO, RECORDED_PROBE } from "./testing/host.ts";
import type { TestContext } from "node:test";

const directory = import.meta.dirname;

async function findings(
  t: TestContext,
  {
    files,
    probe = RECORDED_PROBE,
    info,
  }: { files?: Record<string, string | null>; probe?: string | null; info?: object } = {},
) {
  const { run } = fakeRun(engineWith(probe, info));
  const list = await examine({ directory, run, ...machine(t, files) });
  return new Map(list.map((finding) => [finding.setting, finding]));
}

test("the recorded machine: each setting that is not as advised, the gravest first", async (t) => {
  const { run } = fakeRun(engineWith(RECORDED_PROBE));
  const advice = await advise({ directory, run, ...machine(t) });
  assert.deepEqual(
    advice.map(({ severity, setting, found }) => [severity, setting, found]),
    [
      ["warn", "load average (1 min)", "2.30"],
      ["note", "descriptors per process", "20000 (soft limit: 1024)"],
      ["note", "cgroup version", "1"],
      ["note", "cores", "2"],
      ["note", "CPU governor", "not readable here"],
      ["note", "turbo", "not readable here"],
      ["note", "net.bridge.bridge-nf-call-iptables", "1"],
      ["note", "net.core.netdev_max_backlog", "1000"],
    ],
  );
});

const probeWith = (name: string, value: string) => ({
  probe: RECORDED_PROBE.replace(new RegExp(`^${name} .*$`, "m"), `${name} ${value}`),
});
const governor = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
for (const [setting, changes, found, severity] of [
  ["descriptors per process", { probe: "1023 1023" }, "1023 (soft limit: 1023)", "stop"],
  ["descriptors per process", { probe: "1024 65536" }, "65536 (soft limit: 1024)", "ok"],
  ["descriptors per process", { probe: "1024 unlimited" }, "unlimited (soft limit: 1024)", "ok"],
  ["counters of containers", {}, "CPU, memory", "ok"],
  [
    "counters of containers",
    { info: { ...RECORDED_INFO, CgroupDriver: "none" } },
    "no cgroup for each container (rootless, cgroup v1)",
    "stop",
  ],
  [
    "counters of containers",
    { info: { CgroupDriver: "systemd", CgroupVersion: "2", MemoryLimit: false } },
    "no memory controller",
    "stop",
  ],
  [
    "cgroup version",
    {
      files: {
        "proc/cgroups":
          "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t5\t1\nmemory\t0\t5\t1",
      },
    },
    "2",
    "ok",
  ],
  [
    "cgroup version",
    {
      files: {
        "proc/cgroups": "#subsys_name\thierarchy\tnum_cgroups\tenabled",
        "proc/filesystems": "nodev\tcgroup2",
      },
    },
    "2",
    "ok",
  ],
  [
    "cgroup version",
    {
      files: { "proc/cgroups": "#subsys_name\thierarchy\tnum_cgroups\tenabled\nmemory\t10\t5\t1" },
    },
    "1",
    "note",
  ],
  [
    "cgroup version",
    { files: { "proc/cgroups": null, "proc/filesystems": "ext4" } },
    "not readable here",
    "note",
  ],
  ["CPU governor", { files: { [governor]: "powersave" } }, "powersave", "warn"],
  ["CPU governor", { files: { [governor]: "performance" } }, "performance", "ok"],
  ["turbo", { files: { "sys/devices/system/cpu/intel_pstate/no_turbo": "0" } }, "on", "note"],
  ["SMT", { files: { "sys/devices/system/cpu/smt/active": "1" } }, "on", "note"],
  [
    "clocksource",
    { files: { "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet" } },
    "hpet",
    "warn",
  ],
  [
    "steal time since boot",
    { files: { "proc/stat": "cpu  50 10 10 20 2 2 1 5 0 0" } },
    "5.0 %",
    "warn",
  ],
  ["load average (1 min)", { files: { "proc/loadavg": "0.50 1 1 1/1 1" } }, "0.50", "ok"],
  ["memory available", { files: { "proc/meminfo": "MemAvailable: 700000 kB" } }, "0.7 GiB", "stop"],
  [
    "memory available",
    { files: { "proc/meminfo": "MemAvailable: 1000000 kB" } },
    "1.0 GiB",
    "warn",
  ],
  [
    "swap in use",
    { files: { "proc/meminfo": "SwapTotal: 3000000 kB\nSwapFree: 1000000 kB" } },
    "1.9 GiB",
    "warn",
  ],
  [
    "transparent huge pages",
    { files: { "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never" } },
    "always",
    "note",
  ],
  ["fs.file-max", { files: { "proc/sys/fs/file-max": "100000" } }, "100000", "warn"],
  [
    "net.netfilter.nf_conntrack_max",
    probeWith("net.netfilter.nf_conntrack_max", "65536"),
    "65536, 212 in use",
    "warn",
  ],
  [
    "net.netfilter.nf_conntrack_max",
    probeWith("net.netfilter.nf_conntrack_count", "262000"),
    "262144, 262000 in use",
    "stop",
  ],
  ["net.netfilter.nf_conntrack_max", { probe: "1024 20000" }, "not loaded", "ok"],
  ["net.bridge.bridge-nf-call-iptables", { probe: "1024 20000" }, "not loaded", "ok"],
  ["net.core.netdev_max_backlog", probeWith("net.core.netdev_max_backlog", "2500"), "2500", "ok"],
  [
    "packets dropped since boot",
    {
      files: { "proc/net/softnet_stat": "00853141 00000002 00000000\n0086c7f8 0000000a 00000000" },
    },
    "12",
    "warn",
  ],
  ["net.ipv4.tcp_mem", probeWith("net.ipv4.tcp_mem", "10 20 98151"), "10 20 98151", "warn"],
  [
    "net.ipv4.tcp_rmem",
    { files: { "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t200000" } },
    "4096 131072 200000",
    "note",
  ],
  ["net.ipv4.tcp_syncookies", { files: { "proc/sys/net/ipv4/tcp_syncookies": "0" } }, "0", "warn"],
  ["net.ipv4.tcp_tw_recycle", { files: { "proc/sys/net/ipv4/tcp_tw_recycle": "1" } }, "1", "warn"],
  ["net.ipv4.tcp_tw_recycle", {}, "gone", "ok"],
] as const) {
  test(`${setting}: ${found} is ${severity}`, async (t) => {
    const finding = (await findings(t, changes)).get(setting);
    assert.deepEqual([finding?.found, finding?.severity], [found, severity]);
  });
}

test("what needs the engine is not guessed when it refuses", async (t) => {
  const all = await findings(t, { probe: null });
  for (const setting of [
    "descriptors per process",
    "net.netfilter.nf_conntrack_max",
    "net.bridge.bridge-nf-call-iptables",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.ipv4.tcp_mem",
  ])
    assert.deepEqual(
      [all.get(setting)?.found, all.get(setting)?.severity],
      ["not readable here", "note"],
      setting,
    );
});

test("a folder that is not there has no free disk to tell", async (t) => {
  const { run } = fakeRun(engineWith(RECORDED_PROBE));
  const list = await examine({ directory: "/nowhere", run, ...machine(t) });
  assert.equal(list.find(({ setting }) => /disk/.test(setting))?.found, "not readable here");
});

test("the list: groups in order, the fix beside what is wrong, a line for what is right", async (t) => {
  const lines = formatFindings([...(await findings(t)).values()]);
  const at = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line));
  assert.ok(at(/^warn: /) >= 0 && at(/^warn: /) < at(/^note: /) && at(/^note: /) < at(/^ok: /));
  assert.equal(at(/^stop: /), -1);
  const backlog = at(/^ {2}net\.core\.netdev_max_backlog +1000, expected: at least 2500/);
  assert.match(
    lines.slice(backlog + 1, backlog + 4).join("\n"),
    /→ sudo sysctl -w net\.core\.netdev_max_backlog=2500/,
  );
  assert.match(lines[at(/fs\.file-max/) + 1], /^ {2}\S/);
  assert.match(lines.at(-1) ?? "", /^0 stop, 1 warn, 7 note, 24 ok\./);
});

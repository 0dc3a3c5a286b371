import assert from "node:assert/strict";
import { test } from "node:test";
import { openHost, readCpu, readMemory, stealShare } from "./host.ts";
import { machine } from "./testing/host.ts";

test("a virtual machine: what it hides is null", (t) => {
  assert.deepEqual(readCpu(openHost(machine(t))), {
    model: "AMD EPYC (family 26, model 2)",
    cores: 2,
    virtual: true,
    smt: false,
    governor: null,
    turbo: null,
    clocksource: "tsc",
    avx512Ifma: true,
  });
});

test("a workstation: governor of every core, turbo of Intel's driver", (t) => {
  const cpu = readCpu(
    openHost(
      machine(t, {
        "proc/cpuinfo": "model name\t: Intel(R) Core(TM) i7\nflags\t\t: fpu sse ht\n",
        "sys/devices/system/cpu/smt/active": "1\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
        "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n",
      }),
    ),
  );
  assert.equal(cpu.model, "Intel(R) Core(TM) i7");
  assert.equal(cpu.avx512Ifma, false);
  assert.equal(cpu.governor, "performance, powersave");
  assert.equal(cpu.turbo, true);
  assert.equal(cpu.virtual, false);
  assert.equal(cpu.smt, true);
});

test("turbo as other drivers tell it", (t) => {
  const turboAt = (value: string) =>
    readCpu(openHost(machine(t, { "sys/devices/system/cpu/cpufreq/boost": value }))).turbo;
  assert.equal(turboAt("0"), false);
  assert.equal(turboAt("1"), true);
});

test("an Arm core is known by its numbers, and does not show a hypervisor", (t) => {
  const cpuinfo = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
  const cpu = readCpu(openHost(machine(t, { "proc/cpuinfo": cpuinfo })));
  assert.equal(cpu.model, "Arm implementer 0x41 part 0xd0c");
  assert.equal(cpu.virtual, null);
});

test("memory in bytes", (t) => {
  const host = openHost(
    machine(t, {
      "proc/meminfo":
        "MemTotal: 2000 kB\nMemAvailable: 500 kB\nSwapTotal: 100 kB\nSwapFree: 60 kB\n",
    }),
  );
  assert.deepEqual(readMemory(host), {
    total: 2000 * 1024,
    available: 500 * 1024,
    swap: 100 * 1024,
    swapUsed: 40 * 1024,
  });
});

test("steal is a share of all CPU time, guest time not counted twice", (t) => {
  const host = openHost(machine(t, { "proc/stat": "cpu  50 10 10 20 2 2 1 5 40 0\n" }));
  assert.equal(stealShare(host), 0.05);
});

test("nothing is guessed where nothing can be read", () => {
  const host = openHost({ root: "/nowhere", sys: "/nowhere" });
  assert.deepEqual(new Set(Object.values(readCpu(host))), new Set([null]));
  assert.deepEqual(new Set(Object.values(readMemory(host))), new Set([null]));
  assert.equal(stealShare(host), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ContainerGone } from "../platform/counters.ts";
import { MeasuredContainers } from "./measured-containers.ts";
import { ProxyObserver } from "./proxy-observer.ts";
import { reading, SOCKETS, state } from "./testing/readings.ts";

/** A proxy in up to two containers, what each has used, and its processes. */
function observed() {
  const uses: Record<number, { seconds: number; usage: number; processes: number[] } | null> = {
    1: { seconds: 5, usage: 100, processes: [1, 2, 3] },
    7: null,
  };
  const use = (pid: number) => {
    const found = uses[pid];
    if (!found) throw new ContainerGone(pid);
    return found;
  };
  const containers = new MeasuredContainers({
    locate: (pid) => ({
      read: () => reading(use(pid)),
      sockets: () => SOCKETS,
      processes: () => use(pid).processes,
    }),
  });
  containers.add("nginx", "proxy", state({ pid: 1 }));
  containers.add("echo", "echo", state({ pid: 9 }));
  const running = new Set([1, 2, 3, 7, 8]);
  // Like the one of processes.ts it takes where /proc is, which nothing here needs.
  const isRunning = (...[pid, root]: number[]) => root === undefined && running.has(pid);
  const observer = new ProxyObserver(containers, { isRunning });
  return { observer, containers, uses, running };
}

test("containers of before and those that an event starts are counted together", (t) => {
  const { observer, containers, uses, running } = observed();
  observer.start();
  t.after(() => observer.stop());
  assert.deepEqual(
    observer.readings.map(({ ms, ...rest }) => rest),
    [{ processes: 3, oldProcesses: 0, memoryBytes: 100, cpuSeconds: 0 }],
  );
  observer.expectToGo(observer.processes());
  uses[1] = { seconds: 6, usage: 120, processes: [1, 2, 3] };
  uses[7] = { seconds: 2, usage: 50, processes: [7, 8] };
  containers.add("nginx", "proxy", state({ pid: 7 }));
  const { ms, ...both } = observer.read();
  assert.deepEqual(both, { processes: 5, oldProcesses: 3, memoryBytes: 170, cpuSeconds: 3 });
  uses[1] = null;
  running.delete(1);
  const { oldProcesses, memoryBytes, cpuSeconds, processes } = observer.read();
  // What the old one had used is used.
  assert.deepEqual([processes, oldProcesses, memoryBytes, cpuSeconds], [2, 2, 50, 3]);
});

test("when the last old process has gone is known", async (t) => {
  const { observer, running } = observed();
  observer.start();
  t.after(() => observer.stop());
  assert.equal(observer.replacesAny, false);
  observer.expectToGo([2, 3]);
  assert.equal(observer.replacesAny, true);
  running.delete(2);
  await sleep(150);
  assert.equal(observer.oldGoneMs, null);
  running.delete(3);
  await sleep(150);
  assert.ok(Number(observer.oldGoneMs) <= Date.now());
});

test("a fault in a timer is reported at the end", async () => {
  const { observer, uses } = observed();
  observer.start();
  Object.defineProperty(uses, 1, {
    get() {
      throw new Error("this kernel shows nothing");
    },
  });
  observer.expectToGo([2]);
  await sleep(1100);
  assert.throws(() => observer.stop(), /shows nothing/);
});

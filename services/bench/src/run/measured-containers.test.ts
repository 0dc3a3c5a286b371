import assert from "node:assert/strict";
import { test } from "node:test";
import { MeasuredContainers } from "./measured-containers.ts";
import { reading, SOCKETS, state } from "./testing/readings.ts";

function containersOfFour() {
  const located: number[] = [];
  const containers = new MeasuredContainers({
    locate: (pid) => {
      located.push(pid);
      return { read: () => reading(), sockets: () => ({ ...SOCKETS }), processes: () => [pid] };
    },
    readHost: () => ({
      machine: { cores: 2, busySeconds: 1, stealSeconds: 0, idleSeconds: 1 },
      benchSeconds: 0.1,
    }),
  });
  containers.add("nginx", "proxy", state({ image: "nginx:1", pid: 1 }));
  containers.add("echo", "echo", state({ image: "echo:1", pid: 2, sharesNetwork: true }));
  containers.add("influxdb", "observer", state({ image: "influxdb:1", pid: 3 }));
  containers.add("load-1", "load", state({ image: "load:1", pid: 4 }));
  containers.add("load-2", "load", state({ image: "load:1", pid: 0, running: false }));
  return { containers, located };
}

test("containers are known by name and role, those that do not run are left out", () => {
  const { containers, located } = containersOfFour();
  assert.deepEqual(located, [1, 2, 3, 4]);
  assert.deepEqual(
    containers
      .list()
      .map(({ name, role, image, sharesNetwork }) => [name, role, image, sharesNetwork]),
    [
      ["nginx", "proxy", "nginx:1", false],
      ["echo", "echo", "echo:1", true],
      ["influxdb", "observer", "influxdb:1", false],
      ["load-1", "load", "load:1", false],
    ],
  );
  assert.deepEqual(
    containers.ofRole("load").map(([name]) => name),
    ["load-1"],
  );
});

test("counters of the machine's own network are no container's", () => {
  const located: [number, boolean][] = [];
  const containers = new MeasuredContainers({
    locate: (pid, { hasNetwork }) => {
      located.push([pid, hasNetwork]);
      return { read: () => reading(), sockets: () => ({ ...SOCKETS }), processes: () => [pid] };
    },
  });
  containers.add("nginx", "proxy", state({ pid: 1, sharesNetwork: true, onHostNetwork: true }));
  containers.add("influxdb", "observer", state({ pid: 2 }));
  assert.deepEqual(located, [
    [1, false],
    [2, true],
  ]);
});

test("a moment has the use of all and the sockets of those that carry connections; a role can be left out", () => {
  const { containers } = containersOfFour();
  const all = containers.read();
  assert.deepEqual(Object.keys(all.containers), ["nginx", "echo", "influxdb", "load-1"]);
  assert.deepEqual(Object.keys(all.sockets), ["nginx", "echo"]);
  assert.equal(all.machine.cores, 2);
  const { containers: rest } = containers.read({ without: "load" });
  assert.deepEqual(Object.keys(rest), ["nginx", "echo", "influxdb"]);
  assert.throws(() => (all.containers.nginx.cpu.totalSeconds = 0), TypeError);
});

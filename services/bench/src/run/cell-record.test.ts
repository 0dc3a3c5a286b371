import assert from "node:assert/strict";
import { test } from "node:test";
import { heldThrough, measuredPart, throttledIn } from "./cell-record.ts";
import { reading, SOCKETS } from "./testing/readings.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Role } from "../model/container.ts";
import type { CellReadings } from "./cell-record.ts";

const NETWORK = { rxBytes: 10, txBytes: 20, rxPackets: 1, txPackets: 2 };

function moment({
  ms,
  seconds,
  busySeconds,
  tcpInUse = 4,
}: {
  ms: number;
  seconds: number;
  busySeconds: number;
  tcpInUse?: number;
}) {
  const sockets = { ...SOCKETS, tcpInUse };
  return {
    ms,
    containers: {
      nginx: reading({ atMs: ms, seconds, usage: 100 * seconds, network: NETWORK }),
      "nginx-tls": reading({ atMs: ms, seconds: 2 * seconds, network: NETWORK }),
      "load-1": reading({ atMs: ms, seconds }),
    },
    machine: { cores: 2, busySeconds, stealSeconds: busySeconds / 10, idleSeconds: 0 },
    benchSeconds: seconds / 100,
    sockets: { nginx: sockets, "nginx-tls": sockets },
  };
}

const READINGS: CellReadings = {
  before: moment({ ms: 0, seconds: 1, busySeconds: 10, tcpInUse: 1 }),
  phase: {
    first: moment({ ms: 1000, seconds: 2, busySeconds: 20, tcpInUse: 3 }),
    last: moment({ ms: 5000, seconds: 5, busySeconds: 40, tcpInUse: 9 }),
    samples: [2, 4].map((usage) => ({ service: "nginx", reading: reading({ usage }) })),
    echoWorkers: {
      first: [{ id: 1, connectionsOpen: 5, connectionsTotal: 6, messages: 7, upgradesRefused: 0 }],
      last: [{ id: 1, connectionsOpen: 8, connectionsTotal: 16, messages: 27, upgradesRefused: 1 }],
    },
    logs: [],
    openSockets: [],
  },
};

const CONTAINERS = [
  { name: "nginx", role: "proxy" as Role, image: "n", sharesNetwork: false },
  { name: "nginx-tls", role: "proxy" as Role, image: "t", sharesNetwork: true },
  { name: "load-1", role: "load" as Role, image: "l", sharesNetwork: false },
];

test("figures are the differences between the edges; what no container of ours used is foreign", () => {
  const { measured, machine, containers } = measuredPart(READINGS, CONTAINERS, {
    holdsConnections: false,
  });
  assert.deepEqual(measured, { fromMs: 1000, toMs: 5000 });
  assert.equal(containers.nginx.cpu.totalSeconds, 3);
  assert.equal(containers["nginx-tls"].cpu.totalSeconds, 6);
  assert.deepEqual([machine?.cores, machine?.busySeconds, machine?.stealSeconds], [2, 20, 2]);
  // 3 of nginx, 6 of its TLS part, 3 of the load, 0.03 of this program.
  assert.ok(Math.abs(Number(machine?.foreignSeconds) - 7.97) < 1e-9, `${machine?.foreignSeconds}`);
});

test("engines that share a machine count each other's work, and it is foreign to none of them", () => {
  const at = (busySeconds: number, benchSeconds: number) => ({
    machine: { cores: 2, busySeconds, stealSeconds: 0, idleSeconds: 0 },
    benchSeconds,
    boot: "one boot",
  });
  const { first, last } = READINGS.phase;
  const placed = CONTAINERS.map((container) => ({
    ...container,
    machine: container.role === "proxy" ? "middle" : "front",
  }));
  const { machine, machines } = measuredPart(
    {
      ...READINGS,
      phase: {
        ...READINGS.phase,
        first: { ...first, machines: { middle: at(20, 1), front: at(20, 2) } },
        last: { ...last, machines: { middle: at(40, 1.5), front: at(40, 2.5) } },
      },
    },
    placed,
    { holdsConnections: false },
  );
  // 3 of nginx, 6 of its TLS part, 3 of the load, 0.5 of this program on each.
  for (const each of Object.values(machines ?? {}))
    assert.ok(Math.abs(each.foreignSeconds - 7) < 1e-9, `${each.foreignSeconds}`);
  assert.equal(machines?.front.benchSeconds, 0.5);
  assert.deepEqual(machines?.front.sameMachineAs, ["middle"]);
  assert.deepEqual(machine, machines?.middle);
});

test("memory is that of the samples, around them what was before; sockets are read at each edge", () => {
  const { containers } = measuredPart(READINGS, CONTAINERS, { holdsConnections: false });
  const { memory, sockets, role, image } = containers.nginx;
  assert.deepEqual([role, image], ["proxy", "n"]);
  assert.deepEqual(
    [memory?.baseline.usageBytes, memory?.mean.usageBytes, memory?.after],
    [100, 3, null],
  );
  assert.deepEqual(
    [sockets?.baseline.tcpInUse, sockets?.from.tcpInUse, sockets?.to.tcpInUse, sockets?.after],
    [1, 3, 9, null],
  );
  assert.equal(containers["load-1"].sockets, null);
});

test("a container in another's network has no traffic and no TCP sockets of its own", () => {
  const { network, sockets } = measuredPart(READINGS, CONTAINERS, { holdsConnections: false })
    .containers["nginx-tls"];
  assert.equal(network, null);
  assert.deepEqual([sockets?.to.tcpInUse, sockets?.to.descriptors], [null, 9]);
});

test("sockets in between: of a part in another's network there, on the machine's own network nobody's", () => {
  const { last } = READINGS.phase;
  const phase = { ...READINGS.phase, openSockets: [{ ms: 5000, sockets: last.sockets }] };
  const course = (containers: typeof CONTAINERS) =>
    measuredPart({ ...READINGS, phase }, containers, { holdsConnections: false }).course?.[0];
  assert.equal(course(CONTAINERS)?.tcpInUse, 9);
  const onHost = CONTAINERS.map((container) => ({ ...container, sharesNetwork: true }));
  assert.equal(course(onHost)?.tcpInUse, null);
  assert.equal(course(onHost)?.descriptors, course(CONTAINERS)?.descriptors);
});

test("once all is over, without the load", () => {
  const after = moment({ ms: 9000, seconds: 6, busySeconds: 50, tcpInUse: 2 });
  const { "load-1": _, ...containers } = after.containers;
  const { nginx, ...rest } = measuredPart(
    { ...READINGS, after: { ...after, containers: containers as any } },
    CONTAINERS,
    { holdsConnections: false },
  ).containers;
  assert.deepEqual([nginx.sockets?.after?.tcpInUse, nginx.memory?.after?.usageBytes], [2, 600]);
  assert.equal(rest["load-1"].memory, null);
});

test("held connections are what the echo server has open; a worker that was replaced voids its counts", () => {
  const held = measuredPart(READINGS, CONTAINERS, { holdsConnections: true });
  assert.deepEqual(held.connectionsHeld, { from: 5, to: 8 });
  assert.deepEqual(held.echoWorkers, [{ connections: 10, messages: 20, refused: 1 }]);
  assert.equal(
    measuredPart(READINGS, CONTAINERS, { holdsConnections: false }).connectionsHeld,
    null,
  );
  const other = { ...READINGS, phase: { ...READINGS.phase, echoWorkers: null } };
  const { echoWorkers, connectionsHeld } = measuredPart(other, CONTAINERS, {
    holdsConnections: true,
  });
  assert.deepEqual([echoWorkers, connectionsHeld], [null, null]);
});

test("those of the reference proxy are taken away: of some that come and go, those that are held", () => {
  const connectionsHeld = { from: 1250, to: 1250 };
  const through = (reference: CellRecord["reference"], isControl = false) =>
    heldThrough({ connectionsHeld, reference }, { isControl })?.from;
  const reference = { connections: 250, messages: 0, requests: 0 };
  assert.equal(through(reference), 1000);
  assert.equal(through({ ...reference, connections: 262, held: 250 }), 1000);
  assert.equal(through(reference, true), 1250);
  assert.equal(through(null), 1250);
});

test("a container that a limit held back is named", () => {
  const { containers } = measuredPart(READINGS, CONTAINERS, { holdsConnections: false });
  assert.equal(throttledIn(containers), null);
  containers["load-1"].cpu.throttledSeconds = 0.25;
  assert.deepEqual(throttledIn(containers), { name: "load-1", seconds: 0.25 });
});

test("one that an event ended counts to its last sample, one that it started from nothing", () => {
  const { first, last, samples } = READINGS.phase;
  const { nginx, ...others } = last.containers;
  const { nginx: _, ...sockets } = last.sockets;
  const started = reading({ seconds: 4, usage: 50, network: NETWORK });
  const containers = { ...others, nginx: first.containers.nginx, "nginx-2": started };
  const { "nginx-2": second, nginx: ended } = measuredPart(
    {
      ...READINGS,
      phase: {
        ...READINGS.phase,
        last: { ...last, containers, sockets },
        samples: [...samples, { service: "nginx-2", reading: started }],
      },
    },
    [...CONTAINERS, { ...CONTAINERS[0], name: "nginx-2" }],
    { holdsConnections: false },
  ).containers;
  assert.deepEqual([ended.cpu.totalSeconds, ended.sockets], [0, null]);
  assert.equal(ended.memory?.mean.usageBytes, 3);
  assert.deepEqual([second.cpu.totalSeconds, second.network?.txBytes], [4, 20]);
  assert.equal(second.memory?.baseline.usageBytes, 50);
});

test("a long phase has the course of the proxy, all its containers together; TCP sockets of a shared network once", () => {
  const { first, last } = READINGS.phase;
  const at = (seconds: number, usage: number) =>
    ["nginx", "nginx-tls", "load-1"].map((service) => ({
      service,
      reading: reading({ atMs: 1000 + 1000 * seconds, usage }),
    }));
  const open = (ms: number, tcpInUse: number) => {
    const sockets = { ...SOCKETS, tcpInUse };
    return { ms, sockets: { nginx: sockets, "nginx-tls": sockets } };
  };
  const phase = {
    ...READINGS.phase,
    ...{ first, last },
    samples: [...at(0, 100), ...at(1, 200), ...at(2, 400), ...at(3, 600)],
    openSockets: [open(3000, 7), open(5000, 8)],
  };
  const { course } = measuredPart({ ...READINGS, phase }, CONTAINERS, { holdsConnections: true });
  assert.deepEqual(course, [
    { seconds: 2, usageBytes: 300, rssBytes: 296, tcpInUse: 7, descriptors: 18 },
    { seconds: 4, usageBytes: 1000, rssBytes: 996, tcpInUse: 8, descriptors: 18 },
  ]);
  assert.equal("course" in measuredPart(READINGS, CONTAINERS, { holdsConnections: true }), false);
});

test("of several machines each has its own; what ran on another is not taken for foreign", () => {
  const host = (busySeconds: number, benchSeconds: number) => ({
    machine: { cores: 4, busySeconds, stealSeconds: 0, idleSeconds: 0 },
    benchSeconds,
  });
  const { first, last } = READINGS.phase;
  const phase = {
    ...READINGS.phase,
    first: { ...first, ...host(10, 1), machines: { one: host(10, 1), two: host(50, 2) } },
    last: { ...last, ...host(20, 1.5), machines: { one: host(20, 1.5), two: host(54, 2.5) } },
  };
  const on = { nginx: "one", "nginx-tls": "one", "load-1": "two" };
  const containers = CONTAINERS.map((container) => ({
    ...container,
    machine: on[container.name as keyof typeof on],
  }));
  const { machine, machines, ...part } = measuredPart({ ...READINGS, phase }, containers, {
    holdsConnections: false,
  });
  assert.equal(part.containers["load-1"].machine, "two");
  // 10 s, of which nginx had 3, its TLS part 6, and the agent 0.5.
  assert.deepEqual(machine, {
    cores: 4,
    busySeconds: 10,
    stealSeconds: 0,
    foreignSeconds: 0.5,
    benchSeconds: 0.5,
  });
  assert.deepEqual(machines?.one, machine);
  assert.equal(machines?.two.foreignSeconds, 0.5);
  // On the machines' own network no container has one of its own.
  const onHost = containers.map((container) => ({ ...container, sharesNetwork: true }));
  const other = measuredPart({ ...READINGS, phase }, onHost, { holdsConnections: false });
  assert.deepEqual(other.machine, machine);
  assert.equal(
    "machines" in measuredPart(READINGS, CONTAINERS, { holdsConnections: false }),
    false,
  );
});

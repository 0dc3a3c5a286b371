import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ContainerGone } from "../platform/counters.ts";
import { MeasuredContainers } from "./measured-containers.ts";
import { MeasuredPhase } from "./measured-phase.ts";
import { reading, SOCKETS, state } from "./testing/readings.ts";
import type { TestContext } from "node:test";
import type { Reading } from "../platform/counters.ts";

/** A phase over one proxy and one load, and the order in which things were read. */
function phaseOver(
  t: TestContext,
  {
    read = () => reading(),
    echoAnswers = Promise.resolve(),
    sampleIntervalMs = 1000,
    socketIntervalMs = null,
    readSockets = () => SOCKETS,
  }: {
    /** of a container */
    read?: (pid: number) => Reading;
    /** when the echo server answers */
    echoAnswers?: Promise<void>;
    sampleIntervalMs?: number;
    socketIntervalMs?: number | null;
    /** of a container */
    readSockets?: () => typeof SOCKETS;
  } = {},
) {
  const order: string[] = [];
  const note = (what: string) => void order.push(what);
  const containers = new MeasuredContainers({
    locate: (pid) => ({
      read: () => (note("counters"), read(pid)),
      sockets: () => (note("sockets"), readSockets()),
      processes: () => [],
    }),
    readHost: () => ({
      machine: { cores: 2, busySeconds: 1, stealSeconds: 0, idleSeconds: 1 },
      benchSeconds: 0.1,
    }),
  });
  containers.add("nginx", "proxy", state({ pid: 1 }));
  containers.add("load-1", "load", state({ pid: 2 }));
  const phase = new MeasuredPhase(containers, {
    readEchoWorkers: async () => (
      await echoAnswers,
      note("echo workers"),
      [{ id: 1, connectionsOpen: 3, connectionsTotal: 5, messages: 7, upgradesRefused: 0 }]
    ),
    readLogs: async (fromMs) => [{ service: "nginx", text: `since ${fromMs}` }],
    live: {
      open: async () => note("live open"),
      close: async () => note("live close"),
      abandon: () => note("live abandon"),
    },
    sampleIntervalMs,
    socketIntervalMs,
  });
  t.after(() => phase.abandon());
  return { phase, order, containers };
}

test("what takes its time is read before the first edge and after the last: the counters lie between", async (t) => {
  const { phase, order } = phaseOver(t);
  await phase.open();
  const opening = order.splice(0);
  assert.ok(opening.lastIndexOf("counters") > opening.indexOf("sockets"));
  assert.ok(opening.indexOf("counters") > opening.indexOf("echo workers"));
  const { first, last, samples, logs, echoWorkers } = await phase.close();
  assert.ok(order.indexOf("counters") < order.indexOf("sockets"));
  assert.ok(order.lastIndexOf("counters") < order.indexOf("echo workers"));
  assert.deepEqual(Object.keys(first.containers), ["nginx", "load-1"]);
  assert.deepEqual(Object.keys(last.sockets), ["nginx"]);
  // Each container at both edges.
  assert.equal(samples.length, 4);
  assert.deepEqual(logs, [{ service: "nginx", text: `since ${first.ms}` }]);
  assert.equal(echoWorkers?.last[0].connectionsOpen, 3);
});

test("readings cannot be changed", async (t) => {
  const { phase } = phaseOver(t);
  await phase.open();
  const readings = await phase.close();
  assert.throws(() => {
    readings.first.containers.nginx.cpu.totalSeconds = 0;
  }, TypeError);
  assert.throws(() => {
    Object.assign(readings, { first: readings.last });
  }, TypeError);
});

test("it opens once and closes once, in that order", async (t) => {
  const { phase } = phaseOver(t);
  await assert.rejects(phase.close(), /is waiting, expected open/);
  await phase.open();
  await assert.rejects(phase.open(), /is open, expected waiting/);
  assert.equal(phase.isClosed, false);
  await phase.close();
  assert.equal(phase.isClosed, true);
  await assert.rejects(phase.close(), /is closed, expected open/);
});

test("abandoned while it is open: what was sampled is kept, and nothing is read any more", async (t) => {
  const { phase, order } = phaseOver(t);
  await phase.open();
  order.splice(0);
  phase.abandon();
  assert.deepEqual(order, ["live abandon"]);
  assert.equal(phase.hasOpened, true);
  assert.equal(phase.samples.length, 2);
  await assert.rejects(phase.close(), /is abandoned/);
});

test("abandoned while it opens: it starts no samples, which nobody would end", async (t) => {
  const answer: PromiseWithResolvers<void> = Promise.withResolvers();
  const { phase, order } = phaseOver(t, { echoAnswers: answer.promise });
  const opening = phase.open();
  phase.abandon();
  answer.resolve();
  await assert.rejects(opening, /is abandoned, expected waiting/);
  assert.ok(!order.includes("counters"));
  assert.equal(phase.hasOpened, false);
});

test("a container that appears while it is open is in its samples and at its last edge", async (t) => {
  const { phase, containers } = phaseOver(t);
  await phase.open();
  containers.add("late", "proxy", state({ pid: 3 }));
  const { first, last, samples } = await phase.close();
  assert.ok(!("late" in first.containers) && "late" in last.containers);
  assert.equal(samples.filter(({ service }) => service === "late").length, 1);
});

test("abandoned before it opens: there are no samples", (t) => {
  const { phase } = phaseOver(t);
  phase.abandon();
  assert.equal(phase.hasOpened, false);
  assert.deepEqual(phase.samples, []);
});

test("a container that vanishes is noticed by its counters", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isGone = false;
  const { phase } = phaseOver(t, {
    read: (pid) => {
      if (isGone && pid === 1) throw new ContainerGone(pid);
      return reading();
    },
  });
  await phase.open();
  t.mock.timers.tick(1500);
  assert.equal(phase.hasLost, false);
  isGone = true;
  t.mock.timers.tick(2000);
  assert.equal(phase.hasLost, true);
});

test("what an event ends is no loss: what was read of it last is there, and what it starts is counted too", async (t) => {
  let isGone = false;
  const { phase, containers } = phaseOver(t, {
    read: (pid) => {
      if (pid === 1 && isGone) throw new ContainerGone(pid);
      return reading({ seconds: pid });
    },
    sampleIntervalMs: 5,
  });
  await phase.open();
  containers.allowLoss(["nginx"]);
  isGone = true;
  assert.equal(containers.add("nginx", "proxy", state({ pid: 3 })), "nginx-2");
  await sleep(50);
  assert.equal(phase.hasLost, false);
  const { last } = await phase.close();
  assert.equal(last.containers.nginx.cpu.totalSeconds, 1);
  assert.equal(last.containers["nginx-2"].cpu.totalSeconds, 3);
});

test("sockets are read in between where it is asked for, until the phase ends", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { phase, order } = phaseOver(t, { socketIntervalMs: 15_000 });
  await phase.open();
  t.mock.timers.tick(45_000);
  const { openSockets } = await phase.close();
  assert.deepEqual(
    openSockets.map(({ sockets }) => sockets.nginx),
    [SOCKETS, SOCKETS, SOCKETS],
  );
  order.splice(0);
  t.mock.timers.tick(45_000);
  assert.deepEqual(order, []);
});

test("sockets that cannot be read in between are an error of the phase, at its end", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let isBroken = false;
  const { phase } = phaseOver(t, {
    socketIntervalMs: 15_000,
    readSockets: () => {
      if (isBroken) throw new Error("no such file");
      return SOCKETS;
    },
  });
  await phase.open();
  isBroken = true;
  t.mock.timers.tick(15_000);
  await assert.rejects(phase.close(), /no such file/);
});

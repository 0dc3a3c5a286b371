import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENTS } from "../plan/events.ts";
import { EventDriver } from "./event-driver.ts";
import { state } from "./testing/readings.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { ContainerState } from "../platform/engine.ts";
import type { Worker } from "../platform/processes.ts";

/** Of all that the driver asks a proxy for. */
const PROXY = {
  name: "nginx",
  schemes: ["ws", "wss"],
  reload: { signals: [{ signal: "HUP" }] },
  drain: { signals: [{ signal: "QUIT" }] },
  worker: "child",
  generation: { file: "g", text: "{generation}" },
  balances: true,
} as Proxy;

const NGINX = state({ id: "n1", service: "nginx", pid: 10 });
const ECHOES = [1, 2].map((n) =>
  state({ id: `e${n}`, name: `p-echo-${n}`, service: "echo", pid: 100 + n }),
);

/** What the engine takes to send a signal. */
const SENT_MS = 50;

/** A driver over an engine that notes what it is asked. */
function driverOf(
  event: string,
  {
    proxy = PROXY,
    containers = [NGINX],
    staying = [],
    workers = {},
    processes = [10, 11, 12],
    whileAsleep = () => {},
  }: {
    proxy?: Proxy;
    /** of the proxy */
    containers?: ContainerState[];
    /** ids that do not end by themselves */
    staying?: string[];
    /** the busiest child of each process */
    workers?: Record<number, Worker>;
    /** of the proxy */
    processes?: number[];
    whileAsleep?: (driver: EventDriver) => void;
  } = {},
) {
  let nowMs = 1000;
  const asked: string[] = [];
  const toGo: number[] = [];
  const gone = new Set<number>();
  const told: string[] = [];
  const note = (what: string) => void asked.push(what);
  const all = [...containers, ...ECHOES];
  const lives: Record<string, number> = {};
  const add = ({ service }: ContainerState) => {
    lives[service] = (lives[service] ?? 0) + 1;
    return lives[service] === 1 ? service : `${service}-${lives[service]}`;
  };
  const live = (one: ContainerState) => ({ state: one, name: add(one) });
  const driver = new EventDriver(event, {
    proxy,
    projectName: "p",
    project: {
      check: async (args) => {
        note(args.join(" "));
        const [, count] = args.join(" ").match(/--scale \w+=(\d)/) ?? [];
        const service = String(args.at(-1));
        all.push(state({ id: `${service}-${count}`, service, pid: 50, address: "172.18.0.9" }));
        return "";
      },
    },
    generation: { write: (of, number) => note(`generation ${number}`) },
    certificates: EVENTS[event].certificate
      ? { write: (number) => note(`certificate ${number}`) }
      : null,
    proxies: containers.map(live),
    servers: ECHOES.map(live),
    containers: {
      add: (service, role, one) => add(one),
      allowLoss: (names) => note(`may go: ${names}`),
    },
    observer: {
      processes: () => processes.filter((pid) => !gone.has(pid)),
      expectToGo: (pids) => void toGo.push(...pids),
    },
    watch: {
      require: (states) => note(`required: ${states.map(({ id }) => id)}`),
      release: (states) => note(`released: ${states.map(({ id }) => id)}`),
    },
    signal: new AbortController().signal,
    atEvent: async () => note("event"),
    tell: ({ what }) => void told.push(what),
    engine: {
      containersOf: async () => all,
      inspect: async (ids) => all.filter(({ id }) => ids.includes(id)),
      signal: async (ids, name) => note(`${name} ${ids}`),
      signalInside: async (id, pid, name) => {
        note(`${name} ${pid} in ${id}`);
        if (!staying.includes(id) || name === "KILL") gone.add(10 + pid);
        return nowMs + SENT_MS;
      },
      stop: async (ids) => note(`stop ${ids}`),
      start: async (ids) => note(`start ${ids}`),
      hasEnded: async (id) => !staying.includes(id) || asked.includes(`KILL ${id}`),
    },
    child: (_, [parent]) => workers[parent] ?? null,
    statusOf: async (url) => (note(url), "200"),
    clock: {
      now: () => nowMs,
      sleep: async (ms) => {
        nowMs += ms;
        note(`${ms} ms`);
        whileAsleep(driver);
      },
    },
  });
  return { driver, asked, toGo, told };
}

test("nothing: nothing is done, and it has a time", async () => {
  const { driver, asked } = driverOf("none");
  const { eventMs, steps, renewals } = await driver.run(1050);
  assert.equal(eventMs, 1050);
  assert.deepEqual([asked, steps, renewals], [["50 ms", "event"], [], []]);
});

test("reload: the new configuration lies there before, its own signal comes, and what is no first process is to go", async () => {
  const { driver, asked, toGo, told } = driverOf("reload");
  const { eventMs, steps, renewals } = await driver.run(1000);
  assert.deepEqual(asked, ["generation 2", "event", "HUP n1"]);
  assert.deepEqual(toGo, [11, 12]);
  assert.deepEqual(told, ["HUP to nginx"]);
  assert.deepEqual(steps, [{ ms: 1000, what: "HUP to nginx" }]);
  assert.deepEqual([eventMs, renewals], [1000, [{ ms: 1000, value: "2" }]]);
});

test("a reload in place replaces no process", async () => {
  const proxy = { ...PROXY, reload: { signals: [{ signal: "HUP" }], inPlace: true } } as Proxy;
  const { driver, asked, toGo } = driverOf("reload", { proxy });
  await driver.run(1000);
  assert.deepEqual([asked.at(-1), toGo], ["HUP n1", []]);
});

test("each part of a proxy gets its own signal", async () => {
  const proxy = {
    ...PROXY,
    reload: { signals: [{ signal: "USR2" }, { part: "tls", signal: "HUP" }] },
  } as Proxy;
  const tls = state({ id: "t1", service: "nginx-tls", pid: 20, sharesNetwork: true });
  const { driver, asked } = driverOf("reload", { proxy, containers: [tls, NGINX] });
  await driver.run(1000);
  assert.deepEqual(asked.slice(-2), ["USR2 n1", "HUP t1"]);
});

test("drain: another beside it that answers, then its own signal, and KILL where that was not enough", async () => {
  const { driver, asked, toGo } = driverOf("drain", { staying: ["n1"] });
  const { renewals } = await driver.run(1000);
  assert.deepEqual(asked, [
    "generation 2",
    "up --detach --no-deps --no-recreate --scale nginx=2 nginx",
    "required: nginx-2",
    "http://172.18.0.9:8080/healthz",
    "event",
    "released: n1",
    "may go: nginx",
    "QUIT n1",
    "KILL n1",
  ]);
  assert.deepEqual(toGo, [10, 11, 12]);
  assert.deepEqual(
    renewals.map(({ value }) => value),
    ["2"],
  );
});

/** By the process of the supervisor what it has started, and by that a worker. */
const SUPERVISED = {
  10: { pid: 11, inner: 1, parent: 10 },
  11: { pid: 12, inner: 2, parent: 11 },
  20: { pid: 21, inner: 11, parent: 20 },
};

for (const [event, sent] of [
  ["stop", "TERM 1 in n1"],
  ["kill", "KILL 1 in n1"],
  ["kill-worker", "KILL 2 in n1"],
] as const) {
  test(`${event}: the supervisor's child or its worker, and the event is when it was sent; the container has to live on`, async () => {
    const { driver, asked, toGo, told } = driverOf(event, { workers: SUPERVISED });
    const { eventMs, steps, renewals } = await driver.run(1000);
    const renewed = event !== "kill-worker";
    assert.deepEqual(asked, [...(renewed ? ["generation 2"] : []), "event", sent]);
    assert.deepEqual(toGo, renewed ? [11, 12] : []);
    assert.deepEqual([eventMs, steps[0].ms], [1000 + SENT_MS, 1000 + SENT_MS]);
    assert.deepEqual(renewals, renewed ? [{ ms: 1000 + SENT_MS, value: "2" }] : []);
    assert.match(told[0], renewed ? /^(TERM|KILL) to nginx$/ : /^KILL to worker 2 of nginx$/);
  });
}

test("one that does not end when asked is killed after 2 s; the event was before", async () => {
  const { driver, asked } = driverOf("stop", { workers: SUPERVISED, staying: ["n1"] });
  const { eventMs, steps } = await driver.run(1000);
  assert.deepEqual([asked[2], asked.at(-1)], ["TERM 1 in n1", "KILL 1 in n1"]);
  assert.ok(steps[1].ms >= 3000);
  assert.equal(eventMs, 1000 + SENT_MS);
});

test("all containers of a proxy are killed", async () => {
  const tls = state({ id: "t1", service: "nginx-tls", pid: 20, sharesNetwork: true });
  const { driver, asked } = driverOf("kill", { workers: SUPERVISED, containers: [NGINX, tls] });
  await driver.run(1000);
  assert.deepEqual(asked.slice(2), ["KILL 1 in n1", "KILL 11 in t1"]);
});

test("no worker: said so", async () => {
  const { driver } = driverOf("kill-worker", { workers: { 10: SUPERVISED[10] } });
  await assert.rejects(driver.run(1000), { message: "nginx has no worker process" });
});

for (const [event, how] of [
  ["backend-stop", "stop e2"],
  ["backend-kill", "KILL e2"],
]) {
  test(`${event}: one of the servers goes, and comes back`, async () => {
    const { driver, asked, toGo } = driverOf(event);
    await driver.run(1000);
    assert.deepEqual(asked, [
      "event",
      "released: e2",
      "may go: echo-2",
      how,
      "5000 ms",
      "start e2",
      "required: e2",
    ]);
    assert.deepEqual(toGo, []);
    assert.equal(driver.servers.length, 2);
  });
}

test("backend-scale: a third server is there, and counted", async () => {
  const { driver, asked } = driverOf("backend-scale");
  await driver.run(1000);
  assert.deepEqual(asked, [
    "event",
    "up --detach --no-deps --no-recreate --scale echo=3 echo",
    "required: echo-3",
  ]);
  assert.deepEqual(
    driver.servers.map(({ id }) => id),
    ["e1", "e2", "echo-3"],
  );
});

test("ten reloads: ten configurations", async () => {
  const { driver } = driverOf("reload-10");
  const { renewals, steps } = await driver.run(1000);
  assert.deepEqual(
    steps.map(({ ms }) => ms),
    Array.from({ length: 10 }, (_, i) => 1000 * (i + 1)),
  );
  assert.deepEqual(
    renewals.map(({ value }) => value),
    ["2", "3", "4", "5", "6", "7", "8", "9", "10", "11"],
  );
  assert.equal(renewals.at(-1)?.ms, 10_000);
});

test("a new certificate is there before the configuration that makes the proxy read it", async () => {
  const { driver, asked } = driverOf("reload-certificate");
  await driver.run(1000);
  assert.deepEqual(asked.slice(0, 4), ["event", "certificate 2", "generation 2", "HUP n1"]);
  assert.ok(asked.includes("certificate 11"));
});

test("broken off, no further step begins", async () => {
  const { driver, asked } = driverOf("backend-stop", { whileAsleep: (one) => one.abandon() });
  await assert.rejects(driver.run(1000), /broken off/);
  assert.ok(!asked.includes("start e2"));
});

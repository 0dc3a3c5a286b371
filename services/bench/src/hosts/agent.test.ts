import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { counters } from "./answer-counters.ts";
import { ContainerGone } from "../platform/counters.ts";
import { Engine } from "../platform/engine.ts";
import { converse } from "../platform/subprocess.ts";
import { CountersAgent } from "./agent.ts";
import { CountersService } from "./agent-service.ts";
import { MeasuredContainers } from "../run/measured-containers.ts";
import { MeasuredPhase } from "../run/measured-phase.ts";
import { SpreadContainers } from "./containers.ts";
import { reading, SOCKETS, state } from "../run/testing/readings.ts";
import type { Conversation } from "./agent.ts";

const HOST = {
  machine: { cores: 4, busySeconds: 8, stealSeconds: 0, idleSeconds: 1 },
  benchSeconds: 0.5,
};
/** The other machine's clock is ahead by so much. */
const AHEAD_MS = 60_000;

/** @param look may throw */
function serviceOf(look: (pid: number) => void = () => {}) {
  return new CountersService({
    locate: (pid) => ({
      read: () => (look(pid), reading({ atMs: Date.now() + AHEAD_MS, seconds: pid })),
      sockets: () => (look(pid), SOCKETS),
    }),
    readHost: () => HOST,
  });
}

/** @returns through streams, as through docker's connection */
function conversationWith(
  service: Pick<CountersService, "answer">,
): Conversation & { end: () => Promise<void> } {
  const input = new PassThrough();
  const waiting: ((line: string) => void)[] = [];
  const print = (line: string) => waiting.shift()?.(line);
  let hasEnded = false;
  const ended = counters(input, print, { close: () => {}, answer: (line) => service.answer(line) });
  ended.then(() => (hasEnded = true));
  return {
    ask: (line) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        input.write(`${line}\n`);
      }),
    async end() {
      input.end();
      await ended;
    },
    kill: () => void input.destroy(),
    hasEnded: () => hasEnded,
  };
}

/** @param code of `docker version` */
function siteOf(code = 0) {
  const engine = new Engine(["docker"], async () => ({
    ...{ code, stdout: "", stderr: "", output: code ? "cannot connect" : "28" },
  }));
  return { name: "two", engine, isHere: false, cores: 4 };
}

const agentWith = (start: ConstructorParameters<typeof CountersAgent>[1]["start"], code?: number) =>
  new CountersAgent(siteOf(code), { project: "p", network: "n", start, limitMs: 500 });

/**
 * @param agent of the machine that all but what observes are on
 * @returns none yet
 */
function containersBeside(agent: CountersAgent): SpreadContainers {
  const there = siteOf();
  return new SpreadContainers({
    siteOf: (role) => (role === "observer" ? { ...there, name: "own", isHere: true } : there),
    agentOf: () => agent,
    here: new MeasuredContainers({ readHost: () => HOST }),
  });
}

test("a phase over two machines holds the counters of both, at the time of this one's clock", async (t) => {
  const service = serviceOf();
  // Its clock is the real one: what is asked of it here is another.
  const agent = agentWith(() => ({
    ...conversationWith({
      answer: async (line) =>
        JSON.parse(line).do === "clock"
          ? JSON.stringify({ value: Date.now() + AHEAD_MS })
          : service.answer(line),
    }),
  }));
  await agent.ready();
  assert.ok(Math.abs(agent.clock.offsetMs - AHEAD_MS) <= 2 + agent.clock.uncertaintyMs);

  const here = { ...siteOf(), name: "own", isHere: true };
  const there = siteOf();
  const containers = new SpreadContainers({
    siteOf: (role) => (role === "observer" ? here : there),
    agentOf: () => agent,
    here: new MeasuredContainers({
      locate: () => ({
        read: () => reading({ atMs: Date.now(), seconds: 100 }),
        sockets: () => SOCKETS,
        processes: () => [],
      }),
      readHost: () => ({ ...HOST, benchSeconds: 2 }),
    }),
  });
  containers.add("cadvisor", "observer", state({ pid: 9 }));
  containers.add("nginx", "proxy", state({ pid: 1 }));
  containers.add("load-1", "load", state({ id: "2b", pid: 2 }));
  containers.add("gone", "load", state({ pid: 3, running: false }));
  const phase = new MeasuredPhase(containers, {
    readEchoWorkers: async () => [],
    readLogs: async () => [],
    live: { open: async () => {}, close: async () => {}, abandon: () => {} },
    sampleIntervalMs: 1000,
  });
  t.after(() => phase.abandon());
  await phase.open();
  assert.equal(phase.hasLost, false);
  const { first, last, samples } = await phase.close();
  assert.deepEqual(
    Object.entries(first.containers).map(([name, { cpu }]) => [name, cpu.totalSeconds]),
    [
      ["cadvisor", 100],
      ["nginx", 1],
      ["load-1", 2],
    ],
  );
  // Observers and load carry no connections of their own here.
  assert.deepEqual(Object.keys(first.sockets), ["nginx"]);
  assert.equal(last.benchSeconds, HOST.benchSeconds, "of the proxy's machine");
  assert.deepEqual(
    Object.entries(last.machines ?? {}).map(([name, { benchSeconds }]) => [name, benchSeconds]),
    [
      ["own", 2],
      ["two", 0.5],
    ],
  );
  assert.equal(samples.length, 6);
  for (const { reading: each } of samples)
    assert.ok(Math.abs(each.atMs - Date.now()) < 5000, "at another clock's time");
  assert.deepEqual(
    containers.list().map(({ name, machine }) => [name, machine]),
    [
      ["cadvisor", "own"],
      ["nginx", "two"],
      ["load-1", "two"],
    ],
  );
  assert.deepEqual(
    (await containers.readRole("proxy")).map(({ cpu }) => cpu.totalSeconds),
    [1],
  );
  await agent.close();
});

test("an agent opens its door once, and another one its own", async () => {
  const ports = { edges: 7000, own: [8080] };
  let starts = 0;
  const asked: string[] = [];
  const start = () => {
    const door = { machine: "172.18.0.1", bench: "172.18.0.3", inside: `198.18.0.${++starts}` };
    return conversationWith({
      answer: async (line) => {
        const { do: what } = JSON.parse(line);
        if (what !== "clock") asked.push(line);
        return JSON.stringify({ value: what === "open" ? door : Date.now() });
      },
    });
  };
  const agent = new CountersAgent(siteOf(), { project: "p", network: "n", ports, start });
  await agent.ready();
  await agent.ready();
  assert.deepEqual(asked, [JSON.stringify({ do: "open", ports })]);
  assert.equal(agent.door.inside, "198.18.0.1");
  await agent.close();
  await agent.ready();
  assert.equal(agent.door.inside, "198.18.0.2");
  await agent.close();
});

test("of a container on the machine's own network, no network is read there", async () => {
  const found: boolean[] = [];
  const service = new CountersService({
    locate: (_, { hasNetwork }) => (
      found.push(hasNetwork),
      { read: () => reading({}), sockets: () => SOCKETS }
    ),
    readHost: () => HOST,
  });
  const agent = agentWith(() => conversationWith(service));
  await agent.ready();
  const containers = containersBeside(agent);
  containers.add("nginx", "proxy", state({ pid: 1, onHostNetwork: true, sharesNetwork: true }));
  containers.add("echo", "echo", state({ id: "2b", pid: 2 }));
  await containers.read();
  assert.deepEqual(found, [false, true]);
  await agent.close();
});

test("a container that is gone there is gone here", async () => {
  const agent = agentWith(() =>
    conversationWith(
      serviceOf((pid) => {
        if (pid === 7) throw new ContainerGone(7);
      }),
    ),
  );
  await agent.ready();
  const asked = (pid: number) =>
    agent.ask({ do: "usage", containers: { nginx: { id: "1a", pid } } });
  assert.equal((await asked(1)).containers.nginx.cpu.totalSeconds, 1);
  await assert.rejects(asked(7), ContainerGone);
  // And it goes on.
  assert.equal((await asked(1)).benchSeconds, HOST.benchSeconds);
  await agent.close();
});

test("an agent that has died is named with its machine, and is another the next time", async () => {
  let starts = 0;
  const started: ReturnType<typeof converse>[] = [];
  const answer = `while read -r line; do echo '{"value":1}'; done`;
  const agent = agentWith(() => {
    starts += 1;
    const conversation = converse(["sh", "-c", answer]);
    started.push(conversation);
    return conversation;
  });
  await agent.ready();
  started[0].kill();
  await assert.rejects(agent.ask({ do: "stop" }), { kind: "observer", message: /machine two/ });
  assert.equal(agent.isLost, true);
  await agent.ready();
  assert.equal(starts, 2);
  assert.equal(agent.isLost, false);
  await agent.close();
});

test("where the engine is gone too, that is the cause", async () => {
  const agent = agentWith(() => converse(["sh", "-c", "exit 1"]), 1);
  await assert.rejects(agent.ready(), {
    kind: "engine",
    message: "the Docker engine of the machine two does not answer: cannot connect",
  });
});

test("an answer that does not come ends the wait, and the agent", async () => {
  const conversation = converse(["sh", "-c", `read -r line; echo '{"value":1}'; exec sleep 600`]);
  const agent = agentWith(() => conversation);
  // Its clock is asked more than once.
  await assert.rejects(agent.ready(), { kind: "observer", message: /no answer within 0\.5 s/ });
  await conversation.end();
  assert.equal(agent.isLost, true);
});

test("samples are sent once", async (t) => {
  const service = serviceOf();
  t.after(() => service.close());
  const agent = agentWith(() => conversationWith(service));
  await agent.ready();
  await agent.ask({ do: "start", containers: { nginx: { id: "1a", pid: 1 } }, intervalMs: 60_000 });
  const counts = [];
  for (const what of ["samples", "samples", "stop", "samples"] as const)
    counts.push((await agent.ask({ do: what })).samples.length);
  assert.deepEqual(counts, [1, 0, 1, 0]);
  await agent.close();
});

test("an agent that stops answering is noticed while the phase goes on, and what it told until then is kept", async (t) => {
  const service = serviceOf();
  t.after(() => service.close());
  let isSilent = false;
  const agent = agentWith(() =>
    conversationWith({
      answer: (line) => (isSilent ? new Promise(() => {}) : service.answer(line)),
    }),
  );
  await agent.ready();
  const containers = containersBeside(agent);
  containers.add("nginx", "proxy", state({ pid: 1 }));
  const phase = new MeasuredPhase(containers, {
    readEchoWorkers: async () => [],
    readLogs: async () => [],
    live: { open: async () => {}, close: async () => {}, abandon: () => {} },
    sampleIntervalMs: 100,
  });
  t.after(() => phase.abandon());
  await phase.open();
  await sleep(1500);
  const { length } = phase.samples;
  assert.ok(length > 5, `${length} samples`);
  isSilent = true;
  await assert.rejects(phase.broken, {
    kind: "observer",
    message: "the machine two does not report its counters: no answer within 0.5 s",
  });
  phase.abandon();
  assert.ok(phase.samples.length >= length);
});

test("a mistake of the service is reported in its words", async () => {
  const agent = agentWith(() =>
    conversationWith(
      serviceOf(() => {
        throw new Error("no cgroup");
      }),
    ),
  );
  await agent.ready();
  const asked = agent.ask({ do: "sockets", containers: { nginx: { id: "1a", pid: 1 } } });
  await assert.rejects(asked, { message: "the machine two: no cgroup" });
  await agent.close();
});

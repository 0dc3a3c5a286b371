/**
 * Holds the counters against what real containers did.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { json } from "node:stream/consumers";
import assert from "node:assert/strict";
import { check, run } from "../../src/platform/subprocess.ts";
import { ContainerGone, difference, locate } from "../../src/platform/counters.ts";
import { until } from "../../src/platform/wait.ts";
import { atEnd, uniqueName } from "../lab.ts";
import type { TestContext } from "node:test";

/**
 * Where the host's /proc and /sys/fs/cgroup are: ./bench mounts them; outside of a container they
 * are at their place.
 */
const root = existsSync("/host/proc/stat") ? "/host" : "";

const PORT = 9000;
const BURN_SECONDS = 1.5;
const KEEP_BYTES = 64 * 2 ** 20;
const SEND_BYTES = 1_000_000;

/**
 * In the container: reads what a client sends. Then it computes and calls the kernel for the given
 * CPU time, keeps some memory, and answers with what getrusage(2) says that it used from the first
 * byte on.
 */
const PROGRAM = `
  const kept = [];
  require("node:net").createServer({ allowHalfOpen: true }, (socket) => {
    socket.once("data", () => (socket.before = process.cpuUsage()));
    socket.on("data", () => {});
    socket.on("end", () => {
      kept.push(Buffer.alloc(${KEEP_BYTES}, 1));
      const spent = () => {
        const { user, system } = process.cpuUsage(socket.before);
        return { userSeconds: user / 1e6, systemSeconds: system / 1e6, totalSeconds: (user + system) / 1e6 };
      };
      const zero = require("node:fs").openSync("/dev/zero");
      const buffer = Buffer.alloc(1 << 20);
      while (spent().totalSeconds < ${BURN_SECONDS}) {
        for (let i = 0, x = 0; i < 1e6; i++) x += Math.sqrt(i);
        for (let i = 0; i < 20; i++) require("node:fs").readSync(zero, buffer);
      }
      socket.end(JSON.stringify(spent()));
    });
  }).listen(${PORT});
  setInterval(() => {}, 1e6);
`;

/**
 * Starts a container, gone when the test is.
 *
 * @param program JavaScript
 * @param options of docker run
 * @returns its name
 */
async function start(t: TestContext, program: string, options: string[] = []): Promise<string> {
  const name = uniqueName();
  atEnd(t, () => run(["docker", "rm", "--force", name]));
  const command = ["--entrypoint", "node", "ws-proxy-bench/bench", "--eval", program];
  await check(["docker", "run", "--detach", "--name", name, ...options, ...command]);
  return name;
}

/** @param what a Go template */
async function inspect(name: string, what: string) {
  return (await check(["docker", "inspect", "--format", what, name])).trim();
}

async function countersOf(name: string) {
  return locate({ pid: Number(await inspect(name, "{{.State.Pid}}")), root });
}

async function connected(host: string): Promise<ReturnType<typeof connect>> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const socket = connect({ host, port: PORT, allowHalfOpen: true });
    try {
      await once(socket, "connect");
      return socket;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test("CPU, memory and network of a busy container are what it says itself", async (t) => {
  const name = await start(t, PROGRAM);
  const counters = await countersOf(name);
  const socket = await connected(await inspect(name, "{{.NetworkSettings.IPAddress}}"));
  const from = counters.read();
  socket.end(Buffer.alloc(SEND_BYTES));
  const own = (await json(socket)) as {
    userSeconds: number;
    systemSeconds: number;
    totalSeconds: number;
  };
  // The container's last turn is charged when it goes to sleep.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const to = counters.read();
  const { cpu, network } = difference(from, to);
  t.diagnostic(`cgroup ${JSON.stringify(cpu)}`);
  t.diagnostic(`getrusage ${JSON.stringify(own)}`);

  // The cgroup has the accept and the answer besides.
  const more = cpu.totalSeconds - own.totalSeconds;
  assert.ok(more > -0.004 && more < 0.02 * BURN_SECONDS, `${more * 1000} ms more than getrusage`);
  // The split rests on ticks in both, each with its own rounding.
  assert.ok(Math.abs(cpu.systemSeconds - own.systemSeconds) < 0.1 * BURN_SECONDS);
  assert.ok(own.systemSeconds > 0.1, "the program should have called the kernel");
  assert.equal(cpu.throttledSeconds, 0);

  const grown = to.memory.rssBytes - from.memory.rssBytes;
  assert.ok(grown > 0.95 * KEEP_BYTES && grown < 1.2 * KEEP_BYTES, `${grown} bytes more`);
  assert.ok(to.memory.usageBytes - from.memory.usageBytes > 0.95 * KEEP_BYTES);
  assert.ok((to.memory.highWaterBytes ?? Infinity) >= to.memory.usageBytes - 2 ** 20);

  assert.ok(network, "the network can be read");
  assert.ok(
    network.rxBytes > SEND_BYTES && network.rxBytes < 1.1 * SEND_BYTES,
    `${network.rxBytes}`,
  );
  assert.ok(network.rxPackets > 10 && network.txPackets > 0 && network.txBytes > 0);
});

test("limits show: throttled time, and a process killed for want of memory", async (t) => {
  const greedy = `
    require("node:child_process").spawnSync("node", ["--eval", "for (const a = [];;) a.push(Buffer.alloc(1e7, 1))"]);
    for (;;);
  `;
  const name = await start(t, greedy, ["--cpus", "0.2", "--memory", "150m"]);
  const counters = await countersOf(name);
  const { cpu, oomKills } = await until(
    Date.now() + 60_000,
    async () => counters.read(),
    (reading) => reading.oomKills === 1 && Number(reading.cpu.throttledSeconds) > 0.5,
  );
  assert.equal(oomKills, 1);
  assert.ok(Number(cpu.throttledSeconds) > 0.5, `${cpu.throttledSeconds} s throttled`);
  assert.ok(Number(cpu.throttledPeriods) > 0);
});

for (const command of ["kill", "restart"]) {
  test(`docker ${command}: the container is gone, and not another one read instead`, async (t) => {
    const name = await start(t, "setInterval(() => {}, 1e6)");
    const counters = await countersOf(name);
    const pid = Number(await inspect(name, "{{.State.Pid}}"));
    await check(["docker", command, ...(command === "restart" ? ["--time", "0"] : []), name]);
    assert.throws(() => counters.read(), { constructor: ContainerGone, pid });
    assert.throws(() => locate({ pid, root }), ContainerGone);
  });
}

/**
 * A tiny battle of connections that are held, and of some that are dropped: what is recorded of
 * them.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { analyse } from "../../src/analyse/index.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { check } from "../../src/platform/subprocess.ts";
import { locate } from "../../src/platform/counters.ts";
import { until } from "../../src/platform/wait.ts";
import { flagText } from "../../src/report/text.ts";
import { testbed } from "../testbed.ts";
import { lab } from "../lab.ts";
import type { CellRecord } from "../../src/model/cell.ts";

/** Where the host's /proc and /sys/fs/cgroup are. */
const root = existsSync("/host/proc/stat") ? "/host" : "";

/** What else runs on the machine may void a cell; what was counted may not. */
const OF_MACHINE = ["too-short", "steal", "foreign-load", "generator-busy"];

const BATTLE = `title: one of each
proxies: [nginx]
rounds: 1
seed: 1
workers: 2
tests:
  - scenario: idle
    schemes: [ws]
    parameters: { CONNECTIONS: 300, CONNECTIONS_PER_SECOND: 300, HOLD_SECONDS: 2, INTERVAL_SECONDS: 0.5, MESSAGE_BYTES: 10 }
  - scenario: hot
    schemes: [wss]
    parameters: { CONNECTIONS: 100, CONNECTIONS_PER_SECOND: 100, MESSAGES: 50, MESSAGE_BYTES: 1 }
  - scenario: mixed
    schemes: [ws]
    parameters: { CONNECTIONS: 100, CONNECTIONS_PER_SECOND: 100, MESSAGES_PER_SECOND: 50, ARRIVALS_PER_SECOND: 20, MIXED_SECONDS: 3, MESSAGE_BYTES: 10 }
  - scenario: churn
    schemes: [ws]
    parameters: { CONNECTIONS_PER_SECOND: 50, CHURN_SECONDS: 3, CONCURRENCY: 20, SETTLE_SECONDS: 1 }
`;

test("held, hot and dropped connections: proven by the echo server, with sockets and memory around them", async (t) => {
  const { bench, results, assertNothingLeft } = testbed(t, BATTLE);
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  const found = results();
  const { cells } = analyse(found, { policy: null });
  const invalid = cells.flatMap(({ record, flags }) =>
    flags
      .filter(({ code, severity }) => severity === "invalid" && !OF_MACHINE.includes(code))
      .map((flag) => `${record.id}: ${flag.code} ${flagText(flag, (name) => name)}`),
  );
  assert.deepEqual(invalid, []);
  for (const proxy of ["nginx", "none"]) {
    const cell = (scenario: string) =>
      found.cells.find((one) => one.scenario === scenario && one.proxy === proxy) as CellRecord;
    const idle = cell("idle");
    assert.deepEqual(idle.connectionsHeld, { from: 300, to: 300 });
    assert.equal(idle.sends?.due, 4 * 300);
    assert.equal(idle.messagesEchoed, (idle.sends?.due ?? 0) - (idle.sends?.dropped ?? 0));
    const sides = proxy === "none" ? 1 : 2;
    const { sockets, memory } = idle.containers[proxy];
    assert.ok(sockets && memory);
    const opened = (key: "tcpInUse" | "descriptors") =>
      Number(sockets.from[key]) - Number(sockets.baseline[key]);
    assert.ok(Math.abs(opened("tcpInUse") - sides * 300) <= 5, `${opened("tcpInUse")} sockets`);
    // Since Linux 6.2.
    if (sockets.from.descriptors !== null)
      assert.ok(Math.abs(opened("descriptors") - sides * 300) <= 5, `${opened("descriptors")}`);
    assert.ok(memory.mean.usageBytes > memory.baseline.usageBytes + 300 * 2000);
    assert.equal(memory.after, null);

    const hot = cell("hot");
    assert.deepEqual(hot.connectionsHeld, { from: 100, to: 100 });
    assert.equal(hot.messagesEchoed, 100 * 50);
    assert.equal(hot.sends, null);

    // With those of the reference proxy, of which some come and go as well.
    const mixed = cell("mixed");
    assert.deepEqual(mixed.connectionsHeld, { from: 100, to: 100 });
    assert.equal(mixed.reference?.held, 25);
    assert.ok(Number(mixed.reference?.connections) > 25, `${mixed.reference?.connections}`);

    const churn = cell("churn");
    assert.equal(churn.connectionsHeld, null);
    assert.ok(Number(churn.connections?.opened) >= 140, `${churn.connections?.opened} opened`);
    const begun = Number(churn.connections?.opened) + Number(churn.connections?.failed);
    assert.equal(begun + Number(churn.sends?.dropped), churn.sends?.due);
    const left = churn.containers[proxy].sockets;
    assert.ok(left?.after && churn.containers[proxy].memory?.after);
    assert.ok(Number(left.after.tcpInUse) <= Number(left.baseline.tcpInUse) + 5);
    // Who closes first keeps the port in TIME_WAIT. With a close frame the server would: here it is
    // the client.
    const waiting = Number(left.to.tcpTimeWait) - Number(left.baseline.tcpTimeWait);
    if (proxy === "none") assert.ok(waiting < 20, `${waiting} in TIME_WAIT`);
  }
  await assertNothingLeft();
});

test("user memory of held connections is what the processes' own maps say", async (t) => {
  const project = lab(t, {
    profile: "nginx",
    env: {
      SCENARIO: "idle",
      CONNECTIONS: "1000",
      CONNECTIONS_PER_SECOND: "500",
      HOLD_SECONDS: "8",
      INTERVAL_SECONDS: "1",
    },
  });
  await project.check(["up", "--detach"]);
  const nginx = (await OWN_ENGINE.containersOf(project.name)).find(
    ({ service }) => service === "nginx",
  );
  assert.ok(nginx);
  const counters = locate({ pid: nginx.pid, root });
  const before = counters.read().memory.rssBytes;
  await until(
    Date.now() + 30_000,
    async () => counters.sockets().tcpInUse ?? 0,
    (inUse) => inUse >= 2000,
  );
  await sleep(2000);
  const own = await check([
    "docker",
    "exec",
    nginx.id,
    "sh",
    "-c",
    "cat /proc/[0-9]*/smaps_rollup 2>/dev/null; true",
  ]);
  const { rssBytes } = counters.read().memory;
  // Pss: what a worker still shares with the master that it was forked from counts once.
  const mapped = [...own.matchAll(/^Pss_Anon: +(\d+) kB$/gm)].reduce(
    (sum, [, kilobytes]) => sum + 1024 * Number(kilobytes),
    0,
  );
  t.diagnostic(`cgroup ${rssBytes} bytes, smaps_rollup ${mapped}; ${before} before`);
  assert.ok(rssBytes - before > 1000 * 10_000, "1,000 connections should show");
  // The shell that reads has some of its own.
  assert.ok(Math.abs(mapped / rssBytes - 1) < 0.05, `${mapped} against ${rssBytes}`);
});

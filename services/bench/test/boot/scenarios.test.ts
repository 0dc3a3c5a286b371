/**
 * Each scenario of k6, small: what was counted, under `docker compose up` too; and that nothing
 * stays behind.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { check } from "../../src/platform/subprocess.ts";
import { until } from "../../src/platform/wait.ts";
import {
  influx,
  joinProject,
  lab,
  LabProject,
  loadSummary,
  projectDirectory,
  runLoad,
  waitForLoad,
} from "../lab.ts";
import { startProxy } from "../requests.ts";
import type { TestContext } from "node:test";

/** @returns a function that runs a load through it to its end, with these knobs of .env */
async function loadsThrough(t: TestContext, profile: string) {
  const { name, env } = (await startProxy(t, profile, ["ws", "wss"], {})).project;
  return async (knobs: Record<string, string>) => {
    const project = new LabProject(projectDirectory, { name, profile, env: { ...env, ...knobs } });
    const { code, output, summary } = await runLoad(project, {});
    assert.equal(code, 0, output);
    return summary;
  };
}

/** @returns WebSockets that are open at a server */
async function openAt(server: string): Promise<number> {
  const response = await fetch(`http://${server}:8080/stats`).catch(() => null);
  return response ? ((await response.json()) as any).connectionsOpen : 0;
}

test("through nginx", async (t) => {
  const load = await loadsThrough(t, "nginx");

  await t.test("mixed: some are held, with messages, while others come and go", async () => {
    const { connections, messagesEchoed, sends } = await load({
      SCENARIO: "mixed",
      // Two virtual users.
      CONNECTIONS: "300",
      CONNECTIONS_PER_SECOND: "300",
      MESSAGES_PER_SECOND: "50",
      ARRIVALS_PER_SECOND: "20",
      MIXED_SECONDS: "3",
      POISSON: "0",
    });
    assert.equal(connections.failed, 0);
    assert.equal(sends.due, 150 + 60);
    assert.equal(messagesEchoed, sends.due - sends.dropped);
    // What is dropped is a message, or a connection that was to come.
    const missing = 300 + 60 - connections.opened;
    assert.ok(missing >= 0 && missing <= sends.dropped, `${missing} missing`);
    assert.ok(sends.dropped < 0.05 * sends.due, `${sends.dropped} dropped`);
  });

  await t.test(
    "held connections: all open at once, messages when they are due, each echo as it was sent",
    async () => {
      const { connections, messagesEchoed, sends, totalMs, echoLatencyMs, tags } = await load({
        SCENARIO: "idle",
        SCHEME: "wss",
        // Two virtual users.
        CONNECTIONS: "300",
        CONNECTIONS_PER_SECOND: "300",
        HOLD_SECONDS: "4",
        INTERVAL_SECONDS: "0.5",
        MESSAGE_BYTES: "10",
        LATENCY_SAMPLES: "2",
      });
      assert.deepEqual(connections, { opened: 300, failed: 0, failedByCause: {} });
      assert.equal(sends.due, 8 * 300);
      assert.equal(messagesEchoed, sends.due - sends.dropped);
      assert.ok(sends.dropped < 0.05 * sends.due, `${sends.dropped} dropped`);
      assert.ok(sends.late < 0.5 * sends.due, `${sends.late} late`);
      assert.ok(totalMs >= 4000 && totalMs < 10_000, `${totalMs} ms`);
      // A quarter of the messages, give or take those that were dropped.
      assert.ok(echoLatencyMs.count <= 600 && echoLatencyMs.count > 500, `${echoLatencyMs.count}`);
      assert.equal(tags.scenario, "idle");
    },
  );

  await t.test("silent connections are held too, and counted by the echo server", async () => {
    const summary = load({
      SCENARIO: "idle",
      CONNECTIONS: "50",
      HOLD_SECONDS: "4",
      INTERVAL_SECONDS: "0",
    });
    const open = await until(
      Date.now() + 60_000,
      () => openAt("echo"),
      (count) => count === 50,
    );
    assert.equal(open, 50);
    const { sends, messagesEchoed } = await summary;
    assert.deepEqual(sends, { due: 0, late: 0, dropped: 0 });
    assert.equal(messagesEchoed, 0);
  });

  await t.test("hot connections: every message of every connection comes back", async () => {
    const { connections, messagesEchoed, sends, echoLatencyMs } = await load({
      SCENARIO: "hot",
      CONNECTIONS: "60",
      MESSAGES: "20",
      MESSAGE_BYTES: "1",
    });
    assert.deepEqual(connections, { opened: 60, failed: 0, failedByCause: {} });
    assert.equal(messagesEchoed, 60 * 20);
    assert.equal(sends, null);
    assert.equal(echoLatencyMs.count, 60 * 10);
  });

  for (const [poisson, process] of [
    ["0", "evenly"],
    ["1", "as a Poisson process"],
  ] as const) {
    await t.test(
      `arrivals ${process}: each that is due is started, or counted as dropped; the same seed, the same arrivals`,
      async () => {
        const knobs = {
          SCENARIO: "arrivals",
          SCHEME: "wss",
          CONNECTIONS_PER_SECOND: "50",
          ARRIVE_SECONDS: "4",
          POISSON: poisson,
          MESSAGES: "3",
          MESSAGE_BYTES: "10",
        };
        const { connections, messagesEchoed, sends, totalMs, handshakeMs, echoLatencyMs } =
          await load(knobs);
        assert.equal(connections.failed, 0);
        assert.equal(connections.opened, sends.due - sends.dropped);
        assert.equal(messagesEchoed, 3 * connections.opened);
        assert.equal(handshakeMs.count, connections.opened);
        assert.equal(echoLatencyMs.count, messagesEchoed);
        // 200, and of a Poisson process within four standard deviations.
        if (poisson === "0") assert.equal(sends.due, 200);
        else assert.ok(Math.abs(sends.due - 200) < 4 * Math.sqrt(200), `${sends.due} due`);
        assert.ok(sends.dropped < 0.05 * sends.due, `${sends.dropped} dropped`);
        assert.ok(totalMs > 3500 && totalMs < 10_000, `${totalMs} ms`);
        assert.equal((await load(knobs)).sends.due, sends.due);
      },
    );
  }

  await t.test(
    "steady: messages on held connections at a rate, each echo as it was sent",
    async () => {
      const { connections, messagesEchoed, sends, totalMs, echoLatencyMs } = await load({
        SCENARIO: "steady",
        // Two virtual users.
        CONNECTIONS: "300",
        CONNECTIONS_PER_SECOND: "300",
        MESSAGES_PER_SECOND: "250",
        STEADY_SECONDS: "4",
        POISSON: "0",
        MESSAGE_BYTES: "10",
      });
      assert.deepEqual(connections, { opened: 300, failed: 0, failedByCause: {} });
      assert.equal(sends.due, 1000);
      assert.equal(messagesEchoed, sends.due - sends.dropped);
      assert.equal(echoLatencyMs.count, messagesEchoed);
      assert.ok(sends.dropped < 0.05 * sends.due, `${sends.dropped} dropped`);
      assert.ok(totalMs >= 4000 && totalMs < 10_000, `${totalMs} ms`);
    },
  );
});

test("to the server itself", async (t) => {
  const load = await loadsThrough(t, "none");

  await t.test(
    "arrivals: with as many open as there may be, further ones are dropped",
    async () => {
      const { connections, sends } = await load({
        SCENARIO: "arrivals",
        CONNECTIONS_PER_SECOND: "200",
        ARRIVE_SECONDS: "2",
        POISSON: "0",
        // Each is open for as long as that takes.
        MESSAGES: "400",
        CONCURRENCY: "4",
      });
      assert.equal(sends.due, 400);
      assert.ok(sends.dropped > 50, `${sends.dropped} dropped`);
      assert.equal(connections.opened, sends.due - sends.dropped);
    },
  );

  await t.test(
    "churn: connections end without a close frame, and none of them counts as failed",
    async () => {
      const { connections, messagesEchoed } = await load({
        SCENARIO: "churn",
        CONNECTIONS_PER_SECOND: "20",
        CHURN_SECONDS: "3",
        CONCURRENCY: "5",
      });
      assert.equal(connections.failed, 0);
      assert.ok(connections.opened >= 55 && connections.opened <= 61, `${connections.opened}`);
      assert.equal(messagesEchoed, connections.opened);
      assert.equal(await openAt("proxy"), 0);
    },
  );
});

test("up: many messages are all counted, a sample of their latencies recorded, kept for a month; down leaves nothing", async (t) => {
  const project = lab(t, {
    isPlain: true,
    profile: "none",
    env: {
      CONNECTIONS: "10",
      CONCURRENCY: "5",
      MESSAGES: "100",
      MESSAGE_BYTES: "100",
      RUN: "messages",
    },
  });
  await project.check(["up", "--detach"]);
  assert.equal(await waitForLoad(project), 0);
  const summary = await loadSummary(project);
  assert.equal(summary.messagesEchoed, 1000);
  assert.equal(summary.echoLatencyMs.count, 100);
  await joinProject(t, project.name);
  for (const database of ["k6", "cadvisor"]) {
    const [{ columns, values }] = await influx(`SHOW RETENTION POLICIES ON ${database}`);
    const policies = values.map((row) =>
      Object.fromEntries(columns.map((name, i) => [name, row[i]])),
    );
    assert.deepEqual(
      policies.map(({ name, duration, default: isDefault }) => ({ name, duration, isDefault })),
      [{ name: "month", duration: "720h0m0s", isDefault: true }],
      database,
    );
  }
  const [counted] = await influx("SELECT sum(value) FROM messages_echoed", "k6");
  assert.equal(counted.values[0][1], 1000);

  await OWN_ENGINE.leaveNetwork(`${project.name}_default`);
  const filter = ["--quiet", "--filter", `label=com.docker.compose.project=${project.name}`];
  assert.notEqual(await check(["docker", "ps", "--all", ...filter]), "");
  await project.check(["down", "--volumes"]);
  assert.equal(await check(["docker", "ps", "--all", ...filter]), "");
  assert.equal(await check(["docker", "network", "ls", ...filter]), "");
  assert.equal(await check(["docker", "volume", "ls", ...filter]), "");
});

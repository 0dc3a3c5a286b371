/**
 * Each scenario of k6 under `docker compose up`, small: what was counted, and that nothing stays behind.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/platform/docker.js";
import { until } from "../../src/platform/wait.js";
import { influx, joinProject, lab, loadSummary, runLoad, waitForLoad } from "../lab.js";

/**
 * @param {ReturnType<typeof lab>} project
 * @returns what its load has counted, once it is up and through without a failure
 */
async function summaryOf(project) {
  await project.check(["up", "--detach"]);
  assert.equal(await waitForLoad(project), 0, (await project.run(["logs", "load"])).output);
  return loadSummary(project);
}

test("held connections: all open at once, messages when they are due, each echo as it was sent", async (t) => {
  const project = lab(t, {
    profile: "nginx",
    env: {
      SCENARIO: "idle",
      SCHEME: "wss",
      // Two virtual users.
      CONNECTIONS: "300",
      CONNECTIONS_PER_SECOND: "300",
      HOLD_SECONDS: "4",
      INTERVAL_SECONDS: "0.5",
      MESSAGE_BYTES: "10",
      LATENCY_SAMPLES: "2",
      RUN: "idle",
    },
  });
  const { connections, messagesEchoed, sends, totalMs, echoLatencyMs, tags } =
    await summaryOf(project);
  assert.deepEqual(connections, { opened: 300, failed: 0, failedByCause: {} });
  assert.equal(sends.due, 8 * 300);
  assert.equal(messagesEchoed, sends.due - sends.dropped);
  assert.ok(sends.dropped < 0.05 * sends.due, `${sends.dropped} dropped`);
  assert.ok(sends.late < 0.5 * sends.due, `${sends.late} late`);
  assert.ok(totalMs >= 4000 && totalMs < 10_000, `${totalMs} ms`);
  // A quarter of the messages, give or take those that were dropped.
  assert.ok(echoLatencyMs.count <= 600 && echoLatencyMs.count > 500, `${echoLatencyMs.count}`);
  assert.equal(tags.scenario, "idle");
});

test("silent connections are held too, and counted by the echo server", async (t) => {
  const project = lab(t, {
    profile: "nginx",
    env: {
      SCENARIO: "idle",
      CONNECTIONS: "50",
      HOLD_SECONDS: "4",
      INTERVAL_SECONDS: "0",
    },
  });
  await project.check(["up", "--detach"]);
  await joinProject(t, project.name);
  const open = await until(
    Date.now() + 20_000,
    async () => {
      const response = await fetch("http://echo:8080/stats").catch(() => null);
      return response ? /** @type {any} */ (await response.json()).connectionsOpen : 0;
    },
    (count) => count === 50,
  );
  assert.equal(open, 50);
  assert.equal(await waitForLoad(project), 0);
  const summary = await loadSummary(project);
  assert.deepEqual(summary.sends, { due: 0, late: 0, dropped: 0 });
  assert.equal(summary.messagesEchoed, 0);
});

test("hot connections: every message of every connection comes back", async (t) => {
  const project = lab(t, {
    profile: "nginx",
    env: {
      SCENARIO: "hot",
      CONNECTIONS: "60",
      MESSAGES: "20",
      MESSAGE_BYTES: "1",
    },
  });
  const { connections, messagesEchoed, sends, echoLatencyMs } = await summaryOf(project);
  assert.deepEqual(connections, { opened: 60, failed: 0, failedByCause: {} });
  assert.equal(messagesEchoed, 60 * 20);
  assert.equal(sends, null);
  assert.equal(echoLatencyMs.count, 60 * 10);
});

for (const [poisson, process] of /** @type {const} */ ([
  ["0", "evenly"],
  ["1", "as a Poisson process"],
])) {
  test(`arrivals ${process}: each that is due is begun, or counted as dropped; the same seed, the same arrivals`, async (t) => {
    const project = lab(t, {
      profile: "nginx",
      env: {
        SCENARIO: "arrivals",
        SCHEME: "wss",
        CONNECTIONS_PER_SECOND: "50",
        ARRIVE_SECONDS: "4",
        POISSON: poisson,
        MESSAGES: "3",
        MESSAGE_BYTES: "10",
      },
    });
    const { connections, messagesEchoed, sends, totalMs, handshakeMs, echoLatencyMs } =
      await summaryOf(project);
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
    const again = await runLoad(project, {});
    assert.equal(again.code, 0, again.output);
    assert.equal(again.summary.sends.due, sends.due);
  });
}

test("arrivals: with as many open as there may be, further ones are dropped", async (t) => {
  const project = lab(t, {
    profile: "none",
    env: {
      SCENARIO: "arrivals",
      CONNECTIONS_PER_SECOND: "200",
      ARRIVE_SECONDS: "2",
      POISSON: "0",
      // Each is open for as long as that takes.
      MESSAGES: "400",
      CONCURRENCY: "4",
    },
  });
  const { connections, sends } = await summaryOf(project);
  assert.equal(sends.due, 400);
  assert.ok(sends.dropped > 50, `${sends.dropped} dropped`);
  assert.equal(connections.opened, sends.due - sends.dropped);
});

test("steady: messages on held connections at a rate, each echo as it was sent", async (t) => {
  const project = lab(t, {
    profile: "nginx",
    env: {
      SCENARIO: "steady",
      // Two virtual users.
      CONNECTIONS: "300",
      CONNECTIONS_PER_SECOND: "300",
      MESSAGES_PER_SECOND: "250",
      STEADY_SECONDS: "4",
      POISSON: "0",
      MESSAGE_BYTES: "10",
    },
  });
  const { connections, messagesEchoed, sends, totalMs, echoLatencyMs } = await summaryOf(project);
  assert.deepEqual(connections, { opened: 300, failed: 0, failedByCause: {} });
  assert.equal(sends.due, 1000);
  assert.equal(messagesEchoed, sends.due - sends.dropped);
  assert.equal(echoLatencyMs.count, messagesEchoed);
  assert.ok(sends.dropped < 0.05 * sends.due, `${sends.dropped} dropped`);
  assert.ok(totalMs >= 4000 && totalMs < 10_000, `${totalMs} ms`);
});

test("churn: connections end without a close frame, and none of them counts as failed", async (t) => {
  const project = lab(t, {
    profile: "none",
    env: {
      SCENARIO: "churn",
      CONNECTIONS_PER_SECOND: "20",
      CHURN_SECONDS: "3",
      CONCURRENCY: "5",
    },
  });
  const { connections, messagesEchoed } = await summaryOf(project);
  assert.equal(connections.failed, 0);
  assert.ok(connections.opened >= 55 && connections.opened <= 61, `${connections.opened}`);
  assert.equal(messagesEchoed, connections.opened);
  await joinProject(t, project.name);
  const response = await fetch("http://proxy:8080/stats");
  assert.equal(/** @type {any} */ (await response.json()).connectionsOpen, 0);
});

test("down leaves nothing", async (t) => {
  const project = lab(t, { profile: "none", env: { CONNECTIONS: "1", CONCURRENCY: "1" } });
  await project.check(["up", "--detach"]);
  const filter = ["--quiet", "--filter", `label=com.docker.compose.project=${project.name}`];
  assert.notEqual(await check(["docker", "ps", "--all", ...filter]), "");
  await project.check(["down", "--volumes"]);
  assert.equal(await check(["docker", "ps", "--all", ...filter]), "");
  assert.equal(await check(["docker", "network", "ls", ...filter]), "");
  assert.equal(await check(["docker", "volume", "ls", ...filter]), "");
});

test("many messages: all counted, a sample of their latencies recorded, kept for a month", async (t) => {
  const project = lab(t, {
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
});

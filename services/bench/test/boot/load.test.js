/**
 * The main job, small: each proxy under load, its figures read back from InfluxDB.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { check } from "../../src/platform/docker.js";
import { readProxies } from "../../src/plan/proxies.js";
import { statusOf, until } from "../../src/platform/wait.js";
import { influx, joinProject, lab, projectDirectory, waitForLoad } from "../lab.js";

const CONNECTIONS = 300;
/** One container and two: under ws too, and with the metrics of every container. Of the others the longer way does, wss. */
const WATCHED = ["nginx", "haproxy-hitch"];
/** How long the containers are watched after the load, so that gaps between points would show. */
const WATCH_MS = 6_000;

for (const { name, schemes, serves } of readProxies(join(projectDirectory, "proxies"))) {
  // This load speaks WebSocket.
  if (serves !== "websockets") continue;
  const isWatched = WATCHED.includes(name);
  for (const scheme of isWatched ? schemes : schemes.slice(-1)) {
    test(`${name}, ${scheme}: load without failures, figures in InfluxDB`, async (t) => {
      const run = `${name}-${scheme}`;
      const project = lab(t, {
        profile: name,
        env: { SCHEME: scheme, CONNECTIONS: String(CONNECTIONS), CONCURRENCY: "20", RUN: run },
      });
      await project.check(["up", "--detach"]);
      assert.equal(
        await waitForLoad(project),
        0,
        (await project.run(["logs", "load", "proxy"])).output,
      );

      const summary = await loadSummary(project);
      assert.deepEqual(summary.connections, { opened: CONNECTIONS, failed: 0, failedByCause: {} });
      assert.equal(summary.messagesEchoed, CONNECTIONS);
      assert.equal(summary.tags.proxy, name);
      assert.ok(summary.totalMs > 0);
      for (const latency of [summary.handshakeMs, summary.echoLatencyMs]) {
        assert.equal(latency.count, CONNECTIONS);
        assert.ok(latency.min > 0 && latency.min <= latency.med && latency.med <= latency.max);
      }

      await joinProject(t, project.name);
      // What the ports on the host lead to.
      const [from, url] =
        scheme === "wss" ? ["8443", "https://host-ports:8443"] : ["8080", "http://host-ports:8080"];
      assert.match(await project.check(["port", "host-ports", from]), /^127\.0\.0\.1:\d+$/m);
      assert.equal(await statusOf(`${url}/healthz`), "200");

      for (const metric of ["handshake_ms", "echo_latency_ms"]) {
        const [series] = await influx(
          `SELECT count(value) FROM ${metric} WHERE run = '${run}' GROUP BY *`,
          "k6",
        );
        assert.equal(series.values[0][1], CONNECTIONS, metric);
        assert.deepEqual(
          series.tags,
          { run, proxy: name, scenario: "short-lived", scheme, trial: "1" },
          metric,
        );
      }
      if (!isWatched || scheme === "ws") return;
      await sleep(WATCH_MS);
      await assertContainerMetrics(project);
    });
  }
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
  await project.check(["up", "--detach"]);
  assert.equal(await waitForLoad(project), 0, (await project.run(["logs", "load"])).output);
  const { connections, messagesEchoed, sends, totalMs, echoLatencyMs, tags } =
    await loadSummary(project);
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
  await project.check(["up", "--detach"]);
  assert.equal(await waitForLoad(project), 0, (await project.run(["logs", "load"])).output);
  const { connections, messagesEchoed, sends, echoLatencyMs } = await loadSummary(project);
  assert.deepEqual(connections, { opened: 60, failed: 0, failedByCause: {} });
  assert.equal(messagesEchoed, 60 * 20);
  assert.equal(sends, null);
  assert.equal(echoLatencyMs.count, 60 * 10);
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
  await project.check(["up", "--detach"]);
  assert.equal(await waitForLoad(project), 0, (await project.run(["logs", "load"])).output);
  const { connections, messagesEchoed } = await loadSummary(project);
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

/** @param {import("../../src/platform/docker.js").Project} project */
async function loadSummary(project) {
  const log = await project.check(["logs", "--no-log-prefix", "load"]);
  return JSON.parse(log.match(/SUMMARY (\{.*\})/)?.[1] ?? "null");
}

/**
 * CPU and memory points of every service of the running profile, no more than 2 s apart.
 *
 * @param {import("../../src/platform/docker.js").Project & {name: string}} project
 */
async function assertContainerMetrics(project) {
  const running = (await project.check(["ps", "--services", "--status", "running"]))
    .trim()
    .split("\n");
  for (const measurement of [
    "cpu_usage_total",
    "memory_usage",
    "memory_working_set",
    "memory_rss",
  ]) {
    const series = await influx(
      `SELECT value FROM ${measurement} WHERE time > now() - ${WATCH_MS}ms GROUP BY container_name`,
      "cadvisor",
    );
    for (const service of running) {
      const times = series
        .filter(({ tags }) => tags.container_name === `${project.name}-${service}-1`)
        .flatMap(({ values }) => values.map(([time]) => time));
      const about = `${measurement} of ${service}`;
      assert.ok(times.length >= 3, `${about}: ${times.length} points in ${WATCH_MS} ms`);
      const gaps = times.slice(1).map((time, i) => time - times[i]);
      assert.ok(Math.max(...gaps) <= 2_000, `${about}: ${Math.max(...gaps)} ms between two points`);
    }
  }
}

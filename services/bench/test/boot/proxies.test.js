/**
 * Each proxy, started once beside the same observers: its own checker accepts its config, requests share connections on both of its sides, it
 * conforms, reloads as it says, carries a load without failures, and its figures are in InfluxDB.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { checksOf } from "../../src/conformance/checks.js";
import { checkConfig } from "../../src/conformance/config-check.js";
import {
  FIRST_GENERATION,
  formatResult,
  reloadOf,
  runConformance,
} from "../../src/conformance/index.js";
import { CONTROL } from "../../src/plan/proxies.js";
import { OWN_ENGINE, Project } from "../../src/platform/docker.js";
import { GenerationFolder } from "../../src/platform/generation.js";
import { statusOf } from "../../src/platform/wait.js";
import {
  atEnd,
  influx,
  lab,
  loadSummary,
  projectDirectory,
  readAvailableProxies,
  uniqueName,
  waitForLoad,
} from "../lab.js";
import { assertSharedConnections, bringUp } from "../requests.js";

/** @import { TestContext } from "node:test" */
/** @import { Proxy } from "../../src/plan/proxies.js" */
/** @import { TargetReload } from "../../src/conformance/reload-checks.js" */
/** @import { Scheme } from "../../src/model/plan.ts" */

const CONNECTIONS = 300;
/** One container and two: under ws too, and with the metrics of every container. Of the others the longer way does, wss. */
const WATCHED = ["nginx", "haproxy-hitch"];
/** How long the containers are watched after the load, so that gaps between points would show. */
const WATCH_MS = 6_000;
/** Stay up from one proxy to the next. */
const OBSERVERS = ["influxdb", "cadvisor", "grafana"];

const policy = JSON.parse(readFileSync(join(projectDirectory, "certs/policy.json"), "utf8"));

const { proxies, unavailable } = await readAvailableProxies();

test("each proxy", async (t) => {
  const { name, env } = lab(t, { env: { CONNECTIONS: String(CONNECTIONS), CONCURRENCY: "20" } });
  for (const proxy of proxies) {
    const options = { name, profile: proxy.name, env: { ...env } };
    const project = Object.assign(new Project(projectDirectory, options), { name });
    await t.test(proxy.name, { skip: unavailable.get(proxy.name) }, (t) =>
      assertProxy(t, project, proxy),
    );
  }
});

/**
 * @param {TestContext} t
 * @param {Project & {name: string}} project in which what observes may be up
 * @param {Proxy} proxy
 */
async function assertProxy(t, project, proxy) {
  const { name, schemes, serves } = proxy;
  const generation = new GenerationFolder(projectDirectory, uniqueName());
  atEnd(t, () => generation.remove());
  generation.write(proxy.generation, FIRST_GENERATION);
  Object.assign(project.env, generation.env);
  atEnd(t, async () => {
    const own = await OWN_ENGINE.containersOf(project.name);
    const ended = own.filter(({ service }) => !OBSERVERS.includes(service));
    await OWN_ENGINE.remove(ended.map((container) => container.name));
  });
  const ca = await bringUp(t, project, name, schemes, () => checkConfig(project, proxy));

  if (serves === "websockets" && name !== CONTROL)
    await t.test("requests share connections on both of its sides", (t) =>
      assertSharedConnections(t, project, { name, schemes, ca }, "/healthz"),
    );
  await t.test("conforms", () =>
    assertConforms(proxy, ca, reloadOf(project, project.name, proxy, generation)),
  );
  // The load speaks WebSocket.
  if (serves !== "websockets") return;
  const isWatched = WATCHED.includes(name);
  for (const scheme of isWatched ? schemes : schemes.slice(-1))
    await t.test(`${scheme}: load without failures, figures in InfluxDB`, () =>
      assertLoad(project, name, scheme),
    );
  if (isWatched)
    await t.test("metrics of every container", async () => {
      await sleep(WATCH_MS);
      await assertContainerMetrics(project);
    });
}

/**
 * @param {Proxy} proxy
 * @param {string} ca certificate of the authority, PEM
 * @param {TargetReload | null} reload
 */
async function assertConforms(proxy, ca, reload) {
  const results = await runConformance({
    host: "proxy",
    ca,
    policy,
    websocketsOverHttp2: proxy.websocketsOverHttp2,
    keyType: "ecdsa",
    schemes: proxy.schemes,
    serves: proxy.serves,
    choosesTls13Cipher: proxy.choosesTls13Cipher,
    forwarded: proxy.addsForwardedHeaders,
    proxyProtocol: proxy.sendsProxyProtocol,
    reload,
  });
  assert.deepEqual(results.filter(({ ok }) => !ok).map(formatResult), []);
  const { serves, websocketsOverHttp2 } = proxy;
  const checks = proxy.schemes.flatMap((scheme) =>
    checksOf(serves, { scheme, websocketsOverHttp2 }),
  );
  assert.equal(results.length, checks.length);
}

/**
 * @param {Project} project
 * @param {string} proxy its name
 * @param {Scheme} scheme
 */
async function assertLoad(project, proxy, scheme) {
  const run = `${proxy}-${scheme}`;
  Object.assign(project.env, { SCHEME: scheme, RUN: run });
  await project.check(["up", "--detach"]);
  assert.equal(
    await waitForLoad(project),
    0,
    (await project.run(["logs", "load", "proxy"])).output,
  );

  const summary = await loadSummary(project);
  assert.deepEqual(summary.connections, { opened: CONNECTIONS, failed: 0, failedByCause: {} });
  assert.equal(summary.messagesEchoed, CONNECTIONS);
  assert.equal(summary.tags.proxy, proxy);
  assert.ok(summary.totalMs > 0);
  for (const latency of [summary.handshakeMs, summary.echoLatencyMs]) {
    assert.equal(latency.count, CONNECTIONS);
    assert.ok(latency.min > 0 && latency.min <= latency.med && latency.med <= latency.max);
  }

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
    const count = series.values[0][1];
    // Of two samples of one nanosecond InfluxDB keeps the last: of 300 in 0.2 s that comes to one pair in some 3,000 such series.
    assert.ok(count === CONNECTIONS || count === CONNECTIONS - 1, `${metric}: ${count} points`);
    assert.deepEqual(
      series.tags,
      { run, proxy, scenario: "short-lived", scheme, trial: "1" },
      metric,
    );
  }
}

/**
 * CPU and memory points of every service of the running profile, no more than 2 s apart.
 *
 * @param {Project & {name: string}} project
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

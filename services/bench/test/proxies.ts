/**
 * Each proxy, started once beside the same observers: its own checker accepts its config, requests
 * share connections on both of its sides, it conforms, reloads as it says, carries a load without
 * failures, its figures are in InfluxDB, and two servers get connections in turn.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { checksOf } from "../src/conformance/checks.ts";
import { checkConfig } from "../src/conformance/config-check.ts";
import {
  FIRST_GENERATION,
  formatResult,
  reloadOf,
  runConformance,
} from "../src/conformance/index.ts";
import { CONTROL } from "../src/plan/proxies.ts";
import { OWN_ENGINE } from "../src/platform/engine.ts";
import { GenerationFolder } from "../src/platform/generation.ts";
import {
  atEnd,
  differsInFilesAlone,
  influx,
  lab,
  LabProject,
  loadSummary,
  projectDirectory,
  readAvailableProxies,
  waitForLoad,
} from "./lab.ts";
import {
  assertSharedConnections,
  bringUp,
  connect,
  datagramsOf,
  servedBy,
  untilAllServe,
  waitForAnswer,
  waitForProxy,
} from "./requests.ts";
import type { TestContext } from "node:test";
import type { Proxy } from "../src/plan/proxies.ts";
import type { ConformanceOptions } from "../src/conformance/index.ts";
import type { Scheme } from "../src/model/plan.ts";

const CONNECTIONS = 300;
/**
 * One container and two: under ws too, and with the metrics of every container. Of the others the
 * longer way does, wss.
 */
const WATCHED = ["nginx", "haproxy-hitch"];
/** One of each program that ends TLS: with an RSA key, too. */
const WITH_RSA = [
  ...["none", "nginx", "haproxy", "hitch", "apache", "envoy", "caddy", "traefik", "nghttpx"],
];
/** How long the containers are watched after the load, so that gaps between points would show. */
const WATCH_MS = 6_000;
/** Stay up from one proxy to the next. */
const OBSERVERS = ["influxdb", "cadvisor", "grafana"];
/** Two behind a proxy that balances, and this many connections through it. */
const SERVERS = 2;
const TO_SERVERS = 40;
/**
 * Each worker of a proxy counts by itself, and the kernel spreads connections over them as it
 * likes.
 */
const FAIR = 16;
/** Name of the run of every load. */
const RUN = "each";

const policy = JSON.parse(readFileSync(join(projectDirectory, "certs/policy.json"), "utf8"));

/**
 * Tests every so manyth proxy: the files that call this run side by side.
 *
 * @param file from 0
 */
export async function testProxies(file: number, files: number) {
  const { proxies, unavailable, config } = await readAvailableProxies();
  test("each proxy", async (t) => {
    const { name, env } = lab(t, { env: { CONNECTIONS: String(CONNECTIONS), CONCURRENCY: "20" } });
    const generation = new GenerationFolder(projectDirectory, name);
    atEnd(t, () => generation.remove());
    Object.assign(env, generation.env, { RUN, SCHEME: "wss" });
    for (const proxy of proxies.filter((_, i) => i % files === file)) {
      const options = { name, env: { ...env }, profile: proxy.name };
      const project = Object.assign(new LabProject(projectDirectory, options), { name });
      const isOriginal = proxy.tuned && !differsInFilesAlone(proxy, config);
      await t.test(proxy.name, { skip: unavailable.get(proxy.name) }, (t) =>
        assertProxy(t, project, { proxy, generation, isOriginal }),
      );
    }
  });
}

/**
 * @param project in which what observes may be up
 * @param about isOriginal: else it is looked at for what may differ, which is its config,
 *   conformance, and what a reload does
 */
async function assertProxy(
  t: TestContext,
  project: LabProject & { name: string },
  {
    proxy,
    generation,
    isOriginal,
  }: { proxy: Proxy; generation: GenerationFolder; isOriginal: boolean },
) {
  const { name, schemes, serves } = proxy;
  atEnd(t, async () => {
    const own = await OWN_ENGINE.containersOf(project.name);
    const ended = own.filter(({ service }) => !OBSERVERS.includes(service));
    await OWN_ENGINE.remove(ended.map((container) => container.name));
  });
  generation.write(proxy.generation, FIRST_GENERATION);
  const ca = await bringUp(t, project, name, schemes, () => checkConfig(project, proxy));

  if (isOriginal && serves === "websockets" && name !== CONTROL)
    await t.test("requests share connections on both of its sides", (t) =>
      assertSharedConnections(t, project, { name, schemes, ca }, "/healthz"),
    );
  await t.test("conforms", () =>
    assertConforms(proxy, { ca, reload: reloadOf(project, project.name, proxy, generation) }),
  );
  if (!isOriginal) return;
  if (serves === "websockets" && name !== CONTROL && schemes.includes("ws"))
    await t.test("looks up no name per connection", () => assertNoLookups(project, name));
  // The load speaks WebSocket.
  if (serves === "websockets") {
    const isWatched = WATCHED.includes(name);
    for (const scheme of schemes.filter((scheme) => isWatched || scheme === schemes.at(-1)))
      await t.test(`${scheme}: load without failures, figures in InfluxDB`, () =>
        assertLoad(project, name, scheme),
      );
    if (isWatched)
      await t.test("metrics of every container", async () => {
        await sleep(WATCH_MS);
        await assertContainerMetrics(project);
      });
  }
  if (proxy.balances) await t.test("uses two servers in turn", () => assertBalances(project, name));
  if (WITH_RSA.includes(name))
    await t.test("conforms with an RSA key", (t) => assertConformsWithRsa(t, project, proxy));
}

async function assertConforms(
  proxy: Proxy,
  about: Pick<ConformanceOptions, "ca" | "reload"> & Partial<ConformanceOptions>,
) {
  const { serves, tuned, websocketsOverHttp2 } = proxy;
  const { schemes = proxy.schemes } = about;
  const results = await runConformance({
    host: "proxy",
    policy,
    websocketsOverHttp2,
    keyType: "ecdsa",
    schemes,
    serves,
    tuned,
    choosesTls13Cipher: proxy.choosesTls13Cipher,
    forwarded: proxy.addsForwardedHeaders,
    proxyProtocol: proxy.sendsProxyProtocol,
    ...about,
  });
  assert.deepEqual(results.filter(({ ok }) => !ok).map(formatResult), []);
  const checks = schemes.flatMap((scheme) => checksOf(serves, { scheme, websocketsOverHttp2 }));
  assert.equal(results.length, checks.length);
}

/**
 * What does not depend on the key is left out: its reload, and what an idle connection may wait
 * for.
 *
 * @param project in which the proxy is up
 */
async function assertConformsWithRsa(
  t: TestContext,
  project: LabProject & { name: string },
  proxy: Proxy,
) {
  const { name, env } = project;
  const options = { name, env: { ...env, TLS_KEY_TYPE: "rsa" }, profile: proxy.name };
  const withRsa = Object.assign(new LabProject(projectDirectory, options), { name });
  const ca = await bringUp(t, withRsa, proxy.name, ["wss"]);
  await assertConforms(proxy, { ca, keyType: "rsa", schemes: ["wss"], idleMs: 0 });
}

/**
 * New connections go to both servers.
 *
 * @param proxy its name
 */
async function assertBalances(project: LabProject & { name: string }, proxy: string) {
  const scale = ["--scale", `echo=${SERVERS}`];
  await project.check(["up", "--detach", "--no-deps", ...scale, "echo"]);
  await project.check(["restart", "--timeout", "0", proxy]);
  await waitForProxy(["ws"]);
  const both = await untilAllServe(project, SERVERS);
  await connect(TO_SERVERS);
  const shares = (await servedBy(project, SERVERS)).map((total, i) => total - both[i]);
  assert.equal(shares[0] + shares[1], TO_SERVERS);
  assert.ok(Math.min(...shares) >= FAIR, `${shares.join(" and ")} connections`);
}

/**
 * A lookup is a datagram or two to the engine's name server, and as many back.
 *
 * @param proxy its name
 */
async function assertNoLookups(project: { name: string }, proxy: string) {
  const before = await datagramsOf(project, proxy);
  await connect(TO_SERVERS);
  const sent = (await datagramsOf(project, proxy)) - before;
  // Some may be due: those that follow the name look it up every 5 s.
  assert.ok(sent < TO_SERVERS / 2, `${sent} datagrams during ${TO_SERVERS} connections`);
}

/** @param proxy its name */
async function assertLoad(project: LabProject, proxy: string, scheme: Scheme) {
  project.env.SCHEME = scheme;
  await project.check(["up", "--detach"]);
  const code = await waitForLoad(project);
  assert.equal(code, 0, code === 0 ? "" : (await project.run(["logs", "load", proxy])).output);

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
  await waitForAnswer(`${url}/healthz`);

  for (const metric of ["handshake_ms", "echo_latency_ms"]) {
    const [series] = await influx(
      `SELECT count(value) FROM ${metric} WHERE proxy = '${proxy}' AND scheme = '${scheme}' GROUP BY *`,
      "k6",
    );
    const count = series.values[0][1];
    // Of two samples of one nanosecond InfluxDB keeps the last: of 300 in 0.2 s that comes to one
    // pair in about 3,000 such series.
    assert.ok(count === CONNECTIONS || count === CONNECTIONS - 1, `${metric}: ${count} points`);
    assert.deepEqual(
      series.tags,
      { run: RUN, proxy, scenario: "short-lived", scheme, trial: "1" },
      metric,
    );
  }
}

/** CPU and memory points of every service of the running profile, no more than 2 s apart. */
async function assertContainerMetrics(project: LabProject & { name: string }) {
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

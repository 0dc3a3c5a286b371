/**
 * Proxies that run at once: each is measured as its own, and nothing of any stays behind, whether
 * the run ends or is killed.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { csvParse } from "d3-dsv";
import { analyse } from "../../src/analyse/index.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { check } from "../../src/platform/subprocess.ts";
import { until } from "../../src/platform/wait.ts";
import { projectBeside, projectsBeside } from "../../src/run/cell-projects.ts";
import { atEnd } from "../lab.ts";
import { LIMIT_MS, testbed } from "../testbed.ts";
import type { TestContext } from "node:test";

const BATTLE = `title: Two minutes side by side
proxies: [none, nginx, haproxy, haproxy-hitch]
rounds: 1
seed: 1
sideBySide: true
tests:
  - scenario: steady
    schemes: [ws]
    parameters: { CONNECTIONS: 50, MESSAGES_PER_SECOND: 40, STEADY_SECONDS: 120, MESSAGE_BYTES: 100, LATENCY_SAMPLES: 5 }
    warmUp: { STEADY_SECONDS: 1 }
`;

/** A testbed of which the projects beside it are removed, too. */
function bedOf(t: TestContext) {
  const bed = testbed(t, BATTLE);
  const down = async () => (await bed.bench(["down"]).ended).code;
  atEnd(t, down);
  return { ...bed, down };
}

/** @returns volumes of it, and of those beside it */
async function volumesOf(project: string): Promise<string[]> {
  const names = await check(["docker", "volume", "ls", "--format", "{{.Name}}"]);
  return names.split("\n").filter((name) => name.startsWith(`${project}-beside-`));
}

test("side by side each proxy has its own load, server, counters and curves, and CPU is not told", async (t) => {
  const { bench, results, directory, project, assertNothingLeft } = bedOf(t);
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  const found = results();
  assert.deepEqual(found.cells.map(({ proxy }) => proxy).sort(), [
    ...["haproxy", "haproxy-hitch", "nginx", "none"],
  ]);
  const phases = found.cells.map(({ measured }) => measured ?? { fromMs: Infinity, toMs: 0 });
  const [begun, ended] = [
    Math.max(...phases.map(({ fromMs }) => fromMs)),
    Math.min(...phases.map(({ toMs }) => toMs)),
  ];
  assert.ok(ended - begun > 60_000, `together for ${(ended - begun) / 1000} s`);
  const { cells, comparisons } = analyse(found, { policy: null });
  for (const { record, measures, flags } of cells) {
    const { proxy, connectionsHeld, messagesEchoed, containers } = record;
    assert.deepEqual(connectionsHeld, { from: 50, to: 50 }, proxy);
    assert.ok(Number(messagesEchoed) > 4000, `${proxy}: ${messagesEchoed}`);
    const codes = flags.map(({ code }) => code);
    assert.ok(codes.includes("side-by-side"), proxy);
    // The server counted what this load sent, not another; the traffic passed this proxy.
    for (const code of ["echo-count", "bypassed", "not-held", "foreign-load"])
      assert.ok(!codes.includes(code as any), `${proxy}: ${code}`);
    assert.ok(!("cpu_us_per_message" in measures), proxy);
    assert.ok(measures.proxy_memory_mean_usage_bytes > 0, proxy);
    const proxies = Object.entries(containers).filter(([, { role }]) => role === "proxy");
    assert.ok(proxies.every(([name]) => name.startsWith(proxy)));
    const [run] = readdirSync(join(directory, "results"));
    const curves = join(directory, "results", run, "cells", record.id, "cadvisor.csv");
    assert.ok(existsSync(curves), `${proxy}: no curves`);
    const services = csvParse(readFileSync(curves, "utf8")).map(({ service }) => service);
    for (const service of new Set(services)) assert.ok(service in containers, service);
  }
  const trends = comparisons.comparisons.filter(({ question }) => question === "trend");
  assert.equal(trends.length, 4);
  for (const { figures } of trends)
    assert.deepEqual(
      figures.map(({ proxy, missing }) => [proxy, missing]),
      found.plan.proxies.map((proxy) => [proxy, []]),
    );
  await assertNothingLeft();
  assert.deepEqual(await projectsBeside(project.name), []);
  assert.deepEqual(await volumesOf(project.name), []);
});

test("down removes what a killed run has left beside its project", async (t) => {
  const { bench, project, down } = bedOf(t);
  const { child, ended } = bench(["run", "one"]);
  const started = () => OWN_ENGINE.containersOf(projectBeside(project.name, "nginx"));
  const isUp = (all: { service: string }[]) => all.some(({ service }) => service === "nginx");
  assert.ok(isUp(await until(Date.now() + LIMIT_MS, started, isUp)));
  child.kill("SIGKILL");
  await ended;
  assert.ok((await projectsBeside(project.name)).length > 0);
  assert.equal(await down(), 0);
  assert.deepEqual(await projectsBeside(project.name), []);
  assert.deepEqual(await volumesOf(project.name), []);
});

/**
 * The measured path on the machine's own network, beside Docker's.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { analyse } from "../../src/analyse/index.ts";
import { check } from "../../src/platform/subprocess.ts";
import { lastAttempts, testbed } from "../testbed.ts";

const BATTLE = `title: Both networks
proxies: [nginx, haproxy, http-proxy]
rounds: 1
seed: 1
tests:
  - scenario: short-lived
    schemes: [ws, wss]
    network: [bridge, host]
    parameters: { CONNECTIONS: 300, CONCURRENCY: 20, MESSAGES: 2, MESSAGE_BYTES: 500 }
    warmUp: { CONNECTIONS: 50 }
`;

test("a battle on Docker's network and on the machine's own", async (t) => {
  const bed = testbed(t, BATTLE);
  const { code, output } = await bed.bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await bed.assertNothingLeft();
  const run = bed.results();
  const cells = lastAttempts(run.cells);
  assert.equal(cells.length, run.plan.cells.length);
  const folder = join(bed.directory, bed.runFolder());

  for (const cell of cells) {
    const { id, status, parameters, connections, containers, reference, proxy } = cell;
    const isOnHost = parameters.HOST_NETWORK === 1;
    assert.equal(status, "ok", `${id}: ${cell.cause?.message}`);
    assert.deepEqual(connections, { asked: 300, opened: 300, failed: 0, failedByCause: {} });
    // A turn of 20 for each 80 of the proxy.
    assert.equal(reference?.connections, 80);
    const curves = readFileSync(join(folder, "cells", id, "cadvisor.csv"), "utf8");
    for (const [name, { role, cpu, network, sockets }] of Object.entries(containers)) {
      const about = `${name} in ${id}`;
      if (role === "observer") {
        assert.ok(network, about);
        continue;
      }
      // Each has a cgroup of its own wherever it is; what passes an interface of the machine is
      // nobody's.
      const idles = proxy === "none" && role === "echo";
      if (!idles) assert.ok(cpu.totalSeconds > 0.005, `${about}: ${cpu.totalSeconds} s`);
      assert.equal(network === null, isOnHost, about);
      if (sockets) assert.equal(sockets.from.tcpInUse === null, isOnHost, about);
      assert.equal(curves.includes(`,${name},rx_bytes,`), !isOnHost, about);
    }
  }
  const flags = analyse(run, { policy: null }).cells.flatMap((cell) => cell.flags);
  assert.ok(flags.every(({ code, severity }) => code !== "bypass-unknown" || severity === "note"));
  bed.quieten();
  const report = readFileSync(join(folder, "report.html"), "utf8");
  assert.match(report, /Docker(’|'|&#39;)s network/);
  assert.match(report, /the machine(’|'|&#39;)s own network/);
});

test("a port that the machine has in use is refused before anything starts", async (t) => {
  const bed = testbed(t, BATTLE.replace("[bridge, host]", "[host]"));
  const holder = `${bed.project.name}-holder`;
  const script = "require('net').createServer().listen(18080, '0.0.0.0', () => console.log('up'))";
  await check([
    ...["docker", "run", "--detach", "--rm", "--name", holder, "--network", "host"],
    ...["--entrypoint", "node", "ws-proxy-bench/bench", "--eval", script],
  ]);
  t.after(() => check(["docker", "rm", "--force", holder]));
  const { code, output } = await bed.bench(["run", "one", "--proxies", "nginx"]).ended;
  assert.equal(code, 1, output);
  assert.match(output, /something already listens on port 18080/);
  await bed.assertNothingLeft();
});

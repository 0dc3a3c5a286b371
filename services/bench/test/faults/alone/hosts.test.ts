/**
 * A battle over several machines. Alone, because this machine's engine forgets the names of all
 * containers when it leaves a Swarm (moby/moby#45144).
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { check, run } from "../../../src/platform/subprocess.ts";
import { until } from "../../../src/platform/wait.ts";
import { readRows } from "../../../src/record/csv.ts";
import { CURVES_FILE } from "../../../src/record/curve-names.ts";
import { Store } from "../../../src/record/store.ts";
import { docker, furtherEngines, inventory } from "../../engines.ts";
import { atEnd } from "../../lab.ts";
import { lastAttempts, LIMIT_MS, quieten, testbed } from "../../testbed.ts";
import type { TestContext } from "node:test";
import type { CellRecord } from "../../../src/model/cell.ts";
/** A testbed with the proxy and what stands behind it on engines of their own. */
async function threeMachines(t: TestContext, battle: string) {
  const engines = await furtherEngines(t, ["one", "two"]);
  if (!engines) return null;
  const { folder, hosts, gateway } = engines;
  const bed = testbed(t, battle);
  const file = join(folder, "hosts.yaml");
  const described = {
    one: { host: hosts.one, roles: ["proxy"] },
    two: { host: hosts.two, roles: ["servers", "load"] },
    own: { address: gateway, roles: ["observe"] },
  };
  writeFileSync(file, JSON.stringify({ machines: described }));
  const named = ["--hosts", relative(bed.directory, file)];
  const ended = (...words: string[]) => bed.bench(words).ended;
  return {
    ...engines,
    ...{ bed, described, named, ended },
    async join() {
      // The test may be the first that needs the machine's own engine in a Swarm: it is left as it
      // was.
      atEnd(t, () => ended("hosts", "leave", ...named));
      const joined = await ended("hosts", "join", ...named, "--proxies", "none,nginx");
      assert.equal(joined.code, 0, joined.output);
    },
  };
}

const BATTLE = `title: over machines
proxies: [none, nginx]
rounds: 1
seed: 1
proxyCpus: 0
tests:
  - scenario: idle
    schemes: [wss]
    parameters: { CONNECTIONS: 20, CONNECTIONS_PER_SECOND: 200, HOLD_SECONDS: 6, INTERVAL_SECONDS: 0.1, MESSAGE_BYTES: 100, TIMEOUT_SECONDS: 5 }
  - scenario: short-lived
    schemes: [ws]
    parameters: { CONNECTIONS: 600, CONCURRENCY: 50, MESSAGES: 20, MESSAGE_BYTES: 500 }
    warmUp: { CONNECTIONS: 50 }
`;

const NETWORKS_BATTLE = `title: Both networks over machines
proxies: [nginx]
rounds: 1
seed: 1
proxyCpus: 0
tests:
  - scenario: short-lived
    schemes: [wss]
    network: [bridge, host]
    parameters: { CONNECTIONS: 300, CONCURRENCY: 20, MESSAGES: 2, MESSAGE_BYTES: 500 }
    warmUp: { CONNECTIONS: 50 }
`;

test("a battle over three machines; one engine killed in the middle, and started again", async (t) => {
  const lab = await threeMachines(t, BATTLE);
  if (!lab) return;
  const { folder, hosts, containers, described, named, ended } = lab;
  const { bench, directory, project, results, runFolder, assertNothingLeft } = lab.bed;
  const before = await inventory(hosts);

  const early = await ended("run", "one", ...named);
  assert.equal(early.code, 1, early.output);
  assert.match(early.output, /is not joined with the other machines\n.*\.\/bench hosts join/);
  assert.equal(existsSync(join(directory, "results")), false);

  await lab.join();
  const joinedInventory = await inventory(hosts);
  const assertJoinedAlone = async () => {
    await assertNothingLeft();
    // The engine lets go of the network a moment after its last container.
    await until(
      Date.now() + LIMIT_MS / 2,
      () => inventory(hosts),
      (found) => isDeepStrictEqual(found, joinedInventory),
    );
    assert.deepEqual(await inventory(hosts), joinedInventory, "the run left something there");
  };

  const started = bench(["run", "one", ...named]);
  const loaded = async () =>
    (
      await run([
        ...["docker", "--host", hosts.two, "exec", `${project.name}-load-1`],
        ...["sh", "-c", "test -s /samples/load-1.csv"],
      ])
    ).code === 0;
  assert.ok(await until(Date.now() + 3 * LIMIT_MS, loaded, Boolean), "the load did not start");
  await run(["docker", "kill", containers.one]);
  const broken = await started.ended;
  assert.equal(broken.code, 1, broken.output);
  const [failed, ...others] = results().cells;
  assert.deepEqual(others, [], broken.output);
  assert.equal(failed.status, "failed");
  assert.equal(failed.cause?.kind, "engine");
  assert.match(failed.cause?.message ?? "", /machine one/);
  assert.match(broken.output, new RegExp(`--resume ${runFolder()}$`, "m"));

  await check(["docker", "start", containers.one]);
  const state = async () =>
    (
      await run(["docker", "--host", hosts.one, "info", "--format", "{{.Swarm.LocalNodeState}}"])
    ).stdout.trim();
  const isBack = (found: string) => found === "active";
  assert.ok(
    isBack(await until(Date.now() + LIMIT_MS, state, isBack)),
    "it is no more in the Swarm",
  );

  const { code, output } = await ended("run", "--resume", runFolder());
  assert.equal(code, 0, output);
  const { cells, environment } = results();
  assert.deepEqual(
    lastAttempts(cells)
      .map(({ proxy, scenario, status }) => [proxy, scenario, status].join(" "))
      .sort(),
    ["nginx idle ok", "nginx short-lived ok", "none idle ok", "none short-lived ok"],
  );
  assert.deepEqual(
    environment.machines?.map(({ name, roles, clock }) => [name, roles, clock !== null]),
    [
      ["one", ["proxy"], true],
      ["two", ["servers", "load"], true],
      ["own", ["observe"], false],
    ],
  );
  for (const record of lastAttempts(cells)) {
    const machines = Object.values(record.containers).flatMap(({ role, machine }) =>
      role === "observer" ? [] : [[role, machine]],
    );
    const expected = { proxy: "one", echo: "two", load: "two" };
    assert.deepEqual(
      Object.fromEntries(machines),
      // Held connections have no reference.
      record.scenario === "idle" ? expected : { ...expected, reference: "one" },
      record.id,
    );
    for (const [name, machine] of Object.entries({
      ...{ influxdb: "own", cadvisor: "own" },
      ...{ "cadvisor-one": "one", "cadvisor-two": "two" },
    }))
      assert.equal(record.containers[name]?.machine, machine, `${record.id}: ${name}`);
    assert.deepEqual(Object.keys(record.machines ?? {}).sort(), ["one", "own", "two"]);
    assert.deepEqual(Object.keys(record.clocks ?? {}), ["one", "two"]);
    const { asked, opened } = record.connections ?? {};
    assert.equal(opened, asked, record.id);
    const { cpu, memory } = Object.values(record.containers).filter(
      ({ role }) => role === "proxy",
    )[0];
    assert.ok(cpu.totalSeconds > 0 && memory && memory.mean.usageBytes > 0);
  }
  for (const { id, attempt, proxy, scenario } of lastAttempts(cells)) {
    // The other lasts about as long as between two points of cAdvisor.
    if (scenario !== "idle") continue;
    const store = Store.open(join(directory, runFolder()));
    const curves = readRows(readFileSync(join(store.cellPath(id, attempt), CURVES_FILE), "utf8"));
    const seen = new Set(curves.map(({ service, machine }) => `${service} on ${machine}`));
    for (const expected of [`${proxy} on one`, "echo on two", "load-1 on two", "influxdb on "])
      assert.ok(seen.has(expected), `${id}: no curves of ${expected}; of ${[...seen].join(", ")}`);
  }
  const report = readFileSync(join(directory, runFolder(), "report.html"), "utf8");
  assert.match(report, /servers, load</);

  await assertJoinedAlone();

  await t.test("on the overlay and on the machines' own network", async () => {
    writeFileSync(join(directory, "battles/networks.yaml"), NETWORKS_BATTLE);
    const script =
      "require('net').createServer().listen(18080, '0.0.0.0', () => console.log('up'))";
    const image = ["--entrypoint", "node", "ws-proxy-bench/bench"];
    const held = ["run", "--detach", "--rm", "--name", "holder", "--network", "host", ...image];
    await docker(hosts.two, ...held, "--eval", script);
    const runs = join(folder, "networks");
    const run = (into: string) =>
      bench(["run", "networks", ...named], { BENCH_RESULTS: into }).ended;
    const refused = await run(join(folder, "refused"));
    assert.equal(refused.code, 1, refused.output);
    assert.match(
      refused.output,
      /own network of the machine two \(NETWORK=host\) something already listens on port 18080/,
    );
    await docker(hosts.two, "rm", "--force", "holder");

    const { code, output } = await run(runs);
    assert.equal(code, 0, output);
    const [name] = readdirSync(runs);
    const store = Store.open(join(runs, name));
    const cells = lastAttempts(store.results.cells);
    assert.deepEqual(
      cells
        .map(({ proxy, parameters, status }) => `${proxy} ${parameters.HOST_NETWORK} ${status}`)
        .sort(),
      ["nginx 1 ok", "nginx 2 ok", "none 1 ok", "none 2 ok"],
    );
    for (const { id, parameters, connections, containers, echoWorkers, reference } of cells) {
      const isOnHost = parameters.HOST_NETWORK === 1;
      assert.deepEqual(connections, { asked: 300, opened: 300, failed: 0, failedByCause: {} }, id);
      // A turn of 20 for each 80 of the proxy.
      assert.equal(reference?.connections, 80, id);
      assert.ok(echoWorkers && echoWorkers.length > 0, id);
      for (const [name, { role, machine, cpu, network }] of Object.entries(containers)) {
        if (role === "observer") continue;
        assert.ok(machine === "one" || machine === "two", `${name} in ${id}`);
        // What passes an interface of the machine is nobody's.
        assert.equal(network === null, isOnHost, `${name} in ${id}`);
        if (role === "proxy") assert.ok(cpu.totalSeconds > 0, id);
      }
    }
    quieten(directory, join(runs, name));
    const report = readFileSync(join(runs, name, "report.html"), "utf8");
    assert.match(report, /overlay network/);
    assert.match(report, /the machine(’|'|&#39;)s own network/);
    await assertJoinedAlone();
  });

  await t.test("two load machines share the connections", async () => {
    const shared = join(folder, "shared.yaml");
    const machines = {
      ...described,
      one: { host: hosts.one, roles: ["proxy", "load"] },
      two: { host: hosts.two, roles: ["servers", "load"] },
    };
    writeFileSync(shared, JSON.stringify({ machines }));
    const over = ["--hosts", relative(directory, shared), "--proxies", "none"];
    const rejoined = await ended("hosts", "join", ...over);
    assert.equal(rejoined.code, 0, rejoined.output);
    const runs = join(folder, "results");
    const { code, output } = await bench(["run", "one", ...over], { BENCH_RESULTS: runs }).ended;
    assert.equal(code, 0, output);
    const [name] = readdirSync(runs);
    const { cells }: { cells: CellRecord[] } = JSON.parse(
      readFileSync(join(runs, name, "results.json"), "utf8"),
    );
    const [record] = lastAttempts(cells);
    const loads = Object.entries(record.containers).filter(([, { role }]) => role === "load");
    assert.deepEqual(loads.map(([container, { machine }]) => [container, machine]).sort(), [
      ["load-1", "one"],
      ["load-2", "two"],
    ]);
    assert.deepEqual([record.connections?.asked, record.connections?.opened], [20, 20]);
    assert.ok(record.echoLatencyMs && record.echoLatencyMs.count > 0);
  });
  const left = await ended("hosts", "leave", ...named);
  assert.equal(left.code, 0, left.output);
  assert.deepEqual(await inventory(hosts), before);
});

/**
 * Several machines: engines joined into one network and left again, also when a join was broken
 * off. Alone, because this machine's engine forgets the names of all containers when it leaves a
 * Swarm (moby/moby#45144).
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { NETWORK } from "../../../src/hosts/swarm.ts";
import { check, run } from "../../../src/platform/docker.ts";
import { until } from "../../../src/platform/wait.ts";
import { readRows } from "../../../src/record/csv.ts";
import { CURVES_FILE } from "../../../src/record/curve-names.ts";
import { Store } from "../../../src/record/store.ts";
import { furtherEngines } from "../../engines.ts";
import { atEnd, projectDirectory } from "../../lab.ts";
import { lastAttempts, LIMIT_MS, quieten, testbed } from "../../testbed.ts";
import type { TestContext } from "node:test";
import type { CellRecord } from "../../../src/model/cell.ts";
type Machines = NonNullable<Awaited<ReturnType<typeof machines>>>;

const CLI = join(import.meta.dirname, "../../../src/cli.ts");

/** Two engines and a hosts.yaml that names them. */
async function machines(t: TestContext) {
  const engines = await furtherEngines(t, ["one", "two"]);
  if (!engines) return null;
  const { folder, hosts, containers } = engines;
  const file = join(folder, "hosts.yaml");
  const described = {
    one: { host: hosts.one, roles: ["proxy", "observe"] },
    two: { host: hosts.two, roles: ["servers", "load"] },
  };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ machines: described }));
  const words = ["--hosts", relative(projectDirectory, file), "--proxies", "none"];
  return {
    hosts,
    containers,
    bench: (action: string) =>
      run([process.execPath, CLI, "hosts", action, ...words], { cwd: projectDirectory }),
    /** The same through ./bench, in a container of its own. */
    viaScript: (action: string) =>
      run([join(projectDirectory, "bench"), "hosts", action, ...words]),
    /** Kills everything at once when a line comes. */
    async killedAt(action: string, line: RegExp) {
      const child = spawn(process.execPath, [CLI, "hosts", action, ...words], {
        cwd: projectDirectory,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text) => {
        said += text;
        if (line.test(said) && child.pid) process.kill(-child.pid, "SIGKILL");
      });
      const signal = await new Promise((resolve) =>
        child.on("close", (_code, signal) => resolve(signal)),
      );
      assert.equal(signal, "SIGKILL", said);
    },
  };
}

/** @param args of docker */
const docker = (host: string, ...args: string[]) => check(["docker", "--host", host, ...args]);

/** @returns everything that these engines have */
async function inventory(hosts: Record<string, string>): Promise<Record<string, unknown>> {
  const entries = Object.entries(hosts).map(async ([name, host]) => {
    const list = async (...args: string[]) =>
      (await docker(host, ...args)).split("\n").filter(Boolean).sort();
    return [
      name,
      {
        swarm: (await docker(host, "info", "--format", "{{.Swarm.LocalNodeState}}")).trim(),
        networks: await list("network", "ls", "--format", "{{.Name}}"),
        volumes: await list("volume", "ls", "--quiet"),
        images: await list("image", "ls", "--all", "--quiet"),
        containers: await list("ps", "--all", "--quiet"),
      },
    ];
  });
  return Object.fromEntries(await Promise.all(entries));
}

test("two engines", async (t) => {
  const lab = await machines(t);
  if (!lab) return;
  await t.test("are checked, joined, reach each other by name, and are left as they were", (t) =>
    assertJoins(t, lab),
  );
  await t.test(
    "a join that was killed is left, and one that was killed again is gone on with",
    (t) => assertGoesOn(t, lab),
  );
});

async function assertJoins(t: TestContext, { hosts, containers, bench, viaScript }: Machines) {
  const before = await inventory(hosts);

  const first = await viaScript("check");
  assert.equal(first.code, 1, first.output);
  assert.match(first.stdout, /^ {2}one: engine +\d+\./m);
  assert.match(first.stdout, /^ {2}two: Swarm +not joined, expected: joined$/m);
  assert.match(first.stdout, /→ \.\/bench hosts join$/m);
  assert.deepEqual(await inventory(hosts), before, "a check changed something");

  const joined = await bench("join");
  assert.equal(joined.code, 0, joined.output);
  const again = await bench("join");
  assert.equal(again.code, 0, again.output);
  assert.doesNotMatch(again.output, /copying|made|at \d/);

  const second = await bench("check");
  assert.equal(second.code, 0, second.output);
  for (const line of [
    /^ {2}one: Swarm +joined$/m,
    /^ {2}two: images +all there$/m,
    /^ {2}two: clock +-?[\d.]+ ms ± [\d.]+/m,
    /^ {2}two: limits +(\d+|unlimited) descriptors per process/m,
    /^ {2}two → one, overlay +[\d.]+ ms, [\d.]+ [GM]bit\/s, \d+ retransmits$/m,
    /^ {2}two → one, their own network +[\d.]+ ms, [\d.]+ [GM]bit\/s, \d+ retransmits$/m,
    /^ {2}one → two, overlay +[\d.]+ ms, /m,
  ])
    assert.match(second.stdout, line);

  const there = ["--tmpfs", "/tmp", "--network", NETWORK, "--entrypoint", "iperf3"];
  const image = "ws-proxy-bench/bench";
  await docker(
    hosts.two,
    "run",
    "--detach",
    ...there,
    "--network-alias",
    "echo",
    image,
    "--server",
  );
  await docker(hosts.one, "run", "--rm", ...there, image, "--client", "echo", "--time", "1");

  await t.test(
    "one that has fallen silent is named, with the step and the time, and the others are left",
    async (t) => {
      const signal = (name: string) => check(["docker", "kill", "--signal", name, containers.two]);
      // As a machine whose packets are dropped: it neither answers nor refuses.
      await signal("STOP");
      // A stopped engine would not end at the end of the test either.
      atEnd(t, () => run(["docker", "kill", "--signal", "CONT", containers.two]));

      const checked = await bench("check");
      assert.equal(checked.code, 1, checked.output);
      assert.match(checked.stdout, /^ {2}two: engine +no answer/m);
      assert.match(checked.stdout, /no answer within \d+ s to: docker info/);
      assert.match(checked.stdout, /^ {2}one: clock +-?[\d.]+ ms/m, "the other was not looked at");

      const left = await bench("leave");
      assert.equal(left.code, 1, left.output);
      assert.match(left.output, /not left: two/);
      assert.match(left.output, /two: no answer within \d+ s to: docker info/);
      assert.match(left.output, /one: left/);
      await signal("CONT");
    },
  );

  // With a container that still runs.
  const left = await bench("leave");
  assert.equal(left.code, 0, left.output);
  assert.deepEqual(await inventory(hosts), before);
  const nothing = await bench("leave");
  assert.equal(nothing.code, 0, nothing.output);
  assert.match(nothing.output, /one: nothing to undo/);
}

async function assertGoesOn(t: TestContext, { hosts, bench, killedAt }: Machines) {
  const before = await inventory(hosts);
  await killedAt("join", /one: manages/);
  const left = await bench("leave");
  assert.equal(left.code, 0, left.output);
  assert.deepEqual(await inventory(hosts), before);

  await killedAt("join", /copying/);
  atEnd(t, () => bench("leave"));
  const joined = await bench("join");
  assert.equal(joined.code, 0, joined.output);
  const afterwards = await bench("leave");
  assert.equal(afterwards.code, 0, afterwards.output);
  assert.deepEqual(await inventory(hosts), before);
}

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

/**
 * Engines joined into one network and left again, also when a join was broken off. This machine's
 * own engine is none of them.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { NETWORK } from "../../src/hosts/swarm.ts";
import { check, run } from "../../src/platform/subprocess.ts";
import { docker, furtherEngines, inventory } from "../engines.ts";
import { atEnd, projectDirectory } from "../lab.ts";
import type { TestContext } from "node:test";
type Machines = NonNullable<Awaited<ReturnType<typeof machines>>>;

const CLI = join(import.meta.dirname, "../../src/cli.ts");

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

/**
 * Several machines: engines joined into one network and left again, also when a join was broken off.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { NETWORK } from "../../src/machine/hosts-swarm.js";
import { check, run } from "../../src/platform/docker.js";
import { furtherEngines } from "../engines.js";
import { atEnd, projectDirectory } from "../lab.js";

/** @import { TestContext } from "node:test" */

const CLI = join(import.meta.dirname, "../../src/cli.js");

/**
 * Two engines and a hosts.yaml that names them.
 *
 * @param {TestContext} t
 */
async function machines(t) {
  const engines = await furtherEngines(t, ["one", "two"]);
  if (!engines) return null;
  const { folder, hosts } = engines;
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
    /** @param {string} action */
    bench: (action) =>
      run([process.execPath, CLI, "hosts", action, ...words], { cwd: projectDirectory }),
    /** The same through ./bench, in a container of its own. @param {string} action */
    viaScript: (action) => run([join(projectDirectory, "bench"), "hosts", action, ...words]),
    /**
     * Kills everything at once when a line is said.
     *
     * @param {string} action
     * @param {RegExp} line
     */
    async killedAt(action, line) {
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

/** @param {string} host @param {string[]} args of docker */
const docker = (host, ...args) => check(["docker", "--host", host, ...args]);

/**
 * @param {Record<string, string>} hosts
 * @returns {Promise<Record<string, unknown>>} everything that these engines have
 */
async function inventory(hosts) {
  const entries = Object.entries(hosts).map(async ([name, host]) => {
    const list = async (/** @type {string[]} */ ...args) =>
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

test("engines are checked, joined, reach each other by name, and are left as they were", async (t) => {
  const lab = await machines(t);
  if (!lab) return;
  const { hosts, bench, viaScript } = lab;
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
    /^ {2}two: limits +(\d+|unlimited) descriptors a process/m,
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

  // With a container that still runs.
  const left = await bench("leave");
  assert.equal(left.code, 0, left.output);
  assert.deepEqual(await inventory(hosts), before);
  const nothing = await bench("leave");
  assert.equal(nothing.code, 0, nothing.output);
  assert.match(nothing.output, /one: nothing to undo/);
});

test("a join that was killed is left, and one that was killed again is gone on with", async (t) => {
  const lab = await machines(t);
  if (!lab) return;
  const { hosts, bench, killedAt } = lab;
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
});

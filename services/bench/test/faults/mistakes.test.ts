/**
 * Wrong inputs: each is answered with the fact, what was expected and the next step.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ensureCertificates } from "../../src/platform/certificates.ts";
import { run } from "../../src/platform/subprocess.ts";
import { copyOfProject, FREE_PORTS, lab, projectDirectory } from "../lab.ts";
import type { TestContext } from "node:test";
import type { Project } from "../../src/platform/compose.ts";

test("no profile: no load, and a list of profiles", async (t) => {
  const project = lab(t, { isPlain: true, env: { WAIT_SECONDS: "2" } });
  const { code, output } = await project.run(["up"]);
  assert.notEqual(code, 0);
  assert.match(output, /no proxy is up after 2 s/);
  assert.match(output, /Profiles: .*haproxy, .*haproxy-hitch, .*nginx, .*none/);
  assert.doesNotMatch(output, /SUMMARY/);
});

test("two profiles: no load, and both proxies named, though they ask for the same ports", async (t) => {
  const project = lab(t, { isPlain: true, profile: "nginx" });
  project.prefix.push("--profile", "haproxy");
  Object.assign(project.env, await portsNowFree(t));
  const { code, output } = await project.run(["up"]);
  assert.notEqual(code, 0);
  assert.match(output, /2 proxies are up at once: haproxy, nginx/);
  assert.match(output, /Remove all but one: docker compose --profile nginx down nginx/);
  assert.doesNotMatch(output, /already allocated/);
  assert.doesNotMatch(output, /SUMMARY/);
});

/**
 * @param project without a proxy
 * @returns ports of the host that it has now, by their knobs
 */
async function startHostPorts(project: Project): Promise<Record<string, string>> {
  await project.check(["up", "--detach", "host-ports"]);
  const port = async (inside: string) =>
    (await project.check(["port", "host-ports", inside])).trim().split(":")[1];
  return { PROXY_PORT: await port("8080"), PROXY_TLS_PORT: await port("8443") };
}

async function portsNowFree(t: TestContext): ReturnType<typeof startHostPorts> {
  const project = lab(t);
  const ports = await startHostPorts(project);
  await project.down();
  return ports;
}

test("a file server under a load of WebSockets: no load, and the proxies that carry them", async (t) => {
  const { code, output } = await lab(t, { isPlain: true, profile: "nginx-files" }).run(["up"]);
  assert.notEqual(code, 0);
  assert.match(output, /nginx-files carries no WebSockets/);
  assert.match(output, /Expected one of: apache, .*haproxy, /);
  assert.doesNotMatch(output, /SUMMARY/);
});

const KNOBS = [
  [{ CONNECTIONS: "many" }, /CONNECTIONS=many: expected a whole number from 1/],
  [{ CONNECTIONS: "0" }, /CONNECTIONS=0: expected a whole number from 1/],
  [{ MESSAGES: "-1" }, /MESSAGES=-1: expected a whole number from 1/],
  [{ MESSAGE_BYTES: "1.5" }, /MESSAGE_BYTES=1\.5: expected a whole number from 1/],
  [
    { CONNECTIONS: "10", CONCURRENCY: "20" },
    /CONCURRENCY=20: expected at most CONNECTIONS, which is 10/,
  ],
  [{ SCHEME: "http" }, /SCHEME=http: expected ws or wss/],
  [{ LOOP: "yes" }, /LOOP=yes: expected 0 or 1/],
  [{ SCENARIO: "tour", HELD: "none" }, /HELD=none: expected a whole number from 1/],
  [{ SCENARIO: "idle", INTERVAL_SECONDS: "-1" }, /INTERVAL_SECONDS=-1: expected a number from 0/],
  [{ SCENARIO: "idle", HOLD_SECONDS: "0.5" }, /HOLD_SECONDS=0\.5: expected a whole number from 1/],
  [{ SCENARIO: "hot", MESSAGES: "0" }, /MESSAGES=0: expected a whole number from 1/],
  [
    { SCENARIO: "hot", CONNECTIONS_PER_SECOND: "fast" },
    /CONNECTIONS_PER_SECOND=fast: expected a number from 0\.1/,
  ],
  [{ SCENARIO: "churn", CHURN_SECONDS: "0" }, /CHURN_SECONDS=0: expected a whole number from 1/],
  [
    { SCENARIO: "churn", CONNECTIONS_PER_SECOND: "0" },
    /CONNECTIONS_PER_SECOND=0: expected a number from 0\.1/,
  ],
] as const;

test("load refuses knobs that are wrong, and says what it waited for", async (t) => {
  const project = lab(t);
  const load = (knobs: Record<string, string>) =>
    project.run([
      ...["run", "--rm", "--no-deps", "--no-TTY"],
      ...Object.entries(knobs).flatMap(([knob, value]) => ["--env", `${knob}=${value}`]),
      "load",
    ]);
  for (const [knobs, message] of KNOBS) {
    await t.test(JSON.stringify(knobs), async () => {
      const { code, output } = await load(knobs);
      assert.notEqual(code, 0);
      assert.match(output, message);
      assert.match(output, /no load was started/);
    });
  }
  await t.test("what it waited for, and for how long", async () => {
    const { code, output } = await load({ WAIT_SECONDS: "1" });
    assert.notEqual(code, 0);
    assert.match(
      output,
      /waited 1 s \(WAIT_SECONDS\) for http:\/\/proxy:8080\/healthz to answer 200/,
    );
  });
});

test("load counts failed connections by cause and ends with a status other than 0", async (t) => {
  const project = lab(t, { profile: "nginx", env: { CONNECTIONS: "5", CONCURRENCY: "5" } });
  await project.check(["up", "--detach", "nginx"]);
  const path = "TARGET_PATH=/close?code=4002&reason=bye";
  const { code, output } = await project.run([
    "run",
    "--rm",
    "--no-deps",
    "--no-TTY",
    "--env",
    path,
    "load",
  ]);
  assert.equal(code, 99, output);
  assert.match(output, /5 opened, 5 failed \(5 closed_early\)/);
  assert.match(output, /"failedByCause":\{"closed_early":5\}/);
});

/** @param args of ./bench */
function bench(
  t: TestContext,
  args: string[],
  env: Record<string, string> = {},
  directory: string = projectDirectory,
) {
  const { name } = lab(t, { directory });
  return run(["node", "/opt/bench/src/cli.ts", ...args], {
    cwd: directory,
    env: { ...FREE_PORTS, COMPOSE_PROJECT_NAME: name, ...env },
  });
}

test("up of an unknown proxy names the nearest", async (t) => {
  const { code, stderr } = await bench(t, ["up", "haproxi"]);
  assert.equal(code, 2);
  assert.match(stderr, /unknown proxy: haproxi\n.*Did you mean haproxy\?/);
});

test("up of no proxy, and of two", async (t) => {
  const none = await bench(t, ["up"]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /missing required argument 'PROXY'\n.*PROXY: a folder of proxies\//);
  assert.match((await bench(t, ["up", "nginx", "haproxy"])).stderr, /too many arguments for 'up'/);
});

test("up on a port that is taken names the port and its variable", async (t) => {
  // The engine publishes on the host's loopback: a container of the engine's own takes the port
  // first.
  const holder = lab(t);
  const port = (await startHostPorts(holder)).PROXY_PORT;
  const { code, stderr } = await bench(t, ["up", "nginx"], { PROXY_PORT: port });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`port ${port} of 127.0.0.1 is already taken by`));
  assert.match(stderr, /set PROXY_PORT in \.env/);
});

test("up with a broken config shows the checker's message, file and line", async (t) => {
  const directory = copyOfProject(t);
  writeFileSync(join(directory, "proxies/nginx/nginx.conf"), "events {}\nno_such_directive;\n");
  const { code, stderr } = await bench(t, ["up", "nginx"], {}, directory);
  assert.equal(code, 1);
  assert.match(stderr, /unknown directive "no_such_directive" in \/etc\/nginx\/nginx\.conf:2/);
  assert.match(stderr, /Correct it in proxies\/nginx\//);
});

test("up with a certificate that cannot be read names the file", async (t) => {
  const files = ["key.pem", "combined.pem"].map((file) => `/certs/ecdsa/${file}`);
  const chmod = ["run", "--rm", "--no-deps", "--entrypoint", "chmod", "certs", "000", ...files];
  for (const [name, file] of [
    ["nginx", "key.pem"],
    ["haproxy", "combined.pem"],
    ["none", "key.pem"],
  ]) {
    const project = lab(t);
    await ensureCertificates(project);
    await project.check(chmod);
    const { code, output } = await bench(t, ["up", name], {
      COMPOSE_PROJECT_NAME: project.name,
      ...{ WAIT_SECONDS: "1", CONNECTIONS: "1", CONCURRENCY: "1" },
    });
    assert.notEqual(code, 0, name);
    assert.match(output, new RegExp(file.replace(".", "\\.")), name);
    assert.match(output, /[Pp]ermission denied|cannot (read|open)/, name);
  }
});

test("a proxy.json with a mistake names file, key and what was expected", async (t) => {
  const directory = copyOfProject(t);
  writeFileSync(join(directory, "proxies/nginx/proxy.json"), '{"title": 3}');
  const { code, stderr } = await bench(t, ["up", "nginx"], {}, directory);
  assert.equal(code, 2);
  assert.match(stderr, /proxies\/nginx\/proxy\.json, line 1: "title" is 3\n.*Expected a text/);
});

test("no engine at DOCKER_HOST", async () => {
  const { code, stderr } = await run([join(projectDirectory, "bench"), "up", "nginx"], {
    env: { DOCKER_HOST: "unix:///nowhere.sock" },
  });
  assert.equal(code, 1);
  assert.match(stderr, /no Docker engine answers at DOCKER_HOST=unix:\/\/\/nowhere\.sock/);
});

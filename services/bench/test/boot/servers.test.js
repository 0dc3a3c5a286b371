/**
 * Plain HTTP: servers behind the proxies other than the echo server, and connections that are kept on both sides of a proxy.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { before, test } from "node:test";
import { ensureCertificates } from "../../src/platform/certificates.js";
import { check } from "../../src/platform/docker.js";
import { CONTROL, healthUrl, readProxies } from "../../src/plan/proxies.js";
import { setup } from "../../src/commands/setup.js";
import { statusOf, until } from "../../src/platform/wait.js";
import { joinProject, lab, projectDirectory } from "../lab.js";

/** @import { TestContext } from "node:test" */
/** @import { Scheme } from "../../src/record/types.js" */

const REQUESTS = 400;
/** Requests at a time, each on a connection that is kept. */
const AT_A_TIME = 4;
/** Far fewer than requests: as many as are open at a time, in each worker of a proxy. */
const MOST_CONNECTIONS = 4 * AT_A_TIME;
/** The kernel's table of a container's sockets. */
const SOCKETS = ["cat", "/proc/net/tcp", "/proc/net/tcp6"];

before(() => setup(projectDirectory, () => {}, { backends: ["node-web", "spring"] }));

for (const { name, schemes, serves } of readProxies(join(projectDirectory, "proxies"))) {
  if (serves !== "websockets" || name === CONTROL) continue;
  test(`${name}: requests share connections on both of its sides`, async (t) => {
    const { project, ca } = await startProxy(t, name, schemes, { BACKEND: "node-web" });
    for (const scheme of schemes) {
      const { get, connections } = client(t, scheme, ca);
      const oneAfterTheOther = async () => {
        for (let i = 0; i < REQUESTS / AT_A_TIME; i++) assert.equal(await get("/hello"), 200);
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, oneAfterTheOther));
      assert.equal(connections.size, AT_A_TIME, scheme);
    }
    const behind = await connectionsToServer(project, name);
    assert.ok(behind > 0 && behind <= MOST_CONNECTIONS * schemes.length, `${behind} connections`);
  });
}

for (const [backend, name, schemes, paths] of /** @type {const} */ ([
  ["node-web", "none", ["ws", "wss"], ["/hello", "/files/786432"]],
  ["node-web", "haproxy-tcp-hitch", ["ws", "wss"], ["/hello", "/files/2216"]],
  ["spring", "none", ["ws"], ["/hello"]],
  ["spring", "nginx", ["ws", "wss"], ["/hello"]],
  ["spring", "haproxy-tcp-hitch", ["ws", "wss"], ["/hello"]],
])) {
  test(`${backend} answers through ${name}`, async (t) => {
    const { ca } = await startProxy(t, name, schemes, { BACKEND: backend, SERVER_WORKERS: "2" });
    for (const scheme of schemes) {
      const { get } = client(t, scheme, ca);
      for (const path of paths) assert.equal(await get(path), 200, `${scheme} ${path}`);
      assert.equal(await get("/nothing"), 404);
    }
  });
}

test("spring's instances share the port; it ends when one does, and at once when told", async (t) => {
  const knobs = { BACKEND: "spring", SERVER_WORKERS: "2" };
  const { project } = await startProxy(t, "none", ["ws"], knobs);
  const listening = async () => {
    const sockets = await project.check(["exec", "--no-TTY", "none", ...SOCKETS]);
    return sockets.split("\n").filter((line) => /^ *\d+: \w+:1F90 \S+ 0A /.test(line)).length;
  };
  assert.equal(await until(Date.now() + 20_000, listening, (count) => count === 2), 2);
  const id = (await project.check(["ps", "--quiet", "none"])).trim();
  await project.check(["exec", "--no-TTY", "none", "sh", "-c", killOne("java")]);
  assert.equal((await check(["docker", "wait", id])).trim(), "1");
  assert.match(await project.check(["logs", "none"]), /an instance ended with status 137/);

  await project.check(["up", "--detach", "none"]);
  await waitFor(["ws"]);
  const again = (await project.check(["ps", "--quiet", "none"])).trim();
  await project.check(["stop", "--timeout", "30", "none"]);
  // 137 would be: killed after those 30 s.
  const status = ["docker", "inspect", "--format", "{{.State.ExitCode}}", again];
  assert.equal((await check(status)).trim(), "0");
});

test("the load generator has its tools, and what its programs import", async (t) => {
  const project = lab(t);
  const run = (/** @type {string[]} */ entrypoint, /** @type {string[]} */ ...args) =>
    project.run(["run", "--rm", "--no-deps", "--no-TTY", ...entrypoint, "load-http", ...args]);
  assert.match((await run(["--entrypoint", "wrk"], "--version")).output, /^wrk .*epoll/m);
  assert.match((await run(["--entrypoint", "ab"], "-V")).output, /ApacheBench, Version/);
  const script = "import('ws').then(({ WebSocket }) => console.log(WebSocket.name))";
  const { code, stdout } = await run(["--entrypoint", "node"], "--eval", script);
  assert.deepEqual([code, stdout.trim()], [0, "WebSocket"]);
});

/**
 * @param {TestContext} t
 * @param {string} name of a proxy
 * @param {readonly Scheme[]} schemes
 * @param {Record<string, string>} env
 */
async function startProxy(t, name, schemes, env) {
  const project = lab(t, { profile: name, env });
  const { services } = await project.config();
  const parts = Object.keys(services).filter((service) =>
    services[service].profiles?.includes(name),
  );
  const ca = await ensureCertificates(project);
  await project.check(["up", "--detach", "--no-deps", "echo", ...parts]);
  await joinProject(t, project.name);
  await waitFor(schemes);
  return { project, ca };
}

/** @param {readonly Scheme[]} schemes */
async function waitFor(schemes) {
  for (const scheme of schemes) {
    const ask = () => statusOf(healthUrl(scheme));
    const isWell = (/** @type {string} */ status) => status === "200";
    assert.equal(await until(Date.now() + 40_000, ask, isWell), "200");
  }
}

/**
 * @param {TestContext} t
 * @param {Scheme} scheme
 * @param {string} ca certificate of the authority, PEM
 */
function client(t, scheme, ca) {
  const options = { keepAlive: true, maxSockets: AT_A_TIME };
  const [agent, request] =
    scheme === "wss"
      ? [new https.Agent({ ...options, ca }), https.request]
      : [new http.Agent(options), http.request];
  t.after(() => agent.destroy());
  /** @type {Set<import("node:net").Socket>} */
  const connections = new Set();

  /**
   * @param {string} path
   * @returns {Promise<number>} status, once the answer has come whole
   */
  async function get(path) {
    const url = new URL(path, healthUrl(scheme));
    const [response] = await once(request(url, { agent }).end(), "response");
    connections.add(response.socket);
    await once(response.resume(), "end");
    return response.statusCode;
  }
  return { get, connections };
}

/**
 * @param {import("../../src/platform/docker.js").Project} project
 * @param {string} name of its proxy
 * @returns {Promise<number>} connections to the server's ports that are open or were within a minute: the side that closes
 *   one remembers it for that long
 */
async function connectionsToServer(project, name) {
  const SERVER_PORTS = ["1F90", "1F91"];
  const ports = new Set();
  for (const service of ["echo", name]) {
    const rows = await project.check(["exec", "--no-TTY", service, ...SOCKETS]);
    for (const [, local, remote] of rows.matchAll(/^ *\d+: \w+:(\w{4}) \w+:(\w{4}) (?:01|06) /gm)) {
      const [server, proxy] = service === "echo" ? [local, remote] : [remote, local];
      if (SERVER_PORTS.includes(server)) ports.add(proxy);
    }
  }
  return ports.size;
}

/**
 * @param {string} program
 * @returns {string} script for sh that kills the first process which runs it
 */
function killOne(program) {
  return `for p in /proc/[0-9]*; do [ "$(cat "$p/comm")" = ${program} ] && kill -9 "\${p#/proc/}" && exit; done; exit 1`;
}

/**
 * What tests of plain HTTP share: a proxy that is up, a client that keeps its connections, and the connections behind the proxy.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { CONTROL, healthUrl } from "../src/plan/proxies.js";
import { ensureCertificates } from "../src/platform/certificates.js";
import { OWN_ENGINE } from "../src/platform/docker.js";
import { statusOf, until } from "../src/platform/wait.js";
import { joinProject, lab, PROC } from "./lab.js";

/** @import { TestContext } from "node:test" */
/** @import { Project } from "../src/platform/docker.js" */
/** @import { Scheme } from "../src/model/plan.ts" */

const REQUESTS = 400;
/** Requests at a time, each on a connection that is kept. */
const AT_A_TIME = 4;
/** Two JVMs take their time on a busy machine. */
const START_LIMIT_MS = 120_000;
/** Far fewer than requests: as many as are open at a time, in each worker of a proxy. */
const MOST_CONNECTIONS = 4 * AT_A_TIME;

/**
 * @param {TestContext} t
 * @param {string} name of a proxy
 * @param {readonly Scheme[]} schemes
 * @param {Record<string, string>} env
 */
export async function startProxy(t, name, schemes, env) {
  const project = lab(t, { profile: name, env });
  return { project, ca: await bringUp(t, project, name, schemes) };
}

/**
 * Starts a proxy and the server behind it, and waits until they answer.
 *
 * @param {TestContext} t
 * @param {Project & {name: string}} project
 * @param {string} name of the proxy
 * @param {readonly Scheme[]} schemes
 * @param {() => Promise<void>} [check] called before it starts
 * @returns {Promise<string>} certificate of the authority, PEM
 */
export async function bringUp(t, project, name, schemes, check = async () => {}) {
  const { services } = await project.config();
  const parts = Object.keys(services).filter((service) =>
    services[service].profiles?.includes(name),
  );
  const ca = await ensureCertificates(project);
  await check();
  // Nothing stands behind the control, which is a server itself.
  const servers = name === CONTROL ? [] : ["echo"];
  await project.check(["up", "--detach", "--no-deps", ...servers, ...parts]);
  await joinProject(t, project.name);
  await waitForProxy(schemes);
  return ca;
}

/** @param {readonly Scheme[]} schemes */
export async function waitForProxy(schemes) {
  for (const scheme of schemes) {
    const ask = () => statusOf(healthUrl(scheme));
    const isWell = (/** @type {string} */ status) => status === "200";
    assert.equal(await until(Date.now() + START_LIMIT_MS, ask, isWell), "200");
  }
}

/**
 * @param {TestContext} t
 * @param {Scheme} scheme
 * @param {string} ca certificate of the authority, PEM
 */
export function client(t, scheme, ca) {
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
 * @param {{name: string}} project
 * @param {string} service of one container
 * @returns {Promise<string>} the kernel's tables of its sockets
 */
export async function socketsOf(project, service) {
  const containers = await OWN_ENGINE.containersOf(project.name);
  const container = containers.find((one) => one.service === service);
  assert.ok(container, `there is no ${service}`);
  const tables = ["tcp", "tcp6"].map((table) => join(PROC, String(container.pid), "net", table));
  return tables.map((file) => readFileSync(file, "utf8")).join("");
}

/**
 * @param {{name: string}} project
 * @param {string} name of its proxy
 * @returns {Promise<number>} connections to the server's ports that are open or were within a minute: the side that closes
 *   one remembers it for that long
 */
async function connectionsToServer(project, name) {
  const SERVER_PORTS = ["1F90", "1F91"];
  const ports = new Set();
  for (const service of ["echo", name]) {
    const rows = await socketsOf(project, service);
    for (const [, local, remote] of rows.matchAll(/^ *\d+: \w+:(\w{4}) \w+:(\w{4}) (?:01|06) /gm)) {
      const [server, proxy] = service === "echo" ? [local, remote] : [remote, local];
      if (SERVER_PORTS.includes(server)) ports.add(proxy);
    }
  }
  return ports.size;
}

/**
 * @param {TestContext} t
 * @param {{name: string}} project whose proxy is up, and has carried next to nothing
 * @param {{name: string, schemes: readonly Scheme[], ca: string}} proxy
 * @param {string} path that its server answers with 200
 */
export async function assertSharedConnections(t, project, { name, schemes, ca }, path) {
  for (const scheme of schemes) {
    const { get, connections } = client(t, scheme, ca);
    const oneAfterTheOther = async () => {
      for (let i = 0; i < REQUESTS / AT_A_TIME; i++) assert.equal(await get(path), 200);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, oneAfterTheOther));
    assert.equal(connections.size, AT_A_TIME, scheme);
  }
  const behind = await connectionsToServer(project, name);
  assert.ok(behind > 0 && behind <= MOST_CONNECTIONS * schemes.length, `${behind} connections`);
}

/**
 * What tests of plain HTTP share: a proxy that is up, a client that keeps its connections, and the
 * connections behind the proxy.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { WebSocket } from "ws";
import { CONTROL, healthUrl } from "../src/plan/proxies.ts";
import { ensureCertificates } from "../src/platform/certificates.ts";
import { OWN_ENGINE } from "../src/platform/engine.ts";
import { statusOf, until } from "../src/platform/wait.ts";
import { joinProject, lab, PROC } from "./lab.ts";
import type { TestContext } from "node:test";
import type { Project } from "../src/platform/compose.ts";
import type { Scheme } from "../src/model/plan.ts";
import type { Socket } from "node:net";

const REQUESTS = 400;
/** Requests at a time, each on a connection that is kept. */
const AT_A_TIME = 4;
/** Two JVMs take their time on a busy machine. */
const START_LIMIT_MS = 120_000;
/** Until a proxy that follows the name has looked it up. */
const LOOKED_UP_MS = 10_000;
/** Far fewer than requests: as many as are open at a time, in each worker of a proxy. */
const MOST_CONNECTIONS = 4 * AT_A_TIME;

/** @param name of a proxy */
export async function startProxy(
  t: TestContext,
  name: string,
  schemes: readonly Scheme[],
  env: Record<string, string>,
) {
  const project = lab(t, { profile: name, env });
  return { project, ca: await bringUp(t, project, name, schemes) };
}

/**
 * Starts a proxy and the server behind it, and waits until they answer.
 *
 * @param name of the proxy
 * @param check called before it starts
 * @returns certificate of the authority, PEM
 */
export async function bringUp(
  t: TestContext,
  project: Project & { name: string },
  name: string,
  schemes: readonly Scheme[],
  check: () => Promise<void> = async () => {},
): Promise<string> {
  const { services } = await project.config();
  const parts = Object.keys(services).filter((service) =>
    services[service].profiles?.includes(name),
  );
  const ca = await authorityOf(project);
  await check();
  // Nothing stands behind the control, which is a server itself.
  const servers = name === CONTROL ? [] : ["echo"];
  await project.check(["up", "--detach", "--no-deps", ...servers, ...parts]);
  await joinProject(t, project.name);
  await waitForProxy(schemes);
  return ca;
}

/** By project and type of key. */
const authorities: Map<string, Promise<string>> = new Map();

/** @returns its certificate, PEM, which is made once in a project */
function authorityOf(project: Project & { name: string }): Promise<string> {
  const key = `${project.name} ${project.env.TLS_KEY_TYPE}`;
  const authority = authorities.get(key) ?? ensureCertificates(project);
  authorities.set(key, authority);
  return authority;
}

export async function waitForProxy(schemes: readonly Scheme[]) {
  for (const scheme of schemes) await waitForAnswer(healthUrl(scheme));
}

/** @param url is to be answered with 200 */
export async function waitForAnswer(url: string) {
  const ask = () => statusOf(url);
  const isWell = (status: string) => status === "200";
  assert.equal(await until(Date.now() + START_LIMIT_MS, ask, isWell), "200", url);
}

/** @returns WebSockets that each of so many servers behind the proxy has served */
export function servedBy({ name }: { name: string }, servers: number): Promise<number[]> {
  const each = Array.from({ length: servers }, async (_, i) => {
    const stats = `http://${name}-echo-${i + 1}:8080/stats`;
    await waitForAnswer(stats);
    const response = await fetch(stats, { headers: { connection: "close" } });
    return ((await response.json()) as any).connectionsTotal;
  });
  return Promise.all(each);
}

/** Connects until the proxy knows them all, as one may have started after it. */
export async function untilAllServe(project: { name: string }, servers: number) {
  const before = await servedBy(project, servers);
  const haveServed = (totals: number[]) => totals.every((total, i) => total > before[i]);
  const after = await until(
    Date.now() + LOOKED_UP_MS,
    async () => {
      await connect(2);
      return servedBy(project, servers);
    },
    haveServed,
  );
  assert.ok(haveServed(after), `${before} and then ${after} WebSockets at the ${servers} servers`);
  return after;
}

/** @param count of WebSockets, one after the other */
export async function connect(count: number) {
  for (let i = 0; i < count; i++) {
    const socket = new WebSocket("ws://proxy:8080/");
    await new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => socket.close());
      socket.on("close", resolve);
    });
  }
}

/** @param ca certificate of the authority, PEM */
export function client(t: TestContext, scheme: Scheme, ca: string) {
  const options = { keepAlive: true, maxSockets: AT_A_TIME };
  const [agent, request] =
    scheme === "wss"
      ? [new https.Agent({ ...options, ca }), https.request]
      : [new http.Agent(options), http.request];
  t.after(() => agent.destroy());
  const connections: Set<Socket> = new Set();

  /** @returns status, once the answer has come whole */
  async function get(path: string): Promise<number> {
    const url = new URL(path, healthUrl(scheme));
    const [response] = await once(request(url, { agent }).end(), "response");
    connections.add(response.socket);
    await once(response.resume(), "end");
    return response.statusCode;
  }
  return { get, connections };
}

/**
 * @param service of one container
 * @returns the kernel's tables of its sockets
 */
export function socketsOf(project: { name: string }, service: string): Promise<string> {
  return readNetwork(project, service, ["tcp", "tcp6"]);
}

/**
 * @param service of one container
 * @returns UDP datagrams that its network has sent: questions to the engine's name server, and its
 *   answers
 */
export async function datagramsOf(project: { name: string }, service: string): Promise<number> {
  const counters = await readNetwork(project, service, ["snmp"]);
  const sent = /^Udp: \d+ \d+ \d+ (\d+) /m.exec(counters)?.[1];
  assert.ok(sent, counters);
  return Number(sent);
}

async function readNetwork(project: { name: string }, service: string, tables: string[]) {
  const containers = await OWN_ENGINE.containersOf(project.name);
  const container = containers.find((one) => one.service === service);
  assert.ok(container, `there is no ${service}`);
  const files = tables.map((table) => join(PROC, String(container.pid), "net", table));
  return files.map((file) => readFileSync(file, "utf8")).join("");
}

/**
 * @param name of its proxy
 * @returns connections to the server's ports that are open or were within a minute: the side that
 *   closes one remembers it for that long
 */
async function connectionsToServer(project: { name: string }, name: string): Promise<number> {
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
 * @param project whose proxy is up, and has carried next to nothing
 * @param path that its server answers with 200
 */
export async function assertSharedConnections(
  t: TestContext,
  project: { name: string },
  { name, schemes, ca }: { name: string; schemes: readonly Scheme[]; ca: string },
  path: string,
) {
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

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { contentOf, SIZES } from "./content.js";

const folder = mkdtempSync(join(tmpdir(), "node-web-test-"));
after(() => rmSync(folder, { recursive: true }));

test("the content is the text again and again, cut to its length", () => {
  assert.equal(contentOf(12).toString(), "Hello world\n");
  assert.equal(contentOf(29).toString(), "Hello world\nHello world\nHello");
});

for (const program of ["main.js", "express.js"]) {
  test(`${program} serves the files of the known sizes and no other`, async (t) => {
    const { url } = await start(t, program);
    for (const bytes of SIZES) {
      const response = await fetch(`${url}/files/${bytes}`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-length"), String(bytes));
      assert.ok(contentOf(bytes).equals(Buffer.from(await response.arrayBuffer())));
    }
    assert.equal((await fetch(`${url}/files/13`)).status, 404);
    assert.equal((await fetch(`${url}/`)).status, 404);
    assert.equal(await (await fetch(`${url}/healthz`)).text(), "ok\n");
  });
}

test("main.js says hello, and names its pages where there is none", async (t) => {
  const { url } = await start(t, "main.js");
  assert.equal(await (await fetch(`${url}/hello`)).text(), "Hello world\n");
  assert.match(await (await fetch(`${url}/`)).text(), /Expected one of \/files\/12, /);
});

test("hello.js answers the same 12 bytes to everything", async (t) => {
  const { url } = await start(t, "hello.js");
  for (const path of ["/", "/files/786432"])
    assert.equal(await (await fetch(url + path)).text(), "Hello world\n");
});

test("a connection carries many requests, and is kept for longer than proxies keep theirs", async (t) => {
  const { url } = await start(t, "main.js");
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const ports = new Set();
  for (let i = 0; i < 50; i++) {
    const [response] = await once(request(`${url}/hello`, { agent }).end(), "response");
    assert.equal(response.headers["keep-alive"], "timeout=120");
    ports.add(response.socket.localPort);
    await once(response.resume(), "end");
  }
  assert.equal(ports.size, 1);
});

for (const [name, pieces] of /** @type {const} */ ([
  ["IPv4", ["PROXY TCP4 192.0.2.7 198.51.100.1 1 2\r\n", "GET"]],
  ["pieces, with the request in the last", ["PROXY UNK", "NOWN\r", "\nGET"]],
])) {
  test(`a header of the PROXY protocol is skipped: ${name}`, async (t) => {
    const port = await freePort();
    await start(t, "main.js", { ECHO_PROXY_PROTOCOL_PORT: port });
    const socket = connect({ port: Number(port), noDelay: true });
    for (const piece of pieces) {
      socket.write(piece);
      await sleep(30);
    }
    socket.write(" /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nHello world\n$/);
  });
}

test("a connection without such a header is closed", async (t) => {
  const port = await freePort();
  await start(t, "main.js", { ECHO_PROXY_PROTOCOL_PORT: port });
  const socket = connect({ port: Number(port) });
  socket.on("error", () => {});
  socket.write("x".repeat(200));
  await once(socket, "close");
});

test("serves over TLS as the policy says, and every worker resumes the sessions of the others", async (t) => {
  const tlsPort = await freePort();
  await start(t, "main.js", { ...certificate(), ECHO_TLS_PORT: tlsPort, ECHO_WORKERS: "3" });
  const first = await visit(tlsPort);
  assert.equal(first.protocol, "TLSv1.3");
  assert.equal(first.cipher, "TLS_AES_128_GCM_SHA256");
  assert.match(first.answer, /Hello world\n$/);
  for (let i = 0; i < 6; i++) assert.ok((await visit(tlsPort, first.session)).isReused);
  await assert.rejects(visit(tlsPort, undefined, "P-256"), /alert/i);
});

test("ends at once on SIGTERM, with a connection open", async (t) => {
  const { child, url } = await start(t, "main.js");
  const socket = connect(Number(new URL(url).port));
  await once(socket, "connect");
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
  socket.destroy();
});

test("ends when a worker ends", async (t) => {
  const { child } = await start(t, "main.js");
  const [worker] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ");
  process.kill(Number(worker), "SIGKILL");
  assert.deepEqual(await once(child, "exit"), [1, null]);
});

for (const count of ["0", "two", "1.5"]) {
  test(`ECHO_WORKERS=${count} is refused`, async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "main.js")], {
      env: { ECHO_WORKERS: count },
    });
    let stderr = "";
    child.stderr.on("data", (data) => (stderr += data));
    assert.deepEqual(await once(child, "close"), [2, null]);
    assert.match(
      stderr,
      new RegExp(`ECHO_WORKERS=${count}: expected a whole number from 1 to 999`),
    );
  });
}

/**
 * Starts a program with no setting but `env`, on free ports, and waits until it answers.
 *
 * @param {import("node:test").TestContext} t
 * @param {string} program
 * @param {Record<string, string>} [env]
 */
async function start(t, program, env = {}) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, program)], {
    env: { ECHO_PORT: port, TMPDIR: folder, ...env },
    stdio: "inherit",
  });
  t.after(() => child.kill("SIGKILL"));
  const url = `http://localhost:${port}`;
  while (!(await fetch(`${url}/healthz`).catch(() => null))) {
    assert.equal(child.exitCode, null, `${program} ended`);
    await sleep(20);
  }
  return { child, url };
}

async function freePort() {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await once(server.close(), "close");
  return String(port);
}

/** @returns settings for TLS with a certificate of its own, ECDSA on P-256 */
function certificate() {
  const [TLS_CERT, TLS_KEY] = ["cert.pem", "key.pem"].map((name) => join(folder, name));
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    TLS_KEY,
  ];
  execFileSync("openssl", ["req", "-x509", ...key, "-subj", "/CN=localhost", "-out", TLS_CERT], {
    stdio: "ignore",
  });
  const TLS_POLICY = join(folder, "policy.json");
  writeFileSync(
    TLS_POLICY,
    JSON.stringify({
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.3",
      cipherSuitesTls13: ["TLS_AES_128_GCM_SHA256"],
      ciphersTls12: ["ECDHE-ECDSA-AES128-GCM-SHA256"],
      groups: ["X25519"],
      sessionResumption: true,
    }),
  );
  return { TLS_CERT, TLS_KEY, TLS_POLICY };
}

/**
 * One GET /hello over a TLS connection of its own.
 *
 * @param {string} port
 * @param {Buffer} [session]
 * @param {string} [ecdhCurve]
 */
async function visit(port, session, ecdhCurve) {
  const socket = connectTls({ port: Number(port), rejectUnauthorized: false, session, ecdhCurve });
  /** @type {Buffer | undefined} */
  let newest;
  socket.on("session", (ticket) => {
    newest = ticket;
  });
  await once(socket, "secureConnect");
  const seen = {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().name,
    isReused: socket.isSessionReused(),
  };
  socket.write("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return { ...seen, answer, session: newest };
}

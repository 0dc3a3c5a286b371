import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect as connectTcp, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import WebSocket from "ws";
import { createEchoServers } from "./server.js";

const MAIN = join(import.meta.dirname, "main.js");
const POLICY = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.3",
  cipherSuitesTls13: ["TLS_AES_128_GCM_SHA256"],
  ciphersTls12: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  groups: ["X25519"],
  sessionResumption: false,
};

const folder = mkdtempSync(join(tmpdir(), "echo-test-"));
const TLS = {
  TLS_CERT: join(folder, "cert.pem"),
  TLS_KEY: join(folder, "key.pem"),
  TLS_POLICY: file("policy.json", JSON.stringify(POLICY)),
};
makeCertificate(TLS.TLS_CERT, TLS.TLS_KEY);
after(() => rmSync(folder, { recursive: true }));

describe("echo", () => {
  /** @type {Echo} */
  let echo;
  before(async () => {
    echo = await startEcho();
  });
  after(() => echo.stop());

  for (const [name, message] of /** @type {[string, string | Buffer][]} */ ([
    ["text", "grüße ☃"],
    ["empty text", ""],
    ["binary", Buffer.from([0, 0xff, 0xc0, 0x80])],
    ["empty binary", Buffer.alloc(0)],
    ["1 MiB of binary", Buffer.alloc(1024 * 1024, "0123456789abcdef!")],
    ["1 MiB of text", "é".repeat(512 * 1024)],
  ])) {
    test(`returns ${name} as it came`, async () => {
      const socket = await open(`${echo.ws}/any/path?query`);
      socket.send(message);
      const [data, isBinary] = await once(socket, "message");
      assert.equal(isBinary, typeof message !== "string");
      assert.ok(Buffer.from(message).equals(data));
      socket.close();
    });
  }

  test("keeps the order of messages of all sizes, fragmented ones too", async () => {
    const socket = await open(echo.ws);
    const sent = Array.from({ length: 500 }, (_, i) => `${i}:${"x".repeat((i * i) % 70_000)}`);
    const received = collect(socket, sent.length);
    for (const text of sent) {
      socket.send(text.slice(0, 2), { fin: false });
      socket.send(text.slice(2));
    }
    assert.deepEqual((await received).map(String), sent);
    socket.close();
  });

  test("stops reading a client that does not read, and loses nothing", async () => {
    const socket = await open(echo.ws);
    const before = (await echo.stats()).messages;
    const sent = Array.from({ length: 64 }, (_, i) => Buffer.alloc(1024 * 1024, i));
    const received = collect(socket, sent.length);
    socket.pause();
    for (const data of sent) socket.send(data);
    let read = 0;
    await until(async () => {
      const earlier = read;
      read = (await echo.stats()).messages - before;
      return read > 0 && read === earlier;
    }, 300);
    assert.ok(read < sent.length, `${read} messages were read`);
    socket.resume();
    assert.ok((await received).every((data, i) => data.equals(sent[i])));
    socket.close();
  });

  test("ends a connection with 1009 when a message is longer than 16 MiB", async () => {
    const before = await echo.stats();
    const socket = await open(echo.ws);
    socket.send(Buffer.alloc(16 * 1024 * 1024 + 1));
    const [code] = await once(socket, "close");
    assert.equal(code, 1009);
    assert.equal((await echo.stats()).protocolErrors, before.protocolErrors + 1);
  });

  test("takes the first subprotocol offered, and no compression", async () => {
    const socket = await open(echo.ws, ["mqtt", "chat"]);
    assert.equal(socket.protocol, "mqtt");
    assert.equal(socket.extensions, "");
    socket.close();
  });

  test("compresses on /deflate, where the client offers it", async () => {
    const socket = await open(`${echo.ws}/deflate`);
    assert.equal(socket.extensions, "permessage-deflate");
    await until(async () => (await echo.stats()).connectionsOpen === 1);
    socket.close();
    const without = new WebSocket(`${echo.ws}/deflate`, { perMessageDeflate: false });
    await once(without, "open");
    assert.equal(without.extensions, "");
    without.close();
  });

  test("tells the request on /headers, over HTTP and as first message", async () => {
    const headers = { "X-Forwarded-For": "192.0.2.1" };
    const body = await (await fetch(`${echo.http}/headers?a=1`, { headers })).json();
    const socket = new WebSocket(`${echo.ws}/headers?a=1`, { headers });
    const [message] = await once(socket, "message");
    const first = JSON.parse(message);
    for (const seen of [body, first]) {
      assert.equal(seen.method, "GET");
      assert.equal(seen.url, "/headers?a=1");
      assert.equal(seen.httpVersion, "1.1");
      assert.equal(seen.headers["x-forwarded-for"], "192.0.2.1");
      assert.match(seen.remoteAddress, /127\.0\.0\.1$/);
    }
    assert.equal(first.headers.upgrade, "websocket");
    socket.send("then it echoes");
    assert.equal(String((await once(socket, "message"))[0]), "then it echoes");
    socket.close();
  });

  for (const [query, code, reason] of /** @type {[string, number, RegExp][]} */ ([
    ["?code=4002&reason=bye", 4002, /^bye$/],
    ["?code=1011&reason=why?", 1011, /^why\?$/],
    ["", 1000, /^$/],
    ["?code=1006", 1008, /^expected a code/],
    ["?code=abc", 1008, /^expected a code/],
    [`?code=1000&reason=${"x".repeat(124)}`, 1008, /at most 123 bytes/],
  ])) {
    test(`closes on /close${query.slice(0, 30)} with ${code}`, async () => {
      const socket = new WebSocket(`${echo.ws}/close${query}`);
      const [closeCode, closeReason] = await once(socket, "close");
      assert.equal(closeCode, code);
      assert.match(String(closeReason), reason);
    });
  }

  test("tells on /.generation what X-Generation says, and knows no such page without it", async () => {
    const url = `${echo.http}/.generation`;
    const told = await fetch(url, { headers: { "X-Generation": "7" } });
    assert.equal(told.status, 200);
    assert.equal(await told.text(), "7\n");
    assert.equal((await fetch(url)).status, 404);
  });

  test("answers HTTP: health, 404 elsewhere, connections kept long enough for proxies", async () => {
    const health = await fetch(`${echo.http}/healthz`);
    assert.equal(health.status, 200);
    assert.equal(health.headers.get("keep-alive"), "timeout=120");
    assert.equal(await health.text(), "ok\n");
    const other = await fetch(`${echo.http}/other`);
    assert.equal(other.status, 404);
    assert.match(await other.text(), /Expected \/healthz/);
  });
});

test("stats count over all workers, whichever answers", async (t) => {
  const echo = await startEcho({ ECHO_WORKERS: "3" });
  t.after(echo.stop);
  const sockets = await Promise.all(Array.from({ length: 30 }, () => open(echo.ws)));
  for (const socket of sockets) {
    const received = collect(socket, 2);
    socket.send("one");
    socket.send("two");
    await received;
  }
  const upgrade = request(echo.http, { headers: { Connection: "Upgrade", Upgrade: "h2c" } }).end();
  const [refusal] = await once(upgrade, "response");
  assert.equal(refusal.statusCode, 400);

  const expected = { connectionsOpen: 30, connectionsTotal: 30, messages: 60, upgradesRefused: 1 };
  for (let i = 0; i < 10; i++) {
    const stats = await echo.stats();
    assert.equal(stats.workersReplaced, 0);
    assert.ok(stats.uptimeSeconds > 0);
    assert.equal(new Set(stats.workers.map(({ pid }) => pid)).size, 3);
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(stats[name], value, name);
      assert.equal(
        stats.workers.reduce((sum, worker) => sum + worker[name], 0),
        value,
        name,
      );
    }
  }
  for (const socket of sockets) socket.close();
  await until(async () => (await echo.stats()).connectionsOpen === 0);
  assert.equal((await echo.stats()).connectionsTotal, 30);
});

test("sends small frames at once (TCP_NODELAY)", () => {
  const { http, https } = createEchoServers({ tls: {}, readStats: async () => undefined });
  // Node tells no socket's option, only whether a server sets it on each.
  for (const server of [http, https]) assert.equal(Reflect.get(server ?? {}, "noDelay"), true);
});

describe("TLS", () => {
  /** @type {Echo} */
  let echo;
  before(async () => {
    echo = await startEcho(TLS);
  });
  after(() => echo.stop());

  test("echoes over wss and ws", async () => {
    for (const url of [echo.wss, echo.ws]) {
      const socket = await open(url);
      socket.send("hello");
      assert.equal(String((await once(socket, "message"))[0]), "hello");
      socket.close();
    }
  });

  for (const [version, cipher] of /** @type {const} */ ([
    ["TLSv1.3", "TLS_AES_128_GCM_SHA256"],
    ["TLSv1.2", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ])) {
    test(`negotiates the policy over ${version} and resumes no session`, async () => {
      const first = await visit(echo, { maxVersion: version });
      assert.equal(first.protocol, version);
      assert.equal(first.cipher, cipher);
      assert.equal(first.group, "X25519");
      const second = await visit(echo, { maxVersion: version, session: first.session });
      assert.equal(second.isReused, false);
    });
  }

  for (const [name, options] of /** @type {[string, import("node:tls").ConnectionOptions][]} */ ([
    ["TLS 1.1", { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" }],
    ["another group", { ecdhCurve: "P-256" }],
    ["another cipher", { ciphers: "TLS_AES_256_GCM_SHA384" }],
  ])) {
    test(`refuses ${name} and counts it`, async () => {
      const before = (await echo.stats()).tlsHandshakesFailed;
      await assert.rejects(visit(echo, options), /alert/i);
      await until(async () => (await echo.stats()).tlsHandshakesFailed === before + 1);
    });
  }

  test("resumes sessions at every worker when the policy says so", async (t) => {
    const policy = file("resume.json", JSON.stringify({ ...POLICY, sessionResumption: true }));
    const resuming = await startEcho({ ...TLS, TLS_POLICY: policy, ECHO_WORKERS: "3" });
    t.after(resuming.stop);
    const { session } = await visit(resuming);
    for (let i = 0; i < 10; i++) {
      assert.equal((await visit(resuming, { session })).isReused, true);
    }
  });
});

describe("the PROXY protocol", () => {
  /** @type {Echo} */
  let echo;
  let proxyPort = 0;
  before(async () => {
    const [port] = await freePorts();
    echo = await startEcho({ ECHO_PROXY_PROTOCOL_PORT: port });
    proxyPort = Number(port);
  });
  after(() => echo.stop());

  /**
   * @param {string} line that comes before the handshake
   * @param {string} [path]
   */
  function openAfter(line, path = "/headers") {
    const tcp = connectTcp({ port: proxyPort, noDelay: true });
    tcp.write(line);
    return new WebSocket(`ws://localhost:${proxyPort}${path}`, { createConnection: () => tcp });
  }

  for (const [name, line, address] of /** @type {[string, string, RegExp][]} */ ([
    ["IPv4", "PROXY TCP4 192.0.2.7 198.51.100.1 56324 8443\r\n", /^192\.0\.2\.7$/],
    ["IPv6", "PROXY TCP6 2001:db8::7 2001:db8::1 56324 8443\r\n", /^2001:db8::7$/],
    ["a sender that does not know", "PROXY UNKNOWN\r\n", /127\.0\.0\.1$|^::1$/],
  ])) {
    test(`tells the client's address: ${name}`, async () => {
      const socket = openAfter(line);
      const [message] = await once(socket, "message");
      assert.match(JSON.parse(message).remoteAddress, address);
      socket.send("then it echoes");
      assert.equal(String((await once(socket, "message"))[0]), "then it echoes");
      socket.close();
    });
  }

  test("may come in pieces, and the request long after it", async () => {
    const tcp = connectTcp({ port: proxyPort, noDelay: true });
    for (const piece of [
      "PROXY TCP4 192.0.2.7 198.51",
      ".100.1 1 2\r",
      "\nGET /hea",
      "ders HTTP/1.1\r\n",
    ]) {
      tcp.write(piece);
      await sleep(50);
    }
    tcp.write("Host: x\r\nConnection: close\r\n\r\n");
    let answer = "";
    for await (const chunk of tcp) answer += chunk;
    assert.match(answer, /"remoteAddress":"192\.0\.2\.7"/);
  });

  for (const [name, bytes] of [
    ["another protocol", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a line too long", `PROXY TCP4 ${"1".repeat(200)}`],
    ["an address without ports", "PROXY TCP4 192.0.2.7\r\n"],
  ]) {
    test(`a connection that begins with ${name} is closed`, async () => {
      const tcp = connectTcp({ port: proxyPort });
      tcp.on("error", () => {});
      tcp.write(bytes);
      let answer = "";
      tcp.on("data", (chunk) => (answer += chunk));
      await once(tcp, "close");
      assert.equal(answer, "");
    });
  }

  test("counts what comes over it with the rest", async () => {
    const before = (await echo.stats()).connectionsTotal;
    const socket = openAfter("PROXY UNKNOWN\r\n", "/");
    await once(socket, "open");
    assert.equal((await echo.stats()).connectionsTotal, before + 1);
    socket.close();
  });
});

test("replaces a killed worker and counts it; the other's connections live on", async (t) => {
  const echo = await startEcho();
  t.after(echo.stop);
  const sockets = await Promise.all(Array.from({ length: 40 }, () => open(echo.ws)));
  let closed = 0;
  for (const socket of sockets) socket.on("close", () => closed++);
  for (const replaced of [1, 2]) {
    const [oldest] = (await echo.stats()).workers;
    process.kill(oldest.pid, "SIGKILL");
    await once(echo.process.stdout, "data"); // All workers listen again.
    const { workersReplaced, workers } = await echo.stats();
    assert.equal(workersReplaced, replaced);
    assert.equal(workers.length, 2);
    assert.ok(workers.every(({ pid }) => pid !== oldest.pid));
    await until(async () => closed === 40 - (await echo.stats()).connectionsOpen);
    if (replaced === 1) assert.ok(closed < 40);
  }
  const socket = await open(echo.ws);
  socket.send("still here");
  assert.equal(String((await once(socket, "message"))[0]), "still here");
});

test("gives up when a replacement cannot start", async (t) => {
  const cert = join(folder, "fading.pem");
  makeCertificate(cert, join(folder, "fading-key.pem"));
  const env = { ...TLS, TLS_CERT: cert, TLS_KEY: join(folder, "fading-key.pem") };
  const echo = await startEcho(env);
  t.after(echo.stop);
  rmSync(cert);
  process.kill((await echo.stats()).workers[0].pid, "SIGKILL");
  const { code, stderr } = await echo.ended;
  assert.equal(code, 1);
  assert.match(stderr, /TLS_CERT=\S+fading.pem: cannot read it \(ENOENT/);
  assert.match(stderr, /exit code 2\) before it listened/);
});

for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT"])) {
  test(`closes open sockets with 1001 on ${signal}, does not wait for a mute client, exits 0`, async (t) => {
    const echo = await startEcho();
    t.after(echo.stop);
    const mute = request(echo.http, {
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": 13,
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
      },
    });
    await once(mute.end(), "upgrade");
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(echo.ws)));
    const codes = Promise.all(sockets.map(async (socket) => (await once(socket, "close"))[0]));
    echo.process.kill(signal);
    assert.deepEqual(new Set(await codes), new Set([1001]));
    const { code, stderr } = await echo.ended;
    assert.equal(code, 0);
    assert.equal(stderr, "");
  });
}

describe("unusable settings end it with exit code 2", () => {
  const otherKey = join(folder, "other-key.pem");
  before(() => makeCertificate(join(folder, "other.pem"), otherKey));

  /** @type {(name: string, change: object) => Record<string, string>} */
  const withPolicy = (name, change) => ({
    ...TLS,
    TLS_POLICY: file(name, JSON.stringify({ ...POLICY, ...change })),
  });
  for (const [env, message] of /** @type {[Record<string, string>, RegExp][]} */ ([
    [
      { ECHO_WORKERS: "abc" },
      /ECHO_WORKERS=abc: expected a whole number from 1 to 128\. .*default, 2/,
    ],
    [{ ECHO_WORKERS: "0" }, /ECHO_WORKERS=0: expected/],
    [{ ECHO_WORKERS: "1.5" }, /ECHO_WORKERS=1\.5: expected/],
    [{ ECHO_PORT: "65536" }, /ECHO_PORT=65536: expected a whole number from 1 to 65535/],
    [{ ECHO_BACKLOG: "-1" }, /ECHO_BACKLOG=-1: expected/],
    [
      { ...TLS, ECHO_PORT: "9000", ECHO_TLS_PORT: "9000" },
      /ECHO_TLS_PORT=9000 is the plain port too/,
    ],
    [
      { ECHO_PROXY_PROTOCOL_PORT: "x" },
      /ECHO_PROXY_PROTOCOL_PORT=x: expected .* the default, none\./,
    ],
    [
      { ECHO_PORT: "9000", ECHO_PROXY_PROTOCOL_PORT: "9000" },
      /ECHO_PROXY_PROTOCOL_PORT=9000 is the plain port too/,
    ],
    [
      { ...TLS, ECHO_TLS_PORT: "9000", ECHO_PROXY_PROTOCOL_PORT: "9000" },
      /ECHO_PROXY_PROTOCOL_PORT=9000 is the TLS port too/,
    ],
    [{ ...TLS, TLS_KEY: "" }, /TLS_KEY is not set: expected the path of/],
    [{ ...TLS, TLS_CERT: "" }, /TLS_CERT is not set: expected the path of/],
    [{ ...TLS, TLS_POLICY: "" }, /TLS_POLICY is not set: expected the path of/],
    [
      { ...TLS, TLS_POLICY: "/no/policy.json" },
      /TLS_POLICY=\/no\/policy\.json: cannot read it \(ENOENT/,
    ],
    [{ ...TLS, TLS_POLICY: TLS.TLS_CERT }, /TLS_POLICY=\S+: not JSON/],
    [
      { ...TLS, TLS_CERT: TLS.TLS_POLICY },
      /OpenSSL \S+ refuses them: .*Expected a PEM certificate/,
    ],
    [{ ...TLS, TLS_KEY: otherKey }, /refuses them: .*key values mismatch/],
    [
      withPolicy("null.json", { groups: null }),
      /groups is null\. Expected a list of OpenSSL names/,
    ],
    [withPolicy("group.json", { groups: ["X2"] }), /TLS_POLICY=\S+: OpenSSL \S+ refuses them/],
    [
      withPolicy("old.json", { minVersion: "TLSv1" }),
      /minVersion is "TLSv1"\. Expected one of TLSv1\.2/,
    ],
    [
      withPolicy("order.json", { minVersion: "TLSv1.3", maxVersion: "TLSv1.2" }),
      /maxVersion is "TLSv1\.2"\. Expected one of TLSv1\.3\./,
    ],
    [
      withPolicy("resumption.json", { sessionResumption: "no" }),
      /sessionResumption is "no"\. Expected true/,
    ],
  ])) {
    test(String(message), async () => {
      const { code, stderr } = await run(env).ended;
      assert.match(stderr, message);
      assert.equal(stderr.trim().split("\n").length, 1);
      assert.equal(code, 2);
    });
  }

  test("a port that another server or another echo server listens on", async (t) => {
    const holder = createServer().listen(0);
    await once(holder, "listening");
    t.after(() => holder.close());
    const { port } = /** @type {import("node:net").AddressInfo} */ (holder.address());
    const echo = await startEcho();
    t.after(echo.stop);
    for (const taken of [String(port), echo.port]) {
      const { code, stderr } = await run({ ECHO_PORT: taken }).ended;
      assert.match(stderr, new RegExp(`ECHO_PORT=${taken}: cannot listen \\(EADDRINUSE\\)`));
      assert.equal(code, 2);
    }
  });
});

/** @typedef {Awaited<ReturnType<typeof startEcho>>} Echo */

/**
 * Starts the server with no setting but `env`.
 *
 * @param {Record<string, string>} env
 */
function run(env) {
  const child = spawn(process.execPath, [MAIN], { env });
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const ended = once(child, "close").then(([code]) => ({
    code: /** @type {number} */ (code),
    stderr,
  }));
  return { process: child, ended };
}

/**
 * Starts the server on free ports and waits until all workers listen.
 *
 * @param {Record<string, string>} [env]
 */
async function startEcho(env = {}) {
  const [port, tlsPort] = await freePorts();
  const { process: child, ended } = run({ ECHO_PORT: port, ECHO_TLS_PORT: tlsPort, ...env });
  const early = ended.then(({ stderr }) => assert.fail(`ended before it listened: ${stderr}`));
  await Promise.race([once(child.stdout, "data"), early]);
  early.catch(() => {});
  const http = `http://localhost:${port}`;
  return {
    process: child,
    ended,
    port,
    tlsPort,
    http,
    ws: `ws://localhost:${port}`,
    wss: `wss://localhost:${tlsPort}`,
    /** Over a connection of its own, so that any worker may answer. */
    async stats() {
      const response = await fetch(`${http}/stats`, { headers: { Connection: "close" } });
      assert.equal(response.status, 200);
      return /** @type {Record<string, number> & {workers: Record<string, number>[]}} */ (
        await response.json()
      );
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function freePorts() {
  const servers = [createServer().listen(0), createServer().listen(0)];
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    return String(port);
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

/**
 * @param {string} url
 * @param {string[]} [subprotocols]
 */
async function open(url, subprotocols) {
  const socket = new WebSocket(url, subprotocols, { rejectUnauthorized: false });
  await once(socket, "open");
  return socket;
}

/**
 * @param {WebSocket} socket
 * @param {number} count
 * @returns {Promise<Buffer[]>} the next `count` messages
 */
function collect(socket, count) {
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const messages = [];
    socket.on("message", (/** @type {Buffer} */ data) => {
      if (messages.push(data) === count) resolve(messages);
    });
  });
}

/**
 * One GET /healthz over TLS.
 *
 * @param {Echo} echo
 * @param {import("node:tls").ConnectionOptions} [options]
 */
async function visit(echo, options) {
  const socket = connect({ port: Number(echo.tlsPort), rejectUnauthorized: false, ...options });
  /** @type {Buffer | undefined} */
  let session;
  socket.on("session", (ticket) => {
    session = ticket;
  });
  await once(socket, "secureConnect");
  const result = {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().name,
    group: /** @type {import("node:tls").EphemeralKeyInfo} */ (socket.getEphemeralKeyInfo()).name,
    isReused: socket.isSessionReused(),
  };
  // TLS 1.3 sends its tickets after the handshake: the answer comes behind them.
  socket.resume().write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  return { ...result, session };
}

/**
 * @param {() => Promise<boolean>} condition
 * @param {number} [pauseMs]
 */
async function until(condition, pauseMs = 20) {
  while (!(await condition())) await sleep(pauseMs);
}

/**
 * @param {string} name
 * @param {string} content
 * @returns its path
 */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/**
 * @param {string} cert path to write
 * @param {string} key path to write
 */
function makeCertificate(cert, key) {
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const args = ["req", "-x509", "-nodes", ...curve, ...subject, "-keyout", key, "-out", cert];
  execFileSync("openssl", args, { stdio: "pipe" });
}

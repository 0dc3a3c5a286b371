/**
 * What the servers of this folder share: a cluster, plain on 8080, TLS on 8443, and a port for the PROXY protocol.
 */
import cluster from "node:cluster";
import { hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net from "node:net";

// The kernel caps it at net.core.somaxconn. Node's default is 511, too short for a storm of connections.
const BACKLOG = 65535;
/** Proxies keep an idle connection for a minute: with less than that here, one could send a request just as it is closed. */
const OPTIONS = { noDelay: true, keepAliveTimeout: 120_000 };
/** Of a header of the PROXY protocol, version 1, line end included. */
const LONGEST_HEADER = 107;

/**
 * Starts ECHO_WORKERS workers, or serves, in a worker. The end of a worker ends the server: a battle must not go on with fewer.
 *
 * @param {http.RequestListener} onRequest
 */
export function serve(onRequest) {
  if (cluster.isPrimary) startWorkers(process.env.ECHO_WORKERS || "2");
  else listen(onRequest, process.env);
}

/**
 * @param {http.ServerResponse} response
 * @param {number} status
 * @param {Buffer} body
 */
export function reply(response, status, body) {
  response.writeHead(status, { "Content-Type": "text/plain", "Content-Length": body.length });
  response.end(body);
}

/** @param {string} count */
function startWorkers(count) {
  if (!/^[1-9]\d{0,2}$/.test(count)) {
    console.error(
      `node-web: ECHO_WORKERS=${count}: expected a whole number from 1 to 999. Correct it.`,
    );
    process.exit(2);
  }
  for (let i = 0; i < Number(count); i++) cluster.fork();
  cluster.on("exit", (worker, code, signal) => {
    console.error(
      `node-web: worker ${worker.id} ended (${signal ?? `exit code ${code}`}), and so does the server`,
    );
    process.exit(1);
  });
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(0));
}

/**
 * @param {http.RequestListener} onRequest
 * @param {NodeJS.ProcessEnv} env
 */
function listen(onRequest, env) {
  const plain = http.createServer(OPTIONS, onRequest);
  /** @type {[net.Server, string][]} */
  const listeners = [[plain, env.ECHO_PORT || "8080"]];
  if (env.TLS_CERT) {
    const secure = https.createServer({ ...OPTIONS, ...tlsOptions(env) }, onRequest);
    listeners.push([secure, env.ECHO_TLS_PORT || "8443"]);
  }
  if (env.ECHO_PROXY_PROTOCOL_PORT)
    listeners.push([createProxyProtocolServer(plain), env.ECHO_PROXY_PROTOCOL_PORT]);
  // A listen socket for each worker: the kernel spreads the connections, and none passes through the primary.
  for (const [server, port] of listeners)
    server.listen({ port: Number(port), backlog: BACKLOG, reusePort: true });
}

/**
 * Takes connections that begin with a line of the PROXY protocol, and serves what follows it. Nothing here asks for the client's
 * address, so the line is skipped; that proxies tell the right one is checked with the echo server.
 *
 * @param {http.Server} plain
 */
function createProxyProtocolServer(plain) {
  return net.createServer({ noDelay: true }, (socket) => {
    let skipped = 0;
    const skip = () => {
      // Byte by byte, so that what follows the line stays unread.
      for (let byte = socket.read(1); byte !== null; byte = socket.read(1)) {
        if (++skipped > LONGEST_HEADER) socket.destroy();
        if (byte[0] !== 0x0a) continue;
        socket.off("readable", skip);
        plain.emit("connection", socket);
        return;
      }
    };
    // From here until the HTTP server has its own listener.
    socket.on("error", () => socket.destroy());
    socket.on("readable", skip);
  });
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {https.ServerOptions} the TLS policy that every proxy has; `./bench verify` holds the negotiated values against it
 */
function tlsOptions({ TLS_CERT = "", TLS_KEY = "", TLS_POLICY = "" }) {
  const key = readFileSync(TLS_KEY);
  const policy = JSON.parse(readFileSync(TLS_POLICY, "utf8"));
  const { minVersion, maxVersion, cipherSuitesTls13, ciphersTls12, groups } = policy;
  return {
    minVersion,
    maxVersion,
    key,
    cert: readFileSync(TLS_CERT),
    honorCipherOrder: true,
    ciphers: cipherSuitesTls13.concat(ciphersTls12).join(":"),
    ecdhCurve: groups.join(":"),
    // Every worker must accept the tickets of every other.
    ticketKeys: Buffer.from(hkdfSync("sha256", key, "", "session tickets", 48)),
  };
}

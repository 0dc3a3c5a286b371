/**
 * node http-proxy as a WebSocket proxy: plain on 8080, TLS on 8443, everything to echo:8080.
 * A cluster of PROXY_WORKERS processes, each with its own proxy.
 */
import cluster from "node:cluster";
import { hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import httpProxy from "http-proxy";

// The kernel caps it at net.core.somaxconn (../proxy.yaml). Node's default is 511, too short for a storm of handshakes.
const BACKLOG = 65535;

if (cluster.isPrimary) {
  startWorkers(Number(process.env.PROXY_WORKERS));
} else {
  serve();
}

/** @param {number} count */
function startWorkers(count) {
  for (let i = 0; i < count; i++) cluster.fork();
  cluster.on("exit", (worker, code, signal) => {
    console.error(
      `http-proxy: worker ${worker.process.pid} ended (${signal ?? code}); starting another`,
    );
    cluster.fork();
  });
  process.on("SIGTERM", () => process.exit(0));
}

function serve() {
  const proxy = httpProxy.createProxyServer({
    target: "http://echo:8080",
    ws: true,
    // Keeps idle connections to the server for plain HTTP. A WebSocket always opens its own.
    agent: new http.Agent({ keepAlive: true }),
  });

  // http-proxy's own `xfwd` writes "ws" and "wss" where the other proxies write "http" and "https".
  proxy.on("proxyReq", setForwardedHeaders);
  proxy.on("proxyReqWs", setForwardedHeaders);
  // Without a listener, one broken connection would end the whole worker.
  proxy.on("error", (error, request, response) => {
    if (response instanceof http.ServerResponse) {
      if (!response.headersSent) response.writeHead(502);
      response.end();
    } else {
      response?.destroy();
    }
  });

  /** @type {http.RequestListener} */
  const onRequest = (request, response) => proxy.web(request, response);
  for (const [server, port] of /** @type {const} */ ([
    [http.createServer({ noDelay: true }, onRequest), 8080],
    [https.createServer({ noDelay: true, ...tlsOptions() }, onRequest), 8443],
  ])) {
    server.on("upgrade", (request, socket, head) => {
      // http-proxy listens for errors only once the handshake is through; a client that resets its connection before
      // would end the whole worker.
      socket.on("error", () => socket.destroy());
      proxy.ws(request, socket, head);
    });
    // A listen socket for each worker: the kernel spreads the connections, and none passes through the primary.
    server.listen({ port, backlog: BACKLOG, reusePort: true });
  }
}

/**
 * @param {http.ClientRequest} upstream
 * @param {http.IncomingMessage} request
 */
function setForwardedHeaders(upstream, request) {
  const before = request.headers["x-forwarded-for"];
  const client = request.socket.remoteAddress ?? "";
  upstream.setHeader("X-Forwarded-For", before ? `${before}, ${client}` : client);
  upstream.setHeader("X-Forwarded-Proto", "encrypted" in request.socket ? "https" : "http");
}

/**
 * The TLS policy that every proxy has; `./bench verify` holds the negotiated values against it.
 *
 * @returns {https.ServerOptions}
 */
function tlsOptions() {
  const policy = JSON.parse(readFileSync("/tls-policy.json", "utf8"));
  const key = readFileSync("/certs/key.pem");
  return {
    cert: readFileSync("/certs/cert.pem"),
    key,
    minVersion: policy.minVersion,
    maxVersion: policy.maxVersion,
    ciphers: [...policy.cipherSuitesTls13, ...policy.ciphersTls12].join(":"),
    honorCipherOrder: true,
    ecdhCurve: policy.groups.join(":"),
    // Every worker must accept the session tickets of every other.
    ticketKeys: Buffer.from(hkdfSync("sha256", key, "", "session tickets", 48)),
  };
}

/**
 * Shared by the proxies built on a Node library: plain on 8080, TLS on 8443, everything to echo:8080. A cluster of
 * PROXY_WORKERS processes, each with its own proxy. Each folder's server.js names its library.
 */
import cluster from "node:cluster";
import { hkdfSync } from "node:crypto";
import dns from "node:dns";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";

/** @typedef {import("node:net").Socket} Socket */

// The kernel limits it to net.core.somaxconn (proxy.yaml). Node's default is 511, too short for a storm of handshakes.
const BACKLOG = 65535;
// How long a client may be silent between two plain requests, as with the other proxies. Node's default is 5 s.
const KEEP_ALIVE_MS = 60_000;

// The configuration in force, for battles that read it (`generation` in proxy.json). Without a reload it is read at the start.
const GENERATION_FILE = "/generation/generation";

// How often the server's name is looked up, as with every proxy that follows it. Node would look it up for each connection.
const LOOK_UP_MS = 5000;
const SERVER = "echo";

/** @type {dns.LookupAddress[]} those that the name has */
let addresses = [];
let turn = 0;

async function lookUp() {
  try {
    const found = await dns.promises.lookup(SERVER, { all: true, family: 4 });
    addresses = found.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  } catch (error) {
    // The last answer stays valid, as with the other proxies.
    if (addresses.length === 0) console.error(`proxy: ${error}`);
  }
}

/**
 * Gives all addresses in turn, as the other proxies use them. Node alone would always try the system's first address first, which would
 * get every connection.
 *
 * @param {string} hostname
 * @param {dns.LookupOptions} options
 * @param {(error: NodeJS.ErrnoException | null, address: string | dns.LookupAddress[], family?: number) => void} callback
 */
function addressesInTurn(hostname, options, callback) {
  const first = turn++ % Math.max(addresses.length, 1);
  const ordered = [...addresses.slice(first), ...addresses.slice(0, first)];
  if (ordered.length === 0) callback(new Error(`${hostname} has no address`), []);
  else if (options.all) callback(null, ordered);
  else callback(null, ordered[0].address, ordered[0].family);
}

/** What each library's proxy is made with. */
export const options = {
  // On the machine's own network (NETWORK=host) the server has another port.
  target: `http://${SERVER}:${process.env.SERVER_PORT || 8080}`,
  ws: true,
  // Keeps idle connections to the server for plain HTTP. A WebSocket always opens its own.
  agent: new http.Agent({ keepAlive: true, lookup: addressesInTurn }),
};

/**
 * Starts the workers, or serves, in a worker.
 *
 * @param {{on(event: string, listener: (...args: any[]) => void): unknown}} proxy of the library
 * @param {object} forward how that library is called; it may return a promise
 * @param {(request: http.IncomingMessage, response: http.ServerResponse) => unknown} forward.web
 * @param {(request: http.IncomingMessage, socket: Socket, head: Buffer) => unknown} forward.ws
 * @param {{isOneProcess?: boolean}} [how] isOneProcess: whatever PROXY_WORKERS is
 */
export function serve(proxy, forward, { isOneProcess = false } = {}) {
  if (cluster.isPrimary) process.on("SIGTERM", () => process.exit(0));
  if (cluster.isPrimary && !isOneProcess) startWorkers(Number(process.env.PROXY_WORKERS));
  else void listen(proxy, forward);
}

/** @param {number} count */
function startWorkers(count) {
  for (let i = 0; i < count; i++) cluster.fork();
  cluster.on("exit", (worker, code, signal) => {
    console.error(
      `proxy: worker ${worker.process.pid} ended (${signal ?? code}); starting another`,
    );
    cluster.fork();
  });
}

/**
 * @param {Parameters<typeof serve>[0]} proxy
 * @param {Parameters<typeof serve>[1]} forward
 */
async function listen(proxy, { web, ws }) {
  await lookUp();
  setInterval(lookUp, LOOK_UP_MS);
  // The libraries' own `xfwd` writes "ws" and "wss" where the other proxies write "http" and "https".
  proxy.on("proxyReq", setForwardedHeaders);
  proxy.on("proxyReqWs", setForwardedHeaders);
  // Without a listener, one broken connection would end the whole worker.
  proxy.on("error", (error, request, response) => giveUp(response));

  const generation = existsSync(GENERATION_FILE) && readFileSync(GENERATION_FILE);
  /** @type {http.RequestListener} */
  const onRequest = async (request, response) => {
    if (generation && request.url === "/.generation") {
      response.end(generation);
      return;
    }
    try {
      await web(request, response);
    } catch {
      giveUp(response);
    }
  };
  const common = { noDelay: true, keepAliveTimeout: KEEP_ALIVE_MS };
  for (const [server, port] of /** @type {const} */ ([
    [http.createServer(common, onRequest), 8080],
    [https.createServer({ ...common, ...tlsOptions() }, onRequest), 8443],
  ])) {
    server.on("upgrade", async (request, duplex, head) => {
      const socket = /** @type {Socket} */ (duplex);
      // http-proxy listens for errors only once the handshake is through; a client that resets its connection before
      // would end the whole worker.
      socket.on("error", () => socket.destroy());
      try {
        await ws(request, socket, head);
      } catch {
        giveUp(socket);
      }
    });
    // A listen socket for each worker: the kernel spreads the connections, and none passes through the primary.
    server.listen({ port, backlog: BACKLOG, reusePort: true });
  }
}

/** @param {http.ServerResponse | Socket | undefined} client */
function giveUp(client) {
  if (client instanceof http.ServerResponse) {
    if (!client.headersSent) client.writeHead(502);
    client.end();
  } else {
    client?.destroy();
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
 * The TLS policy that every proxy has; `./bench verify` checks the negotiated values.
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

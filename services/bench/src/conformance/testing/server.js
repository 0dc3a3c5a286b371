import { constants } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { WebSocketServer } from "ws";
import { certificate } from "./certificate.js";

/** @import { IncomingMessage } from "node:http" */
/** @import { AddressInfo, Socket } from "node:net" */
/** @import { WebSocket } from "ws" */

/** @type {import("../../model/environment.ts").TlsPolicy} */
export const POLICY = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.3",
  cipherSuitesTls13: ["TLS_AES_128_GCM_SHA256"],
  ciphersTls12: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  groups: ["X25519"],
  sessionResumption: false,
};

/**
 * How a server differs from a proxy with an echo server behind it that does everything right.
 *
 * @typedef {object} Faults
 * @property {import("./certificate.js").Algorithm} [algorithm] of the certificate
 * @property {import("node:tls").TlsOptions} [tls] TLS settings other than the policy's
 * @property {boolean} [sessionStore] whether TLS 1.2 sessions are kept, to be resumed by their id
 * @property {import("ws").ServerOptions} [ws]
 * @property {(request: IncomingMessage, scheme: "http" | "https") => void} [forward]
 *   changes the headers of a handshake as a proxy does on the way
 * @property {(request: IncomingMessage) => boolean | void} [handshake] false: never answered
 * @property {(lines: string[]) => unknown} [answer] changes the lines of the 101
 * @property {(ws: WebSocket, socket: Socket) => void} [connection]
 * @property {(send: (message: Buffer, isBinary: boolean) => void, message: Buffer, isBinary: boolean) => void} [echo]
 * @property {(url: URL, ws: WebSocket) => boolean} [greet] true: the path has no greeting of the usual kind
 * @property {number} [healthStatus]
 * @property {http.RequestListener} [respond] to plain requests; default: 200 and "ok", or `healthStatus`
 */

/**
 * @param {Faults} [faults]
 * @returns {Promise<{plainPort: number, tlsPort: number, close(): void}>}
 */
export async function startServer(faults = {}) {
  const pem = certificate(faults.algorithm ?? "ecdsa");
  const plain = http.createServer();
  const secure = https.createServer({
    key: pem,
    cert: pem,
    minVersion: POLICY.minVersion,
    maxVersion: POLICY.maxVersion,
    ciphers: [...POLICY.cipherSuitesTls13, ...POLICY.ciphersTls12].join(":"),
    ecdhCurve: POLICY.groups.join(":"),
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...faults.tls,
  });

  if (faults.sessionStore) {
    keepSessions(secure);
  }

  /** @type {Set<Socket>} */
  const sockets = new Set();
  for (const server of [plain, secure]) {
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    const ok = (/** @type {unknown} */ _, /** @type {http.ServerResponse} */ response) =>
      void response.writeHead(faults.healthStatus ?? 200).end("ok\n");
    server.on("request", faults.respond ?? ok);
    serveWebSockets(server, server === secure ? "https" : "http", faults);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }

  return {
    plainPort: portOf(plain),
    tlsPort: portOf(secure),
    close() {
      for (const server of [plain, secure]) {
        server.close();
      }
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}

/**
 * @param {http.Server} server
 * @param {"http" | "https"} scheme
 * @param {Faults} faults
 */
function serveWebSockets(server, scheme, faults) {
  const { forward = addForwarded, echo = (send, ...message) => send(...message) } = faults;
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, ...faults.ws });
  sockets.on("headers", (lines) => faults.answer?.(lines));

  server.on("upgrade", (request, socket, head) => {
    forward(request, scheme);
    if (faults.handshake?.(request) === false) {
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on("error", () => {});
      ws.on("message", (message, isBinary) => {
        const send = (/** @type {Buffer} */ bytes, /** @type {boolean} */ binary) =>
          ws.send(bytes, { binary });
        echo(send, /** @type {Buffer} */ (message), isBinary);
      });
      faults.connection?.(ws, request.socket);
      const url = new URL(request.url ?? "/", "http://localhost");
      if (!faults.greet?.(url, ws)) {
        greet(url, ws, request);
      }
    });
  });
}

/** @param {https.Server} server */
function keepSessions(server) {
  /** @type {Map<string, Buffer>} */
  const sessions = new Map();
  server.on("newSession", (id, data, done) => {
    sessions.set(id.toString("hex"), data);
    done();
  });
  server.on("resumeSession", (id, done) => done(null, sessions.get(id.toString("hex")) ?? null));
}

/**
 * @param {URL} url
 * @param {WebSocket} ws
 * @param {IncomingMessage} request
 */
function greet({ pathname, searchParams }, ws, request) {
  if (pathname === "/headers") {
    const { method, url, httpVersion, headers, socket } = request;
    const { remoteAddress } = socket;
    ws.send(JSON.stringify({ method, url, httpVersion, headers, remoteAddress }));
  } else if (pathname === "/close") {
    ws.close(Number(searchParams.get("code")), searchParams.get("reason") ?? "");
  }
}

/**
 * @param {IncomingMessage} request
 * @param {"http" | "https"} scheme
 */
export function addForwarded({ headers, socket }, scheme) {
  headers["x-forwarded-for"] = socket.remoteAddress;
  headers["x-forwarded-proto"] = scheme;
}

/** @param {http.Server} server */
function portOf(server) {
  return /** @type {AddressInfo} */ (server.address()).port;
}

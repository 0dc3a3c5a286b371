import { addAbortListener, on, once } from "node:events";
import http from "node:http";
import net from "node:net";
import tls from "node:tls";
import { WebSocket } from "ws";
import { Failure } from "./mismatch.js";

/** @import { TlsPolicy } from "../model/environment.ts" */
/** @import { TargetReload } from "./reload-checks.js" */

/**
 * Where a check connects, and what it needs to judge the answer.
 *
 * @typedef {object} Target
 * @property {"ws" | "wss"} scheme
 * @property {string} host
 * @property {number} port
 * @property {string} [servername] name for SNI and for the certificate; default: `host`
 * @property {string | Buffer} ca PEM of the certificate authority that signed the server's certificate
 * @property {TlsPolicy} policy
 * @property {"ecdsa" | "rsa"} keyType
 * @property {boolean} choosesTls13Cipher whether the target itself chooses the cipher of TLS 1.3
 * @property {boolean} forwarded whether the target adds forwarded headers
 * @property {boolean} proxyProtocol whether the target tells the server the client's address by the PROXY protocol
 * @property {boolean} websocketsOverHttp2 whether the target says that it offers WebSockets over HTTP/2
 * @property {TargetReload | null} reload how the target is reloaded; null: it cannot be
 * @property {number} idleMs how long an idle connection must stay open
 * @property {number} timeoutMs
 * @property {AbortSignal} signal ends every connection of the check
 */

/**
 * @typedef {object} Message
 * @property {Buffer} data
 * @property {boolean} isBinary
 */

/**
 * @typedef {object} Client
 * @property {WebSocket} ws
 * @property {net.Socket} socket the connection below `ws`
 * @property {() => Promise<Message>} nextMessage next message in order of arrival; rejects when the connection closes
 * @property {(event: string) => Promise<any[]>} next arguments of the next such event; rejects when the connection closes
 * @property {Promise<{code: number, reason: string}>} closed
 */

/**
 * @param {Pick<Target, "host" | "port">} target
 * @returns {string} host and port as in a URL
 */
export function addressOf({ host, port }) {
  return net.isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * @param {Target} target
 * @returns {Promise<net.Socket>} connected, for `wss` after the TLS handshake; destroyed when the check ends
 */
export function connect(target) {
  const { scheme, host, port, signal } = target;
  return scheme === "wss"
    ? connectTls(target)
    : ready(net.connect({ host, port }), "connect", signal);
}

/**
 * @param {Target} target with scheme `wss`
 * @param {tls.ConnectionOptions} [options]
 * @returns {Promise<tls.TLSSocket>} after the TLS handshake; destroyed when the check ends
 */
export function connectTls({ host, port, servername, ca, signal }, options) {
  const socket = tls.connect({ host, port, servername, ca, ...options });
  return ready(socket, "secureConnect", signal);
}

/**
 * @template {net.Socket} T
 * @param {T} socket
 * @param {string} event that says the socket can be used
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
async function ready(socket, event, signal) {
  socket.setNoDelay(true);
  // Whoever waits on the socket sees its error; an error nobody waits for must not end the process.
  socket.on("error", () => {});
  addAbortListener(signal, () => socket.destroy());
  await once(socket, event);
  return socket;
}

/**
 * @param {Target} target
 * @param {{path?: string, protocols?: string[], headers?: Record<string, string>}} [request]
 * @returns {Promise<Client>} after the handshake
 */
export async function openWebSocket(target, { path = "/", protocols = [], headers = {} } = {}) {
  const socket = await connect(target);
  const ws = new WebSocket(`${target.scheme}://${addressOf(target)}${path}`, protocols, {
    createConnection: () => socket,
    perMessageDeflate: false,
    headers,
  });
  ws.on("error", () => {});
  // Listens from the start: a message can come in the same packet as the answer to the handshake.
  const messages = on(ws, "message", { close: ["close"] });
  /** @type {Client["closed"]} */
  const closed = new Promise((resolve) => {
    ws.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await once(ws, "open");

  const failWhenClosed = async () => {
    const { code, reason } = await closed;
    throw new Failure(describeClose(code, reason));
  };

  return {
    ws,
    socket,
    closed,
    next: (event) => Promise.race([once(ws, event), failWhenClosed()]),
    async nextMessage() {
      const { done, value } = await messages.next();
      if (done) {
        return failWhenClosed();
      }
      const [data, isBinary] = value;
      return { data, isBinary };
    },
  };
}

/**
 * @param {number} code
 * @param {string} reason
 * @returns {string}
 */
export function describeClose(code, reason) {
  return code === 1006
    ? "connection closed without a close frame"
    : `connection closed with code ${code} and reason "${reason}"`;
}

/**
 * @param {Target} target
 * @param {string} path
 * @param {net.Socket} [socket] connection to send the request on; default: a new one
 * @returns {Promise<{status: number, body: string}>}
 */
export async function get(target, path, socket) {
  const connection = socket ?? (await connect(target));
  const request = http.get({
    createConnection: () => connection,
    headers: { Host: addressOf(target) },
    path,
  });
  request.on("error", () => {});
  const [response] = await once(request, "response");
  let body = "";
  for await (const chunk of response.setEncoding("utf8")) {
    body += chunk;
  }
  return { status: response.statusCode, body };
}

/**
 * Sends a request byte for byte as given and reads the answer. The body is read too, where its length is known: to close
 * with part of the answer unread would reset the connection, which is not what is checked here.
 *
 * @param {Target} target
 * @param {Record<string, string>} headers of the request, besides Host
 * @param {{path?: string, socket?: net.Socket}} [options] socket: connection to send it on, left open; default: a new one
 * @returns {Promise<{status: number, headers: Map<string, string>, body: string}>} header names in lower case; body: a
 *   character a byte
 */
export async function requestRaw(target, headers, { path = "/", socket } = {}) {
  const connection = socket ?? (await connect(target));
  const lines = Object.entries({ Host: addressOf(target), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  connection.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);

  let text = "";
  for await (const chunk of connection.iterator({ destroyOnReturn: !socket })) {
    text += chunk.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    if (end >= 0) {
      const answer = parseHead(text.slice(0, end));
      const bodyBytes = Number(answer.headers.get("content-length") ?? 0);
      if (text.length >= end + 4 + bodyBytes) {
        return { ...answer, body: text.slice(end + 4) };
      }
    }
  }
  throw new Failure(`connection closed after ${text.length} bytes, before a whole answer`);
}

/**
 * @param {string} head of a response, without the empty line
 * @returns {{status: number, headers: Map<string, string>}}
 */
function parseHead(head) {
  const [statusLine, ...lines] = head.split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1];
  if (!status) {
    throw new Failure(`an answer that is not HTTP/1.1: ${JSON.stringify(statusLine)}`);
  }
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(status), headers };
}

import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { WebSocketServer } from "ws";
import { createCounters } from "./stats.js";

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */
/** @typedef {import("ws").WebSocket} WebSocket */

// Proxies keep an idle upstream connection for up to 60 s (nginx). With a shorter limit here a
// proxy could send a request on a connection that this server is just closing.
const KEEP_ALIVE_MS = 120_000;
// Far above any scenario's message. The 100 MiB that `ws` allows would let a few clients fill the
// memory.
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
// A client that leaves more than this unread is not read from until it has taken its echoes. So a client that has stalled costs this
// server so much and one message; what it can send beyond that lies in a proxy or the kernel.
const MAX_UNREAD_BYTES = 1024 * 1024;

// Made once, not for each message.
const TEXT = { binary: false };
const BINARY = { binary: true };

/**
 * Makes the HTTP servers, not listening yet, and the WebSocket server behind both.
 *
 * @param {object} options
 * @param {import("node:tls").TlsOptions} [options.tls] undefined: no TLS server
 * @param {() => Promise<object | undefined>} options.readStats what GET /stats shows; undefined
 *   when a worker did not answer
 */
export function createEchoServers({ tls, readStats }) {
  const counters = createCounters();
  let upgrades = 0;

  // `allowSynchronousEvents` keeps its default, true: messages that one read brings are echoed in
  // one tick. `skipUTF8Validation` keeps its default, false: RFC 6455 asks for the check, and it
  // takes 1 % of the 17 µs of CPU that the echo of 1 KiB takes.
  const options = { noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES };
  const sockets = new WebSocketServer(options);
  // For a check alone: no load compresses, whatever its client offers.
  const compressing = new WebSocketServer({ ...options, perMessageDeflate: true });

  /**
   * @this {WebSocket}
   * @param {import("ws").RawData} data
   * @param {boolean} isBinary
   */
  function echo(data, isBinary) {
    counters.messages += 1;
    const type = isBinary ? BINARY : TEXT;
    if (this.bufferedAmount < MAX_UNREAD_BYTES) {
      this.send(data, type);
    } else {
      this.pause();
      this.send(data, type, () => this.resume());
    }
  }

  function countError() {
    counters.protocolErrors += 1;
  }

  /**
   * @param {WebSocket} socket
   * @param {Request} request
   */
  function serve(socket, request) {
    counters.connectionsTotal += 1;
    socket.on("error", countError);
    socket.on("message", echo);
    const { path, query } = parseUrl(request);
    if (path === "/headers") socket.send(describe(request));
    if (path === "/close") socket.close(...closeArguments(query));
  }

  /**
   * @param {Request} request
   * @param {import("node:stream").Duplex} stream
   * @param {Buffer} head
   */
  function upgrade(request, stream, head) {
    upgrades += 1;
    const server = parseUrl(request).path === "/deflate" ? compressing : sockets;
    server.handleUpgrade(request, stream, head, serve);
  }

  /**
   * @param {Request} request
   * @param {Response} response
   */
  async function respond(request, response) {
    const { path } = parseUrl(request);
    if (path === "/healthz") {
      reply(response, 200, "text/plain", "ok\n");
    } else if (path === "/headers") {
      reply(response, 200, "application/json", describe(request));
    } else if (path === "/.generation" && request.headers["x-generation"]) {
      // For proxies that answer nothing by themselves, but add a header to what they pass on (`generation` in their proxy.json).
      reply(response, 200, "text/plain", `${request.headers["x-generation"]}\n`);
    } else if (path === "/stats") {
      const stats = await readStats();
      if (stats) reply(response, 200, "application/json", JSON.stringify(stats));
      else reply(response, 503, "text/plain", "A worker did not answer in time. Try again.\n");
    } else {
      const pages = "/healthz, /stats, /headers, or a WebSocket handshake on any path";
      reply(response, 404, "text/plain", `Nothing at this path. Expected ${pages}.\n`);
    }
  }

  // Small frames must leave at once, not wait for an acknowledgement (Nagle). Node's default, too.
  const http1 = { noDelay: true, keepAliveTimeout: KEEP_ALIVE_MS };
  const http = createServer(http1, respond).on("upgrade", upgrade);
  const https =
    tls &&
    createTlsServer({ ...http1, ...tls }, respond)
      .on("upgrade", upgrade)
      .on("tlsClientError", () => {
        counters.tlsHandshakesFailed += 1;
      });

  function readCounters() {
    counters.connectionsOpen = sockets.clients.size + compressing.clients.size;
    counters.upgradesRefused = upgrades - counters.connectionsTotal;
    return counters;
  }

  return { http, https, sockets, readCounters };
}

/** @param {Request} request */
function parseUrl({ url = "/" }) {
  const [path] = url.split("?", 1);
  return { path, query: url.slice(path.length + 1) };
}

/** @param {Request} request */
function describe({ method, url, httpVersion, headers, socket }) {
  return JSON.stringify({ method, url, httpVersion, headers, remoteAddress: socket.remoteAddress });
}

/**
 * @param {string} query
 * @returns {[code: number, reason: string]} where these cannot be sent, 1008 and what is allowed
 */
function closeArguments(query) {
  const parameters = new URLSearchParams(query);
  const code = Number(parameters.get("code") ?? 1000);
  const reason = parameters.get("reason") ?? "";
  const isStandard = code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
  const isSendable = Number.isInteger(code) && (isStandard || (code >= 3000 && code <= 4999));
  return isSendable && Buffer.byteLength(reason) <= 123
    ? [code, reason]
    : [1008, "expected a code of RFC 6455 or 3000 to 4999, a reason of at most 123 bytes"];
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {string} type
 * @param {string} body
 */
function reply(response, status, type, body) {
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

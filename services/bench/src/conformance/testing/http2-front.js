/**
 * A proxy that carries WebSockets over HTTP/2 to a server of HTTP/1.1: right, or wrong in a chosen way.
 */
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { certificate } from "./certificate.js";

/** @import { AddressInfo, Socket } from "node:net" */
/** @import { IncomingHttpHeaders, ServerHttp2Stream, Settings } from "node:http2" */

/** @typedef {{stream: ServerHttp2Stream, socket: Socket}} Tunnel the client's side, and the server's */

/**
 * How it differs from one that does everything right.
 *
 * @typedef {object} FrontFaults
 * @property {Settings} [settings]
 * @property {number} [status] that answers every extended CONNECT
 * @property {number} [plainStatus] that answers every other request
 * @property {(headers: http.OutgoingHttpHeaders) => void} [forward] changes the headers that the server gets
 * @property {(tunnel: Tunnel, all: Tunnel[]) => void} [carry] all: those of the connection, this one as the last
 */

/**
 * @param {number} upstreamPort of HTTP/1.1
 * @param {FrontFaults} [faults]
 * @returns {Promise<{port: number, streams: () => number[], close(): void}>} streams: WebSockets on each HTTP/2 connection so far
 */
export async function startFront(upstreamPort, faults = {}) {
  const { settings, plainStatus = 200 } = faults;
  const pem = certificate("ecdsa");
  const server = http2.createSecureServer({
    key: pem,
    cert: pem,
    allowHTTP1: true,
    settings: { enableConnectProtocol: true, ...settings },
  });
  /** @type {Map<import("node:http2").ServerHttp2Session, Tunnel[]>} */
  const sessions = new Map();
  server.on("session", (session) => {
    /** @type {Tunnel[]} */
    const tunnels = [];
    sessions.set(session, tunnels);
    session.on("error", () => {});
    session.on("stream", (stream, headers) => {
      stream.on("error", () => {});
      if (headers[":protocol"] === "websocket") tunnel(stream, headers, tunnels);
      else {
        stream.respond({ ":status": plainStatus });
        stream.end("ok\n");
      }
    });
  });
  // With a listener for requests, Node would answer each CONNECT by itself.
  server.on("connect", () => {});
  // Over HTTP/1.1 nothing is wrong.
  server.on("request", ({ httpVersionMajor }, response) => {
    if (httpVersionMajor === 1) response.end("ok\n");
  });
  server.on(
    "upgrade",
    (/** @type {http.IncomingMessage} */ request, /** @type {Socket} */ client) => {
      const { url, rawHeaders } = request;
      const upstream = net.connect(upstreamPort, "127.0.0.1");
      const lines = rawHeaders.flatMap((name, i) =>
        i % 2 ? [] : [`${name}: ${rawHeaders[i + 1]}`],
      );
      upstream.write(`GET ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      client.on("error", () => upstream.destroy()).pipe(upstream);
      upstream.on("error", () => client.destroy()).pipe(client);
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  /**
   * @param {ServerHttp2Stream} stream
   * @param {IncomingHttpHeaders} headers
   * @param {Tunnel[]} tunnels
   */
  function tunnel(stream, headers, tunnels) {
    const { status, forward = () => {}, carry = pipe } = faults;
    if (status) return stream.respond({ ":status": status }, { endStream: true });
    const version = headers["sec-websocket-version"] ?? "";
    const protocol = headers["sec-websocket-protocol"];
    /** @type {http.OutgoingHttpHeaders} */
    const sent = {
      Host: headers[":authority"],
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Version": version,
      ...(protocol && { "Sec-WebSocket-Protocol": protocol }),
      "X-Forwarded-For": stream.session?.socket.remoteAddress,
      "X-Forwarded-Proto": "https",
    };
    forward(sent);
    http
      .get({ host: "127.0.0.1", port: upstreamPort, path: headers[":path"], headers: sent })
      .on("response", ({ statusCode }) => {
        if (!stream.destroyed) stream.respond({ ":status": statusCode }, { endStream: true });
      })
      .on("upgrade", (response, socket, head) => {
        if (stream.destroyed) return void socket.destroy();
        socket.on("error", () => stream.destroy());
        stream.on("close", () => socket.destroy());
        socket.unshift(head);
        const chosen = response.headers["sec-websocket-protocol"];
        stream.respond({
          ":status": 200,
          ...(chosen && { "sec-websocket-protocol": chosen }),
        });
        tunnels.push({ stream, socket: /** @type {Socket} */ (socket) });
        carry(tunnels[tunnels.length - 1], tunnels);
      })
      .on("error", () => stream.destroy());
  }

  return {
    port: /** @type {AddressInfo} */ (server.address()).port,
    streams: () => [...sessions.values()].map(({ length }) => length),
    close() {
      server.close();
      for (const session of sessions.keys()) session.destroy();
    },
  };
}

/** @param {Tunnel} tunnel carried as it must be */
export function pipe({ stream, socket }) {
  socket.pipe(stream).pipe(socket);
}

/**
 * A proxy that carries WebSockets over HTTP/2 to a server of HTTP/1.1: right, or wrong in a chosen
 * way.
 */
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { certificate } from "./certificate.ts";
import type { AddressInfo, Socket } from "node:net";
import type {
  IncomingHttpHeaders,
  ServerHttp2Stream,
  Settings,
  ServerHttp2Session,
} from "node:http2";

/** the client's side, and the server's */
export type Tunnel = { stream: ServerHttp2Stream; socket: Socket };

/** How it differs from one that does everything right. */
export interface FrontFaults {
  settings?: Settings;
  /** that answers every extended CONNECT */
  status?: number;
  /** that answers every other request */
  plainStatus?: number;
  /** changes the headers that the server gets */
  forward?: (headers: http.OutgoingHttpHeaders) => void;
  /** all: those of the connection, this one as the last */
  carry?: (tunnel: Tunnel, all: Tunnel[]) => void;
}

/**
 * @param upstreamPort of HTTP/1.1
 * @returns streams: WebSockets on each HTTP/2 connection so far
 */
export async function startFront(
  upstreamPort: number,
  faults: FrontFaults = {},
): Promise<{ port: number; streams: () => number[]; close(): void }> {
  const { settings, plainStatus = 200 } = faults;
  const pem = certificate("ecdsa");
  const server = http2.createSecureServer({
    key: pem,
    cert: pem,
    allowHTTP1: true,
    settings: { enableConnectProtocol: true, ...settings },
  });
  const sessions: Map<ServerHttp2Session, Tunnel[]> = new Map();
  server.on("session", (session) => {
    const tunnels: Tunnel[] = [];
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
  server.on("upgrade", (request: http.IncomingMessage, client: Socket) => {
    const { url, rawHeaders } = request;
    const upstream = net.connect(upstreamPort, "127.0.0.1");
    const lines = rawHeaders.flatMap((name, i) => (i % 2 ? [] : [`${name}: ${rawHeaders[i + 1]}`]));
    upstream.write(`GET ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    client.on("error", () => upstream.destroy()).pipe(upstream);
    upstream.on("error", () => client.destroy()).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  function tunnel(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, tunnels: Tunnel[]) {
    const { status, forward = () => {}, carry = pipe } = faults;
    if (status) return stream.respond({ ":status": status }, { endStream: true });
    const version = headers["sec-websocket-version"] ?? "";
    const protocol = headers["sec-websocket-protocol"];
    const sent: http.OutgoingHttpHeaders = {
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
        tunnels.push({ stream, socket: socket as Socket });
        carry(tunnels[tunnels.length - 1], tunnels);
      })
      .on("error", () => stream.destroy());
  }

  return {
    port: (server.address() as AddressInfo).port,
    streams: () => [...sessions.values()].map(({ length }) => length),
    close() {
      server.close();
      for (const session of sessions.keys()) session.destroy();
    },
  };
}

/** @param tunnel carried as it must be */
export function pipe({ stream, socket }: Tunnel) {
  socket.pipe(stream).pipe(socket);
}

import { constants } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { WebSocketServer } from "ws";
import { certificate } from "./certificate.ts";
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { WebSocket, ServerOptions } from "ws";
import type { Algorithm } from "./certificate.ts";
import type { TlsOptions } from "node:tls";
import type { TlsPolicy } from "../../model/environment.ts";

export const POLICY: TlsPolicy = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.3",
  cipherSuitesTls13: ["TLS_AES_128_GCM_SHA256"],
  ciphersTls12: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  groups: ["X25519"],
  sessionResumption: false,
};

/** How a server differs from a proxy with an echo server behind it that does everything right. */
export interface Faults {
  /** of the certificate */
  algorithm?: Algorithm;
  /** TLS settings other than the policy's */
  tls?: TlsOptions;
  /** whether TLS 1.2 sessions are kept, to be resumed by their id */
  sessionStore?: boolean;
  ws?: ServerOptions;
  /** changes the headers of a handshake as a proxy does on the way */
  forward?: (request: IncomingMessage, scheme: "http" | "https") => void;
  /** false: never answered */
  handshake?: (request: IncomingMessage) => boolean | void;
  /** changes the lines of the 101 */
  answer?: (lines: string[]) => unknown;
  connection?: (ws: WebSocket, socket: Socket) => void;
  echo?: (
    send: (message: Buffer, isBinary: boolean) => void,
    message: Buffer,
    isBinary: boolean,
  ) => void;
  /** true: the path has no greeting of the usual kind */
  greet?: (url: URL, ws: WebSocket) => boolean;
  healthStatus?: number;
  /** to plain requests; default: 200 and "ok", or `healthStatus` */
  respond?: http.RequestListener;
}

export interface Started {
  plainPort: number;
  tlsPort: number;
  /** takes no new connections */
  stopListening(): void;
  close(): void;
}

export async function startServer(faults: Faults = {}): Promise<Started> {
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

  const sockets: Set<Socket> = new Set();
  for (const server of [plain, secure]) {
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    const ok = (_: unknown, response: http.ServerResponse) =>
      void response.writeHead(faults.healthStatus ?? 200).end("ok\n");
    server.on("request", faults.respond ?? ok);
    serveWebSockets(server, server === secure ? "https" : "http", faults);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }

  const stopListening = () => {
    for (const server of [plain, secure]) server.close();
  };
  return {
    plainPort: portOf(plain),
    tlsPort: portOf(secure),
    stopListening,
    close() {
      stopListening();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}

function serveWebSockets(server: http.Server, scheme: "http" | "https", faults: Faults) {
  const { forward = addForwarded, echo = (send, ...message) => send(...message) } = faults;
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: true, ...faults.ws });
  sockets.on("headers", (lines) => faults.answer?.(lines));

  server.on("upgrade", (request, socket, head) => {
    forward(request, scheme);
    if (faults.handshake?.(request) === false) {
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on("error", () => {});
      ws.on("message", (message, isBinary) => {
        const send = (bytes: Buffer, binary: boolean) => ws.send(bytes, { binary });
        echo(send, message as Buffer, isBinary);
      });
      faults.connection?.(ws, request.socket);
      const url = new URL(request.url ?? "/", "http://localhost");
      if (!faults.greet?.(url, ws)) {
        greet(url, ws, request);
      }
    });
  });
}

function keepSessions(server: https.Server) {
  const sessions: Map<string, Buffer> = new Map();
  server.on("newSession", (id, data, done) => {
    sessions.set(id.toString("hex"), data);
    done();
  });
  server.on("resumeSession", (id, done) => done(null, sessions.get(id.toString("hex")) ?? null));
}

function greet({ pathname, searchParams }: URL, ws: WebSocket, request: IncomingMessage) {
  if (pathname === "/headers") {
    const { method, url, httpVersion, headers, socket } = request;
    const { remoteAddress } = socket;
    ws.send(JSON.stringify({ method, url, httpVersion, headers, remoteAddress }));
  } else if (pathname === "/close") {
    ws.close(Number(searchParams.get("code")), searchParams.get("reason") ?? "");
  }
}

export function addForwarded({ headers, socket }: IncomingMessage, scheme: "http" | "https") {
  headers["x-forwarded-for"] = socket.remoteAddress;
  headers["x-forwarded-proto"] = scheme;
}

function portOf(server: http.Server) {
  return (server.address() as AddressInfo).port;
}

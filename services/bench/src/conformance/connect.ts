import { addAbortListener, on, once } from "node:events";
import http from "node:http";
import net from "node:net";
import tls from "node:tls";
import { WebSocket } from "ws";
import { Failure } from "./mismatch.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { TargetReload } from "./reload-checks.ts";

/** Where a check connects, and what it needs to judge the answer. */
export interface Target {
  scheme: "ws" | "wss";
  host: string;
  /** where its sockets listen; default: `host` */
  address?: string;
  port: number;
  /** name for SNI and for the certificate; default: `host` */
  servername?: string;
  /** PEM of the certificate authority that signed the server's certificate */
  ca: string | Buffer;
  policy: TlsPolicy;
  keyType: "ecdsa" | "rsa";
  /** whether the target itself chooses the cipher of TLS 1.3 */
  choosesTls13Cipher: boolean;
  /** whether the target adds forwarded headers */
  forwarded: boolean;
  /** whether the target tells the server the client's address by the PROXY protocol */
  proxyProtocol: boolean;
  /** whether the target says that it offers WebSockets over HTTP/2 */
  websocketsOverHttp2: boolean;
  /** how the target is reloaded; null: it cannot be */
  reload: TargetReload | null;
  /** stops the target gracefully; a text: why that is not checked here; null, or left out: it cannot */
  drain?: (() => Promise<void>) | string | null;
  /** how long an idle connection must stay open */
  idleMs: number;
  /** how many connections must be open at once; absent: that is not checked */
  held?: number;
  timeoutMs: number;
  /** ends every connection of the check */
  signal: AbortSignal;
}

export interface Message {
  data: Buffer;
  isBinary: boolean;
}

export interface Client {
  ws: WebSocket;
  /** the connection below `ws` */
  socket: net.Socket;
  /** next message in order of arrival; rejects when the connection closes */
  nextMessage: () => Promise<Message>;
  /** arguments of the next such event; rejects when the connection closes */
  next: (event: string) => Promise<any[]>;
  closed: Promise<{ code: number; reason: string }>;
}

/** @returns host and port as in a URL */
export function addressOf({ host, port }: Pick<Target, "host" | "port">): string {
  return net.isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

/** @returns connected, for `wss` after the TLS handshake; destroyed when the check ends */
export function connect(target: Target): Promise<net.Socket> {
  const { scheme, host, address = host, port, signal } = target;
  return scheme === "wss"
    ? connectTls(target)
    : ready(net.connect({ host: address, port }), "connect", signal);
}

/**
 * @param target with scheme `wss`
 * @returns after the TLS handshake; destroyed when the check ends
 */
export function connectTls(
  { host, address = host, port, servername, ca, signal }: Target,
  options?: tls.ConnectionOptions,
): Promise<tls.TLSSocket> {
  const socket = tls.connect({ host: address, port, servername, ca, ...options });
  return ready(socket, "secureConnect", signal);
}

/** @param event that says the socket can be used */
async function ready<T extends net.Socket>(
  socket: T,
  event: string,
  signal: AbortSignal,
): Promise<T> {
  socket.setNoDelay(true);
  // Whoever waits on the socket sees its error; an error nobody waits for must not end the process.
  socket.on("error", () => {});
  addAbortListener(signal, () => socket.destroy());
  await once(socket, event);
  return socket;
}

/** @returns after the handshake */
export async function openWebSocket(
  target: Target,
  {
    path = "/",
    protocols = [],
    headers = {},
    deflate = false,
  }: {
    path?: string;
    protocols?: string[];
    headers?: Record<string, string>;
    /** offers permessage-deflate */
    deflate?: boolean;
  } = {},
): Promise<Client> {
  const socket = await connect(target);
  const ws = new WebSocket(`${target.scheme}://${addressOf(target)}${path}`, protocols, {
    createConnection: () => socket,
    perMessageDeflate: deflate,
    headers,
  });
  ws.on("error", () => {});
  // Listens from the start: a message can come in the same packet as the answer to the handshake.
  const messages = on(ws, "message", { close: ["close"] });
  const closed: Client["closed"] = new Promise((resolve) => {
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

export function describeClose(code: number, reason: string): string {
  return code === 1006
    ? "connection closed without a close frame"
    : `connection closed with code ${code} and reason "${reason}"`;
}

/** @param socket connection to send the request on; default: a new one */
export async function get(
  target: Target,
  path: string,
  socket?: net.Socket,
): Promise<{ status: number; body: string }> {
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
 * Sends a request byte for byte as given and reads the answer. The body is read too, where its
 * length is known: to close with part of the answer unread would reset the connection, which is not
 * what is checked here.
 *
 * @param headers of the request, besides Host
 * @param options socket: connection to send it on, left open; default: a new one
 * @returns header names in lower case; body: a character a byte
 */
export async function requestRaw(
  target: Target,
  headers: Record<string, string>,
  { path = "/", socket }: { path?: string; socket?: net.Socket } = {},
): Promise<{ status: number; headers: Map<string, string>; body: string }> {
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

/** @param head of a response, without the empty line */
function parseHead(head: string): { status: number; headers: Map<string, string> } {
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

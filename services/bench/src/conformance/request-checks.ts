import { createHash, randomBytes } from "node:crypto";
import { addressOf, get, openWebSocket, requestRaw } from "./connect.ts";
import { echo } from "./message-checks.ts";
import { ensure, Failure } from "./mismatch.ts";
import type { Message, Target } from "./connect.ts";
import type { Check } from "./checks.ts";

/** A handshake as it arrived at the server, in the server's own words. */
interface RequestSeen {
  method: string;
  url: string;
  httpVersion: string;
  headers: Record<string, string>;
  remoteAddress?: string;
}

/** From RFC 6455, section 1.3. */
const ACCEPT_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const SUBPROTOCOLS = ["conformance.first", "conformance.second"];

const COMPRESSIBLE = "x".repeat(100_000);

const skipWithoutForwarded = ({ forwarded }: Target): string | undefined =>
  forwarded ? undefined : "it adds no forwarded headers";

export const REQUEST_CHECKS: Check[] = [
  {
    id: "handshake",
    title: "handshake answered with 101 and the right Sec-WebSocket-Accept",
    expected: "status 101, Upgrade: websocket, Connection: Upgrade, the accept value of the key",
    async run(target) {
      const request = upgradeHeaders();
      const { status, headers } = await requestRaw(target, request);
      ensure(status === 101, `status ${status}`);
      const upgrade = headers.get("upgrade");
      ensure(upgrade?.toLowerCase() === "websocket", `Upgrade: ${upgrade}`);
      const connection = headers.get("connection");
      ensure(listOf(connection?.toLowerCase()).includes("upgrade"), `Connection: ${connection}`);
      const accept = headers.get("sec-websocket-accept");
      const right = createHash("sha1")
        .update(request["Sec-WebSocket-Key"] + ACCEPT_GUID)
        .digest("base64");
      ensure(accept === right, `Sec-WebSocket-Accept: ${accept}, the key calls for ${right}`);
      return "status 101 and the right Sec-WebSocket-Accept";
    },
  },
  {
    id: "bad-version",
    title: "handshake of an unknown WebSocket version refused",
    expected: "a 4xx status",
    run: (target) => refused(target, { ...upgradeHeaders(), "Sec-WebSocket-Version": "99" }),
  },
  {
    id: "missing-key",
    title: "handshake without a key refused",
    expected: "a 4xx status",
    run(target) {
      const { "Sec-WebSocket-Key": _, ...withoutKey } = upgradeHeaders();
      return refused(target, withoutKey);
    },
  },
  {
    id: "subprotocol",
    title: "subprotocols passed on and answered",
    expected: `${SUBPROTOCOLS.join(", ")} at the server, ${SUBPROTOCOLS[0]} in its answer`,
    async run(target) {
      const { client, headers } = await headersSeen(target, { protocols: SUBPROTOCOLS });
      const offered = listOf(headers["sec-websocket-protocol"]).join(", ");
      ensure(offered === SUBPROTOCOLS.join(", "), `${offered || "none"} at the server`);
      const answer = client.ws.protocol;
      ensure(answer === SUBPROTOCOLS[0], `${answer || "none"} in the answer`);
      return `${offered} at the server, ${answer} in its answer`;
    },
  },
  {
    id: "deflate",
    title: "permessage-deflate passed on, agreed on and used",
    tuning: true,
    expected: `the extension in the answer, and an echo of ${COMPRESSIBLE.length.toLocaleString("en")} equal bytes that takes fewer`,
    async run(target) {
      const client = await openWebSocket(target, { path: "/deflate", deflate: true });
      ensure(client.ws.extensions === "permessage-deflate", "no permessage-deflate in the answer");
      const before = client.socket.bytesRead;
      await echo(client, COMPRESSIBLE);
      const read = client.socket.bytesRead - before;
      ensure(read < COMPRESSIBLE.length, `${read} bytes for the echo`);
      return `${read} bytes for the echo`;
    },
  },
  {
    id: "server-first",
    title: "message the server sends before any of the client's arrives",
    expected: "one text message right after the handshake",
    async run(target) {
      const client = await openWebSocket(target, { path: "/headers" });
      const { isBinary } = await client.nextMessage();
      ensure(!isBinary, "a binary message");
      return "a text message";
    },
  },
  {
    id: "host",
    title: "Host of the client reaches the server",
    tuning: true,
    expected: ({ host }) => `${host} in Host or X-Forwarded-Host, with the port or without`,
    async run(target) {
      const { host, "x-forwarded-host": forwarded } = (await headersSeen(target)).headers;
      const names = [host, forwarded].filter(Boolean);
      const asked = hostName(addressOf(target));
      ensure(names.map(hostName).includes(asked), names.join(" and ") || "neither");
      return names.join(" and ");
    },
  },
  {
    id: "forwarded-for",
    title: "X-Forwarded-For reaches the server",
    tuning: true,
    expected: "the client's address in X-Forwarded-For",
    skip: skipWithoutForwarded,
    async run(target) {
      const { client, headers } = await headersSeen(target);
      const address = plainAddress(client.socket.localAddress ?? "");
      const forwarded = headers["x-forwarded-for"];
      ensure(
        includesAddress(forwarded, address),
        `${describeHeader(forwarded)}, the client is ${address}`,
      );
      return forwarded;
    },
  },
  {
    id: "forwarded-proto",
    title: "X-Forwarded-Proto reaches the server",
    tuning: true,
    expected: (target) => forwardedProto(target),
    skip: skipWithoutForwarded,
    run: (target) => protoArrives(target, {}),
  },
  {
    id: "forged-proto",
    title: "X-Forwarded-Proto sent by the client is replaced",
    tuning: true,
    expected: (target) => forwardedProto(target),
    skip: skipWithoutForwarded,
    run: (target) =>
      protoArrives(target, { "X-Forwarded-Proto": target.scheme === "wss" ? "http" : "https" }),
  },
  {
    id: "proxy-protocol",
    title: "client's address reaches the server by the PROXY protocol",
    expected: "the client's address as that of the server's connection",
    skip: ({ proxyProtocol }) =>
      proxyProtocol ? undefined : "it does not send the PROXY protocol",
    async run(target) {
      const { client, remoteAddress } = await headersSeen(target);
      const address = plainAddress(client.socket.localAddress ?? "");
      ensure(
        plainAddress(remoteAddress ?? "") === address,
        `${remoteAddress}, the client is ${address}`,
      );
      return address;
    },
  },
  {
    id: "plain-http",
    title: "plain HTTP request answered",
    expected: 'status 200 and body "ok" from /healthz',
    async run(target) {
      const { status, body } = await get(target, "/healthz");
      const actual = `status ${status} and body ${JSON.stringify(body.trim())}`;
      ensure(status === 200 && body.trim() === "ok", actual);
      return actual;
    },
  },
];

export function upgradeHeaders() {
  return {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
  };
}

/** @param address with a port or without */
function hostName(address: string) {
  return address.replace(/:\d+$/, "");
}

/** @param headers of an invalid handshake */
async function refused(target: Target, headers: Record<string, string>) {
  const { status } = await requestRaw(target, headers);
  ensure(status >= 400 && status <= 499, `status ${status}`);
  return `status ${status}`;
}

/** Opens a WebSocket whose server reports the handshake as it arrived there. */
async function headersSeen(
  target: Target,
  request?: { protocols?: string[]; headers?: Record<string, string> },
) {
  const client = await openWebSocket(target, { ...request, path: "/headers" });
  return { client, ...requestSeen(await client.nextMessage()) };
}

/** @param message the first from the path /headers */
export function requestSeen({ data }: Message): RequestSeen {
  const text = data.toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`a first message that is not JSON: ${text.slice(0, 60)}`);
  }
}

async function protoArrives(target: Target, headers: Record<string, string>) {
  const { "x-forwarded-proto": proto } = (await headersSeen(target, { headers })).headers;
  ensure(proto === forwardedProto(target), describeHeader(proto));
  return proto;
}

/**
 * Schemes of HTTP, not of WebSocket: RFC 7239 (section 5.4) and every framework that reads the
 * header know only these.
 */
export function forwardedProto({ scheme }: Target) {
  return scheme === "wss" ? "https" : "http";
}

/** @param value of a header that holds a list */
function listOf(value: string | undefined) {
  return (value ?? "").split(",").map((item) => item.trim());
}

/** @param list value of X-Forwarded-For */
export function includesAddress(list: string | undefined, address: string) {
  return listOf(list).map(plainAddress).includes(plainAddress(address));
}

/** @param address possibly an IPv4 address written as IPv6 */
function plainAddress(address: string) {
  return address.replace(/^::ffff:/i, "");
}

function describeHeader(value: string | undefined) {
  return value === undefined ? "no such header" : JSON.stringify(value);
}

/**
 * What a server can do wrong, and the checks that must fail for it: these and no other.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHECKS } from "../checks.ts";
import { check, failuresOf, NO_DELAY } from "./check.ts";
import { addForwarded, POLICY } from "./server.ts";
import type { Faults } from "./server.ts";
import type { IncomingMessage } from "node:http";
type Wrongs = Record<string, { fails: string[] } & Parameters<typeof check>[1]>;

const NEED_A_HANDSHAKE = CHECKS.websockets.ws
  .map(({ id }) => id)
  .filter(
    (id) => !["bad-version", "missing-key", "plain-http", "held", "reload", "drain"].includes(id),
  );

export const MESSAGE_WRONGS: Wrongs = {
  "Nagle's algorithm towards the server": {
    relay: { ...NO_DELAY, noDelayToServer: false },
    fails: both("delay-to-server"),
  },
  "Nagle's algorithm towards the client": {
    relay: { ...NO_DELAY, noDelayToClient: false },
    fails: both("delay-to-client"),
  },
  "pings without a pong": {
    server: { ws: { autoPong: false } },
    fails: both("ping"),
  },
  "pongs with another payload": {
    server: {
      ws: { autoPong: false },
      connection: (ws) => ws.on("ping", () => ws.pong("else")),
    },
    fails: both("ping"),
  },
  "pongs that are not the server's": {
    server: {
      echo(send, message, isBinary) {
        const isBeforePing = message.length === 65_537;
        setTimeout(() => send(message, isBinary), isBeforePing ? 200 : 0);
      },
    },
    fails: both("ping"),
  },
  "two messages in the wrong order": {
    server: { echo: reorder("message 500") },
    fails: both("order"),
  },
  "a message sent twice": {
    server: {
      echo(send, message, isBinary) {
        send(message, isBinary);
        if (message.toString() === "message 10") {
          send(message, isBinary);
        }
      },
    },
    fails: both("order"),
  },
  "text messages as binary": {
    server: { echo: (send, message) => send(message, true) },
    fails: both("idle", "text", "empty", "utf8", "fragments", "deflate"),
  },
  "binary messages as text": {
    server: {
      echo: (send, message, isBinary) =>
        send(isBinary ? Buffer.alloc(message.length, "x") : message, false),
    },
    fails: both(
      "binary",
      "empty",
      "size-125",
      "size-126",
      "size-65535",
      "size-65536",
      "size-1048576",
    ),
  },
  "text of one byte a character": {
    server: {
      echo: (send, message, isBinary) =>
        send(isBinary ? message : Buffer.from(message.toString("ascii")), isBinary),
    },
    fails: both("utf8"),
  },
  "no empty messages": {
    server: {
      echo: (send, message, isBinary) =>
        send(message.length === 0 ? Buffer.from("?") : message, isBinary),
    },
    fails: both("empty"),
  },
  "only the first of several fragments": {
    server: {
      echo: (send, message, isBinary) =>
        send(
          message.toString() === "first, second, third" ? Buffer.from("first, ") : message,
          isBinary,
        ),
    },
    fails: both("fragments"),
  },
  ...Object.fromEntries(
    [125, 126, 65_535, 65_536, 1_048_576].map((size) => [
      `a wrong last byte in messages of ${size} bytes`,
      { server: { echo: changeLastByte(size) }, fails: both(`size-${size}`) },
    ]),
  ),
  "a changed close reason": {
    server: {
      connection(ws) {
        const close = ws.close.bind(ws);
        ws.close = (code) => close(code, code === 4001 ? "else" : "bye");
      },
    },
    fails: both("close-by-client"),
  },
  "a connection dropped instead of a close frame": {
    server: {
      connection(ws) {
        ws.close = () => ws.terminate();
      },
    },
    fails: both("close-by-client", "close-by-server"),
  },
  "a server's close with another code": {
    server: {
      greet({ pathname }, ws) {
        if (pathname === "/close") {
          ws.close(4003, "bye");
        }
        return pathname === "/close";
      },
    },
    fails: both("close-by-server"),
  },
  "a time-out for idle connections": {
    server: {
      connection: (_, socket) => socket.setTimeout(400, () => socket.destroy()),
    },
    options: { idleMs: 800 },
    fails: both("idle"),
  },
  "a limit of 60 connections at once": {
    server: { connection: limitOf(60) },
    options: { held: 100 },
    fails: both("held"),
  },
};

export const REQUEST_WRONGS: Wrongs = {
  "no subprotocol in the answer": {
    server: { ws: { handleProtocols: () => false } },
    fails: both("subprotocol"),
  },
  "the second subprotocol dropped on the way": {
    server: {
      forward(request, scheme) {
        addForwarded(request, scheme);
        const offered = request.headers["sec-websocket-protocol"];
        if (offered) {
          request.headers["sec-websocket-protocol"] = offered.split(",")[0];
        }
      },
    },
    fails: both("subprotocol"),
  },
  "the server's first message lost": {
    server: { greet: ({ pathname }) => pathname === "/headers" },
    fails: both(
      "subprotocol",
      "server-first",
      "host",
      "forwarded-for",
      "forwarded-proto",
      "forged-proto",
      "proxy-protocol",
    ),
  },
  "permessage-deflate taken out on the way": {
    server: {
      forward(request, scheme) {
        addForwarded(request, scheme);
        delete request.headers["sec-websocket-extensions"];
      },
    },
    fails: both("deflate"),
  },
  "permessage-deflate agreed on and not used": {
    server: { ws: { perMessageDeflate: { threshold: 1_048_576, serverNoContextTakeover: true } } },
    fails: both("deflate"),
  },
  "the server's name as Host": {
    server: {
      forward(request, scheme) {
        addForwarded(request, scheme);
        request.headers.host = "echo:8080";
      },
    },
    fails: both("host"),
  },
  "no Host": {
    server: {
      forward(request, scheme) {
        addForwarded(request, scheme);
        delete request.headers.host;
      },
    },
    fails: both("host"),
  },
  "no forwarded headers": {
    server: { forward() {} },
    fails: both("forwarded-for", "forwarded-proto", "forged-proto"),
  },
  "another address in X-Forwarded-For": {
    server: {
      forward(request, scheme) {
        addForwarded(request, scheme);
        request.headers["x-forwarded-for"] = "127.0.0.11, 1127.0.0.1";
      },
    },
    fails: both("forwarded-for"),
  },
  "another address in the PROXY protocol": {
    server: { forward: anotherAddress },
    fails: both("proxy-protocol"),
  },
  "schemes of WebSocket in X-Forwarded-Proto": {
    server: {
      forward(request, scheme) {
        addForwarded(request, scheme);
        request.headers["x-forwarded-proto"] = scheme === "https" ? "wss" : "ws";
      },
    },
    fails: both("forwarded-proto", "forged-proto"),
  },
  "a client's X-Forwarded-Proto kept": {
    server: {
      forward(request, scheme) {
        const own = request.headers["x-forwarded-proto"];
        addForwarded(request, scheme);
        request.headers["x-forwarded-proto"] = own ?? scheme;
      },
    },
    fails: both("forged-proto"),
  },
  "a client's X-Forwarded-Proto appended to": {
    server: {
      forward(request, scheme) {
        const own = request.headers["x-forwarded-proto"];
        addForwarded(request, scheme);
        request.headers["x-forwarded-proto"] = own ? `${own}, ${scheme}` : scheme;
      },
    },
    fails: both("forged-proto"),
  },
  "no answer to plain HTTP": {
    server: { healthStatus: 404 },
    fails: both("plain-http"),
  },
  "any WebSocket version accepted": {
    server: {
      handshake(request) {
        request.headers["sec-websocket-version"] = "13";
      },
    },
    fails: both("bad-version"),
  },
  "a handshake without a key accepted": {
    server: {
      handshake(request) {
        request.headers["sec-websocket-key"] ??= "AAAAAAAAAAAAAAAAAAAAAA==";
      },
    },
    fails: both("missing-key"),
  },
  "an invalid handshake never answered": {
    server: {
      handshake: ({ headers }) =>
        headers["sec-websocket-version"] === "13" && "sec-websocket-key" in headers,
    },
    fails: both("bad-version", "missing-key"),
  },
  "a 101 of HTTP/1.0": {
    server: {
      answer(lines) {
        lines[0] = "HTTP/1.0 101 Switching Protocols";
      },
    },
    fails: both("handshake"),
  },
  "a 101 without Connection: Upgrade": {
    server: { answer: (lines) => lines.splice(lines.indexOf("Connection: Upgrade"), 1) },
    fails: both(...NEED_A_HANDSHAKE),
  },
  "a wrong Sec-WebSocket-Accept": {
    server: {
      answer(lines) {
        const index = lines.findIndex((line) => line.startsWith("Sec-WebSocket-Accept"));
        lines[index] = "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=";
      },
    },
    fails: both(...NEED_A_HANDSHAKE),
  },
};

export const TLS_WRONGS: Wrongs = {
  "TLS 1.1 let in": {
    server: { tls: { minVersion: "TLSv1.1", ciphers: policyCiphers("ECDHE-ECDSA-AES128-SHA") } },
    fails: tls("tls11-refused"),
  },
  "TLS 1.0 let in": {
    server: { tls: { minVersion: "TLSv1", ciphers: policyCiphers("ECDHE-ECDSA-AES128-SHA") } },
    fails: tls("tls11-refused", "tls10-refused"),
  },
  "no TLS 1.3": {
    server: { tls: { maxVersion: "TLSv1.2" } },
    fails: tls("tls13-version", "tls13-cipher", "tls13-group", "tls13-resumption"),
  },
  "no TLS 1.2": {
    server: { tls: { minVersion: "TLSv1.3" } },
    fails: tls("tls12-version", "tls12-cipher", "tls12-group", "tls12-resumption"),
  },
  "another TLS 1.3 cipher": {
    server: { tls: { ciphers: `TLS_AES_256_GCM_SHA384:${POLICY.ciphersTls12.join(":")}` } },
    fails: tls("tls13-cipher"),
  },
  "OpenSSL's ciphers in the client's order": {
    server: { tls: { ciphers: "DEFAULT", honorCipherOrder: false } },
    fails: tls("tls13-cipher", "tls12-cipher"),
  },
  "OpenSSL's groups": {
    server: { tls: { ecdhCurve: "auto" } },
    fails: tls("tls13-group", "tls13-foreign-group", "tls12-foreign-group"),
  },
  "a group beside the policy's": {
    server: { tls: { ecdhCurve: "X25519:P-384" } },
    fails: tls("tls13-foreign-group", "tls12-foreign-group"),
  },
  "a classic group other than the policy's": {
    server: { tls: { ecdhCurve: "P-256" } },
    fails: tls("tls13-group", "tls12-group", "tls13-foreign-group", "tls12-foreign-group"),
  },
  "a certificate on another curve": {
    server: { algorithm: "ecdsa-p384" },
    fails: tls("tls-certificate"),
  },
  "a longer RSA key": {
    server: { algorithm: "rsa-3072" },
    options: { keyType: "rsa" },
    fails: tls("tls-certificate"),
  },
  "an RSA certificate instead of an ECDSA one": {
    server: { algorithm: "rsa" },
    fails: tls("tls-certificate", "tls12-cipher"),
  },
  "sessions resumed by ticket": {
    server: { tls: { secureOptions: 0 } },
    fails: tls("tls13-resumption", "tls12-resumption"),
  },
  "sessions not resumed against the policy": {
    options: { policy: { ...POLICY, sessionResumption: true } },
    fails: tls("tls13-resumption", "tls12-resumption"),
  },
  "TLS 1.2 sessions resumed from a store of the server": {
    server: { sessionStore: true },
    fails: tls("tls12-resumption"),
  },
  "TLS 1.2 sessions resumed by ticket": {
    server: { tls: { secureOptions: 0, maxVersion: "TLSv1.2" } },
    options: { policy: { ...POLICY, maxVersion: "TLSv1.2" } },
    fails: tls("tls12-resumption"),
  },
  "TLS 1.3 sessions resumed by ticket": {
    server: { tls: { secureOptions: 0, minVersion: "TLSv1.3" } },
    options: { policy: { ...POLICY, minVersion: "TLSv1.3" } },
    fails: tls("tls13-resumption"),
  },
};

/**
 * A test of each. A file of tests should ask for one table: the checks wait more than they work,
 * and files run side by side.
 */
export function testAll(wrongs: Wrongs) {
  for (const [name, { fails, ...setup }] of Object.entries(wrongs)) {
    test(`fails exactly where it should: ${name}`, async (t) => {
      assert.deepEqual(failuresOf(await check(t, setup)).sort(), fails.sort());
    });
  }
}

export function both(...ids: string[]) {
  return ["ws", "wss"].flatMap((scheme) => ids.map((id) => `${scheme} ${id}`));
}

export function tls(...ids: string[]) {
  return ids.map((id) => `wss ${id}`);
}

export function anotherAddress(request: IncomingMessage, scheme: "http" | "https") {
  addForwarded(request, scheme);
  Object.defineProperty(request.socket, "remoteAddress", { value: "192.0.2.1" });
}

/** @param held text that is sent after the message that follows it */
function reorder(held: string): Faults["echo"] {
  let late: Buffer | undefined;
  return (send, message, isBinary) => {
    if (message.toString() === held) {
      late = message;
      return;
    }
    send(message, isBinary);
    if (late) {
      send(late, false);
      late = undefined;
    }
  };
}

function limitOf(most: number): Faults["connection"] {
  let open = 0;
  return (ws, socket) => {
    open += 1;
    ws.once("close", () => (open -= 1));
    if (open > most) socket.destroy();
  };
}

function changeLastByte(size: number): Faults["echo"] {
  return (send, message, isBinary) => {
    const bytes = Buffer.from(message);
    if (bytes.length === size) {
      bytes[size - 1] ^= 1;
    }
    send(bytes, isBinary);
  };
}

/** @param older cipher for TLS before 1.2, which OpenSSL has at security level 0 only */
export function policyCiphers(older: string) {
  return [...POLICY.cipherSuitesTls13, ...POLICY.ciphersTls12, older, "@SECLEVEL=0"].join(":");
}

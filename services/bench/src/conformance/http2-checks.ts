/**
 * WebSockets over HTTP/2 (RFC 8441), where a proxy says that it offers them. They reach the server
 * as any other: over HTTP/1.1.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describeClose } from "./connect.ts";
import { connectStream, END_STREAM, getBeside, offer, openSession, openStream } from "./http2.ts";
import { compare, pattern } from "./message-checks.ts";
import { ensure } from "./mismatch.ts";
import { forwardedProto, includesAddress, requestSeen } from "./request-checks.ts";
import type { Target } from "./connect.ts";
import type { Stream } from "./http2.ts";
import type { Check } from "./checks.ts";

/**
 * What a stream may hold is 65,535 bytes unless more is allowed (RFC 9113, section 6.9.2): this
 * takes more, again and again.
 */
const LARGE_BYTES = 1_048_576;
const STREAMS = 20;

/**
 * On the stalled stream: far above what a stream may hold, so that it cannot all be with the
 * client.
 */
const STALLED_MESSAGES = 64;
const STALLED_BYTES = 65_536;
/** Long enough for the stalled one to fill what it can fill. */
const FILL_MS = 200;
const HEALTHY_STREAMS = 5;
const HEALTHY_ROUNDS = 10;
/**
 * A proxy that holds up the others does so on each connection. HAProxy 3.0.11 loses a wake-up on
 * one in a hundred, and reads that one no more: this tells the two apart, and says how many stood
 * still.
 */
const STALLED_CONNECTIONS = 3;

const SUBPROTOCOL = "conformance.first";

/**
 * Whether it offers them at all: an answer, and a fault only where proxy.json says otherwise. ALPN
 * is alike in all proxies: HTTP/2 is offered where WebSockets are carried in it, and nowhere else.
 */
export const OFFER_CHECK: Check = {
  id: "h2-offered",
  title: "WebSockets over HTTP/2 offered (RFC 8441)",
  expected: ({ websocketsOverHttp2 }) =>
    websocketsOverHttp2
      ? "SETTINGS_ENABLE_CONNECT_PROTOCOL, as proxy.json says (websocketsOverHttp2)"
      : "none, as proxy.json says (websocketsOverHttp2), and no HTTP/2 by ALPN",
  answers: true,
  tuning: true,
  async run(target) {
    const offered = await offer(target);
    if ("lack" in offered) {
      ensure(!target.websocketsOverHttp2 && !offered.isHttp2, offered.lack);
      return offered.lack;
    }
    ensure(target.websocketsOverHttp2, "SETTINGS_ENABLE_CONNECT_PROTOCOL");
    return "";
  },
};

/** Of a proxy that offers them. */
export const HTTP2_CHECKS: Check[] = [
  {
    id: "h2-open",
    title: "over HTTP/2: WebSocket opened by an extended CONNECT",
    expected: "status 200",
    async run(target) {
      const { session } = await openSession(target);
      await openStream(session, target);
      return "status 200";
    },
  },
  {
    id: "h2-refused",
    title: "over HTTP/2: handshake that the server refuses",
    expected: "a 4xx status for an unknown Sec-WebSocket-Version",
    async run(target) {
      const { session } = await openSession(target);
      const headers = { "sec-websocket-version": "99" };
      const { status } = await connectStream(session, target, { headers });
      ensure(status >= 400 && status <= 499, `status ${status}`);
      return `status ${status}`;
    },
  },
  {
    id: "h2-text",
    title: "over HTTP/2: text message echoed",
    expected: "the same text",
    async run(target) {
      const { session } = await openSession(target);
      return echoed(await openStream(session, target), "one text message");
    },
  },
  {
    id: "h2-large",
    title: `over HTTP/2: ${LARGE_BYTES.toLocaleString("en")}-byte message echoed`,
    expected: "the same bytes",
    async run(target) {
      const { session } = await openSession(target);
      return echoed(await openStream(session, target), pattern(LARGE_BYTES));
    },
  },
  {
    id: "h2-close-by-client",
    title: "over HTTP/2: close by the client answered, and the stream ended",
    expected: `${describeClose(4001, "client is done")}, then ${END_STREAM}`,
    async run(target) {
      const { session } = await openSession(target);
      const stream = await openStream(session, target);
      stream.close(4001, "client is done");
      return closedWith(stream, 4001, "client is done");
    },
  },
  {
    id: "h2-close-by-server",
    title: "over HTTP/2: close by the server arrives, and the stream ends",
    expected: `${describeClose(4002, "bye")}, then ${END_STREAM}`,
    async run(target) {
      const { session } = await openSession(target);
      const path = "/close?code=4002&reason=bye";
      return closedWith(await openStream(session, target, { path }), 4002, "bye");
    },
  },
  {
    id: "h2-several",
    title: `over HTTP/2: ${STREAMS} WebSockets and a plain request on one connection`,
    expected: 'each with its own echo, and status 200 with body "ok" from /healthz',
    async run(target) {
      const { session } = await openSession(target);
      const streams = await Promise.all(
        Array.from({ length: STREAMS }, () => openStream(session, target)),
      );
      await Promise.all(streams.map((stream, i) => echoed(stream, `message of stream ${i}`)));
      const { status, body } = await getBeside(session, target, "/healthz");
      const actual = `status ${status} and body ${JSON.stringify(body.trim())}`;
      ensure(status === 200 && body.trim() === "ok", actual);
      return actual;
    },
  },
  {
    id: "h2-stalled",
    title: "over HTTP/2: one WebSocket that is not read holds up no other",
    expected: `the echoes of ${HEALTHY_STREAMS} others meanwhile, and then all of its own in order`,
    remarks: true,
    timeLimitMs: ({ timeoutMs }) => (STALLED_CONNECTIONS + 1) * timeoutMs,
    async run(target) {
      let still = 0;
      while (!(await othersGoOn(target)))
        ensure(++still < STALLED_CONNECTIONS, "no echo on the others while one was not read");
      return still === 0 ? "" : `${still} of ${still + 1} connections stood still`;
    },
  },
  {
    id: "h2-forwarded",
    title: "over HTTP/2: request as it reaches the server over HTTP/1.1",
    expected: (target) =>
      `GET over HTTP/1.1 with path and query, a Host header${target.forwarded ? `, the client's address in X-Forwarded-For, X-Forwarded-Proto ${forwardedProto(target)}` : ""}`,
    async run(target) {
      const { session, localAddress } = await openSession(target);
      const path = "/headers?one=1";
      const stream = await openStream(session, target, { path });
      const { method, url, httpVersion, headers } = requestSeen(await stream.nextMessage());
      const line = `${method} ${url} HTTP/${httpVersion}`;
      ensure(line === `GET ${path} HTTP/1.1`, line);
      ensure(Boolean(headers.host), "no Host header");
      if (target.forwarded) {
        const { "x-forwarded-for": address, "x-forwarded-proto": proto } = headers;
        ensure(
          includesAddress(address, localAddress),
          `X-Forwarded-For: ${address}, the client is ${localAddress}`,
        );
        ensure(proto === forwardedProto(target), `X-Forwarded-Proto: ${proto}`);
      }
      return line;
    },
  },
  {
    id: "h2-subprotocol",
    title: "over HTTP/2: subprotocol passed on and answered",
    expected: `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`,
    async run(target) {
      const { session } = await openSession(target);
      const { headers } = await openStream(session, target, {
        headers: { "sec-websocket-protocol": SUBPROTOCOL },
      });
      const answer = headers["sec-websocket-protocol"];
      ensure(answer === SUBPROTOCOL, `Sec-WebSocket-Protocol: ${answer ?? "none"}`);
      return SUBPROTOCOL;
    },
  },
];

async function echoed(stream: Stream, message: string | Buffer) {
  stream.send(message);
  return compare(message, await stream.nextMessage());
}

async function severalEchoed(stream: Stream, which: string) {
  for (let round = 0; round < HEALTHY_ROUNDS; round++)
    await echoed(stream, `message ${round} ${which}`);
}

async function severalArrive(stream: Stream, messages: Buffer[]) {
  for (const message of messages) compare(message, await stream.nextMessage());
}

/**
 * @returns false: on a new connection, WebSockets had no echo in time while another was not read
 */
async function othersGoOn(target: Target): Promise<boolean> {
  const { session } = await openSession(target);
  const [stalled, ...others] = await Promise.all(
    Array.from({ length: 1 + HEALTHY_STREAMS }, () => openStream(session, target)),
  );
  stalled.pause();
  const messages = Array.from({ length: STALLED_MESSAGES }, (_, i) => numbered(i));
  for (const message of messages) stalled.send(message);
  await sleep(FILL_MS, undefined, { signal: target.signal });
  const echoes = Promise.all(others.map((stream, i) => severalEchoed(stream, `of stream ${i}`)));
  if (!(await inTime(echoes, target.timeoutMs))) {
    session.destroy();
    return false;
  }
  stalled.resume();
  const own = severalArrive(stalled, messages);
  ensure(await inTime(own, target.timeoutMs), "not all of its own, once it was read");
  return true;
}

/** @returns of STALLED_BYTES, which tells its number */
function numbered(number: number): Buffer {
  const bytes = Buffer.alloc(STALLED_BYTES, number);
  bytes.writeUInt32BE(number);
  return bytes;
}

/** @returns false: it was not fulfilled by then */
async function inTime(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const end = new AbortController();
  const late = sleep(limitMs, false, { signal: end.signal }).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    end.abort();
  }
}

async function closedWith(stream: Stream, expectedCode: number, expectedReason: string) {
  const { code, reason, how } = await stream.ended;
  const actual = `${describeClose(code, reason)}, then ${how}`;
  ensure(code === expectedCode && reason === expectedReason && how === END_STREAM, actual);
  return actual;
}

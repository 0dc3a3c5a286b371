import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { describeClose, openWebSocket } from "./connect.ts";
import { ensure } from "./mismatch.ts";
import type { Client, Message } from "./connect.ts";
import type { Check } from "./checks.ts";

const PIPELINED_MESSAGES = 1_000;

/**
 * Each side of every length encoding of a frame (RFC 6455, section 5.2), and one message larger
 * than any buffer.
 */
const BINARY_SIZES = [125, 126, 65_535, 65_536, 1_048_576];

const PING = "payload of the ping";
/** Many reads, so that whoever answers pings by itself does so before it is echoed. */
const BEFORE_PING = pattern(65_537);

/** Characters of one to four bytes in UTF-8. */
const MULTI_BYTE_TEXT = "a ß € 𝄞 – Grüße, 世界 🚀";

export const MESSAGE_CHECKS: Check[] = [
  {
    id: "idle",
    title: "idle connection stays open",
    tuning: true,
    expected: ({ idleMs }) => `open and echoing after ${idleMs / 1_000} s without traffic`,
    timeLimitMs: ({ idleMs, timeoutMs }) => idleMs + timeoutMs,
    async run(target) {
      const client = await openWebSocket(target);
      await Promise.race([
        sleep(target.idleMs, undefined, { signal: target.signal }),
        client.closed,
      ]);
      if (client.ws.readyState !== WebSocket.OPEN) {
        const { code, reason } = await client.closed;
        ensure(false, describeClose(code, reason));
      }
      await echo(client, "after idling");
      return "open and echoing";
    },
  },
  echoCheck("text", "text message echoed", "one text message"),
  echoCheck("binary", "binary message echoed", pattern(300)),
  echoCheck("empty", "empty messages echoed", "", Buffer.alloc(0)),
  echoCheck("utf8", "text of multi-byte characters echoed", MULTI_BYTE_TEXT),
  ...BINARY_SIZES.map((size) =>
    echoCheck(`size-${size}`, `${size.toLocaleString("en")}-byte message echoed`, pattern(size)),
  ),
  {
    id: "fragments",
    title: "message of three fragments echoed whole",
    expected: "one text message that joins the three",
    async run(target) {
      const client = await openWebSocket(target);
      client.ws.send("first, ", { fin: false });
      client.ws.send("second, ", { fin: false });
      client.ws.send("third", { fin: true });
      return compare("first, second, third", await client.nextMessage());
    },
  },
  {
    id: "ping",
    title: "ping answered by the server's pong",
    expected: "a pong with the payload of the ping, after the echo of what was sent before it",
    async run(target) {
      const { payload, isServers } = await pingAfterMessage(await openWebSocket(target));
      ensure(payload === PING, `a pong with payload ${quote(payload)}`);
      ensure(isServers, "a pong before the echo of what was sent before the ping");
      return "the server's pong with the same payload";
    },
  },
  {
    id: "order",
    title: "1,000 pipelined messages echoed in order",
    expected: "every message once, in the order sent",
    async run(target) {
      const client = await openWebSocket(target);
      for (let index = 0; index < PIPELINED_MESSAGES; index++) {
        client.ws.send(`message ${index}`);
      }
      for (let index = 0; index < PIPELINED_MESSAGES; index++) {
        const { data } = await client.nextMessage();
        ensure(data.toString() === `message ${index}`, `${quote(data)} as echo ${index}`);
      }
      return "all in order";
    },
  },
  {
    id: "close-by-client",
    title: "close by the client answered with its code and reason",
    expected: describeClose(4001, "client is done"),
    async run(target) {
      const client = await openWebSocket(target);
      client.ws.close(4001, "client is done");
      return closedWith(client, 4001, "client is done");
    },
  },
  {
    id: "close-by-server",
    title: "close by the server arrives with its code and reason",
    expected: describeClose(4002, "bye"),
    async run(target) {
      const client = await openWebSocket(target, { path: "/close?code=4002&reason=bye" });
      return closedWith(client, 4002, "bye");
    },
  },
];

/**
 * The server answers in the order in which it was asked: a pong before the echo of what was sent
 * before the ping is not its own.
 */
export async function pingAfterMessage(
  client: Client,
): Promise<{ payload: string; isServers: boolean }> {
  const order: string[] = [];
  for (const event of ["message", "pong"]) client.ws.once(event, () => order.push(event));
  const pong = client.next("pong");
  client.ws.send(BEFORE_PING);
  client.ws.ping(PING);
  const [[payload]] = await Promise.all([pong, client.nextMessage()]);
  return { payload: payload.toString(), isServers: order[0] === "message" };
}

/** @param messages sent one after the other, each after the echo of the one before */
function echoCheck(id: string, title: string, ...messages: (string | Buffer)[]): Check {
  return {
    id,
    title,
    expected: messages.map((message) => describe(message)).join(", then "),
    async run(target) {
      const client = await openWebSocket(target);
      for (const message of messages) {
        await echo(client, message);
      }
      return "the same bytes and type";
    },
  };
}

export async function echo(client: Client, message: string | Buffer) {
  client.ws.send(message);
  return compare(message, await client.nextMessage());
}

export function compare(sent: string | Buffer, { data, isBinary }: Message) {
  const bytes = Buffer.from(sent);
  const received = isBinary ? data : data.toString();
  ensure(isBinary === Buffer.isBuffer(sent), describe(received));
  ensure(data.length === bytes.length, describe(received));
  if (!data.equals(bytes)) {
    const first = bytes.findIndex((byte, index) => byte !== data[index]);
    ensure(false, `${describe(received)}, wrong from byte ${first} on`);
  }
  return "the same bytes and type";
}

async function closedWith(client: Client, expectedCode: number, expectedReason: string) {
  const { code, reason } = await client.closed;
  ensure(code === expectedCode && reason === expectedReason, describeClose(code, reason));
  return describeClose(code, reason);
}

/** @param message text as string, binary as buffer */
function describe(message: string | Buffer) {
  const type = Buffer.isBuffer(message) ? "binary" : "text";
  return `a ${type} message of ${Buffer.byteLength(message).toLocaleString("en")} bytes`;
}

function quote(text: string | Buffer) {
  return JSON.stringify(text.toString());
}

/**
 * @param size in bytes
 * @returns bytes that do not repeat with the period of any buffer
 */
export function pattern(size: number): Buffer {
  return Buffer.from(
    Uint8Array.from({ length: size }, (_, index) => index * 7 + (index >> 8) * 13),
  );
}

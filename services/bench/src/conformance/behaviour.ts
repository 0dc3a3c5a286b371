/**
 * Looks what a proxy does where the checks have no expectation: what its defaults are, above all.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { addressOf, connectTls, openWebSocket, requestRaw } from "./connect.ts";
import { echo, pattern, pingAfterMessage } from "./message-checks.ts";
import { explain } from "./mismatch.ts";
import { includesAddress, requestSeen, upgradeHeaders } from "./request-checks.ts";
import { negotiated } from "./tls-checks.ts";
import type { Behaviour, Ending, HeadersSeen, NotFound, Watch } from "../model/behaviour.ts";
import type { Client, Target } from "./connect.ts";

/** The largest is as much as the echo server takes. */
const SIZES = [65_536, 1_048_576, 16_777_216];
/** Repeats with a prime number of bytes, which is no buffer's size. */
const BYTES = pattern(65_521);
/** From a range for documentation (RFC 5737). */
const FORGED = "192.0.2.1";
/** By the client, in every handshake. */
const SENT = [
  ...["host", "connection", "upgrade", "sec-websocket-key", "sec-websocket-version"],
  "x-kept",
];
const ANSWERED = ["upgrade", "connection", "sec-websocket-accept"];
const TOLD_ELSEWHERE = ["x-forwarded-for", "x-forwarded-proto"];
const MS = 1_000;

/**
 * @param watch seconds
 * @param secure the same proxy over wss; null: it serves none
 */
export async function behaviourOf(
  target: Target,
  secure: Target | null,
  watch: Watch,
): Promise<Behaviour> {
  const find = <T>(look: (target: Target) => Promise<T>, on = target) => found(look, on);
  const noTls: NotFound = { failed: "it serves no wss" };
  // First, as large messages keep this program busy, and the others look at a clock.
  const [pong, largestMessageBytes, headers, secureProto, tls] = await Promise.all([
    find(whoAnswersPing),
    find(largestMessage),
    find(headersSeen),
    secure ? find(async (one) => (await seenBy(one)).proto, secure) : noTls,
    secure ? find(tlsOf, secure) : noTls,
  ]);
  const [silent, pinged] = await Promise.all([
    find((one) => whileSilent(one, watch)),
    find((one) => whilePinging(one, watch)),
  ]);
  return {
    ...("failed" in silent ? { idle: silent, ownPings: silent } : silent),
    ...{ pinged, pong, largestMessageBytes, headers, secureProto, tls },
    // Last, as it may end what the others look at.
    reload: await find((one) => acrossReload(one, watch)),
  };
}

async function found<T>(look: (target: Target) => Promise<T>, target: Target) {
  const end = new AbortController();
  try {
    return await look({ ...target, signal: AbortSignal.any([target.signal, end.signal]) });
  } catch (error) {
    return { failed: explain(error, addressOf(target)) };
  } finally {
    end.abort();
  }
}

async function whileSilent(target: Target, { idle }: Watch) {
  const client = await openWebSocket(target);
  let ownPings = 0;
  client.ws.on("ping", () => (ownPings += 1));
  await echo(client, "before the silence");
  return { idle: await endWithin(client, idle * MS, target), ownPings };
}

async function whilePinging(target: Target, { idle, ping }: Watch) {
  const client = await openWebSocket(target);
  await echo(client, "before the pings");
  const timer = setInterval(() => client.ws.ping(), ping * MS);
  try {
    return await endWithin(client, idle * MS, target);
  } finally {
    clearInterval(timer);
  }
}

/** @returns null: it is still open */
async function endWithin(client: Client, ms: number, { signal }: Target): Promise<Ending | null> {
  const start = performance.now();
  const end = await Promise.race([client.closed, sleep(ms, undefined, { signal })]);
  return end ? { seconds: (performance.now() - start) / MS, code: end.code } : null;
}

async function whoAnswersPing(target: Target): Promise<Behaviour["pong"]> {
  const pong = pingAfterMessage(await openWebSocket(target));
  const late = sleep(target.timeoutMs, null, { signal: target.signal });
  const answer = await Promise.race([pong, late]);
  return answer && (answer.isServers ? "server" : "proxy");
}

async function largestMessage(target: Target): Promise<number | null> {
  let largest: number | null = null;
  for (const size of SIZES) {
    try {
      await echo(await openWebSocket(target), Buffer.alloc(size, BYTES));
    } catch {
      break;
    }
    largest = size;
  }
  return largest;
}

async function acrossReload(target: Target, watch: Watch): Promise<Behaviour["reload"]> {
  const { reload } = target;
  if (!reload) return "none";
  const client = await openWebSocket(target);
  await echo(client, "before the reload");
  const start = performance.now();
  // What ends while it reloads counts from there, too.
  const ended = client.closed.then(({ code }) => ({
    seconds: (performance.now() - start) / MS,
    code,
  }));
  await reload.run();
  const timer = setInterval(() => {
    if (client.ws.readyState === WebSocket.OPEN) client.ws.send("after the reload");
  }, MS);
  try {
    const over = sleep(watch.reload * MS, null, { signal: target.signal });
    return { ended: await Promise.race([ended, over]) };
  } finally {
    clearInterval(timer);
  }
}

async function headersSeen(target: Target): Promise<HeadersSeen> {
  const { headers, tellsClient, proto } = await seenBy(target);
  const forged = await seenBy(target, { "X-Forwarded-For": FORGED });
  const answer = (await requestRaw(target, upgradeHeaders())).headers;
  return {
    host: headers.host === addressOf(target) ? null : (headers.host ?? ""),
    tellsClient,
    forged: fateOf(forged.headers["x-forwarded-for"]),
    proto,
    added: Object.keys(headers).filter((name) => ![...SENT, ...TOLD_ELSEWHERE].includes(name)),
    removed: SENT.filter((name) => !(name in headers)),
    answerAdded: [...answer.keys()].filter((name) => !ANSWERED.includes(name)),
  };
}

/** @param list X-Forwarded-For at the server, of a client that sent FORGED */
function fateOf(list: string | undefined): HeadersSeen["forged"] {
  if (list === undefined) return "removed";
  if (list === FORGED) return "passed";
  return includesAddress(list, FORGED) ? "appended" : "replaced";
}

/** What the server saw of a handshake. */
async function seenBy(target: Target, more: Record<string, string> = {}) {
  const client = await openWebSocket(target, {
    path: "/headers",
    headers: { "X-Kept": "yes", ...more },
  });
  const { headers } = requestSeen(await client.nextMessage());
  return {
    headers,
    tellsClient: includesAddress(headers["x-forwarded-for"], client.socket.localAddress ?? ""),
    proto: headers["x-forwarded-proto"] ?? null,
  };
}

async function tlsOf(target: Target) {
  // In OpenSSL's own order, which Node changes.
  const { version, cipher, group } = negotiated(await connectTls(target, { ciphers: "DEFAULT" }));
  return { version, cipher, group };
}

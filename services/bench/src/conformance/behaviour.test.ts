import assert from "node:assert/strict";
import { test } from "node:test";
import { behaviourOf } from "./behaviour.ts";
import { certificate } from "./testing/certificate.ts";
import { reloads } from "./testing/reloads.ts";
import { POLICY, startServer } from "./testing/server.ts";
import type { TestContext } from "node:test";
import type { WebSocket } from "ws";
import type { Behaviour } from "../model/behaviour.ts";
import type { TargetReload } from "./reload-checks.ts";
import type { Faults } from "./testing/server.ts";

const WATCH = { idle: 0.9, ping: 0.2, reload: 0.9 };
/** Of the servers that end connections, in ms: a busy machine is late. */
const END_MS = 400;
const ENDED = { seconds: END_MS / 1000, code: 1006 };

async function look(
  t: TestContext,
  { server: faults = {}, reload = null }: { server?: Faults; reload?: TargetReload | null },
): Promise<Behaviour> {
  const { plainPort, tlsPort, close } = await startServer(faults);
  t.after(() => close());
  const shared = {
    ...{ host: "127.0.0.1", servername: "localhost", ca: certificate("ecdsa"), policy: POLICY },
    keyType: "ecdsa" as const,
    ...{ choosesTls13Cipher: true, forwarded: true, proxyProtocol: false },
    ...{ websocketsOverHttp2: false, reload, idleMs: 0, timeoutMs: 500 },
    signal: new AbortController().signal,
  };
  return behaviourOf(
    { ...shared, scheme: "ws", port: plainPort },
    { ...shared, scheme: "wss", port: tlsPort },
    WATCH,
  );
}

/** Seconds depend on the machine: to the nearest multiple of those after which servers end. */
function rounded(behaviour: Behaviour) {
  const nearest = (ms: number) => (Math.round(ms / END_MS) * END_MS) / 1000;
  return JSON.parse(
    JSON.stringify(behaviour, (key, value) => (key === "seconds" ? nearest(1000 * value) : value)),
  );
}

/** Ends a connection some time after a short message, and after a ping where that counts. */
function endsIdle(end: (ws: WebSocket) => void, pingsCount: boolean): Faults {
  return {
    connection(ws) {
      let timer: NodeJS.Timeout | undefined;
      const restart = () => {
        clearTimeout(timer);
        timer = setTimeout(() => end(ws), END_MS).unref();
      };
      ws.on("message", (data: Buffer) => data.length < 100 && restart());
      if (pingsCount) ws.on("ping", restart);
    },
  };
}

const USUAL = {
  ...{ idle: null, ownPings: 0, pinged: null, pong: "server", largestMessageBytes: 16_777_216 },
  headers: {
    ...{ host: null, tellsClient: true, forged: "replaced", proto: "http" },
    ...{ added: [], removed: [], answerAdded: [] },
  },
  ...{
    secureProto: "https",
    tls: { version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", group: "X25519" },
    reload: "none",
  },
};

const old = reloads({ closesAfterMs: END_MS });

for (const [title, server, expected, reload] of [
  ["nothing of its own", {}, {}],
  ["a time-out that a ping extends", endsIdle((ws) => ws.terminate(), true), { idle: ENDED }],
  [
    "a time-out that a ping does not extend",
    endsIdle((ws) => ws.close(1001), false),
    { idle: { ...ENDED, code: 1001 }, pinged: { ...ENDED, code: 1001 } },
  ],
  [
    "pings of its own",
    { connection: (ws) => setTimeout(() => ws.ping(), 100).unref() },
    { ownPings: 1 },
  ],
  ["pings that nobody answers", { ws: { autoPong: false } }, { pong: null }],
  [
    "pongs of its own",
    { echo: (send, ...message) => setTimeout(() => send(...message), 50) },
    { pong: "proxy" },
  ],
  ["a limit of messages", { ws: { maxPayload: 100_000 } }, { largestMessageBytes: 65_536 }],
  [
    "headers of its own",
    {
      forward({ headers }) {
        headers.host = "echo:8080";
        headers["x-request-id"] = "1";
        delete headers["x-kept"];
      },
      answer: (lines) => lines.push("Server: x"),
    },
    {
      headers: {
        ...{ host: "echo:8080", tellsClient: false, forged: "passed", proto: null },
        ...{ added: ["x-request-id"], removed: ["x-kept"], answerAdded: ["server"] },
      },
      secureProto: null,
    },
  ],
  [
    "an X-Forwarded-For that it goes on with",
    {
      forward({ headers, socket }) {
        const before = headers["x-forwarded-for"];
        headers["x-forwarded-for"] = [before, socket.remoteAddress].filter(Boolean).join(", ");
      },
    },
    { headers: { ...USUAL.headers, forged: "appended", proto: null }, secureProto: null },
  ],
  [
    "an X-Forwarded-For that it drops",
    { forward: ({ headers }) => void delete headers["x-forwarded-for"] },
    {
      headers: { ...USUAL.headers, tellsClient: false, forged: "removed", proto: null },
      secureProto: null,
    },
  ],
  [
    "a key exchange",
    { tls: { ecdhCurve: "X25519MLKEM768:X25519" } },
    { tls: { ...USUAL.tls, group: "X25519MLKEM768" } },
  ],
  ["a reload that keeps what is open", {}, { reload: { ended: null } }, reloads().reload],
  ["a reload that ends what is open", old.server, { reload: { ended: ENDED } }, old.reload],
] as [string, Faults, object, TargetReload?][]) {
  test(`${title} is found`, async (t) => {
    assert.deepEqual(rounded(await look(t, { server, reload })), { ...USUAL, ...expected });
  });
}

test("what cannot be found says why, and the rest is found", async (t) => {
  const reload = { ...reloads().reload, run: () => Promise.reject(new Error("no such container")) };
  const { reload: found, idle } = await look(t, { reload });
  assert.deepEqual([found, idle], [{ failed: "no such container" }, null]);
});

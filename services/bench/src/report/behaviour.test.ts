import assert from "node:assert/strict";
import { test } from "node:test";
import { behaviourBlocks } from "./behaviour.ts";
import { markdownOf } from "./markdown.ts";
import type { Behaviour } from "../model/behaviour.ts";

const PASSES: Behaviour = {
  ...{ idle: null, pinged: null, ownPings: 0, pong: "server", largestMessageBytes: 16_777_216 },
  ...{ reload: { ended: null }, secureProto: null, tls: { failed: "it serves no wss" } },
  headers: {
    ...{ host: null, tellsClient: false, forged: "passed", proto: null },
    ...{ added: [], removed: [], answerAdded: [] },
  },
};

/** @returns text by title of the row */
function rowsOf(changes: Partial<Behaviour>): Record<string, string> {
  const looked = [{ title: "X", version: "x 1.2", behaviour: { ...PASSES, ...changes } }];
  const page = markdownOf(behaviourBlocks(looked, { idle: 75, ping: 20, reload: 10 }, "./bench"));
  const rows = page.split("\n").filter((line) => line.startsWith("| "));
  return Object.fromEntries(
    rows.map((row) =>
      row
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, 3),
    ),
  );
}

for (const [row, changes, text] of [
  ["Version", {}, "x 1.2"],
  ["Idle connection", {}, "open after 75 s"],
  ["Idle connection", { idle: { seconds: 60.02, code: 1006 } }, "closed after 60 s"],
  ["The same with pings", { pinged: { seconds: 30, code: 1001 } }, "closed after 30 s (code 1001)"],
  ["Pings of its own", {}, "none"],
  ["Pings of its own", { ownPings: 3 }, "3"],
  ["A client's ping is answered by", {}, "server"],
  ["A client's ping is answered by", { pong: null }, "nobody"],
  ["Largest message", {}, "16 MiB"],
  ["Largest message", { largestMessageBytes: 65_536 }, "64 KiB"],
  ["Largest message", { largestMessageBytes: null }, "none came back"],
  ["Largest message", { largestMessageBytes: { failed: "reset" } }, "not found: reset"],
  ["Open connection at a reload", {}, "goes on"],
  ["Open connection at a reload", { reload: "none" }, "no reload"],
  [
    "Open connection at a reload",
    { reload: { ended: { seconds: 0.1, code: 1001 } } },
    "closed at once (code 1001)",
  ],
  [
    "Open connection at a reload",
    { reload: { ended: { seconds: 5, code: 1006 } } },
    "closed after 5 s",
  ],
  ["Host at the server", {}, "the client's"],
  [
    "Host at the server",
    { headers: { ...PASSES.headers, host: "echo:8080" } as never },
    "echo:8080",
  ],
  ["X-Forwarded-For", {}, "none"],
  ["X-Forwarded-Proto", {}, "none"],
  ["X-Forwarded-Proto", { secureProto: "wss" }, "none; over TLS wss"],
  ["Other headers added", {}, "none"],
  [
    "Other headers added",
    { headers: { ...PASSES.headers, added: ["via", "x-real-ip"] } as never },
    "via and x-real-ip",
  ],
  ["TLS", {}, "not found: it serves no wss"],
  [
    "TLS",
    { tls: { version: "TLSv1.3", cipher: "AES", group: "X25519" } },
    "TLSv1.3, AES and X25519",
  ],
] as [string, Partial<Behaviour>, string][]) {
  test(`${row}: ${text}`, () => assert.equal(rowsOf(changes)[row], text));
}

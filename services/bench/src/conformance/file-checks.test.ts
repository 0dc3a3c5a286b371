import assert from "node:assert/strict";
import { test } from "node:test";
import { CHECKS } from "./checks.ts";
import { check, failuresOf } from "./testing/check.ts";
import type { RequestListener, ServerResponse } from "node:http";
import type { Proxy } from "../plan/proxies.ts";
import type { TestContext } from "node:test";

const TEXT = "Hello world\n";

const contentOf = (bytes: number) => Buffer.alloc(bytes, TEXT);

/**
 * A file server that does everything right, but for what `answer` does in its place.
 *
 * @param answer true: it has answered
 */
function files(
  answer: (path: string, response: ServerResponse) => boolean | void = () => {},
): RequestListener {
  return ({ url = "/" }, response) => {
    if (answer(url, response)) return;
    const bytes = Number(/^\/files\/(\d+)$/.exec(url)?.[1]);
    if (url === "/healthz") response.end("ok\n");
    else if ([12, 2216, 4879, 30192, 786432].includes(bytes)) response.end(contentOf(bytes));
    else response.writeHead(404).end("none\n");
  };
}

/** @returns scheme and id of the checks that failed */
async function failures(
  t: TestContext,
  serves: Proxy["serves"],
  respond: RequestListener,
): Promise<string[]> {
  const results = await check(t, { server: { respond }, options: { serves, timeoutMs: 1_500 } });
  assert.equal(results.length, CHECKS[serves].ws.length + CHECKS[serves].wss.length);
  return failuresOf(results);
}

test("a right file server passes every check", async (t) => {
  assert.deepEqual(await failures(t, "files", files()), []);
});

test("a server that answers the same to everything passes the checks of such a one", async (t) => {
  assert.deepEqual(await failures(t, "hello", (_, response) => void response.end(TEXT)), []);
});

const WRONGS: Record<string, { respond: RequestListener; fails: string[] }> = {
  "a byte too few": {
    respond: files((path, response) => {
      if (path === "/files/2216") response.end(contentOf(2215));
      return path === "/files/2216";
    }),
    fails: ["file-2216"],
  },
  "other bytes": {
    respond: files((path, response) => {
      if (path === "/files/30192") response.end(Buffer.alloc(30192, "x"));
      return path === "/files/30192";
    }),
    fails: ["file-30192"],
  },
  "no length": {
    respond: files((path, response) => {
      if (path === "/files/4879") response.write(contentOf(4879));
      if (path === "/files/4879") response.end();
      return path === "/files/4879";
    }),
    fails: ["file-4879"],
  },
  "the connection closed after each answer": {
    respond: files((_, response) => void response.setHeader("Connection", "close")),
    fails: ["file-12", "file-2216", "file-4879", "file-30192", "file-786432"],
  },
  "the connection kept against the client's wish": {
    respond: files((path, response) => {
      response.shouldKeepAlive = true;
    }),
    fails: ["close"],
  },
  "any path answered": {
    respond: files((path, response) => {
      if (path === "/files/13") response.end("?");
      return path === "/files/13";
    }),
    fails: ["file-missing"],
  },
  "no health": {
    respond: files((path, response) => {
      if (path === "/healthz") response.writeHead(503).end("no");
      return path === "/healthz";
    }),
    fails: ["plain-http"],
  },
};

for (const [name, { respond, fails }] of Object.entries(WRONGS)) {
  test(`fails exactly where it should: ${name}`, async (t) => {
    const expected = ["ws", "wss"].flatMap((scheme) => fails.map((id) => `${scheme} ${id}`));
    assert.deepEqual(await failures(t, "files", respond), expected);
  });
}

test("a file server is none that answers the same to everything", async (t) => {
  const failed = await failures(t, "hello", files());
  assert.deepEqual(failed, ["ws hello", "ws close", "wss hello", "wss close"]);
});

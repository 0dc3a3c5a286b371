import assert from "node:assert/strict";
import { test } from "node:test";
import { check, failuresOf } from "./testing/check.ts";
import { both } from "./testing/faults.ts";
import { DRAIN_WRONGS, reloads, RELOAD_WRONGS } from "./testing/reloads.ts";
import type { TestContext } from "node:test";
import type { CheckResult } from "./conform.ts";
import type { Started } from "./testing/server.ts";

for (const [title, { deviation, fails, message }] of Object.entries(RELOAD_WRONGS)) {
  test(`${title} is found`, async (t) => {
    const { server, reload } = reloads(deviation);
    const results = await check(t, { server, options: { reload } });
    assert.deepEqual(failuresOf(results), fails);
    for (const { ok, actual } of results) if (!ok) assert.match(actual, message);
  });
}

for (const [when, says] of [
  ["after a second", 1],
  ["at once", 0],
] as const) {
  test(`an open connection that is closed ${when}, as said, passes`, async (t) => {
    const { server, reload } = reloads({ says });
    const results = await check(t, { server, options: { reload } });
    assert.deepEqual(failuresOf(results), []);
    const answers = results.flatMap(({ id, no }) => (id === "reload" ? [no] : []));
    const closed = `an open connection is closed ${when.replace("a second", "1 s")}, as proxy.json declares`;
    assert.deepEqual(answers, [closed, closed]);
  });
}

test("a request that is reset during the reload does not fail it", async (t) => {
  const { server, reload } = reloads();
  let resets = 0;
  const respond = server.respond as NonNullable<typeof server.respond>;
  const results = await check(t, {
    server: {
      ...server,
      respond(request, response) {
        if (request.url === "/.generation" && resets++ % 2 === 0) request.socket.destroy();
        else respond(request, response);
      },
    },
    options: { reload },
  });
  assert.deepEqual(failuresOf(results), []);
  assert.equal(resets, 4);
});

test("of what does not tell its configuration, connections are looked at alone", async (t) => {
  const { server, reload } = reloads({ silent: true });
  const results = await check(t, { server, options: { reload: { ...reload, tells: false } } });
  assert.deepEqual(failuresOf(results), []);
});

test("a reload that fails is a failed check with its cause", async (t) => {
  const run = () => Promise.reject(new Error("no such container"));
  const { server, reload } = reloads();
  const results = await check(t, { server, options: { reload: { ...reload, run } } });
  assert.deepEqual(failuresOf(results), both("reload"));
  assert.ok(results.some(({ actual }) => actual === "no such container"));
});

test("what has no reload is not held to one", async (t) => {
  const results = await check(t, { options: { reload: null } });
  const reload = results.filter(({ id }) => id === "reload");
  assert.deepEqual(
    reload.map(({ skipped }) => skipped),
    ["it has no reload", "it has no reload"],
  );
});

for (const [does, stop, no] of [
  ["keeps", (server: Started) => server.stopListening(), undefined],
  ["ends", (server: Started) => server.close(), "connection closed without a close frame"],
] as const)
  test(`a graceful stop that ${does} open connections is an answer, over one scheme`, async (t) => {
    const [plain, secure] = await stopped(t, stop, ["ws", "wss"]);
    assert.equal(plain.skipped, "over wss alone: the proxy ends with it");
    assert.deepEqual([secure.ok, secure.skipped, secure.no], [true, undefined, no]);
  });

for (const [title, { stop, fails, message }] of Object.entries(DRAIN_WRONGS))
  test(`${title} is found`, async (t) => {
    const each = await Promise.all(
      (["ws", "wss"] as const).map((scheme) => stopped(t, stop, [scheme])),
    );
    const results = each.flat();
    assert.deepEqual(failuresOf(results), fails);
    for (const { actual } of results) assert.match(actual, message);
  });

/** @returns the results of that check */
async function stopped(
  t: TestContext,
  stop: (server: Started) => void,
  schemes: ("ws" | "wss")[],
): Promise<CheckResult[]> {
  let server: Started | undefined;
  const drain = async () => server && stop(server);
  const results = await check(t, {
    options: { schemes, drain },
    onStart: (started) => (server = started),
  });
  return results.filter(({ id }) => id === "drain");
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, failuresOf } from "./testing/check.ts";
import { both } from "./testing/faults.ts";
import { reloads, RELOAD_WRONGS } from "./testing/reloads.ts";

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
    assert.deepEqual(failuresOf(await check(t, { server, options: { reload } })), []);
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

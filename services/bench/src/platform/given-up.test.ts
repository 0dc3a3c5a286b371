import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "./engine.ts";
import { run } from "./subprocess.ts";

/** A client of an engine that never answers. */
const NEVER = ["sh", "-c", "echo started; exec sleep 600"];

test("a program that does not end is given up, whoever still holds its output", async () => {
  const startedMs = performance.now();
  const { code, output } = await run(["sh", "-c", "echo started; sleep 8 & wait"], {
    limit: AbortSignal.timeout(500),
  });
  assert.equal(code, 124);
  assert.match(output, /^started\ngiven up after \d\.\d s\n$/);
  assert.ok(performance.now() - startedMs < 6000);
});

test("what is to be given up already is not waited for", async () => {
  assert.equal((await run(NEVER, { limit: AbortSignal.abort() })).code, 124);
});

test("a program that ends in time is as without a limit", async () => {
  const limit = AbortSignal.timeout(60_000);
  assert.deepEqual(await run(["sh", "-c", "echo done; exit 3"], { limit }), {
    code: 3,
    stdout: "done\n",
    stderr: "",
    output: "done\n",
  });
});

test("each command of an engine has its limit, but one that has its own, or runs as long as a load does", async () => {
  const engine = new Engine(NEVER).within(200);
  const next = /given up after 0\.\d s$/;
  await assert.rejects(engine.check(["docker", "ps"]), { next });
  await assert.rejects(engine.inspect(["1a"]), {
    message: "the Docker engine does not answer",
    next,
  });
  const slow = new Engine(["sh", "-c", "sleep 0.6; echo through"]).within(100);
  const limit = AbortSignal.timeout(60_000);
  assert.equal((await slow.run(["docker", "cp"], { limit })).stdout, "through\n");
  const { signal } = new AbortController();
  const inside = await slow.runInside("load-1", ["k6"], { env: {}, signal });
  assert.equal(inside.output, "through\n");
});

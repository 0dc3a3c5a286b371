import assert from "node:assert/strict";
import { test } from "node:test";
import { converse, run } from "./subprocess.ts";

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
  assert.equal((await run(["sleep", "600"], { limit: AbortSignal.abort() })).code, 124);
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

test("a program answers line by line, until its input ends", async () => {
  const { ask, end } = converse(["sh", "-c", 'while read -r line; do echo "got $line"; done']);
  assert.equal(await ask("one"), "got one");
  assert.equal(await ask("two"), "got two");
  await end();
});

test("a program that ends without an answer is reported in its own words", async () => {
  const { ask, end } = converse(["sh", "-c", "echo no such image >&2; exit 125"]);
  await assert.rejects(ask("one"), {
    message: "sh ended without an answer",
    next: "no such image",
  });
  await end();
});

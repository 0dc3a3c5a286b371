import assert from "node:assert/strict";
import { test } from "node:test";
import { converse } from "./subprocess.ts";

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

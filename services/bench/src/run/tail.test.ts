import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Tail } from "./tail.ts";
import type { TestContext } from "node:test";

function file(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "tail-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, "samples.csv");
}

test("each whole line comes once, a line that is not ended yet when it is", (t) => {
  const path = file(t);
  const tail = new Tail(path);
  assert.deepEqual(tail.lines(), [], "no file yet");
  appendFileSync(path, "a,1\nb,2\nc");
  assert.deepEqual(tail.lines(), ["a,1", "b,2"]);
  assert.deepEqual(tail.lines(), []);
  appendFileSync(path, ",3\n");
  assert.deepEqual(tail.lines(), ["c,3"]);
});

test("what was there before is left out", (t) => {
  const path = file(t);
  const tail = new Tail(path);
  appendFileSync(path, "a\nb\n");
  tail.skip();
  appendFileSync(path, "c\n");
  assert.deepEqual(tail.lines(), ["c"]);
});

test("of more than the limit whole lines are read, from the beginning to the end of it, and no more than the limit", (t) => {
  const path = file(t);
  const tail = new Tail(path, { limitBytes: 800 });
  const all = Array.from({ length: 1000 }, (_, i) => `line-${String(i).padStart(4, "0")}`);
  appendFileSync(path, `${all.join("\n")}\n`);
  const seen = tail.lines();
  const numbers = seen.map((line) => all.indexOf(line));
  assert.ok(!numbers.includes(-1), `cut: ${seen}`);
  assert.ok(seen.length > 40 && seen.join("\n").length < 800, `${seen.length} lines`);
  for (let quarter = 0; quarter < 4; quarter++)
    assert.ok(
      numbers.some((n) => n >= 250 * quarter && n < 250 * (quarter + 1)),
      `none of quarter ${quarter + 1}: ${numbers}`,
    );
  assert.deepEqual(tail.lines(), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEPT_CHARACTERS, keptLog } from "./log.ts";

const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `line ${i} ${"x".repeat(90)}\n`);

test("a short log is kept as it is", () => {
  const log = lines(10).join("");
  assert.equal(keptLog(log), log);
  assert.equal(keptLog(""), "");
});

test("of a long log both ends are kept, in whole lines, and the rest is counted", () => {
  const all = lines(5000);
  const kept = keptLog(all.join(""));
  assert.ok(kept.length < 2 * KEPT_CHARACTERS + 100, `${kept.length}`);
  const [head, left, tail] = kept.split(/\[bench: ([\d,]+) lines left out here\]\n/);
  const count = (text: string) => text.split("\n").length - 1;
  assert.equal(count(head) + Number(left.replace(",", "")) + count(tail), all.length);
  assert.equal(all.join("").startsWith(head), true);
  assert.equal(all.join("").endsWith(tail), true);
});

test("a log of one endless line is cut, too", () => {
  const kept = keptLog(`start\n${"x".repeat(10 * KEPT_CHARACTERS)}\nend\n`);
  assert.equal(kept, "start\n[bench: 1 line left out here]\nend\n");
});

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { GenerationFolder } from "./generation.ts";
import type { TestContext } from "node:test";

function folderOf(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "generation-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return { directory, folder: new GenerationFolder(directory, "mine") };
}

test("the number is written in the words of the proxy", (t) => {
  const { folder } = folderOf(t);
  folder.write({ file: "x.conf", text: "one {generation};\ntwo {generation};" }, 12);
  assert.equal(readFileSync(join(folder.path, "x.conf"), "utf8"), "one 12;\ntwo 12;\n");
});

test("what another proxy got is gone; a proxy that cannot report it gets nothing", (t) => {
  const { folder } = folderOf(t);
  const { ino } = statSync(folder.path);
  folder.write({ file: "x.conf", text: "{generation}" }, 1);
  folder.write({ file: "y.cfg", text: "{generation}" }, 1);
  assert.deepEqual(readdirSync(folder.path), ["y.cfg"]);
  folder.write(null, 2);
  assert.deepEqual(readdirSync(folder.path), []);
  assert.equal(statSync(folder.path).ino, ino, "a container would still have the old one mounted");
});

test("a proxy of another user can read it, whatever this one's mask", (t) => {
  const mask = process.umask(0o077);
  t.after(() => process.umask(mask));
  const { folder } = folderOf(t);
  folder.write({ file: "x", text: "{generation}" }, 1);
  assert.equal(statSync(folder.path).mode & 0o777, 0o755);
  assert.equal(statSync(join(folder.path, "x")).mode & 0o777, 0o644);
});

test("a folder that was left is empty again; removed, it is gone", (t) => {
  const { directory, folder } = folderOf(t);
  folder.write({ file: "x", text: "{generation}" }, 1);
  const again = new GenerationFolder(directory, "mine");
  assert.equal(again.path, folder.path);
  assert.deepEqual(again.env, { GENERATION_FOLDER: again.path });
  assert.deepEqual(readdirSync(again.path), []);
  again.remove();
  assert.ok(!existsSync(again.path));
});

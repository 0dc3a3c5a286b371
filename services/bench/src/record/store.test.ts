import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { results as sample } from "../analyse/testing/results.ts";
import { Store } from "./store.ts";
import type { TestContext } from "node:test";

function folder(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function newStore(t: TestContext) {
  const { plan, environment, proxies, cells } = sample({ rounds: 2 });
  const parent = folder(t);
  return {
    parent,
    cells,
    store: Store.create(parent, "run", { plan, environment, proxies, command: "./bench run x" }),
  };
}

test("what was recorded is there when the run is opened again, in the documented schema", (t) => {
  const { store, cells } = newStore(t);
  for (const record of cells.slice(0, 3)) {
    store.cellFolder(record.id, record.attempt);
    store.add(record);
  }
  const again = Store.open(store.directory);
  assert.deepEqual(again.results, store.results);
  assert.equal(again.results.cells.length, 3);
  assert.equal(again.results.run.endedAt, null);
  assert.deepEqual(again.readPlan(), store.results.plan);
});

test("a results.json that is cut off, or lacks a key, is refused with its place", (t) => {
  const { store } = newStore(t);
  const file = join(store.directory, "results.json");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.slice(0, 100));
  assert.throws(() => Store.open(store.directory), /results.json cannot be read/);
  writeFileSync(file, text.replace('"rounds"', '"round"'));
  assert.throws(() => Store.open(store.directory), /not a results file: \/plan .*round/);
});

test("a folder that is no run is refused", (t) => {
  assert.throws(() => Store.open(folder(t)), /is not a run/);
});

test("no half-written file stays behind", (t) => {
  const { store } = newStore(t);
  assert.throws(() => store.write("missing-folder/report.html", "x"), /cannot be written/);
  assert.ok(readdirSync(store.directory).every((name) => !name.endsWith(".part")));
});

test("the folder of a second attempt is another", (t) => {
  const { store } = newStore(t);
  assert.notEqual(store.cellPath("a", 1), store.cellPath("a", 2));
});

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { results as sample } from "../analyse/testing/results.js";
import { rateResults } from "../analyse/testing/rates.js";
import { Store } from "./store.js";

/** @import { TestContext } from "node:test" */

/** @param {TestContext} t */
function folder(t) {
  const directory = mkdtempSync(join(tmpdir(), "store-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** @param {TestContext} t */
function newStore(t) {
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

test("distributions of an open loop are kept, and a text that is none is refused", (t) => {
  const { plan, environment, proxies, cells } = rateResults({ rounds: 1 });
  const store = Store.create(folder(t), "run", { plan, environment, proxies, command: "" });
  for (const record of cells) {
    store.cellFolder(record.id, record.attempt);
    store.add(record);
  }
  const again = Store.open(store.directory).results.cells;
  assert.deepEqual(again, store.results.cells);
  assert.match(again[0].distributions?.handshakeMs ?? "", /^\d+(x\d+)? /);
  const file = join(store.directory, "results.json");
  const text = readFileSync(file, "utf8").replace(/("handshakeMs": ")\d/, "$1-");
  writeFileSync(file, text);
  assert.throws(() => Store.open(store.directory), /distributions\/handshakeMs/);
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

test("a run of before there was HTTP is read: it has no requests", (t) => {
  const { store, cells } = newStore(t);
  const { requests, requestMs, ...old } = /** @type {any} */ (cells[0]);
  store.cellFolder(old.id, 1);
  store.add(old);
  const [cell] = Store.open(store.directory).results.cells;
  assert.deepEqual([cell.requests, cell.requestMs], [null, null]);
  assert.equal(cell.proxy, old.proxy);
});

test("a run of today is read as it was written, to the order of its keys: its report is made again to the byte", (t) => {
  const { store, cells } = newStore(t);
  const { loadCores, ...rest } = cells[0];
  store.cellFolder(rest.id, 1);
  store.add({ ...rest, requests: null, requestMs: null, loadCores });
  const written = JSON.stringify(store.results.cells);
  assert.equal(JSON.stringify(Store.open(store.directory).results.cells), written);
});

test("requests and their times are kept, and refused where they are not what the schema says", (t) => {
  const { store, cells } = newStore(t);
  const requests = {
    completed: 10,
    non2xx: 2,
    statuses: { 502: 2 },
    socketErrors: { read: 0 },
    causes: [{ service: "nginx", line: "refused", count: 2 }],
  };
  const ms = { count: 10, mean: 1, sd: 1, min: 1, median: 1, p90: 1, p95: 1, p99: 1, max: 1 };
  for (const { id } of cells.slice(0, 2)) store.cellFolder(id, 1);
  store.add({ ...cells[0], requests, requestMs: ms });
  assert.deepEqual(Store.open(store.directory).results.cells[0].requests, requests);
  store.add({ ...cells[1], requests: { ...requests, statuses: { 502: -1 } }, requestMs: null });
  assert.throws(() => Store.open(store.directory), /\/cells\/1\/requests/);
});

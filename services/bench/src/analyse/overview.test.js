import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { analyse } from "./index.js";
import { recorded } from "./testing/recorded.js";
import { POLICY, results, selfResults } from "./testing/results.js";

/** @import { Overview } from "./types.js" */

const PROJECT = join(import.meta.dirname, "../../../..");
const policy = /** @type {any} */ (POLICY);

/**
 * @param {Overview | null} overview
 * @param {string} wanted
 * @param {string} [over]
 */
function column(overview, wanted, over = "ws") {
  const found = overview?.columns.find(({ key, scheme }) => key === wanted && scheme === over);
  assert.ok(found);
  return found;
}

test("what a run cannot speak to is there, empty, with the battle that measures it", () => {
  const { overview } = recorded("balancerbattle");
  assert.deepEqual(
    overview?.columns.map(({ key, scheme, at, cells }) => [key, scheme, at !== null, cells.length]),
    [
      ["connection", "ws", true, 4],
      ["connection", "wss", true, 4],
      ["message", "ws", false, 0],
      ["handshake-p99", "ws", false, 0],
      ["echo-p99", "ws", false, 0],
      ["held", "ws", false, 0],
      ["per-gib", "ws", false, 0],
      ["lost", "ws", false, 0],
    ],
  );
  for (const { battle } of overview.columns)
    assert.ok(battle && existsSync(join(PROJECT, `battles/${battle}.yaml`)), String(battle));
  assert.deepEqual(overview.proxies, ["nginx", "haproxy", "haproxy-hitch", "http-proxy"]);
});

test("a cell is the ratio to the best over all settings; the best has none", () => {
  const { overview, settings } = recorded("balancerbattle");
  const { at, cells } = column(overview, "connection");
  assert.deepEqual(
    at,
    settings.filter(({ scheme }) => scheme === "ws"),
  );
  assert.deepEqual(
    cells.map(({ proxy, isBest, rank, ratio }) => [proxy, isBest, rank, ratio?.value.toFixed(2)]),
    [
      ["haproxy", false, 2, "1.10"],
      ["haproxy-hitch", false, 2, "1.11"],
      ["http-proxy", false, 4, "3.31"],
      ["nginx", true, 1, undefined],
    ],
  );
});

test("memory is that of a held connection, by the slope, and connections a GiB follow from it", () => {
  const { overview } = recorded("idle-memory");
  const bytes = column(overview, "held").cells.find(({ proxy }) => proxy === "nginx");
  const perGiB = column(overview, "per-gib").cells.find(({ proxy }) => proxy === "nginx");
  assert.equal(Math.round((bytes?.value?.value ?? 0) / 100), 238);
  assert.ok(bytes?.ratio?.interval && perGiB?.ratio);
  assert.ok(Math.abs(bytes.ratio.value * perGiB.ratio.value - 1) < 1e-9);
  const [low, high] = bytes.ratio.interval;
  assert.ok(low < bytes.ratio.value && bytes.ratio.value < high);
});

test("memory of a connection held over TLS is told where it was measured, and missed nowhere", () => {
  const { overview } = recorded(
    "idle-memory",
    () => true,
    ({ plan, cells }) => {
      for (const cell of [...plan.cells, ...cells]) cell.scheme = "wss";
    },
  );
  for (const key of ["held", "per-gib"]) {
    assert.ok(column(overview, key, "wss").cells.some(({ value }) => value));
    assert.equal(column(overview, key).at, null);
  }
});

test("few rounds leave figures without a ratio", () => {
  const { overview } = recorded("nginx-idle");
  const { cells } = column(overview, "message");
  assert.ok(cells.some(({ value }) => value));
  assert.ok(cells.every(({ ratio, rank, isBest }) => !ratio && rank === null && !isBest));
});

test("with many messages, CPU per connection is not what a connection costs", () => {
  const parameters = { CONNECTIONS: 1000, CONCURRENCY: 100, MESSAGES: 100, MESSAGE_BYTES: 1024 };
  const { overview } = analyse(results({ parameters, connections: [1000] }), { policy });
  assert.equal(overview, null);
});

test("none of the control alone, nor of a proxy beside its own copy", () => {
  assert.equal(analyse(results({ proxies: { none: {} } }), { policy }).overview, null);
  assert.equal(analyse(selfResults(), { policy }).overview, null);
});

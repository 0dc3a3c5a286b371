import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { idleResults, results } from "./testing/results.js";

/** @import { Results } from "../record/types.js" */

/** @param {Results} of */
function slopesIn(of) {
  return analyse(of, { policy: null }).slopes;
}

test("a slope for each proxy, in all, user and kernel memory, with its interval", () => {
  const [slopes, ...others] = slopesIn(idleResults({ rounds: 2 }));
  assert.deepEqual(others, []);
  assert.deepEqual([slopes.scenario, slopes.scheme], ["idle", "ws"]);
  assert.equal(slopes.most, 5000);
  const [all, user, kernel] = slopes.parts;
  const row = all.rows.find(({ proxy }) => proxy === "nginx");
  assert.equal(row?.points.length, 10);
  assert.equal(row?.ended, null);
  assert.ok(Math.abs((row?.slope?.value ?? 0) - 25_000) < 2);
  assert.ok(Math.abs((row?.interceptBytes ?? 0) - 5e6) < 10_000);
  const [low, high] = row?.slope?.interval ?? [NaN, NaN];
  assert.ok(low <= 25_000 && high >= 25_000 && high - low < 10, `${low} to ${high}`);
  const of = (/** @type {typeof all} */ part) =>
    part.rows.map(({ slope }) => Math.round((slope?.value ?? 0) / 100));
  assert.deepEqual(of(user), [200, 125, 60]);
  assert.deepEqual(of(kernel), [120, 75, 36]);
});

test("a proxy that ends early: where, and why; with fewer than four counts it has no slope", () => {
  const ended = idleResults({
    skip: ({ proxy, parameters }) =>
      proxy === "haproxy" && parameters.CONNECTIONS > 3000 ? "needs more descriptors" : null,
  });
  const row = slopesIn(ended)[0].parts[0].rows.find(({ proxy }) => proxy === "haproxy");
  assert.deepEqual(row?.ended, {
    connections: 3000,
    next: 4000,
    why: { kind: "skipped", why: "needs more descriptors" },
  });
  assert.equal(row?.slope, null);
  assert.deepEqual(row?.missing, { kind: "few-counts", counts: 3, least: 4 });
});

test("a cell that does not count is no point, and is told as the end where it is the last", () => {
  const broken = idleResults({
    change: (record) => {
      if (record.proxy === "nginx" && record.parameters.CONNECTIONS === 5000)
        record.connectionsHeld = { from: 10, to: 10 };
    },
  });
  const row = slopesIn(broken)[0].parts[0].rows.find(({ proxy }) => proxy === "nginx");
  assert.equal(row?.points.length, 4);
  assert.equal(row?.slope?.interval, null);
  const { next, why } = row?.ended ?? {};
  assert.equal(next, 5000);
  assert.deepEqual(why?.kind === "invalid" && why.finding, {
    gate: "not-held",
    severity: "invalid",
    figures: { from: 10, to: 10, asked: 5000 },
  });
});

test("memory that this kernel does not count has no slope, and short connections have none at all", () => {
  const uncounted = idleResults({
    change: ({ containers }) => {
      for (const { memory } of Object.values(containers))
        if (memory) memory.mean.kernelBytes = null;
    },
  });
  const [, , kernel] = slopesIn(uncounted)[0].parts;
  assert.ok(kernel.rows.every(({ slope, missing }) => !slope && missing?.kind === "uncounted"));
  assert.deepEqual(slopesIn(results()), []);
  assert.deepEqual(slopesIn(idleResults({ counts: [1, 2, 3] })), []);
});

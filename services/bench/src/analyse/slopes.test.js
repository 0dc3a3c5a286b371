import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { recorded } from "./testing/recorded.js";
import { idleResults, results } from "./testing/results.js";

/** @import { Results } from "../model/record.ts" */

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
  assert.equal(row?.baseline?.value, 20e6);
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

/** @param {import("./types.js").Slopes} slopes */
function ranksIn({ parts: [whole] }) {
  return whole.rows.map(({ proxy, rank, ties }) => [proxy, rank, ties]);
}

test("recorded: ranks by the slope from a single round, and connections a GiB from it, without the baseline", () => {
  const [ws, wss] = recorded("idle-memory").slopes;
  assert.deepEqual(ranksIn(ws), [
    ["haproxy", 1, ["haproxy-hitch"]],
    ["haproxy-hitch", 1, ["haproxy"]],
    ["http-proxy", 4, []],
    ["nginx", 3, []],
    ["none", null, []],
  ]);
  assert.equal(ws.unranked, null);
  const rows = Object.fromEntries(ws.parts[0].rows.map((row) => [row.proxy, row]));
  const kB = (/** @type {string} */ proxy) => ((rows[proxy].slope?.value ?? 0) / 1e3).toFixed(1);
  assert.deepEqual(["haproxy", "nginx", "http-proxy"].map(kB), ["10.2", "23.8", "31.2"]);
  const { slope, connectionsPerGiB, baseline, points } = rows.haproxy;
  assert.ok(slope?.interval && connectionsPerGiB?.interval && baseline);
  assert.equal(connectionsPerGiB.value, 2 ** 30 / slope.value);
  const [low, high] = slope.interval;
  assert.deepEqual(connectionsPerGiB.interval, [2 ** 30 / high, 2 ** 30 / low]);
  // 16.1 MB before the load; at 9,000 connections 90.9 MB more.
  assert.equal((baseline.value / 1e6).toFixed(1), "16.1");
  assert.equal(((points.at(-1)?.growthBytes ?? 0) / 1e6).toFixed(1), "90.9");
  // With five points the widest of Sen's intervals misses in 1 of 60: four that hold together would miss in 6.5 %.
  assert.deepEqual(wss.unranked, {
    gate: "few-points",
    severity: "weak",
    figures: { proxies: 4, points: 5 },
  });
  assert.ok(wss.parts[0].rows.every(({ slope, rank }) => slope && rank === null));
});

test("recorded: steal and foreign load take CPU time and no memory; a slope keeps such cells", () => {
  const { slopes, cells } = recorded("idle-memory");
  const disturbed = cells.filter(({ counted, record }) => !counted && record.status === "ok");
  assert.ok(disturbed.length > 0);
  assert.ok(
    disturbed.every(({ findings }) =>
      findings.every(
        ({ gate, severity }) => severity !== "invalid" || /^(steal|foreign-load)$/.test(gate),
      ),
    ),
  );
  const [{ parts }] = slopes;
  const row = parts[0].rows.find(({ proxy }) => proxy === "http-proxy");
  assert.deepEqual(
    row?.points.map(({ connections }) => connections),
    [1000, 3000, 5000, 7000, 9000, 15000, 30000],
  );
  assert.deepEqual(row?.ended && [row.ended.connections, row.ended.next, row.ended.why.kind], [
    30000,
    50000,
    "failed",
  ]);
});

test("a contender whose cells are all void leaves no rank to the survivors", () => {
  const [slopes] = slopesIn(
    idleResults({
      rounds: 2,
      change: (record) => {
        if (record.proxy === "nginx") record.connectionsHeld = { from: 10, to: 10 };
      },
    }),
  );
  assert.deepEqual(slopes.unranked, {
    gate: "survivors",
    severity: "weak",
    figures: { proxies: ["nginx"] },
  });
  assert.ok(ranksIn(slopes).every(([, rank]) => rank === null));
});

test("memory that does not grow takes no number of connections a GiB", () => {
  const [slopes] = slopesIn(
    idleResults({
      change: ({ containers }) => {
        for (const { memory } of Object.values(containers))
          if (memory) memory.mean.usageBytes = 5e6;
      },
    }),
  );
  const [{ slope, connectionsPerGiB }] = slopes.parts[0].rows;
  assert.equal(slope?.value, 0);
  assert.equal(connectionsPerGiB, null);
});

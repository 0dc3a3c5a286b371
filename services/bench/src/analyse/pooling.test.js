import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { recorded } from "./testing/recorded.js";
import { POLICY, results } from "./testing/results.js";

/** @import { Analysis, Comparison } from "./types.js" */

const policy = /** @type {any} */ (POLICY);
const CPU = "cpu_us_per_connection";

/**
 * @param {Analysis} analysis
 * @param {string} scheme
 * @returns {Comparison}
 */
function cpuOver({ pools }, scheme) {
  const pool = pools.find(({ settings }) => settings[0].scheme === scheme);
  const comparison = pool?.comparisons.find(({ measure }) => measure === CPU);
  assert.ok(comparison);
  return comparison;
}

/**
 * @param {Comparison} comparison
 * @param {string} name
 */
function rowOf({ rows }, name) {
  const row = rows.find(({ proxy }) => proxy === name);
  assert.ok(row);
  return row;
}

/**
 * @param {Parameters<typeof results>[0]} [options]
 */
const analysed = (options) =>
  analyse(results({ schemes: ["ws"], connections: [2000, 5000, 10_000], ...options }), { policy });

test("three sizes together tell HAProxy from nginx, where single ones tie, and not from itself", () => {
  const analysis = recorded("balancerbattle");
  const plain = cpuOver(analysis, "ws");
  assert.equal(rowOf(plain, "nginx").rank, 1);
  const { toBest, p, rank } = rowOf(plain, "haproxy");
  assert.equal(toBest?.value.toFixed(2), "1.10");
  assert.ok(p !== null && p < 0.001 && rank === 2);
  // HAProxy does the same work in both over ws.
  assert.deepEqual(rowOf(plain, "haproxy").ties, ["haproxy-hitch"]);
  const secured = rowOf(cpuOver(analysis, "wss"), "haproxy");
  assert.equal(secured.toBest?.value.toFixed(2), "1.05");
  assert.ok(secured.p !== null && secured.p < 0.005 && secured.rank === 2);
  const tied = analysis.settings.filter(({ comparisons }) => {
    const single = comparisons.find(({ measure }) => measure === CPU);
    return single && rowOf(single, "haproxy").ties.includes("nginx");
  });
  assert.equal(tied.length, 3);
});

test("a pool of one setting is that setting", () => {
  const { pools, settings } = analysed({ connections: [2000] });
  assert.deepEqual(pools, [{ rounds: 6, settings, comparisons: settings[0].comparisons }]);
});

test("a setting with fewer rounds than others is in no pool with them, and no answer rests on it", () => {
  const base = results({ schemes: ["ws"], connections: [2000, 5000, 10_000] });
  const isIn = (/** @type {{round: number, parameters: Record<string, number>}} */ cell) =>
    cell.round <= (cell.parameters.CONNECTIONS === 10_000 ? 2 : 6);
  const cells = base.plan.cells.filter(isIn);
  const analysis = analyse(
    { ...base, plan: { ...base.plan, cells }, cells: base.cells.filter(isIn) },
    { policy },
  );
  const sizes = (/** @type {Analysis["asked"]} */ pools) =>
    pools.map(({ settings }) => settings.map(({ parameters }) => parameters.CONNECTIONS));
  assert.deepEqual(sizes(analysis.pools), [[2000, 5000], [10_000]]);
  assert.deepEqual(
    analysis.pools.map(({ rounds }) => rounds),
    [6, 2],
  );
  assert.deepEqual(sizes(analysis.asked), [[2000, 5000]]);
  const { rows, findings } = cpuOver(analysis, "ws");
  assert.ok(rows.every(({ values, median }) => values.length === 6 && median?.interval));
  assert.ok(findings.every(({ gate }) => gate !== "missing-rounds"));
});

test("a figure is the mean over the settings of a round, a ratio that of each setting", () => {
  const analysis = analysed({
    spread: 0.001,
    change: (record, { parameters: { CONNECTIONS } }) => {
      for (const { role, cpu } of Object.values(record.containers))
        if (role === "proxy") cpu.totalSeconds *= CONNECTIONS / 2000;
      return [record];
    },
  });
  const { median, values, toBest } = rowOf(cpuOver(analysis, "ws"), "http-proxy");
  // 700 µs at 2,000, 2.5 and 5 times that.
  assert.ok(Math.abs((median?.value ?? 0) / ((700 * 8.5) / 3) - 1) < 0.01);
  assert.equal(values.length, 6);
  assert.ok(Math.abs((toBest?.value ?? 0) / 3.5 - 1) < 0.1);
});

test("rounds below four rank nothing, however many settings there are", () => {
  const { rows, findings } = cpuOver(analysed({ rounds: 3 }), "ws");
  assert.ok(rows.every(({ rank, toBest, p }) => rank === null && toBest === null && p === null));
  assert.equal(findings.find(({ gate }) => gate === "few-rounds")?.severity, "note");
  // With four a single setting is ranked by range; several are tested.
  const four = cpuOver(analysed({ rounds: 4 }), "ws");
  assert.ok((rowOf(four, "http-proxy").p ?? 1) < 0.05);
  assert.ok(four.findings.some(({ gate }) => gate === "few-rounds"));
});

test("a proxy without figures in one setting is held against others in those that both have", () => {
  const comparison = cpuOver(
    analysed({
      proxies: { nginx: {}, haproxy: { cpuUsPerHandshake: 220 }, "http-proxy": {} },
      change: (record, { proxy, parameters: { CONNECTIONS } }) =>
        proxy === "haproxy" && CONNECTIONS > 2000 ? [] : [record],
    }),
    "ws",
  );
  const { rank, toBest } = rowOf(comparison, "haproxy");
  assert.ok(rank !== null && toBest && Math.abs(toBest.value - 1.1) < 0.05);
  assert.deepEqual(comparison.findings.find(({ gate }) => gate === "lacks-settings")?.figures, {
    proxies: [{ proxy: "haproxy", connections: [5000, 10_000] }],
  });
});

test("a setting in which a contender's figures are void counts for none; void in all, nobody is ranked", () => {
  /** @param {number} most */
  const withVoid = (most) =>
    cpuOver(
      analysed({
        change: (record, { proxy, parameters: { CONNECTIONS } }) => {
          if (proxy === "haproxy" && CONNECTIONS <= most && record.machine)
            Object.assign(record.machine, { stealSeconds: 100 });
          return [record];
        },
      }),
      "ws",
    );
  const some = withVoid(2000);
  assert.deepEqual(some.findings.find(({ gate }) => gate === "left-out")?.figures, {
    proxies: ["haproxy"],
    connections: [2000],
  });
  assert.equal(some.rows.filter(({ rank }) => rank !== null).length, 3);
  const all = withVoid(10_000);
  assert.ok(all.rows.every(({ rank, toBest }) => rank === null && toBest === null));
  assert.ok(all.findings.some(({ gate }) => gate === "survivors"));
});

test("two that differ in opposite directions are neither's better, and it is said", () => {
  const comparison = cpuOver(
    analysed({
      proxies: { nginx: {}, haproxy: {}, "http-proxy": { cpuUsPerHandshake: 700 } },
      change: (record, { proxy, parameters: { CONNECTIONS } }) => {
        if (proxy === "haproxy")
          record.containers.haproxy.cpu.totalSeconds *= CONNECTIONS < 10_000 ? 1.2 : 0.8;
        return [record];
      },
    }),
    "ws",
  );
  assert.deepEqual(comparison.findings.find(({ gate }) => gate === "opposite")?.figures, {
    pairs: [{ proxies: ["nginx", "haproxy"], better: [[2000, 5000], [10_000]] }],
  });
  assert.deepEqual(
    ["nginx", "haproxy", "http-proxy"].map((name) => rowOf(comparison, name).rank),
    [1, 1, 3],
  );
});

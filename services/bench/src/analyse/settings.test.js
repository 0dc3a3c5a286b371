import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "simple-statistics";
import { analyse } from "./index.js";
import { cellRecord, POLICY, results } from "./testing/results.js";

/** @import { Analysis, Comparison, Row } from "./types.js" */

const policy = /** @type {any} */ (POLICY);

/** @param {Parameters<typeof results>[0]} [options] */
const analysed = (options) => analyse(results(options), { policy });

/**
 * @param {Analysis} analysis
 * @param {string} measure
 * @param {number} [setting]
 * @returns {Comparison}
 */
function comparison({ settings }, measure, setting = 0) {
  const found = settings[setting].comparisons.find((one) => one.measure === measure);
  assert.ok(found, measure);
  return found;
}

/**
 * @param {Comparison} comparison
 * @param {string} proxy
 * @returns {Row}
 */
function row({ rows }, proxy) {
  const found = rows.find((one) => one.proxy === proxy);
  assert.ok(found, proxy);
  return found;
}

/** @param {Comparison} comparison */
const gates = ({ findings }) => findings.map(({ gate }) => gate);

test("six rounds: medians with intervals, ratios, ranks and ties", () => {
  const cpu = comparison(analysed(), "cpu_us_per_connection");
  const nginx = row(cpu, "nginx");
  assert.equal(nginx.values.length, 6);
  assert.deepEqual(nginx.median?.interval, [Math.min(...nginx.values), Math.max(...nginx.values)]);
  assert.deepEqual([nginx.rank, nginx.ties], [1, ["haproxy"]]);
  const last = row(cpu, "http-proxy");
  assert.deepEqual([last.rank, last.ties], [3, []]);
  assert.ok(last.p !== null && last.p < 0.05);
  assert.ok(last.toBest && Math.abs(last.toBest.value - 3.5) < 0.1);
  assert.ok(last.toBest.interval && last.toBest.interval[0] > 3.3 && last.toBest.interval[1] < 3.7);
  assert.ok(cpu.detectableRatio && cpu.detectableRatio > 1.01 && cpu.detectableRatio < 1.1);
});

test("the best has no p and the ratio 1", () => {
  const cpu = comparison(analysed(), "cpu_us_per_connection");
  const best = cpu.rows.find(({ toBest }) => toBest?.value === 1);
  assert.ok(best && ["nginx", "haproxy"].includes(best.proxy));
  assert.equal(best.p, null);
  assert.deepEqual(best.toBest?.interval, [1, 1]);
});

test("where more is better, the most is the best", () => {
  const throughput = comparison(analysed(), "connections_per_second");
  assert.equal(row(throughput, "http-proxy").rank, 3);
  assert.ok((row(throughput, "http-proxy").toBest?.value ?? 1) < 0.5);
});

test("the control is not ranked; it bounds times, and has costs of its own", () => {
  const analysis = analysed();
  const total = comparison(analysis, "total_seconds");
  assert.deepEqual(
    [row(total, "none").rank, row(total, "none").toControl, row(total, "none").toBest],
    [null, null, null],
  );
  assert.ok(Math.abs((row(total, "nginx").toControl?.value ?? 0) - 1.25) < 0.05);
  assert.deepEqual(gates(total), []);
  const cpu = comparison(analysis, "cpu_us_per_connection");
  assert.equal(row(cpu, "none").rank, null);
  assert.equal(row(cpu, "none").values.length, 6);
  assert.equal(row(cpu, "nginx").toControl, null);
  assert.deepEqual(gates(cpu), ["control-own"]);
});

test("a control that is slower than a proxy bounds nothing", () => {
  const total = comparison(
    analysed({ proxies: { none: { totalSeconds: 7 }, nginx: {}, haproxy: { totalSeconds: 9 } } }),
    "total_seconds",
  );
  const finding = total.findings.find(({ gate }) => gate === "control-slower");
  assert.equal(finding?.severity, "weak");
  assert.ok(finding.gate === "control-slower");
  const { measure, control, proxies } = finding.figures;
  assert.equal(measure, "total_seconds");
  assert.deepEqual(
    proxies.map(({ proxy }) => proxy),
    ["nginx"],
  );
  assert.ok(control > proxies[0].value);
  // Within noise it may be.
  const even = analysed({ proxies: { none: { totalSeconds: 5.01 }, nginx: {} }, spread: 0.05 });
  assert.deepEqual(gates(comparison(even, "total_seconds")), []);
});

test("wide spread is told with its figure", () => {
  const spread = comparison(analysed({ spread: 0.6 }), "cpu_us_per_connection");
  const finding = spread.findings.find(({ gate }) => gate === "spread");
  assert.ok(finding?.gate === "spread");
  assert.equal(finding.figures.limit, 25);
  const nginx = finding.figures.proxies.find(({ proxy }) => proxy === "nginx");
  assert.ok(nginx && nginx.percent > 25 && nginx.percent < 100);
});

test("four rounds are ranked by range, and the report says so", () => {
  const cpu = comparison(analysed({ rounds: 4 }), "cpu_us_per_connection");
  const last = row(cpu, "http-proxy");
  assert.deepEqual([last.rank, last.p, last.median?.interval], [3, null, null]);
  assert.equal(last.toBest?.interval, null);
  const [low, high] = last.toBest?.rounds ?? [0, 0];
  assert.ok(low <= last.toBest.value && last.toBest.value <= high && low > 3.3 && high < 3.7);
  assert.equal(cpu.detectableRatio, null);
  const finding = cpu.findings.find(({ gate }) => gate === "few-rounds");
  assert.deepEqual(finding?.figures, { rounds: 4, least: 4, enough: 6, onePairIn: 35 });
});

test("fewer than four rounds are not ranked, and none is the best", () => {
  for (const rounds of [1, 3]) {
    const cpu = comparison(analysed({ rounds }), "cpu_us_per_connection");
    assert.ok(cpu.rows.every(({ rank, ties }) => rank === null && ties.length === 0));
    assert.ok(cpu.rows.every(({ median, toBest }) => median && toBest === null));
    const figures = { rounds, least: 4, enough: 6, onePairIn: null };
    assert.deepEqual(cpu.findings[0].figures, figures);
  }
});

test("ratios are of the rounds that both have", () => {
  // All are ten times slower in round 1, which nginx has not.
  const analysis = analysed({
    rounds: 7,
    proxies: { none: {}, nginx: {}, haproxy: { totalSeconds: 8 } },
    change: (record, { proxy, round, ...cell }) => {
      if (round > 1) return [record];
      if (proxy === "nginx") return [];
      return [cellRecord({ ...cell, proxy, round }, { totalSeconds: 50 })];
    },
  });
  const nginx = row(comparison(analysis, "total_seconds"), "nginx");
  assert.equal(nginx.values.length, 6);
  assert.ok(nginx.toControl?.interval && nginx.toControl.interval[0] > 0.9);
  const haproxy = row(comparison(analysis, "total_seconds"), "haproxy");
  assert.equal(
    haproxy.toBest?.value,
    median(haproxy.values.slice(1)) / median(nginx.values),
    "without round 1",
  );
  const finding = comparison(analysis, "total_seconds").findings.find(
    ({ gate }) => gate === "missing-rounds",
  );
  assert.deepEqual(finding?.figures, { most: 7, proxies: [{ proxy: "nginx", rounds: 6 }] });
});

test("a proxy without a counted cell says why", () => {
  /** @param {NonNullable<Parameters<typeof results>[0]>["change"]} change */
  const missing = (change) =>
    row(comparison(analysed({ schemes: ["ws"], change }), "total_seconds"), "nginx").missing[0];
  const only = (/** @type {string} */ proxy) => proxy === "nginx";
  const cause = { kind: /** @type {const} */ ("out-of-memory"), message: "the kernel ended nginx" };
  assert.deepEqual(
    missing((record, { proxy }) =>
      only(proxy) ? [{ ...record, status: "failed", cause }] : [record],
    ),
    { kind: "failed", cause },
  );
  assert.deepEqual(
    missing((record, cell) => {
      if (!only(cell.proxy)) return [record];
      cell.skip = "needs 40,000 descriptors";
      return [];
    }),
    { kind: "skipped", why: "needs 40,000 descriptors" },
  );
  const invalid = missing((record, { proxy }) => {
    if (only(proxy))
      record.containers["load-1"].cpu.totalSeconds = (9.9 * (record.totalSeconds ?? 0)) / 5;
    return [record];
  });
  assert.ok(invalid.kind === "invalid" && invalid.finding.gate === "generator-busy");
  assert.equal(Math.round(invalid.finding.figures.percent), 99);
  assert.deepEqual(
    missing((record, { proxy }) => (only(proxy) ? [] : [record])),
    { kind: "not-run" },
  );
});

test("settings are ordered by scheme, ws first, and by connections", () => {
  const { settings } = analysed({ connections: [10000, 2000] });
  assert.deepEqual(
    settings.map(({ scheme, parameters }) => `${scheme} ${parameters.CONNECTIONS}`),
    ["ws 2000", "ws 10000", "wss 2000", "wss 10000"],
  );
  assert.equal(new Set(settings.map(({ key }) => key)).size, 4);
});

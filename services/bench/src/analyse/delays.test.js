import assert from "node:assert/strict";
import { test } from "node:test";
import { Histogram } from "../statistics/index.js";
import { analyse } from "./index.js";
import { rateResults } from "./testing/rates.js";

/** @import { DelayKind } from "./types.js" */

/**
 * @param {ReturnType<typeof analyse>} analysis
 * @param {string} scenario
 * @param {DelayKind} kind
 * @param {string} proxy
 */
function rowIn({ delays }, scenario, kind, proxy) {
  const delay = delays.find((one) => one.setting.scenario === scenario && one.kind === kind);
  const row = delay?.rows.find((one) => one.proxy === proxy);
  assert.ok(delay && row);
  return { delay, row };
}

test("a relay that adds 5 ms each way has 10 ms more at the median, with its interval, and a proxy that adds nothing is told from none", () => {
  const analysis = analyse(
    rateResults({
      proxies: { relay: { addedMs: 10, cpuUs: 600 }, nginx: { addedMs: 0, cpuUs: 200 } },
    }),
    { policy: null },
  );
  assert.deepEqual(
    analysis.cells.flatMap(({ findings }) => findings),
    [],
  );
  for (const [scenario, kind] of /** @type {[string, DelayKind][]} */ ([
    ["arrivals", "handshake"],
    ["arrivals", "echo"],
    ["steady", "echo"],
  ])) {
    const { row: relay, delay } = rowIn(analysis, scenario, kind, "relay");
    assert.ok(delay.isAdded);
    const [p50, p99, p999] = relay.percentiles;
    assert.deepEqual([p50.p, p99.p, p999.p], [0.5, 0.99, 0.999]);
    assert.ok(Math.abs((p50.added?.value ?? 0) - 10) < 0.05, `${p50.added?.value}`);
    const [low, high] = p50.added?.interval ?? [NaN, NaN];
    assert.ok(low <= (p50.added?.value ?? NaN) && (p50.added?.value ?? NaN) <= high);
    assert.deepEqual([p50.relation, p50.rank], ["worse", 2]);
    const { row: nginx } = rowIn(analysis, scenario, kind, "nginx");
    assert.equal(nginx.percentiles[0].relation, "same");
    const added = nginx.percentiles[0].added?.interval ?? [1, 1];
    assert.ok(added[0] < 0 && added[1] > 0, `${added}`);
    // One in 500 took 20 ms longer, through all of them.
    const { row: control } = rowIn(analysis, scenario, kind, "none");
    assert.equal(control.percentiles[2].added, null);
    assert.ok((control.percentiles[1].ms?.value ?? 0) < 5);
    assert.ok((control.percentiles[2].ms?.value ?? 0) > 20);
  }
});

test("of connections that are held, the opening is no delay at the rate", () => {
  const { delays } = analyse(rateResults({ scenarios: ["steady"] }), { policy: null });
  assert.deepEqual(
    delays.map(({ kind }) => kind),
    ["echo"],
  );
});

test("percentiles are of all rounds' latencies together, not means of each round's", () => {
  const slow = String(Histogram.of(Array.from({ length: 2000 }, () => 100)));
  const analysis = analyse(
    rateResults({
      scenarios: ["arrivals"],
      change: (record) => {
        if (record.proxy === "nginx" && record.round === 3 && record.distributions)
          record.distributions.handshakeMs = slow;
      },
    }),
    { policy: null },
  );
  const { row } = rowIn(analysis, "arrivals", "handshake", "nginx");
  assert.deepEqual([row.rounds, row.samples], [6, 12_000]);
  const [p50, p99] = row.percentiles;
  assert.ok((p50.ms?.value ?? 99) < 1.5);
  // A sixth of all took 100 ms; the mean of the rounds' percentiles would be 18.
  assert.ok(Math.abs((p99.ms?.value ?? 0) - 100) < 0.1);
  assert.ok(Math.abs((p99.ms?.rounds?.[1] ?? 0) - 100) < 0.1);
});

test("a percentile with fewer than ten latencies beyond it is not told", () => {
  const analysis = analyse(rateResults({ scenarios: ["arrivals"], rounds: 4 }), { policy: null });
  const { row } = rowIn(analysis, "arrivals", "handshake", "nginx");
  assert.deepEqual(
    row.percentiles.map(({ ms, added }) => [Boolean(ms), Boolean(added)]),
    [
      [true, true],
      [true, true],
      [false, false],
    ],
  );
  // Four rounds are too few for an interval.
  assert.equal(row.percentiles[0].ms?.interval, null);
  assert.equal(row.percentiles[0].ms?.rounds?.length, 2);
});

test("over TLS nothing is added to the control: figures are absolute", () => {
  const { delays } = analyse(rateResults({ scenarios: ["arrivals"], schemes: ["wss"] }), {
    policy: null,
  });
  assert.ok(delays.length > 0 && delays.every(({ isAdded }) => !isAdded));
  for (const { rows } of delays)
    for (const { percentiles } of rows)
      for (const { ms, added, relation } of percentiles) {
        assert.ok(ms);
        assert.deepEqual([added, relation], [null, null]);
      }
});

test("times that a gate voids, and records of before there were distributions, tell no delay", () => {
  const dropped = rateResults({
    scenarios: ["arrivals"],
    change: ({ proxy, sends }) => {
      if (proxy === "nginx" && sends) sends.dropped = sends.due / 10;
    },
  });
  const { row } = rowIn(analyse(dropped, { policy: null }), "arrivals", "handshake", "nginx");
  assert.deepEqual([row.rounds, row.percentiles[0].ms, row.curve], [0, null, []]);
  assert.equal(row.missing[0].kind, "voided");

  const old = rateResults({ change: (record) => delete record.distributions });
  const analysis = analyse(old, { policy: null });
  assert.deepEqual(analysis.delays, []);
  assert.ok(analysis.verdicts.some(({ question }) => question === "added"));
});

test("at a set rate nobody asks what memory a proxy has; in a closed loop one does", () => {
  const asked = (/** @type {string} */ scenario) =>
    analyse(rateResults({ scenarios: [scenario] }), { policy: null }).verdicts.map(
      ({ question }) => question,
    );
  assert.ok(!asked("arrivals").includes("memory"));
  assert.ok(!asked("steady").includes("memory"));
  assert.ok(asked("short-lived").includes("memory"));
});

test("the curve goes from the quickest to the slowest, by the share that took longer", () => {
  const analysis = analyse(rateResults({ scenarios: ["arrivals"] }), { policy: null });
  const { curve, samples, percentiles } = rowIn(analysis, "arrivals", "handshake", "nginx").row;
  assert.equal(curve[0].beyond, 1);
  assert.ok(Math.abs((curve.at(-1)?.beyond ?? 0) - samples) < 1e-6);
  assert.ok(curve.every(({ ms }, i) => i === 0 || ms >= curve[i - 1].ms));
  const middle = curve.find(({ beyond }) => beyond >= 2);
  assert.ok(Math.abs((middle?.ms ?? 0) - (percentiles[0].ms?.value ?? 9)) < 0.1);
});

test("at a set rate the verdict is about delay, and the overview has its 99th percentile", () => {
  const { verdicts, overview } = analyse(rateResults(), { policy: null });
  const questions = verdicts.map(({ question }) => question);
  assert.ok(questions.includes("delay") && !questions.includes("added"));
  const column = overview?.columns.find(({ key }) => key === "handshake-p99");
  const [nginx, haproxy] = ["nginx", "haproxy"].map((name) =>
    column?.cells.find(({ proxy }) => proxy === name),
  );
  assert.ok(nginx?.isBest && nginx.rank === 1);
  assert.ok((haproxy?.value?.value ?? 0) > (nginx.value?.value ?? 9));
  assert.ok(Math.abs((haproxy?.ratio?.value ?? 0) - 2.5 / 2.2) < 0.1);
});

test("two equal proxies tie at every percentile", () => {
  const same = { addedMs: 0.3, cpuUs: 200 };
  const { delays } = analyse(rateResults({ proxies: { nginx: same, copy: same } }), {
    policy: null,
  });
  for (const { rows } of delays)
    for (const { proxy, percentiles } of rows)
      if (proxy !== "none")
        assert.deepEqual(
          percentiles.map(({ rank, ties }) => [rank, ties.length]),
          [
            [1, 1],
            [1, 1],
            [1, 1],
          ],
        );
});

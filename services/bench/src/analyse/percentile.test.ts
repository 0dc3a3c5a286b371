import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CellRecord } from "../model/cell.ts";
import { Histogram, PooledRounds, pooledQuantile } from "../statistics/index.ts";
import { randomNumbers } from "../statistics/random.ts";
import { figureOf, holds, look, near } from "./testing/look.ts";
import { rateResults } from "./testing/rates.ts";

const LATENCY = join(import.meta.dirname, "../../../../published/latency/2026-11-23/results.json");

type Options = Parameters<typeof rateResults>[0];

const ARRIVALS = { scenarios: ["arrivals"] };

/** One of its three percentiles. */
function seen(options: Options) {
  const found = look(rateResults(options));
  const at = (question: string, suffix: string, scenario = "arrivals") =>
    found.find(
      `${question}-at-rate`,
      ({ measure, settings: [key] }) => measure.key.endsWith(suffix) && key.startsWith(scenario),
    );
  return { ...found, at };
}
const isAtRate = ({ question }: { question: string }) => question.endsWith("-at-rate");

test("a relay that adds 5 ms each way has 10 ms more at the median, and one that adds nothing does not differ from none", () => {
  const { at, cells } = seen({
    proxies: { relay: { addedMs: 10, cpuUs: 600 }, nginx: { addedMs: 0, cpuUs: 200 } },
  });
  assert.ok(cells.every(({ flags }) => flags.length === 0));
  for (const [scenario, kind] of [
    ["arrivals", "handshake"],
    ["arrivals", "echo"],
    ["steady", "echo"],
  ]) {
    const p50 = at(kind, "median", scenario);
    const { extra, rank, toBest } = figureOf(p50, "relay");
    near(extra.added?.value, 10, 0.05);
    holds(extra.added, extra.added?.value ?? NaN);
    assert.deepEqual([extra.relation, rank], ["worse", 2]);
    near(toBest?.value, 11, 0.5);
    const nginx = figureOf(p50, "nginx");
    assert.equal(nginx.extra.relation, "same");
    near(nginx.extra.added?.value, 0, 0.01);
    // One in 500 took 20 ms longer, through all of them.
    const [p99, p999] = ["p99", "p999"].map((p) => figureOf(at(kind, p, scenario), "none"));
    assert.equal(p999.extra.added, undefined);
    assert.ok(Number(p99.estimate?.value) < 5 && Number(p999.estimate?.value) > 20);
  }
});

test("percentiles are of all rounds' latencies together, not means of each round's", () => {
  const slow = String(Histogram.of(Array.from({ length: 2000 }, () => 100)));
  const { at } = seen({
    ...ARRIVALS,
    change: ({ proxy, round, distributions }) => {
      if (proxy === "nginx" && round === 3 && distributions) distributions.handshakeMs = slow;
    },
  });
  const [p50, p99] = ["median", "p99"].map((p) => figureOf(at("handshake", p), "nginx"));
  assert.deepEqual([p50.extra.samples, Number(p50.estimate?.value) < 1.5], [12_000, true]);
  // A sixth of all took 100 ms; the mean of the rounds' percentiles would be 18.
  near(p99.estimate?.value, 100, 0.1);
  near(p99.estimate?.high, 100, 0.1);
});

test("a percentile with fewer than ten latencies beyond it is not told; four rounds have no interval", () => {
  const { at } = seen({ ...ARRIVALS, rounds: 4 });
  const [p50, p99, p999] = ["median", "p99", "p999"].map((p) =>
    figureOf(at("handshake", p), "nginx"),
  );
  assert.deepEqual([p50.estimate?.basis, p50.extra.added?.basis], ["range", "range"]);
  assert.ok(p50.estimate?.low && p99.estimate && p99.extra.added);
  assert.deepEqual([p999.estimate, p999.extra.added], [null, undefined]);
});

test("over TLS nothing is added to the control: figures are absolute", () => {
  const figures = seen({ ...ARRIVALS, schemes: ["wss"] })
    .all.filter(isAtRate)
    .flatMap((one) => one.figures);
  assert.ok(figures.length > 0);
  for (const { estimate, extra } of figures)
    assert.ok(estimate && extra.added === undefined && extra.relation === undefined);
});

test("times that a flag voids, and records of before there were distributions, tell no delay", () => {
  const { at } = seen({
    ...ARRIVALS,
    change: ({ proxy, sends }) => {
      if (proxy === "nginx" && sends) sends.dropped = sends.due / 10;
    },
  });
  const { estimate, extra, rank, missing } = figureOf(at("handshake", "p99"), "nginx");
  assert.deepEqual([estimate, extra.samples, extra.curve, rank], [null, 0, [], null]);
  assert.equal(missing[0].kind, "voided");
  const { all } = seen({ rounds: 1, change: (record) => delete record.distributions });
  assert.ok(!all.some(isAtRate) && all.some(({ question }) => question === "handshake_ms_median"));
});

test("two equal proxies tie at every percentile, and their ratio is known to some percent", () => {
  const same = { addedMs: 0.3, cpuUs: 200 };
  const { all } = seen({ proxies: { nginx: same, copy: same } });
  for (const { figures, measure } of all.filter(isAtRate))
    for (const { role, rank, tied, toBest } of figures) {
      if (role !== "proxy") continue;
      assert.deepEqual([rank, tied.length], [1, 1]);
      if (toBest?.value !== 1) holds(toBest, 1);
      if (toBest?.value !== 1 && measure.key.endsWith("_p99"))
        assert.ok(
          Number(toBest?.low) > 0.9 && Number(toBest?.high) < 1.12,
          `${toBest?.low} to ${toBest?.high}`,
        );
    }
});

test("HAProxy's p99 of a published run against itself: the interval is far narrower than end over end", () => {
  const { cells } = JSON.parse(readFileSync(LATENCY, "utf8"));
  const rounds: Histogram[] = cells
    .filter(
      ({ proxy, scenario, scheme, distributions }: CellRecord) =>
        proxy === "haproxy" && scenario === "arrivals" && scheme === "ws" && distributions,
    )
    .map(({ distributions }: CellRecord) => Histogram.parse(distributions?.echoLatencyMs ?? ""));
  // Each round's latencies are dealt out to the proxy and its copy.
  const random = randomNumbers(1);
  const dealt = rounds.map(({ indices, counts }) => {
    const own = counts.map(
      (count) => Array.from({ length: count }, random).filter((drawn) => drawn < 0.5).length,
    );
    const half = (of: (i: number) => number) =>
      new Histogram(
        new Map(
          [...indices].map((index, i): [number, number] => [index, of(i)]).filter(([, n]) => n),
        ),
      );
    return [half((i) => own[i]), half((i) => counts[i] - own[i])];
  });
  const halves = [0, 1].map((i) => dealt.map((both) => both[i]));
  const pooled = halves.map((half) => new PooledRounds(half));
  const { interval } = pooledQuantile(pooled, 0.99, ([one, other]) => one / other, {
    confidence: 0.95,
    seed: 1,
  });
  const [low, high] = interval ?? [NaN, NaN];
  const [[a, b], [c, d]] = halves.map((half) => {
    const each = half.map((round) => round.quantile(0.99));
    return [Math.min(...each), Math.max(...each)];
  });
  assert.ok(low < 1 && high > 1, `${low} to ${high}`);
  assert.ok(high - low < 0.6 * (b / c - a / d), `${low} to ${high}, ends ${a / d} to ${b / c}`);
});

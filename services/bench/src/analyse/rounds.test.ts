import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "simple-statistics";
import type { Comparison } from "../model/comparison.ts";
import type { CellRecord } from "../model/cell.ts";
import { figureOf, figuresOf, look } from "./testing/look.ts";
import { cellRecord, results } from "./testing/results.ts";
import type { Options } from "./testing/results.ts";

const CPU = "cpu_us_per_connection";
const PLAIN: Options = { schemes: ["ws"] };

const over = (options: Options, key: string) => look(results({ ...PLAIN, ...options })).find(key);
const isNginx = ({ proxy }: { proxy: string }) => proxy === "nginx";

test("a control that is slower than a proxy bounds nothing; within noise it may be", () => {
  const slow = { none: { totalSeconds: 7 }, nginx: {}, haproxy: { totalSeconds: 9 } };
  const { flags } = over({ proxies: slow }, "total_seconds");
  const figures = figuresOf(flags, "control-slower");
  assert.ok(figures);
  assert.deepEqual(figures.proxies.map(isNginx), [true]);
  assert.ok(figures.measure === "total_seconds" && figures.control > figures.proxies[0].value);
  const even = { none: { totalSeconds: 5.01 }, nginx: {} };
  assert.deepEqual(over({ proxies: even, spread: 0.05 }, "total_seconds").flags, []);
});

test("four rounds are ranked by range, and the report says so; fewer are not", () => {
  const cpu = over({ rounds: 4 }, CPU);
  const { rank, extra, estimate, toBest } = figureOf(cpu, "http-proxy");
  assert.deepEqual([rank, extra.p, estimate?.basis, estimate?.low], [3, undefined, "range", null]);
  const { value = NaN, low, high, basis } = toBest ?? {};
  assert.ok(basis === "range" && Number(low) <= value && value <= Number(high));
  assert.ok(Number(low) > 3.3 && Number(high) < 3.7);
  assert.equal(cpu.detectable, null);
  const least = { least: 4, enough: 6 };
  assert.deepEqual(figuresOf(cpu.flags, "few-rounds"), { rounds: 4, ...least, onePairIn: 35 });
  for (const rounds of [1, 3]) {
    const { figures, flags } = over({ rounds }, CPU);
    for (const one of figures)
      assert.deepEqual([one.rank, one.tied, one.toBest, !one.estimate], [null, [], null, false]);
    assert.deepEqual(figuresOf(flags, "few-rounds"), { rounds, ...least, onePairIn: null });
  }
});

test("ratios are of the rounds that both have", () => {
  // All are ten times slower in round 1, which nginx has not.
  const total = over(
    {
      rounds: 7,
      proxies: { none: {}, nginx: {}, haproxy: { totalSeconds: 8 } },
      change: (_, cell) => {
        if (cell.round > 1) return;
        return isNginx(cell) ? [] : [cellRecord(cell, { totalSeconds: 50 })];
      },
    },
    "total_seconds",
  );
  const [nginx, haproxy] = ["nginx", "haproxy"].map((name) => figureOf(total, name));
  assert.equal(nginx.rounds.length, 6);
  assert.ok(Number(nginx.toControl?.low) > 0.9);
  const expected = median(haproxy.rounds.slice(1)) / median(nginx.rounds);
  assert.equal(haproxy.toBest?.value, expected, "without round 1");
  const short = { most: 7, proxies: [{ proxy: "nginx", rounds: 6 }] };
  assert.deepEqual(figuresOf(total.flags, "missing-rounds"), short);
});

test("a proxy whose cells are not in the record has not run", () => {
  const change: Options["change"] = (_, cell) => (isNginx(cell) ? [] : undefined);
  const { missing } = figureOf(over({ change }, "total_seconds"), "nginx");
  assert.deepEqual(missing, [{ kind: "not-run" }]);
});

const SIZES = [2000, 5000, 10_000];
const isPool = ({ settings }: Comparison) => settings.length > 1;
/** CPU per connection over all three sizes. */
const pooled = (options: Options = {}) =>
  look(results({ ...PLAIN, connections: SIZES, ...options })).find(CPU, isPool);

test("a setting with fewer rounds than others is in no pool with them", () => {
  const made = results({ ...PLAIN, connections: SIZES });
  const isIn = ({ round, parameters }: CellRecord | (typeof made.plan.cells)[0]) =>
    round <= (parameters.CONNECTIONS === 10_000 ? 2 : 6);
  made.plan.cells = made.plan.cells.filter(isIn);
  made.cells = made.cells.filter(isIn);
  const { find, all } = look(made);
  const { settings, figures, flags } = find(CPU, isPool);
  assert.deepEqual(
    all.filter((one) => one.question === CPU).map((one) => one.settings.length),
    [2, 1, 1, 1],
  );
  assert.ok(settings.every((key) => !key.includes("10000")));
  assert.ok(figures.every(({ rounds, estimate }) => rounds.length === 6 && estimate?.low));
  assert.equal(figuresOf(flags, "missing-rounds"), undefined);
});

test("rounds below four rank nothing, however many settings there are; four are tested", () => {
  const { figures, flags } = pooled({ rounds: 3 });
  for (const { rank, toBest, extra } of figures)
    assert.deepEqual([rank, toBest, extra.p], [null, null, undefined]);
  assert.equal(flags.find(({ code }) => code === "few-rounds")?.severity, "note");
  // With four a single setting is ranked by range.
  const four = pooled({ rounds: 4 });
  assert.ok((figureOf(four, "http-proxy").extra.p ?? 1) < 0.05);
  assert.ok(figuresOf(four.flags, "few-rounds"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { median } from "simple-statistics";
import type { Comparison } from "../model/comparison.ts";
import type { CellRecord } from "../model/cell.ts";
import { codes, figureOf, figuresOf, look, near, told } from "./testing/look.ts";
import { cellRecord, results } from "./testing/results.ts";
import type { Options } from "./testing/results.ts";

const CPU = "cpu_us_per_connection";
const PLAIN: Options = { schemes: ["ws"] };

const over = (options: Options, key: string) => look(results({ ...PLAIN, ...options })).find(key);
const isNginx = ({ proxy }: { proxy: string }) => proxy === "nginx";

test("six rounds: medians with intervals, ratios, ranks and ties", () => {
  const cpu = over({ seed: 2 }, CPU);
  const nginx = figureOf(cpu, "nginx");
  const [low, high] = [Math.min(...nginx.rounds), Math.max(...nginx.rounds)];
  assert.equal(nginx.rounds.length, 6);
  assert.deepEqual(nginx.estimate, { value: median(nginx.rounds), low, high, basis: "ci95" });
  assert.deepEqual([nginx.rank, nginx.tied], [1, ["haproxy"]]);
  const last = figureOf(cpu, "http-proxy");
  assert.deepEqual([last.rank, last.tied], [3, []]);
  assert.ok((last.extra.p ?? 1) < 0.05);
  near(last.toBest?.value, 3.5, 0.1);
  assert.ok(Number(last.toBest?.low) > 3.3 && Number(last.toBest?.high) < 3.7);
  assert.ok(cpu.detectable && cpu.detectable > 1.01 && cpu.detectable < 1.1);
  const [best] = cpu.figures.filter(({ toBest }) => toBest?.value === 1);
  assert.ok(["nginx", "haproxy"].includes(best.proxy) && best.extra.p === undefined);
  assert.deepEqual([best.toBest?.low, best.toBest?.high], [1, 1]);
});

test("where more is better, the most is the best", () => {
  const last = figureOf(over({}, "connections_per_second"), "http-proxy");
  assert.ok(last.rank === 3 && Number(last.toBest?.value) < 0.5);
});

test("the control is not ranked; it bounds times, and has costs of its own", () => {
  const [total, cpu] = ["total_seconds", CPU].map((key) => over({}, key));
  const none = figureOf(total, "none");
  assert.deepEqual([none.role, none.rank, none.toBest], ["control", null, null]);
  near(figureOf(total, "nginx").toControl?.value, 1.25, 0.05);
  assert.deepEqual(codes(total.flags), []);
  const own = figureOf(cpu, "none");
  assert.deepEqual([own.rank, own.rounds.length], [null, 6]);
  assert.equal(figureOf(cpu, "nginx").toControl, null);
  assert.deepEqual(codes(cpu.flags), ["control-own"]);
});

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

test("wide spread is told with its figure", () => {
  const { limit, proxies } = figuresOf(over({ spread: 0.6 }, CPU).flags, "spread") ?? {};
  const nginx = proxies?.find(isNginx)?.percent ?? NaN;
  assert.ok(limit === 25 && nginx > 25 && nginx < 100);
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

test("a proxy without a counted cell says why, once", () => {
  const missing = (change: NonNullable<Options["change"]>) => {
    const only: typeof change = (record, cell) => (isNginx(cell) ? change(record, cell) : [record]);
    return figureOf(over({ change: only }, "total_seconds"), "nginx").missing;
  };
  const cause = { kind: "out-of-memory" as const, message: "the kernel ended nginx" };
  const failed = missing((record) => [{ ...record, status: "failed", cause }]);
  assert.deepEqual(failed, [{ kind: "failed", cause }]);
  const skipped = missing((_, cell) => {
    cell.skip = "needs 40,000 descriptors";
    return [];
  });
  assert.deepEqual(skipped, [{ kind: "skipped", why: "needs 40,000 descriptors" }]);
  const [invalid] = missing((record) => {
    record.containers["load-1"].cpu.totalSeconds = (9.9 * (record.totalSeconds ?? 0)) / 5;
  });
  assert.ok(invalid.kind === "invalid" && invalid.flag.code === "generator-busy");
  near(invalid.flag.figures.percent, 99, 1e-3);
  assert.deepEqual(
    missing(() => []),
    [{ kind: "not-run" }],
  );
});

test("settings are ordered by scheme, ws first, and by connections", () => {
  const { run } = look(results({ connections: [10000, 2000], rounds: 1 }));
  assert.deepEqual(
    run.settings.map(({ scheme, parameters }) => `${scheme} ${parameters.CONNECTIONS}`),
    ["ws 2000", "ws 10000", "wss 2000", "wss 10000"],
  );
  assert.equal(new Set(run.settings.map(({ key }) => key)).size, 4);
});

const SIZES = [2000, 5000, 10_000];
const isPool = ({ settings }: Comparison) => settings.length > 1;
/** CPU per connection over all three sizes. */
const pooled = (options: Options = {}) =>
  look(results({ ...PLAIN, connections: SIZES, ...options })).find(CPU, isPool);
const scaleCpu = ({ containers, proxy }: CellRecord, factor: number) => {
  containers[proxy].cpu.totalSeconds *= factor;
};

test("a pool of one setting is that setting", () => {
  const { all } = look(results({ ...PLAIN, rounds: 1 }));
  assert.ok(!all.some(isPool));
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
});

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

test("a figure is the mean over the settings of a round, a ratio that of each setting", () => {
  const { estimate, rounds, toBest } = figureOf(
    pooled({
      spread: 0.001,
      change: (record) => scaleCpu(record, record.parameters.CONNECTIONS / 2000),
    }),
    "http-proxy",
  );
  // 700 µs at 2,000, 2.5 and 5 times that.
  near(estimate?.value, (700 * 8.5) / 3, 20);
  assert.equal(rounds.length, 6);
  near(toBest?.value, 3.5, 0.35);
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

test("a proxy without figures in a setting is held against others in those that both have", () => {
  const lacking = pooled({
    proxies: { nginx: {}, haproxy: { cpuUsPerHandshake: 220 }, "http-proxy": {} },
    change: (_, { proxy, parameters: { CONNECTIONS } }) =>
      proxy === "haproxy" && CONNECTIONS > 2000 ? [] : undefined,
  });
  const { rank, toBest } = figureOf(lacking, "haproxy");
  assert.ok(rank !== null);
  near(toBest?.value, 1.1, 0.05);
  assert.deepEqual(figuresOf(lacking.flags, "lacks-settings"), {
    proxies: [{ proxy: "haproxy", connections: [5000, 10_000] }],
  });
});

test("a setting in which a proxy's figures are void counts for none; void in all, nobody is ranked", () => {
  const withVoid = (most: number) =>
    pooled({
      change: ({ machine }, { proxy, parameters: { CONNECTIONS } }) => {
        if (proxy === "haproxy" && CONNECTIONS <= most && machine) machine.stealSeconds = 100;
      },
    });
  const some = withVoid(2000);
  const left = { proxies: ["haproxy"], connections: [2000] };
  assert.deepEqual(figuresOf(some.flags, "left-out"), left);
  assert.equal(some.figures.filter(({ rank }) => rank !== null).length, 3);
  const all = withVoid(10_000);
  assert.ok(all.figures.every(({ rank, toBest }) => rank === null && toBest === null));
  assert.deepEqual(figuresOf(all.flags, "survivors"), { proxies: ["haproxy"] });
});

test("two that differ in opposite directions are neither's better, and it is said", () => {
  const opposite = pooled({
    proxies: { nginx: {}, haproxy: {}, "http-proxy": { cpuUsPerHandshake: 700 } },
    change: (record) => {
      if (record.proxy === "haproxy")
        scaleCpu(record, record.parameters.CONNECTIONS < 10_000 ? 1.2 : 0.8);
    },
  });
  assert.deepEqual(figuresOf(opposite.flags, "opposite"), {
    pairs: [{ proxies: ["nginx", "haproxy"], better: [[2000, 5000], [10_000]] }],
  });
  const ranks = told(opposite, ({ rank }) => rank);
  assert.deepEqual(ranks, { nginx: 1, haproxy: 1, "http-proxy": 3 });
});

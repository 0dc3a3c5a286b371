import assert from "node:assert/strict";
import { test } from "node:test";
import type { Comparison } from "../model/comparison.ts";
import { survivalOf } from "./event-cells.ts";
import { measuresOf } from "./measures.ts";
import { stallResults, stormResults, survivalResults } from "./testing/experiments.ts";
import { codes, figureOf, figuresOf, look, near, told } from "./testing/look.ts";

type Planned = Parameters<typeof survivalResults>[0]["proxies"];
type Outcome = Exclude<Planned[string][string], string | null>;
type Stall = Parameters<typeof stallResults>[0][string];

/** A tenth of 2,000, at once. */
const EVERY_TENTH: Outcome = { ends: [{ afterMs: 300, how: "reset", count: 200 }] };

const during = (proxies: Planned, event = "reload") => {
  const { all, ...reported } = look(survivalResults({ proxies }));
  const of = (question: string) => {
    const found = all.find((one) => one.question === question && one.event === event);
    assert.ok(found, question);
    return found;
  };
  return { ...reported, all, of };
};
/** Of nginx, in five repetitions of a reload. */
const reloaded = (reload: Outcome, none: Outcome = {}) => {
  const { of } = during({ nginx: { none, reload } });
  return (question: string) => figureOf(of(question), "nginx");
};
/** What one cell showed. */
function seenIn(reload: Outcome) {
  const [record] = survivalResults({ proxies: { nginx: { reload } }, rounds: 1 }).cells;
  const seen = survivalOf(record, 10);
  assert.ok(seen);
  return seen;
}

const SHARES: [what: string, Outcome, question: string, count: number, of: number][] = [
  ["of 10,000 none is lost", {}, "lost", 0, 10_000],
  ["every tenth is counted", EVERY_TENTH, "lost", 1000, 10_000],
  [
    "what ended before the event was not there to be lost in it",
    { ends: [{ afterMs: -2000, how: "reset", count: 7 }] },
    ...(["lost", 0, 9965] as const),
  ],
  ["messages", { lost: 9 }, "messages-lost", 45, 5 * 2000 * 70],
];

for (const [what, outcome, question, count, of] of SHARES)
  test(`connections of one event have one fate, and no interval: ${what}`, () => {
    const { estimate, extra } = reloaded(outcome)(question);
    assert.deepEqual([extra.count, extra.of], [count, of]);
    near(estimate?.value, (100 * count) / of);
    assert.deepEqual([estimate?.basis, estimate?.low], ["events", estimate?.high]);
  });

test("the unit of what is kept is the event: of ten reloads in one cell each counts", () => {
  const lostAt = (...seconds: number[]) => ({
    ends: seconds.map((second) => ({ afterMs: 1000 * second + 300, how: "reset", count: 1 })),
  });
  const all: Outcome = { ends: [{ afterMs: 300, how: "end", count: 2000 }] };
  const kept = (event: string, outcome: Outcome) =>
    figureOf(during({ nginx: { [event]: outcome } }, event).of("kept"), "nginx");
  for (const [event, outcome, count, of, low, high] of [
    ["reload", {}, 5, 5, 47.8, 100],
    ["reload", EVERY_TENTH, 0, 5, 0, 52.2],
    ["reload-10", {}, 50, 50, 92.9, 100],
    // Two ends in one reload are one reload, and what ends long after the last one is of it.
    ["reload-10", lostAt(2, 2.2, 30), 40, 50, 66.3, 90],
    // Where nobody is left, a further reload keeps nobody.
    ["reload-10", all, 0, 5, 0, 52.2],
  ] as const) {
    const { estimate, extra } = kept(event, outcome);
    assert.deepEqual([extra.count, extra.of, estimate?.basis], [count, of, "exact"]);
    near(estimate?.low, low, 0.1);
    near(estimate?.high, high, 0.1);
  }
});

const ALIVE: [how: string, afterMs: number, alive: object][] = [
  ["reset", 300, { 1: 1950, 10: 1950, 60: 1950 }],
  ["reset", 5200, { 1: 2000, 10: 1950, 60: 1950 }],
  // One that fell silent was not alive until the time-out told it.
  ["timeout", 10_400, { 1: 1950, 10: 1950, 60: 1950 }],
];

test("alive some time after the event", () => {
  for (const [how, afterMs, alive] of ALIVE)
    assert.deepEqual(seenIn({ ends: [{ afterMs, how, count: 50 }] }).alive, alive, how);
  assert.equal(seenIn({ ends: [{ afterMs: -2000, how: "end", count: 7 }] }).endedBefore, 7);
  const [record] = survivalResults({ proxies: { nginx: { reload: EVERY_TENTH } } }).cells;
  const measures = measuresOf(record, { timeoutSeconds: 10 } as Parameters<typeof measuresOf>[1]);
  assert.equal(measures.connections_alive_10_s_percent, 90);
});

const ok = (count: number) => Array<"ok">(count).fill("ok");
const bad = (what: "slow" | "failed", count: number) => Array<typeof what>(count).fill(what);

const AGAIN: [what: string, Outcome, ms: number | null, counts: [failed: number, slow: number]][] =
  [
    ["none failed", { fared: ok(200) }, 0, [0, 0]],
    ["refused", { fared: [...bad("failed", 7), ...ok(193)] }, 352, [7, 0]],
    [
      "an outage after 20 good ones counts from its own begin",
      { fared: [...ok(40), ...bad("failed", 1), ...ok(50)] },
      52,
      [1, 0],
    ],
    ["not at once", { fared: [...ok(4), ...bad("failed", 2), ...ok(100)] }, 302, [2, 0]],
    ["slow is not in time", { fared: [...bad("slow", 3), ...ok(100)] }, 152, [0, 3]],
    [
      "a good one among others is not the end of it",
      { fared: [...bad("failed", 2), ...ok(19), ...bad("failed", 1), ...ok(50)] },
      1102,
      [3, 0],
    ],
    [
      "what fails later is counted, and changes nothing",
      { fared: [...bad("failed", 2), ...ok(20), ...bad("failed", 1), ...ok(50)] },
      102,
      [3, 0],
    ],
    ["not by the end of the watch", { fared: [...bad("failed", 2), ...ok(19)] }, null, [2, 0]],
    // Counts per second: which of them begins with the event?
    ["by the second", { failed: [{ second: 0, count: 9, cause: "refused" }] }, 1000, [9, 0]],
    [
      "the second before the event, which came a little early",
      { lateMs: -5, failed: [{ second: -1, count: 3, cause: "refused" }] },
      0,
      [0, 0],
    ],
    [
      "the second of the event, which came a little late",
      { lateMs: 8, failed: [{ second: 0, count: 3, cause: "refused" }] },
      992,
      [3, 0],
    ],
  ];

for (const [what, outcome, expected, counts] of AGAIN)
  test(`until new connections succeed again: ${what}`, () => {
    const { againMs, failed, slow, asked } = seenIn(outcome).probes;
    assert.deepEqual([againMs, failed, slow], [expected, ...counts]);
    // 60 s of watch, and not the second before the event.
    assert.equal(asked, outcome.fared?.length ?? 1200);
    const figure = reloaded(outcome)("again");
    assert.equal(figure.estimate?.value ?? null, expected);
    assert.equal(figure.extra.outcome, expected === null ? "not-again" : undefined);
  });

test("a restart by the engine is not the proxy's, and a record by the second says so", () => {
  const fared = ok(200);
  for (const [event, outcome, expected] of [
    ["kill-worker", { secondLife: true, fared }, ["engine-restart"]],
    ["kill-worker", { fared }, []],
    ["reload", { secondLife: true, fared }, []],
    ["reload", {}, ["by-second"]],
  ] as const) {
    const { of } = during({ nginx: { [event]: { ...outcome, fared: outcome.fared } } }, event);
    assert.deepEqual(codes(of("again").flags), expected);
    assert.deepEqual(codes(of("lost").flags), event === "kill-worker" ? ["one-process"] : []);
  }
});

test("processes and memory before, at the peak and at the end; CPU before and after", () => {
  const outcome: Outcome = { processes: [3, 5, 3], megabytes: [40, 84, 44] };
  const { processes, memoryBytes } = seenIn(outcome);
  assert.deepEqual(processes, { before: 3, peak: 5, end: 3 });
  assert.deepEqual(memoryBytes, { before: 40e6, peak: 84e6, end: 44e6 });
  const figure = reloaded(outcome);
  near(figure("event-memory").estimate?.value, 2.1);
  const { estimate, extra } = figure("event-cpu");
  near(estimate?.value, 0.02);
  near(extra.from, 0.02);
});

const STAYED = { goneMs: null, atEnd: 2 };
const CLOSED = [{ afterMs: 100, how: "end", count: 2000 }];
const OLD: [
  old: Outcome["old"],
  processes: Outcome["processes"],
  outcome: string | undefined,
  seconds?: number,
  ends?: Outcome["ends"],
][] = [
  [{ goneMs: 10_100, atEnd: 0, leaked: 0 }, [3, 5, 3], "gone", 10.1],
  [{ ...STAYED, leaked: 0 }, [3, 5, 5], "stayed"],
  [{ ...STAYED, leaked: 1 }, [3, 5, 5], "leaked"],
  // Not read when the load had gone: at the end of the watch it is known whether it had work.
  [{ ...STAYED, leaked: null }, [3, 5, 5], "stayed"],
  [{ ...STAYED, leaked: null }, [3, 5, 5], "leaked", undefined, CLOSED],
  // No other has come, so they carry the connections: nothing was replaced.
  [{ ...STAYED, leaked: 2 }, [3, 3, 3], undefined],
  [{ ...STAYED, leaked: null }, [3, 3, 3], undefined, undefined, CLOSED],
  [{ ...STAYED, leaked: 1 }, [3, 3, 3], "leaked"],
  [undefined, [3, 3, 3], undefined],
];

test("old processes: gone after some time, there while clients are, leaked, or kept", () => {
  for (const [old, processes, outcome, seconds, ends = EVERY_TENTH.ends] of OLD) {
    const figure = reloaded({ old, processes, ends });
    assert.equal(figure("lost").extra.outcome, outcome);
    if (seconds === undefined) continue;
    const { estimate } = figure("old-processes");
    assert.deepEqual([estimate?.value, estimate?.high], [seconds, seconds]);
  }
});

test("of an event that repeats: the most old processes at once, and CPU time of all", () => {
  const outcome: Outcome = { old: { goneMs: 10_100, atEnd: 0, leaked: 0 } };
  const { of } = during({ nginx: { "reload-10": outcome } }, "reload-10");
  assert.equal(figureOf(of("most-old"), "nginx").estimate?.value, 2);
  near(figureOf(of("event-cpu-seconds"), "nginx").estimate?.value, 0.02 * 59);
  const { all } = during({ nginx: { reload: outcome } });
  assert.ok(!all.some(({ question }) => question === "most-old"));
});

test("a new backend: when it held its share of what is open, and how full the fullest is at the end", () => {
  const upTo = (most: number) => {
    const added = (second: number) => Math.max(0, Math.min(most, 5 * second));
    const old = { open: (second: number) => (300 - added(second)) / 2 };
    const servers = [old, old, { newFrom: 3, open: added }];
    const { of } = during({ nginx: { "backend-scale": { servers } } }, "backend-scale");
    return (question: string) => figureOf(of(question), "nginx");
  };
  // 90 % of a third are 90 of 300.
  const full = upTo(100);
  assert.equal(full("added-share").estimate?.value, 18);
  assert.equal(full("imbalance").estimate?.value, 1);
  const points = full("added-share").extra.around?.addedPercent ?? [];
  assert.deepEqual(points[0], [-10, 0]);
  // What a server holds that was not read yet is not known.
  assert.deepEqual(points.slice(10, 12), [
    [0, 0],
    [3, 5],
  ]);
  const short = upTo(80);
  assert.deepEqual(
    [short("added-share").estimate, short("added-share").extra.outcome],
    [null, "not-again"],
  );
  near(short("imbalance").estimate?.value, 1.1);
});

test("what earlier records do not have is no comparison, not even of who was skipped", () => {
  const { all } = during({ nginx: { reload: {} }, hitch: { reload: "it cannot reload" } });
  assert.ok(!all.some(({ question }) => ["added-share", "imbalance"].includes(question)));
  assert.ok(all.some(({ question }) => question === "newcomers"));
});

test("where nobody survived, no silence is known", () => {
  const { all } = during({
    nginx: { reload: { ends: [{ afterMs: 1, how: "end", count: 2000 }] } },
  });
  assert.ok(!all.some(({ question }) => question === "silence"));
});

test("cells of events are in no comparison of costs, and lost connections are no fault of a cell", () => {
  const { all, run, cells } = during({ nginx: { none: {}, reload: EVERY_TENTH } });
  assert.deepEqual([run.settings, run.cells], [[], []]);
  assert.deepEqual([...new Set(all.map(({ event }) => event))], ["none", "reload"]);
  assert.ok(cells.length === 10 && cells.every(({ counted }) => counted));
});

test("events that are watched for another time stand beside the others, and have their control", () => {
  const made = survivalResults({ proxies: { nginx: { none: {}, reload: EVERY_TENTH } } });
  for (const cell of [...made.plan.cells, ...made.cells])
    if (cell.id.endsWith("reload")) cell.parameters = { ...cell.parameters, WATCH_SECONDS: 12 };
  const { all } = look(made);
  const keys = new Set(all.flatMap(({ settings }) => settings));
  assert.ok(keys.size === 1 && !String([...keys]).includes("watch"));
  const [, reload] = all.filter(({ question }) => question === "lost");
  assert.equal(figureOf(reload, "nginx").estimate?.value, 10);
});

type Returns = Parameters<typeof stormResults>[0];

/** By what is measured. */
function stormOf(proxies: Returns) {
  const { all } = look(stormResults(proxies));
  return (key: string, proxy = "nginx") => {
    const found: Comparison | undefined = all.find(({ measure }) => measure.key === key);
    assert.ok(found, key);
    return figureOf(found, proxy);
  };
}
const back = (...rounds: [number, number, number | null][]) =>
  rounds.map((seconds) => ({ seconds }));
/** Four rounds, the fewest that tell two apart. */
const twice = <T>(...pair: T[]) => [...pair, ...pair];
const CONTROL = twice(...back([0.4, 0.8, 1], [0.5, 0.9, 1.2]));

test("three rounds of a storm tell nobody apart", () => {
  const slow = back([5, 6, 7], [5, 6, 7], [5, 6, 7]);
  const { toControl, extra } = stormOf({ none: CONTROL.slice(0, 3), nginx: slow })("back_ms_p99");
  assert.deepEqual([toControl?.value, extra.relation], [7.5, undefined]);
});

test("who does not come back is missing, and the time until all are is not known", () => {
  const of = stormOf({
    none: CONTROL.slice(0, 2),
    nginx: [
      { seconds: [0.9, 1.6, null], missing: 5, attempts: 2600, failedByCause: { refused: 600 } },
      { seconds: [0.9, 1.6, 2.5], attempts: 2200, failedByCause: { refused: 200 } },
    ],
  });
  assert.deepEqual([of("back").extra.count, of("back").extra.of], [3995, 4000]);
  const { estimate, rounds } = of("back_ms_p100");
  assert.deepEqual([estimate?.value, rounds], [2500, [2500]]);
  near(of("back_attempts").estimate?.value, 1.2);
  assert.deepEqual(of("back_ms_p99").extra.causes, [{ what: "refused", count: 800 }]);
});

const BOUNDED: Stall = { sent: 2e6, heldBack: true, grown: 90_000, p99Ms: [2, 2.4] };
const UNBOUNDED: Stall = { ...BOUNDED, sent: 64 * 2 ** 20, heldBack: false, grown: 66e6 };

test("buffering without bound is named; what is not in the proxy is not its", () => {
  const { find } = look(
    stallResults({
      none: { ...UNBOUNDED, grown: 0 },
      nginx: UNBOUNDED,
      haproxy: {
        ...{ ...UNBOUNDED, grown: 80_000, lostBytes: 2048, ends: { reset: 3 } },
        inOrder: false,
      },
    }),
  );
  const slow = find("slow-readers");
  const outcomes = told(slow, ({ extra }) => extra.outcome);
  assert.deepEqual(outcomes, { none: "elsewhere", nginx: "unbounded", haproxy: "elsewhere" });
  assert.deepEqual(codes(slow.flags), ["control-took-all", "out-of-order"]);
  assert.deepEqual(figuresOf(slow.flags, "out-of-order"), { proxies: ["haproxy"] });
  const { medians, causes } = figureOf(slow, "haproxy").extra;
  assert.deepEqual([medians, causes], [[64 * 2 ** 20, 4096], [{ what: "reset", count: 6 }]]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { survivalResults } from "./testing/experiments.js";

/** @import { Outcome } from "./testing/experiments.js" */
/** @import { SurvivalFigures } from "./types.js" */

/** A tenth of 2,000, at once. @type {Outcome} */
const EVERY_TENTH = { ends: [{ afterMs: 300, how: "reset", count: 200 }] };

/**
 * @param {Record<string, Record<string, Outcome | string | null>>} proxies
 * @param {{rounds?: number}} [options]
 */
function analysed(proxies, options) {
  const analysis = analyse(survivalResults({ proxies, ...options }), { policy: null });
  const [setting] = analysis.survivals;
  return { analysis, setting };
}

/**
 * @param {Outcome} reload
 * @param {Outcome} [none]
 */
function answer(reload, none = {}) {
  const { setting } = analysed({ nginx: { none, reload } });
  const found = setting.events.find(({ event }) => event === "reload")?.answers[0];
  assert.ok(found?.figures);
  return { ...found, figures: /** @type {SurvivalFigures} */ (found.figures) };
}

test("of 10,000 in five repetitions none is lost: the true share is below 0.04 %", () => {
  const { figures, beyondControl } = answer({});
  assert.deepEqual([figures.lost?.count, figures.lost?.of, figures.rounds], [0, 10_000, 5]);
  assert.ok(Number(figures.lost?.interval[1]) < 0.0004);
  assert.deepEqual(beyondControl, { lost: false, failed: false, messages: false });
});

test("every tenth connection that ends is counted, when, and how", () => {
  const { figures, beyondControl } = answer({
    ends: [
      { afterMs: 300, how: "reset", count: 100 },
      { afterMs: 5200, how: "close 1001 going away", count: 60 },
      { afterMs: 30_000, how: "end", count: 40 },
    ],
  });
  assert.equal(figures.lost?.value, 0.1);
  assert.deepEqual(
    figures.alive.map(({ seconds, share }) => [seconds, share.count]),
    [
      [1, 9500],
      [10, 9200],
      [60, 9000],
    ],
  );
  assert.deepEqual(figures.ends, [
    { what: "reset", count: 500 },
    { what: "close 1001 going away", count: 300 },
    { what: "end", count: 200 },
  ]);
  assert.deepEqual(figures.lostByRound, [200, 200, 200, 200, 200]);
  assert.equal(beyondControl?.lost, true);
});

test("one that fell silent was not alive until the time-out told it", () => {
  const { figures } = answer({ ends: [{ afterMs: 10_400, how: "timeout", count: 50 }] });
  assert.deepEqual(
    figures.alive.map(({ share }) => share.count),
    [9750, 9750, 9750],
  );
});

test("what ended before the event was not there to be lost in it", () => {
  const { figures } = answer({ ends: [{ afterMs: -2000, how: "reset", count: 7 }] });
  assert.deepEqual([figures.held, figures.endedBefore, figures.lost?.count], [9965, 35, 0]);
});

test("where as much is lost without an event, no event is blamed", () => {
  const few = { ends: [{ afterMs: 300, how: "reset", count: 3 }], lost: 9 };
  const { beyondControl } = answer(few, few);
  assert.deepEqual(beyondControl, { lost: false, failed: false, messages: false });
  assert.equal(answer(EVERY_TENTH, few).beyondControl?.lost, true);
});

test("new handshakes that failed, in which seconds, and why", () => {
  const { figures, beyondControl } = answer({
    failed: [
      { second: 0, count: 20, cause: "refused" },
      { second: 1, count: 5, cause: "status 502" },
    ],
    slow: 2,
  });
  const { failed, failingSeconds, lastFailedSeconds, causes, slow, slowSeconds } = figures.probes;
  assert.deepEqual([failed?.count, failed?.of], [125, 6000]);
  assert.deepEqual([failingSeconds, lastFailedSeconds, slowSeconds, slow?.count], [2, 2, 1, 10]);
  assert.deepEqual(causes, [
    { what: "refused", count: 100 },
    { what: "status 502", count: 25 },
  ]);
  assert.equal(beyondControl?.failed, true);
});

test("processes and memory before, at the peak and at the end; CPU before and after", () => {
  const { figures } = answer({ processes: [3, 5, 3], megabytes: [40, 84, 44] });
  assert.deepEqual(figures.processes, { before: 3, peak: 5, end: 3, peakRatio: 5 / 3 });
  assert.deepEqual([figures.memoryBytes?.peakRatio, figures.memoryBytes?.end], [2.1, 44e6]);
  assert.deepEqual(
    Object.values(figures.cores ?? {}).map((cores) => cores.toFixed(3)),
    ["0.020", "0.020"],
  );
});

test("old processes: gone after some time, there while clients are, or leaked", () => {
  const kind = (/** @type {Outcome["old"]} */ old, ends = EVERY_TENTH.ends) =>
    answer({ old, ends }).figures.oldProcesses;
  assert.deepEqual(kind({ goneMs: 10_100, atEnd: 0, leaked: 0 }), {
    kind: "gone",
    seconds: 10.1,
    mostSeconds: 10.1,
  });
  assert.deepEqual(kind({ goneMs: null, atEnd: 2, leaked: 0 }), {
    ...{ kind: "stayed", rounds: 5, most: 2 },
  });
  assert.deepEqual(kind({ goneMs: null, atEnd: 2, leaked: 1 }), {
    ...{ kind: "leaked", rounds: 5, most: 1 },
  });
  // Not read when the load had gone: at the end of the watch it is known whether it had anything to do.
  const unread = { goneMs: null, atEnd: 2, leaked: null };
  assert.equal(kind(unread)?.kind, "stayed");
  assert.equal(kind(unread, [{ afterMs: 100, how: "end", count: 2000 }])?.kind, "leaked");
  assert.equal(kind(undefined), null);
});

test("the worst stands out by connections, and where nobody does in these, by new handshakes", () => {
  const worst = (/** @type {Record<string, Outcome>} */ reloads) => {
    const proxies = Object.fromEntries(
      Object.entries(reloads).map(([name, reload]) => [name, { none: {}, reload }]),
    );
    return analysed(proxies).setting.events.find(({ event }) => event === "reload")?.worst;
  };
  const all = { ends: [{ afterMs: 100, how: "end", count: 2000 }] };
  const failing = { failed: [{ second: 0, count: 20, cause: "refused" }] };
  assert.deepEqual(worst({ none: all, nginx: {}, haproxy: EVERY_TENTH }), {
    ...{ what: "lost", proxies: ["haproxy"] },
  });
  assert.deepEqual(worst({ nginx: all, haproxy: { ...all, ...failing } }), {
    ...{ what: "failed", proxies: ["haproxy"] },
  });
  assert.equal(worst({ nginx: {}, haproxy: {} }), null);
});

test("who has no such thing has none, which is no failure; other gaps say why", () => {
  const { setting, analysis } = analysed({
    none: { none: {}, reload: "has none: it cannot reload" },
    nginx: { none: {}, reload: "needs 20,400 file descriptors" },
    haproxy: { none: {}, reload: null },
  });
  const reload = setting.events.find(({ event }) => event === "reload");
  assert.deepEqual(
    reload?.answers.map(({ proxy, missing }) => [proxy, missing]),
    [
      ["none", [{ kind: "has-none", why: "has none: it cannot reload" }]],
      ["nginx", [{ kind: "skipped", why: "needs 20,400 file descriptors" }]],
    ],
  );
  assert.deepEqual(
    analysis.findings.filter(({ severity }) => severity !== "note"),
    [],
  );
});

test("without cells of no event nothing is held against them", () => {
  const { setting } = analysed({ nginx: { reload: EVERY_TENTH } });
  assert.deepEqual(
    setting.events.map(({ event, isControl, answers }) => [
      event,
      isControl,
      answers[0].beyondControl,
    ]),
    [["reload", false, null]],
  );
});

test("curves are by the second around the event", () => {
  const { timeline } = answer({
    ...EVERY_TENTH,
    failed: [{ second: 0, count: 20, cause: "refused" }],
  }).figures;
  const at = (/** @type {{seconds: number, value: number}[]} */ curve, /** @type {number} */ s) =>
    curve.find(({ seconds }) => seconds === s)?.value;
  assert.deepEqual(
    [-10, 0, 1].map((s) => at(timeline.openPercent, s)),
    [100, 100, 90],
  );
  assert.deepEqual(
    [-1, 0, 1].map((s) => at(timeline.failedPercent, s)),
    [0, 100, 0],
  );
  assert.equal(at(timeline.memoryBytes, -5), 40e6);
});

test("a server that appears is told with its share of new connections", () => {
  const echoShare = [
    { address: "10.0.0.2", connections: 500, isNew: false },
    { address: "10.0.0.3", connections: 500, isNew: false },
    { address: "10.0.0.4", connections: 200, isNew: true },
  ];
  const { setting } = analysed({ nginx: { "backend-scale": { echoShare } } });
  const { servers } = setting.events[0].answers[0].figures ?? {};
  assert.equal(servers?.count, 3);
  assert.deepEqual([servers.newcomers?.count, servers.newcomers?.of], [1000, 6000]);
  assert.equal(servers.busiest.toFixed(3), "0.417");
});

test("cells of events are in no comparison of costs, and lost connections are no fault of a cell", () => {
  const { analysis } = analysed({ nginx: { none: {}, reload: EVERY_TENTH } });
  assert.deepEqual([analysis.settings, analysis.cells, analysis.verdicts], [[], [], []]);
  assert.equal(analysis.experimentCells.length, 10);
  assert.ok(analysis.experimentCells.every(({ counted }) => counted));
  assert.equal(analysis.overview, null);
});

test("events that are watched for another time stand beside the others, and have their control", () => {
  const results = survivalResults({ proxies: { nginx: { none: {}, reload: EVERY_TENTH } } });
  for (const cell of [...results.plan.cells, ...results.cells])
    if (cell.id.endsWith("reload")) cell.parameters = { ...cell.parameters, WATCH_SECONDS: 12 };
  const { survivals } = analyse(results, { policy: null });
  assert.equal(survivals.length, 1);
  assert.equal(survivals[0].parameters.WATCH_SECONDS, undefined);
  const [none, reload] = survivals[0].events;
  assert.deepEqual([none.isControl, reload.answers[0].beyondControl?.lost], [true, true]);
});

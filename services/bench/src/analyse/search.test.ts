import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "../model/comparison.ts";
import { figureOf, look } from "./testing/look.ts";
import { capacityResults, steps } from "./testing/capacities.ts";
import { results } from "./testing/results.ts";

type Course = NonNullable<Parameters<typeof capacityResults>[0]>;

const searched = (course?: Course) => look(capacityResults(course)).find("capacity");
const told = ({ estimate, extra: { search } }: Figure) => [
  search?.confirmed,
  search?.fresh.agreeing,
  search?.fresh.contradicting,
  estimate?.high !== null,
];
/** The generator is at its limit at twice that rate. */
const atLeast = (rate: number): Course => ({
  ...{ search: steps(`+${rate} ?${2 * rate}`), at: ["holds", "holds", "holds"], above: [] },
});

test("what fresh cells, and the generator, leave of a rate", () => {
  const rows: [Course, unknown[]][] = [
    [{}, [true, 6, 0, true]],
    [{ at: ["holds", "fails", "holds"] }, [false, 5, 1, true]],
    [{ above: ["fails", "holds", "fails"] }, [false, 5, 1, false]],
    [{ at: [], above: ["fails", "fails"] }, [false, 2, 0, true]],
    [atLeast(200), [false, 0, 0, false]],
  ];
  for (const [course, expected] of rows)
    assert.deepEqual(told(figureOf(searched(course), "nginx")), expected, JSON.stringify(course));
  const limited = figureOf(searched(atLeast(200)), "nginx").extra.search?.points.at(1);
  assert.deepEqual([limited?.verdict, limited?.limits], ["limited", ["generator"]]);
});

test("of a proxy that carried no rate the lowest that failed is given", () => {
  const { estimate, missing } = figureOf(
    searched({ search: steps("-100 -50"), at: [], above: [] }),
    "nginx",
  );
  assert.deepEqual([estimate, missing], [null, [{ kind: "none-passed", rate: 50 }]]);
});

const ranks = (course: Course) =>
  searched(course).figures.map(({ proxy, rank, tied }) => [proxy, rank, tied]);

test("two equal proxies tie, whichever the search went further for; one that carries less does not", () => {
  const others = {
    // A step of the search lower, as the knee is not sharp.
    "nginx-copy": { search: steps("+200 -400 -400 +283 -336 +308 -322") },
    relay: { search: steps("+100 -200 -200 +141 -168 +154 +161") },
  };
  assert.deepEqual(ranks({ others }), [
    ["none", null, []],
    ["nginx", 1, ["nginx-copy"]],
    ["nginx-copy", 1, ["nginx"]],
    ["relay", 3, []],
  ]);
});

const UNCONFIRMED = { at: steps("+1 -1 +1").map(([, verdict]) => verdict) };

test("without confirmation no rank, and none beside one that may carry as much", () => {
  const less = { ...UNCONFIRMED, search: steps("+50 -100 -100 +70.7 -84.1") };
  const rows: [Course, (number | null)[]][] = [
    [{ others: { little: atLeast(20) } }, [null, null]],
    [{ others: { other: UNCONFIRMED } }, [null, null]],
    [{ others: { less } }, [1, null]],
    [{ ...UNCONFIRMED, others: { less } }, [null, null]],
    [
      {
        ...UNCONFIRMED,
        others: { more: { search: steps("+800 -1600 -1600 +1130 -1340 +1240 +1300") } },
      },
      [null, 1],
    ],
    [{}, [null]],
  ];
  for (const [course, expected] of rows)
    assert.deepEqual(
      searched(course)
        .figures.slice(1)
        .map(({ rank }) => rank),
      expected,
      JSON.stringify(course),
    );
});

test("a figure that is not confirmed is a bracket", () => {
  const basis = (course: Course) => figureOf(searched(course), "nginx").estimate?.basis;
  assert.deepEqual([basis({}), basis(UNCONFIRMED)], ["ci95", "bracket"]);
});

test("what rests on fewer than 299 latencies is not judged, in older records too", () => {
  const run = capacityResults({ others: { other: {} } });
  for (const record of run.cells.filter(({ proxy }) => proxy === "nginx"))
    for (const each of [record, ...(record.probes ?? [])])
      each.handshakeMs = each.handshakeMs && { ...each.handshakeMs, count: 50 };
  const { estimate, missing, extra } = figureOf(look(run).find("capacity"), "nginx");
  assert.deepEqual([estimate, missing], [null, [{ kind: "few-samples", least: 299 }]]);
  assert.ok(extra.search?.points.every(({ limits }) => limits.includes("samples")));
});

test("a search that failed says why", () => {
  const run = capacityResults();
  const [search] = run.cells;
  const cause = { kind: "start" as const, message: "no" };
  run.cells = [{ ...search, probes: undefined, status: "failed", cause }];
  assert.deepEqual(
    look(run)
      .find("capacity")
      .figures.map(({ estimate, missing }) => [estimate, missing]),
    [
      [null, [{ kind: "skipped", why: "it has not run" }]],
      [null, [{ kind: "skipped", why: "no" }]],
    ],
  );
});

test("cells of a search are in no other comparison, and other runs have none", () => {
  const { all, run } = look(capacityResults());
  assert.deepEqual([all.length, run.cells, run.settings], [1, [], []]);
  assert.ok(look(results({ rounds: 1 })).all.every(({ question }) => question !== "capacity"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "../model/comparison.ts";
import { figureOf, look } from "./testing/look.ts";
import { capacityResults, steps } from "./testing/capacities.ts";
import { results } from "./testing/results.ts";

type Course = NonNullable<Parameters<typeof capacityResults>[0]>;

const searched = (course?: Course) => look(capacityResults(course)).find("capacity");
const ends = ({ estimate, extra }: Figure) => [
  extra.search?.confirmed,
  estimate?.low,
  estimate?.high,
];
/** The generator is at its limit at twice that rate. */
const atLeast = (rate: number): Course => ({
  ...{ search: steps(`+${rate} ?${2 * rate}`), at: ["holds", "holds", "holds"], above: [] },
});

test("what fresh cells, and the generator, leave of a rate", () => {
  const rows: [Course, unknown[]][] = [
    [{ at: ["holds", "fails", "holds"] }, [false, 308, 336]],
    [{ above: ["fails", "holds", "fails"] }, [false, 322, 400]],
    [atLeast(200), [false, 200, null]],
  ];
  for (const [course, expected] of rows)
    assert.deepEqual(ends(figureOf(searched(course), "nginx")), expected);
  const limited = figureOf(searched(atLeast(200)), "nginx").extra.search?.points.at(1);
  assert.deepEqual([limited?.verdict, limited?.limits], ["limited", ["generator"]]);
});

test("of a proxy that carried no rate the lowest that failed is told", () => {
  const { estimate, missing } = figureOf(searched({ search: steps("-100 -50"), at: [] }), "nginx");
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

test("known to carry no more than at least little: no rank, and no tie; at least what the best carries: ranked", () => {
  assert.deepEqual(ranks({ others: { little: atLeast(20), much: atLeast(800) } }), [
    ["none", null, []],
    ["nginx", 2, []],
    ["little", null, []],
    ["much", 1, []],
  ]);
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

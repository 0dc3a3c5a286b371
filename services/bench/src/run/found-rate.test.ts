import assert from "node:assert/strict";
import { test } from "node:test";
import { cellRecord, plannedCell } from "../analyse/testing/results.ts";
import { SCENARIOS } from "../plan/testing/scenarios.ts";
import { withFoundRate } from "./found-rate.ts";
import type { CellRecord, Probe } from "../model/cell.ts";
import type { Plan } from "../model/plan.ts";

const PARAMETERS = { CONNECTIONS_PER_SECOND: 25, ARRIVE_SECONDS: 6 };
const ABOUT = { scenario: "arrivals", parameters: PARAMETERS };
const SEARCH = plannedCell({
  ...{ ...ABOUT, id: "search" },
  capacity: { part: "search", lowest: 1, highest: 1e5 },
});
const PLAN = { scenarios: SCENARIOS, referenceShare: 0 } as Plan;

/** @param search what is recorded of it */
function fresh(factor: number, search: Partial<CellRecord>) {
  const cell = plannedCell({
    ...{ ...ABOUT, id: "fresh" },
    capacity: { part: "fresh", search: "search", factor },
  });
  return withFoundRate(cell, {
    plan: PLAN,
    cells: [{ ...cellRecord(), id: "search", ...search }],
  });
}

function probes(tries: [number, Probe["verdict"]][]) {
  return tries.map(([rate, verdict]) => ({ rate, verdict }) as Probe);
}

function rate(found: ReturnType<typeof fresh>) {
  assert.ok(found !== null && typeof found === "object");
  return found.parameters.CONNECTIONS_PER_SECOND;
}

test("a fresh cell runs at the rate that the search found, or above it", () => {
  const search = {
    probes: probes([
      [200, "holds"],
      [400, "fails"],
      [400, "fails"],
      [322, "holds"],
      [336, "fails"],
    ]),
  };
  const [at, above] = [rate(fresh(1, search)), rate(fresh(1.1, search))];
  assert.ok(at > 210 && at < 322 && above > 336 && above < 520, `${at} and ${above}`);
});

test("a fresh cell lasts until it has 1,000 samples, or a minute", () => {
  for (const [held, seconds] of [
    [5000, 6],
    [100, [10, 15]],
    [8, 60],
    [5, 80],
  ] as const) {
    const found = fresh(1, { probes: probes([[held, "holds"]]) });
    assert.ok(found !== null && typeof found === "object");
    const [least, most] = [seconds].flat();
    const { ARRIVE_SECONDS: own } = found.parameters;
    assert.ok(own >= least && own <= (most ?? least), `${own} s at ${held}`);
  }
});

test("a cell without a part in a search, or the search itself, stays as it is", () => {
  const other = plannedCell();
  assert.equal(withFoundRate(other, { plan: PLAN, cells: [] }), other);
  assert.equal(withFoundRate(SEARCH, { plan: PLAN, cells: [] }), SEARCH);
});

test("what there is nothing to run for says why", () => {
  assert.equal(
    fresh(1, { status: "skipped", cause: { kind: "skipped", message: "no TLS" } }),
    "no TLS",
  );
  assert.match(String(fresh(1, { probes: probes([[1, "fails"]]) })), /found no rate/);
  const limited = {
    probes: probes([
      [200, "holds"],
      [400, "limited"],
    ]),
  };
  assert.equal(rate(fresh(1, limited)), 200);
  assert.match(String(fresh(1.1, limited)), /at their limit/);
});

test("a search that failed, or has not run, may run yet", () => {
  assert.equal(fresh(1, { status: "failed" }), null);
  assert.equal(fresh(1, { id: "another" }), null);
});

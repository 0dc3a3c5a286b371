import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cellRecord, plannedCell, results } from "../analyse/testing/results.ts";
import { Store } from "../record/store.ts";
import { share } from "./loads.ts";
import { runCells } from "./sequence.ts";
import type { CellRecord } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { RunEvent } from "../model/run-event.ts";
import type { TestContext } from "node:test";

test("load containers share the connections, none is lost", () => {
  const parameters = { CONNECTIONS: 10, CONCURRENCY: 7, MESSAGES: 3 };
  const names = { connections: "CONNECTIONS", concurrency: "CONCURRENCY" };
  const shares = [0, 1, 2].map((index) => share(parameters, names, index, 3));
  assert.deepEqual(
    shares.map(({ CONNECTIONS, CONCURRENCY, MESSAGES }) => [CONNECTIONS, CONCURRENCY, MESSAGES]),
    [
      [4, 3, 3],
      [3, 2, 3],
      [3, 2, 3],
    ],
  );
});

/**
 * Runs three cells, a, b and c, of which an attempt ends as `ends` says.
 *
 * @param ends of the attempts at each cell, in turn; beyond them: ok
 * @param options capacity: of cell b
 */
function bedOf(
  t: TestContext,
  ends: Record<string, ("ok" | "spoiled" | "failed" | "killed")[]>,
  { keepGoing = true, capacity }: { keepGoing?: boolean; capacity?: PlannedCell["capacity"] } = {},
) {
  const parent = mkdtempSync(join(tmpdir(), "sequence-"));
  t.after(() => rmSync(parent, { recursive: true }));
  const { plan, environment, proxies } = results({ rounds: 1 });
  const cells = ["a", "b", "c"].map((id) => plannedCell({ id, ...(id === "b" && { capacity }) }));
  const about = { environment, proxies, command: "" };
  let store = Store.create(parent, "run", { plan: { ...plan, cells }, ...about });
  const events: RunEvent[] = [];
  const order: string[] = [];
  const context = {
    signal: new AbortController().signal,
    tell: (event: RunEvent) => events.push(event),
    loadCores: 2,
  } as any;
  const measure = async (cell: PlannedCell, attempt: number) => {
    const end = ends[cell.id]?.shift() ?? "ok";
    if (end === "killed") throw new Error("killed");
    order.push(`${cell.id}${attempt}`);
    const record = { ...cellRecord(cell), attempt };
    if (record.machine && end === "spoiled") record.machine.stealSeconds = 4;
    if (end !== "failed") return record;
    const cause = { kind: "load" as const, message: "" };
    return { ...record, status: "failed", cause } as CellRecord;
  };
  return {
    events,
    order,
    run: () => runCells(store, context, { keepGoing, remaining: () => 0, measure }),
    reopen: () => (store = Store.open(store.directory)),
  };
}

test("a cell that others spoiled is run again when all others have been, and once more after that", async (t) => {
  const bed = bedOf(t, { a: ["spoiled", "spoiled", "spoiled"], b: ["spoiled"] });
  assert.deepEqual(await bed.run(), { failed: 0, untried: 0 });
  assert.deepEqual(bed.order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  const repeats = bed.events.flatMap((event) => (event.type === "cell-end" ? [event.repeat] : []));
  const later = { why: "disturbed", isAtOnce: false };
  assert.deepEqual(repeats, [later, later, null, later, null, null]);
});

test("a cell that failed is run again at once", async (t) => {
  const bed = bedOf(t, { a: ["failed"], b: ["failed", "failed"], c: ["spoiled", "failed"] });
  assert.deepEqual(await bed.run(), { failed: 1, untried: 0 });
  assert.deepEqual(bed.order, ["a1", "a2", "b1", "b2", "c1", "c2", "c3"]);
});

test("a search that others spoiled is run again at once, and once", async (t) => {
  const capacity = { part: "search" as const, lowest: 1, highest: 1e5 };
  const bed = bedOf(t, { b: ["spoiled", "spoiled"] }, { capacity });
  assert.deepEqual(await bed.run(), { failed: 0, untried: 0 });
  assert.deepEqual(bed.order, ["a1", "b1", "b2", "c1"]);
});

test("a run that ends with a failed cell says that spoiled ones are to be run again", async (t) => {
  const bed = bedOf(t, { a: ["spoiled"], c: ["failed", "failed"] }, { keepGoing: false });
  assert.deepEqual(await bed.run(), { failed: 1, untried: 1 });
});

test("what was to be run again is, when the run is resumed", async (t) => {
  const bed = bedOf(t, { a: ["spoiled", "killed"] });
  await assert.rejects(bed.run(), /killed/);
  bed.reopen();
  assert.deepEqual(await bed.run(), { failed: 0, untried: 0 });
  assert.deepEqual(bed.order, ["a1", "b1", "c1", "a2"]);
});

test("a run that came to its end with a spoiled cell gives it two more when it is resumed", async (t) => {
  const bed = bedOf(t, { a: Array.from({ length: 9 }, () => "spoiled" as const) });
  await bed.run();
  bed.order.length = 0;
  bed.reopen();
  assert.deepEqual(await bed.run(), { failed: 0, untried: 0 });
  assert.deepEqual(bed.order, ["a4", "a5"]);
});

test("cells that run at once all begin before one ends, each with a context of its own", async (t) => {
  const parent = mkdtempSync(join(tmpdir(), "sequence-"));
  t.after(() => rmSync(parent, { recursive: true }));
  const { plan, environment, proxies } = results({ rounds: 1 });
  const cells = [1, 2].flatMap((round) =>
    ["nginx", "haproxy"].map((proxy) => plannedCell({ id: `r${round}-${proxy}`, round, proxy })),
  );
  const beside = { ...plan, sideBySide: true as const, cells };
  const store = Store.create(parent, "run", { plan: beside, environment, proxies, command: "" });
  const context = { signal: new AbortController().signal, tell: () => {} } as any;
  const order: string[] = [];
  const outcome = await runCells(store, context, {
    keepGoing: false,
    remaining: () => 0,
    contextOf: ({ proxy }) => ({ ...context, project: `p-${proxy}` }),
    measure: async (cell, attempt, { project }) => {
      order.push(`${cell.id} in ${project}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${cell.id} ends`);
      const isLost = cell.id === "r1-haproxy";
      const cause = { kind: "load" as const, message: "" };
      return {
        ...cellRecord(cell),
        attempt,
        ...(isLost && { status: "failed", cause }),
      } as CellRecord;
    },
  });
  assert.deepEqual(order, [
    ...["r1-nginx in p-nginx", "r1-haproxy in p-haproxy", "r1-nginx ends", "r1-haproxy ends"],
    ...["r1-haproxy in p-haproxy", "r1-haproxy ends"],
  ]);
  assert.deepEqual(outcome, { failed: 1, untried: 2 });
  assert.equal(store.results.cells.length, 3);
});

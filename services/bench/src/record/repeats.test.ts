import assert from "node:assert/strict";
import { test } from "node:test";
import { cellRecord, plannedCell, results } from "../analyse/testing/results.ts";
import { cellsToRepeat, repeatReason } from "./repeats.ts";
import type { CellRecord } from "../model/cell.ts";
import type { MachineUsage } from "../model/environment.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";

const LASTED = { fromMs: 0, toMs: 5000 };
const CALM = { cores: 2, busySeconds: 9, stealSeconds: 0, foreignSeconds: 0, benchSeconds: 0 };

function ended(machine: Partial<MachineUsage> = {}, cell: Partial<PlannedCell> = {}): CellRecord {
  return { ...cellRecord(cell), measured: LASTED, machine: { ...CALM, ...machine } };
}

const SPOILED = { stealSeconds: 1.1 };

test("a cell that failed is repeated, unless the engine is lost", () => {
  const failed = (kind: "load" | "engine") =>
    repeatReason({ ...ended(), status: "failed", cause: { kind, message: "" } }, []);
  assert.deepEqual([failed("load"), failed("engine")], ["failed", null]);
  const cause = { kind: "skipped" as const, message: "" };
  assert.equal(repeatReason({ ...ended(SPOILED), status: "skipped", cause }, []), null);
});

test("a cell is repeated when others took too much of the machine", () => {
  const why = (taken: Partial<MachineUsage>) => repeatReason(ended(taken), []);
  assert.equal(why({}), null);
  assert.equal(why({ foreignSeconds: 1.9, stealSeconds: 0.9 }), null);
  assert.equal(why({ foreignSeconds: 2.1 }), "disturbed");
  assert.equal(why({ stealSeconds: 1.1 }), "disturbed");
  assert.equal(repeatReason({ ...ended(), machine: null }, []), null);
});

test("a cell is repeated when the machine was far from as fast as in the cells of its setting before it", () => {
  /** @param cpuSeconds of the reference proxy */
  const at = (cpuSeconds: number, other?: Partial<CellRecord>): CellRecord => ({
    ...ended(),
    reference: { connections: 100, messages: 100, requests: 0 },
    containers: {
      reference: {
        ...{ role: "reference", image: "nginx", memory: null, network: null, sockets: null },
        cpu: { userSeconds: 0, systemSeconds: 0, totalSeconds: cpuSeconds, throttledSeconds: 0 },
      },
    },
    ...other,
  });
  const earlier = [0.02, 0.021, 0.019].map((seconds) => at(seconds));
  for (const usual of [0.0245, 0.0155]) assert.equal(repeatReason(at(usual), earlier), null);
  for (const off of [0.0255, 0.0145]) assert.equal(repeatReason(at(off), earlier), "off index");
  const stands = (before: CellRecord[], record: CellRecord) =>
    repeatReason(record, before) === null;
  assert.ok(stands(earlier.slice(1), at(0.0255)), "two cells are no measure of the rest");
  const wss = earlier.map((record) => ({ ...record, scheme: "wss" as const }));
  assert.ok(stands(wss, at(0.0255)), "another setting has another index");
  const few = { connections: 20, messages: 20, requests: 0 };
  assert.ok(stands(earlier, at(0.0255, { reference: few })), "20 connections tell nothing");
});

/**
 * @param cells attempts at `CELL`
 * @param changes of the plan
 * @param before attempts recorded when the run was started or resumed
 */
function waiting(
  cells: CellRecord[],
  cell: Partial<PlannedCell> = {},
  changes: Pick<Plan, "sideBySide"> = {},
  before?: number,
) {
  const { plan } = results({ rounds: 1 });
  const planned = { ...plannedCell(), ...cell };
  const run = { plan: { ...plan, ...changes, cells: [planned] }, cells };
  return cellsToRepeat(run, before).length > 0;
}

test("a spoiled cell waits until it has come to three ends, or failed", () => {
  const begun = (cells: CellRecord[]) => waiting(cells, {}, {}, 0);
  const failed = { ...ended(SPOILED), status: "failed" as const };
  assert.ok(!begun([]));
  assert.ok(!begun([ended()]));
  assert.ok(begun([ended(SPOILED)]));
  assert.ok(begun([ended(SPOILED), ended(SPOILED)]));
  assert.ok(!begun([ended(SPOILED), ended()]), "the last attempt counts");
  assert.ok(!begun([ended(SPOILED), ended(SPOILED), ended(SPOILED)]));
  assert.ok(begun([failed, failed, ended(SPOILED), ended(SPOILED)]), "those are another count");
  assert.ok(!begun([ended(SPOILED), failed]));
});

test("of a run that is resumed a spoiled cell has two more", () => {
  const resumed = (cells: CellRecord[]) => waiting(cells, {}, {}, 3);
  const spoiled = (times: number) => Array.from({ length: times }, () => ended(SPOILED));
  assert.deepEqual(
    [3, 4, 5].map((times) => resumed(spoiled(times))),
    [true, true, false],
  );
  assert.ok(!resumed([...spoiled(3), ended()]));
  assert.ok(waiting(spoiled(9)), "it could be resumed now");
});

test("an hour in which only growth is asked is not run again", () => {
  const parameters = { CONNECTIONS: 100, MESSAGES_PER_SECOND: 100, STEADY_SECONDS: 120 };
  assert.ok(!waiting([ended(SPOILED)], { scenario: "steady", parameters }));
  const short = { ...parameters, STEADY_SECONDS: 119 };
  assert.ok(waiting([ended(SPOILED)], { scenario: "steady", parameters: short }));
});

test("proxies side by side are others to each other, and none of them is run again for that", () => {
  assert.ok(!waiting([ended(SPOILED)], {}, { sideBySide: true }));
});

test("a search does not wait: others wait for it", () => {
  const capacity = { part: "search" as const, lowest: 1, highest: 1e5 };
  assert.ok(!waiting([ended(SPOILED)], { capacity }));
});

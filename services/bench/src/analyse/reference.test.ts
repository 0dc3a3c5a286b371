import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellRecord } from "../model/cell.ts";
import type { Results } from "../model/record.ts";
import { compareRuns } from "./compare-runs.ts";
import { measuresOf } from "./measures.ts";
import { figureOf, look, near } from "./testing/look.ts";
import { containerRecord, POLICY, results } from "./testing/results.ts";

const CPU = "cpu_us_per_connection";
/** What a connection costs the reference proxy on a machine of speed 1, in µs. */
const INDEX_US = 250;

/** A run in which all CPU time of a cell costs this factor more. */
function onMachineOf(
  slownessOf: (record: CellRecord, i: number) => number,
  hasReference: (record: CellRecord) => boolean = () => true,
  name = "now",
) {
  const all = results({ schemes: ["ws"] });
  all.run.name = name;
  for (const [i, record] of all.cells.entries()) {
    const slowness = slownessOf(record, i);
    const { cpu } = record.containers[record.proxy];
    for (const part of ["userSeconds", "systemSeconds", "totalSeconds"] as const)
      cpu[part] *= slowness;
    if (!hasReference(record)) continue;
    const cpuSeconds = (slowness * INDEX_US * 200) / 1e6;
    record.reference = { connections: 200, messages: 200, requests: 0 };
    record.containers.reference = containerRecord({ role: "reference", cpuSeconds });
    if (record.proxy !== "none")
      record.echoWorkers?.push({ connections: 200, messages: 200, refused: 0 });
  }
  return all;
}

/** Up to a fifth slower or faster, another in every cell. */
const varying = (_: CellRecord, i: number) => 1 + 0.2 * Math.sin(7 * i);

test("what slows the machine for all alike is taken off: ratios, ranks and spread are those of a steady machine", () => {
  const { find, cells } = look(onMachineOf(varying));
  const steady = look(onMachineOf(() => 1)).find(CPU);
  for (const { proxy, rank, toBest, extra } of find(CPU).figures) {
    const same = figureOf(steady, proxy);
    assert.equal(rank, same.rank);
    if (toBest) near(toBest.value, same.toBest?.value ?? NaN);
    if (proxy === "none") continue;
    assert.ok((extra.spread?.rawPercent ?? 0) > 8, `${proxy} as measured`);
    assert.ok((extra.spread?.heldPercent ?? 9) < 3, `${proxy} against the reference`);
    near(extra.toReference, same.extra.toReference ?? NaN);
  }
  assert.ok(cells.every(({ counted }) => counted));
});

test("the µs are the ratio times the median index, and the record keeps what was measured", () => {
  const { cells } = look(onMachineOf(varying));
  const indices = cells
    .filter(({ record }) => record.proxy !== "none")
    .map(({ measures }) => measures.reference_cpu_us_per_connection)
    .sort((a, b) => a - b);
  const medianUs = (indices[8] + indices[9]) / 2;
  assert.ok(indices[0] < 0.85 * INDEX_US && indices[17] > 1.15 * INDEX_US);
  for (const { record, workload, measures } of cells) {
    const raw = measuresOf(record, workload);
    const ratio = raw[CPU] / raw.reference_cpu_us_per_connection;
    near(raw.cpu_per_connection_to_reference, ratio);
    if (record.proxy !== "none") near(measures[CPU], ratio * medianUs);
  }
});

for (const [how, change] of [
  ["beside the proxy", (run) => delete run.plan.scenarios["short-lived"].referenceTurns],
  ["of several load containers", (run) => run.plan.cells.forEach((cell) => (cell.loads = 2))],
] as [string, (run: Results) => void][])
  test(`with a reference ${how}, CPU time is ranked as measured, and held beside it`, () => {
    const run = onMachineOf(varying);
    run.plan.scenarios = structuredClone(run.plan.scenarios);
    change(run);
    const { find, cells } = look(run);
    for (const { record, workload, measures } of cells)
      assert.equal(measures[CPU], measuresOf(record, workload)[CPU]);
    const { estimate, extra } = figureOf(find(CPU), "nginx");
    assert.equal(extra.spread?.rawUs, estimate?.value);
    assert.ok(extra.toReference);
  });

test("where one cell that counts has no reference, none is relative to it", () => {
  const { find, cells } = look(
    onMachineOf(varying, ({ proxy, round }) => proxy !== "nginx" || round !== 3),
  );
  const { rounds, extra } = figureOf(find(CPU), "nginx");
  assert.equal(extra.toReference, undefined);
  const nginx = cells.filter(({ record }) => record.proxy === "nginx");
  assert.deepEqual(
    rounds,
    nginx.map(({ record, workload }) => measuresOf(record, workload)[CPU]),
  );
});

test("two runs on machines of different speed are compared by what they cost against the reference", () => {
  const run = onMachineOf((record, i) => 2 * varying(record, i));
  const { rows } = compareRuns(run, onMachineOf(varying, undefined, "before"), POLICY);
  const cpu = rows.filter(({ measure }) => /^cpu_/.test(measure));
  assert.ok(cpu.length > 0);
  for (const { measure, differs } of cpu)
    assert.ok(measure.endsWith("_to_reference") && differs === "no difference");
  const old = onMachineOf(varying, () => false, "before");
  const other = compareRuns(run, old, POLICY).rows;
  assert.ok(other.some(({ measure }) => measure === CPU));
});

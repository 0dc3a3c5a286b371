import assert from "node:assert/strict";
import { test } from "node:test";
import { measuresOf } from "./measures.js";
import { compareRuns } from "./compare-runs.js";
import { analyse } from "./index.js";
import { containerRecord, POLICY, results } from "./testing/results.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Results } from "../model/record.ts" */

const policy = /** @type {any} */ (POLICY);

/** What a connection costs the reference proxy on a machine of speed 1, in µs. */
const INDEX_US = 250;

/**
 * @param {(record: CellRecord, i: number) => number} slownessOf of the machine in that cell; 1: as usual
 * @param {(record: CellRecord) => boolean} [hasReference]
 * @returns {Results} in which all CPU time of a cell is so much dearer
 */
function onMachineOf(slownessOf, hasReference = () => true) {
  const all = results({ schemes: ["ws"] });
  all.cells = all.cells.map((record, i) => {
    const slowness = slownessOf(record, i);
    const containers = Object.fromEntries(
      Object.entries(record.containers).map(([name, container]) => [
        name,
        container.role === "proxy"
          ? { ...container, cpu: times(container.cpu, slowness) }
          : container,
      ]),
    );
    if (!hasReference(record)) return { ...record, containers };
    const cpuSeconds = (slowness * INDEX_US * 200) / 1e6;
    return {
      ...record,
      reference: { connections: 200, messages: 200, requests: 0 },
      containers: { ...containers, reference: containerRecord({ role: "reference", cpuSeconds }) },
      echoWorkers:
        record.proxy === "none" || !record.echoWorkers
          ? record.echoWorkers
          : [...record.echoWorkers.slice(1), { connections: 1200, messages: 1200, refused: 0 }],
    };
  });
  return all;
}

/**
 * @param {CellRecord["containers"][string]["cpu"]} cpu
 * @param {number} factor
 */
function times({ userSeconds, systemSeconds, totalSeconds, throttledSeconds }, factor) {
  return {
    userSeconds: factor * userSeconds,
    systemSeconds: factor * systemSeconds,
    totalSeconds: factor * totalSeconds,
    throttledSeconds,
  };
}

/** Up to a fifth slower or faster, another in every cell. @param {CellRecord} record @param {number} i */
const varying = (record, i) => 1 + 0.2 * Math.sin(7 * i);

/** @param {Results} all */
function cpuOf(all) {
  const analysis = analyse(all, { policy });
  const [{ comparisons }] = analysis.settings;
  const cpu = comparisons.find(({ measure }) => measure === "cpu_us_per_connection");
  assert.ok(cpu);
  return { analysis, cpu };
}

test("what slows the machine for all alike is taken off: ratios, ranks and spread are those of a steady machine", () => {
  const steady = cpuOf(onMachineOf(() => 1));
  const { analysis, cpu } = cpuOf(onMachineOf(varying));
  const [index, ...others] = analysis.machineIndices;
  assert.deepEqual(others, [], "one message a connection: a message has no index of its own");
  assert.equal(index.measure, "cpu_us_per_connection");
  assert.ok(index.rangeUs[0] < 0.85 * INDEX_US && index.rangeUs[1] > 1.15 * INDEX_US);
  for (const { proxy, rawPercent, heldPercent } of index.proxies) {
    assert.ok((rawPercent ?? 0) > 8, `${proxy} as measured`);
    assert.ok((heldPercent ?? 9) < 3, `${proxy} against the reference`);
  }
  for (const [i, row] of cpu.rows.entries()) {
    const same = steady.cpu.rows[i];
    assert.deepEqual([row.proxy, row.rank], [same.proxy, same.rank]);
    if (row.toBest && same.toBest)
      assert.ok(Math.abs(row.toBest.value - same.toBest.value) < 1e-9, row.proxy);
  }
  assert.ok(analysis.cells.every(({ counted }) => counted));
});

test("the µs are the ratio times the median index, and the record keeps what was measured", () => {
  const all = onMachineOf(varying);
  const { analysis } = cpuOf(all);
  const [{ medianUs }] = analysis.machineIndices;
  const cell = analysis.cells.find(({ record }) => record.proxy === "haproxy");
  assert.ok(cell);
  const raw = measuresOf(cell.record, cell.workload);
  const expected = (raw.cpu_us_per_connection / raw.reference_cpu_us_per_connection) * medianUs;
  assert.ok(Math.abs(cell.measures.cpu_us_per_connection - expected) < 1e-9);
  assert.ok(
    Math.abs(
      raw.cpu_per_connection_to_reference * raw.reference_cpu_us_per_connection -
        raw.cpu_us_per_connection,
    ) < 1e-9,
  );
});

test("where one cell that counts has no reference, none is held against it", () => {
  const { analysis, cpu } = cpuOf(
    onMachineOf(varying, ({ proxy, round }) => proxy !== "nginx" || round !== 3),
  );
  assert.deepEqual(analysis.machineIndices, []);
  const raw = analysis.cells
    .filter(({ record }) => record.proxy === "nginx")
    .map(({ record, workload }) => measuresOf(record, workload).cpu_us_per_connection);
  assert.deepEqual(cpu.rows.find(({ proxy }) => proxy === "nginx")?.values, raw);
});

test("a cell in which the machine was far from its usual speed is marked", () => {
  const { analysis } = cpuOf(
    onMachineOf(({ proxy, round }) => (proxy === "nginx" && round === 2 ? 1.4 : 1)),
  );
  const found = analysis.cells.filter(({ findings }) =>
    findings.some(({ gate }) => gate === "machine-index"),
  );
  assert.deepEqual(
    found.map(({ record }) => [record.proxy, record.round]),
    [["nginx", 2]],
  );
  const [{ figures }] = found[0].findings.filter(({ gate }) => gate === "machine-index");
  assert.ok("percent" in figures && Math.abs(figures.percent - 40) < 1e-9);
});

test("two runs on machines of different speed are compared by what they cost against the reference", () => {
  const run = onMachineOf((record, i) => 2 * varying(record, i));
  const baseline = onMachineOf(varying);
  const { rows } = compareRuns(run, { ...baseline, run: { ...baseline.run, name: "b" } }, policy);
  const cpu = rows.filter(({ measure }) => /^cpu_/.test(measure));
  assert.ok(cpu.length > 0);
  assert.ok(cpu.every(({ measure }) => measure.endsWith("_to_reference")));
  assert.ok(cpu.every(({ differs }) => differs === "no difference"));
  const old = onMachineOf(varying, () => false);
  const other = compareRuns(run, { ...old, run: { ...old.run, name: "b" } }, policy).rows;
  assert.ok(other.some(({ measure }) => measure === "cpu_us_per_connection"));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, noiseFloorOf } from "./index.js";
import { recorded } from "./testing/recorded.js";
import { POLICY, results, selfResults } from "./testing/results.js";

/** @import { CellRecord } from "../model/cell.ts" */

const policy = /** @type {any} */ (POLICY);

test("only the last attempt of a cell counts, and only when it is good", () => {
  const run = results({
    schemes: ["ws"],
    rounds: 6,
    change: (record, { proxy, round }) => {
      if (proxy !== "nginx" || round > 3) return [record];
      const cause = { kind: /** @type {const} */ ("load"), message: "k6 ended with status 99" };
      const failed = { ...record, status: /** @type {const} */ ("failed"), cause };
      if (round === 3) return [record, { ...failed, attempt: 2 }];
      return round === 1
        ? [failed, { ...record, attempt: 2 }]
        : [failed, { ...failed, attempt: 2 }];
    },
  });
  const { cells } = analyse(run, { policy });
  const nginx = cells.filter(({ record }) => record.proxy === "nginx");
  assert.deepEqual(
    nginx.map(({ record, counted }) => [record.round, record.attempt, counted]).slice(0, 7),
    [
      [1, 1, false],
      [1, 2, true],
      [2, 1, false],
      [2, 2, false],
      [3, 1, false],
      [3, 2, false],
      [4, 1, true],
    ],
  );
});

test("a proxy that leaves the cipher of TLS 1.3 to the client is named where TLS was measured", () => {
  const findings = (/** @type {("ws" | "wss")[]} */ ...schemes) => {
    const run = results({ schemes });
    for (const proxy of run.proxies) if (proxy.name === "haproxy") proxy.choosesTls13Cipher = false;
    return analyse(run, { policy }).findings.filter(({ gate }) => gate === "client-chooses-cipher");
  };
  assert.deepEqual(findings("ws", "wss"), [
    { gate: "client-chooses-cipher", severity: "note", figures: { proxies: ["haproxy"] } },
  ]);
  assert.deepEqual(findings("ws"), []);
});

test("a variant that was measured is named, with what differs from its original", () => {
  const run = results({ schemes: ["ws"] });
  const variantOf = { proxy: "nginx", differs: "a larger buffer" };
  for (const proxy of run.proxies) if (proxy.name === "haproxy") proxy.variantOf = variantOf;
  const found = (/** @type {typeof run} */ of) =>
    analyse(of, { policy }).findings.filter(({ gate }) => gate === "variants");
  const variants = [{ proxy: "haproxy", of: "nginx", differs: "a larger buffer" }];
  assert.deepEqual(found(run), [{ gate: "variants", severity: "note", figures: { variants } }]);
  const without = run.cells.filter(({ proxy }) => proxy !== "haproxy");
  assert.deepEqual(found({ ...run, cells: without }), []);
});

test("what is invalid is not counted, what is weak is", () => {
  const run = results({
    schemes: ["wss"],
    change: (record, { proxy, round }) => {
      if (proxy === "nginx" && record.tls) record.tls.cipher = "TLS_AES_256_GCM_SHA384";
      if (proxy === "haproxy" && round === 1 && record.machine)
        record.machine.stealSeconds = 0.04 * 2 * (record.totalSeconds ?? 0);
      return [record];
    },
  });
  const { cells, findings, settings } = analyse(run, { policy });
  assert.ok(
    cells.filter(({ record }) => record.proxy === "nginx").every(({ counted }) => !counted),
  );
  assert.ok(
    cells.filter(({ record }) => record.proxy === "haproxy").every(({ counted }) => counted),
  );
  const row = settings[0].comparisons[0].rows.find(({ proxy }) => proxy === "nginx");
  assert.deepEqual([row?.values, row?.median, row?.rank], [[], null, null]);
  const [missing] = row?.missing ?? [];
  assert.ok(missing?.kind === "invalid" && missing.finding.gate === "tls");
  assert.deepEqual(
    [missing.finding.figures.what, missing.finding.figures.found],
    ["cipher", "TLS_AES_256_GCM_SHA384"],
  );
  const told = findings.map(({ gate, severity, cells }) => [gate, severity, cells]);
  assert.deepEqual(told.slice(0, 2), [
    ["tls", "invalid", { affected: 6, all: 24, first: "r1-nginx-short-lived-wss-2000" }],
    ["steal", "weak", { affected: 1, all: 24, first: "r1-haproxy-short-lived-wss-2000" }],
  ]);
  const steal = findings.find(({ gate }) => gate === "steal");
  assert.ok(steal?.gate === "steal" && Math.abs(steal.figures.percent - 4) < 0.01);
});

test("engines of one machine share its cores, are told as one, and its time is counted once", () => {
  // The proxy's machine is front, the load's back.
  const over = (/** @type {boolean} */ isOne) =>
    results({
      change: (record) => {
        assert.ok(record.machine);
        const containers = Object.entries(record.containers).map(([name, container]) => [
          name,
          { ...container, machine: container.role === "load" ? "back" : "front" },
        ]);
        const usage = (/** @type {string} */ other) => ({
          ...record.machine,
          ...(isOne && { sameMachineAs: [other] }),
        });
        const machines = /** @type {CellRecord["machines"]} */ ({
          back: usage("front"),
          front: usage("back"),
        });
        return [{ ...record, containers: Object.fromEntries(containers), machines }];
      },
    });
  const found = (/** @type {boolean} */ isOne) => {
    const { cells, findings } = analyse(over(isOne), { policy });
    const told = findings.filter(({ gate }) => /^(shared-cores|one-machine)$/.test(gate));
    return { told, observers: cells[0].measures.observers_cpu_percent };
  };
  const two = found(false);
  assert.deepEqual(two.told, []);
  const one = found(true);
  assert.deepEqual(one.told.map(({ gate }) => gate).sort(), ["one-machine", "shared-cores"]);
  const [note] = one.told.filter(({ gate }) => gate === "one-machine");
  assert.deepEqual(note.figures, { names: ["back", "front"] });
  assert.ok(Math.abs(one.observers / two.observers - 2) < 1e-9);
});

test("shared cores and an incomplete run are told", () => {
  const run = results({ change: (record, { round }) => (round === 6 ? [] : [record]) });
  const gates = new Map(
    analyse(run, { policy }).findings.map((finding) => [finding.gate, finding]),
  );
  assert.deepEqual(gates.get("incomplete")?.figures, { open: 8, planned: 48 });
  const shared = gates.get("shared-cores");
  assert.ok(shared?.gate === "shared-cores");
  assert.equal(shared.figures.cores, 2);
  assert.ok(shared.figures.busyPercent > 0 && shared.figures.busyPercent <= 100);
  const apart = results({ change: (record) => [{ ...record, loadCores: 1 }] });
  assert.ok(!analyse(apart, { policy }).findings.some(({ gate }) => gate === "shared-cores"));
});

test("the same record gives the same analysis", () => {
  const all = () => JSON.stringify(analyse(results({ spread: 0.3 }), { policy }));
  assert.equal(all(), all());
});

test("the noise floor is how far a proxy was from its copy", () => {
  const aa = selfResults({ copy: { cpuUsPerHandshake: 204 }, spread: 0 });
  const floor = noiseFloorOf(aa, results());
  assert.equal(floor?.proxy, "nginx");
  assert.equal(floor.run, aa.run.name);
  assert.deepEqual([floor.connections, floor.scenarios], [[2000], ["short-lived"]]);
  assert.ok(Math.abs(floor.ratios.cpu_us_per_connection - 1.02) < 1e-9);
  assert.equal(floor.ratios.total_seconds, 1);
  const faster = noiseFloorOf(
    selfResults({ copy: { cpuUsPerHandshake: 160 }, spread: 0 }),
    results(),
  );
  assert.ok(Math.abs((faster?.ratios.cpu_us_per_connection ?? 0) - 1.25) < 1e-9);
  assert.equal(noiseFloorOf(results(), results()), null);
});

test("a noise floor is of as many rounds as the run has that it is for", () => {
  // Off by a tenth one way and then the other: over all rounds together there is nothing to be seen.
  const aa = selfResults({
    rounds: 12,
    schemes: ["ws"],
    spread: 0,
    change: (record, { proxy, round }) => {
      const off = round <= 6 ? 1.1 : 1 / 1.1;
      if (proxy === "nginx-copy") record.containers[proxy].cpu.totalSeconds *= off;
      return [record];
    },
  });
  const short = noiseFloorOf(aa, results());
  assert.equal(short?.rounds, 6);
  assert.ok(Math.abs(short.ratios.cpu_us_per_connection - 1.1) < 1e-9);
  const long = noiseFloorOf(aa, results({ rounds: 20 }));
  assert.equal(long?.rounds, 12);
  assert.ok(long.ratios.cpu_us_per_connection < 1.01);
});

test("a noise floor is of the same environment, of which other proxies are no part", () => {
  const aa = selfResults({ schemes: ["ws"] });
  const other = results();
  const [before, now] = [aa.environment.identity, other.environment.identity];
  Object.assign(before, { "image of nginx": "sha256:1", "proxies/nginx": "a" });
  Object.assign(now, before, { "image of haproxy": "sha256:2", "proxies/haproxy": "b" });
  assert.ok(noiseFloorOf(aa, other));
  for (const [key, value] of [
    ["kernel", "7.0"],
    ["image of nginx", "sha256:3"],
    ["proxies/nginx", "c"],
    ["PROXY_WORKERS", "2"],
  ]) {
    const changed = structuredClone(other);
    changed.environment.identity[key] = value;
    assert.equal(noiseFloorOf(aa, changed), null, key);
  }
});

test("what a selfbench run without observers shows is no noise floor", () => {
  const aa = selfResults({ schemes: ["ws"] });
  for (const cell of aa.plan.cells) cell.observed = cell.proxy !== "nginx-copy";
  assert.equal(noiseFloorOf(aa, results()), null);
});

test("proxies by name are compared with each other alone, on the machine index of all cells", () => {
  const whole = recorded("reference");
  const { proxies } = whole.results.plan;
  const best = whole.overview?.columns[0].cells.find(({ isBest }) => isBest)?.proxy;
  const other = String(proxies.find((name) => name !== "none" && name !== best));
  const { overview, machineIndices, cells } = analyse(whole.results, { policy, proxies: [other] });
  assert.deepEqual(overview?.proxies, [other]);
  assert.deepEqual(machineIndices, whole.machineIndices);
  const measured = (/** @type {typeof cells} */ of) =>
    of
      .filter(({ record }) => record.proxy === other)
      .map(({ record, measures }) => [record.id, measures]);
  assert.ok(measured(cells).length > 0);
  assert.deepEqual(measured(cells), measured(whole.cells));
});

test("of proxies by name the best of them is ×1, whoever is better", () => {
  const [first] = analyse(results(), { policy }).overview?.columns ?? [];
  const { proxy: best } = first.cells.find(({ isBest }) => isBest) ?? {};
  const others = first.cells.map(({ proxy }) => proxy).filter((name) => name !== best);
  assert.equal(others.length, 2);
  const [column] = analyse(results(), { policy, proxies: others }).overview?.columns ?? [];
  assert.deepEqual(column.cells.map(({ proxy }) => proxy).sort(), others.sort());
  assert.equal(column.cells.filter(({ isBest }) => isBest).length, 1);
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { POLICY, results } from "../analyse/testing/results.ts";
import { compareRuns } from "../analyse/compare-runs.ts";
import { comparisonNotes, comparisonText } from "../report/compare-text.ts";
import { comparable, compareWithLatest, latestBefore, openRun } from "./compare.ts";
import { Store } from "../record/store.ts";
import type { Point, Influx } from "../platform/influx.ts";
import type { CellRecord } from "../model/cell.ts";
import type { TestContext } from "node:test";

const policy = POLICY as any;

function runOf(name: string, options?: Parameters<typeof results>[0]) {
  const run = results({ schemes: ["ws"], ...options });
  run.run = { ...run.run, name };
  return run;
}

const PROXIES = { none: { cpuUsPerHandshake: 150 }, nginx: {}, haproxy: {} };

test("with too few rounds for a test the ranges decide, and a note says so", () => {
  const before = runOf("before", { rounds: 4, proxies: PROXIES });
  const dearer = { ...PROXIES, nginx: { cpuUsPerHandshake: 100 } };
  const comparison = compareRuns(runOf("now", { rounds: 4, proxies: dearer }), before, policy);
  const row = comparison.rows.find(
    ({ cell, measure }) => cell.proxy === "nginx" && measure === "cpu_us_per_connection",
  );
  assert.equal(row?.differs, "lower");
  assert.equal(row.p, null);
  assert.equal(row.ratio?.interval, null);
  assert.ok(
    comparisonNotes(comparison).some((note) =>
      /^Too few rounds to test .* 1 in 35 does\.$/.test(note),
    ),
  );
});

test("differences of machine and plan come first", () => {
  const run = runOf("now");
  const before = runOf("before", { rounds: 8 });
  before.environment = {
    ...before.environment,
    identity: {
      ...run.environment.identity,
      CPU: "another one",
      "image of nginx": `sha256:${"a".repeat(64)}`,
    },
  };
  const comparison = compareRuns(run, before, policy);
  const found = comparison.differences.map(({ what, key }) => `${what} ${key}`);
  assert.ok(found.includes("environment CPU") && found.includes("plan rounds"), String(found));
  const lines = comparisonText(comparison, run).split("\n");
  assert.match(lines[2], /^WARNING: made under other conditions/);
  assert.ok(lines.findIndex((line) => /^ {2}plan +rounds +8 → 6$/.test(line)) > 2);
  // A proxy that one of them lacks is not compared.
  assert.ok(!lines.some((line) => line.includes("absent")));
  const all = comparisonText(comparison, run, true);
  assert.match(all, /^ {2}environment +image of nginx +aaaaaaaaaaaa → absent$/m);
});

test("the text has what differs, and with --all every row", () => {
  const dearer = { ...PROXIES, nginx: { cpuUsPerHandshake: 260 } };
  const run = runOf("now", { proxies: dearer, seed: 5 });
  const comparison = compareRuns(run, runOf("before", { proxies: PROXIES }), policy);
  const text = comparisonText(comparison, run);
  assert.match(text, /^now against before\n/);
  assert.match(
    text,
    /^short-lived ws 2000\n {2}CPU per connection\n {4}nginx +\d\d\d µs +2\d\d µs +1\.\d\d× +1\.\d\d–1\.\d\d +WORSE +\S+$/m,
  );
  const differing = comparison.rows.filter(({ differs }) => differs !== "no difference");
  const linesOf = (shown: string) => shown.match(/^ {4}(nginx|HAProxy|no proxy) /gm)?.length;
  assert.equal(linesOf(text), differing.length);
  const all = comparisonText(comparison, run, true);
  assert.equal(linesOf(all), comparison.rows.length);
  assert.doesNotMatch(all, /undefined|NaN|null/);
});

test("two runs without a figure in common are refused, with what each has", () => {
  const run = runOf("now", { connections: [2000] });
  const before = runOf("before", { connections: [5000] });
  assert.throws(() => comparable(run, before, policy), {
    message: "now and before have no figure in common",
    next: /now: none, nginx.*\n.*short-lived ws CONNECTIONS=2000 .*\n.*before:.*\n.*CONNECTIONS=5000/,
  });
});

function projectFolder(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "compare-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const add = (
    name: string,
    startedAt: string,
    {
      isComplete = true,
      cells = [],
      ...changes
    }: Partial<{ isComplete: boolean; battle: string; baseline: string; cells: CellRecord[] }> = {},
  ) => {
    const { plan, environment, proxies } = results({ rounds: 1 });
    const store = Store.create(join(directory, "results"), name, {
      plan: { ...plan, ...changes },
      environment,
      proxies,
      command: "./bench run",
    });
    Object.assign(store.results.run, { startedAt });
    for (const record of cells) {
      store.cellFolder(record.id, record.attempt);
      store.add(record);
    }
    if (isComplete) store.complete();
    return store;
  };
  return { directory, add };
}

test("a run is found by name or path; of one that is not there the nearest is named", (t) => {
  const { directory, add } = projectFolder(t);
  add("2026-11-21T00-00-09Z-quick", "2026-11-21T00:00:09Z");
  const byName = openRun(directory, "2026-11-21T00-00-09Z-quick");
  assert.equal(openRun(directory, byName.directory).results.run.name, "2026-11-21T00-00-09Z-quick");
  assert.throws(() => openRun(directory, "2026-11-21T00-00-08Z-quick"), {
    message: "there is no run 2026-11-21T00-00-08Z-quick",
    next: /^Did you mean 2026-11-21T00-00-09Z-quick\? .*results\//,
    exitCode: 2,
  });
  rmSync(join(directory, "results"), { recursive: true });
  assert.throws(() => openRun(directory, "x"), { next: /, which has none\.$/ });
});

test("the latest complete run of the same battle before it, and no other, is its baseline", (t) => {
  const { directory, add } = projectFolder(t);
  const first = add("a", "2026-01-01T00:00:00Z");
  assert.equal(latestBefore(first), null);
  add("b", "2026-01-02T00:00:00Z");
  add("c", "2026-01-03T00:00:00Z", { isComplete: false });
  add("d", "2026-01-04T00:00:00Z", { battle: "another" });
  add("s", "2026-01-04T11:00:00Z", { battle: "try", baseline: "nginx" });
  const tried = add("t", "2026-01-04T12:00:00Z", { battle: "try", baseline: "nginx" });
  assert.equal(latestBefore(tried), null);
  const now = add("e", "2026-01-05T00:00:00Z");
  add("f", "2026-01-06T00:00:00Z");
  mkdirSync(join(directory, "results/d-broken"));
  for (const [file, text] of [
    ["plan.json", JSON.stringify(now.results.plan)],
    ["results.json", "{"],
  ])
    writeFileSync(join(directory, "results/d-broken", file), text);
  assert.equal(latestBefore(now)?.results.run.name, "b");
});

test("a run is compared with the latest by itself; where no cell of one counts it says so, and writes nothing", async (t) => {
  const { directory, add } = projectFolder(t);
  mkdirSync(join(directory, "certs"));
  writeFileSync(join(directory, "certs/policy.json"), JSON.stringify(POLICY));
  const written: Point[] = [];
  const influx = {
    createDatabase: async () => {},
    remove: async () => {},
    write: async (_: string, points: Point[]) => {
      written.push(...points);
    },
  } as unknown as Influx;
  const { cells } = results({ rounds: 1 });
  const first = add("a", "2026-01-01T00:00:00Z", { cells });
  assert.equal(await compareWithLatest(directory, first, influx), null);

  const second = add("b", "2026-01-02T00:00:00Z", { cells });
  const said = await compareWithLatest(directory, second, influx);
  assert.match(String(said), /^compared with a: 0 of \d+ figures differ; \.\/bench compare b a$/);
  assert.ok(written.length > 0);

  written.length = 0;
  const third = add("c", "2026-01-03T00:00:00Z", {
    cells: cells.map((record) => ({ ...record, status: "failed" })),
  });
  assert.equal(
    await compareWithLatest(directory, third, influx),
    "not compared: no figure in common with b",
  );
  assert.deepEqual(written, []);
});

import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { POLICY, results } from "../analyse/testing/results.ts";
import { unpackCells } from "../record/archive.ts";
import { Store } from "../record/store.ts";
import { publish } from "./publish.ts";
import { makeReport, writeReport } from "./report.ts";
import type { TestContext } from "node:test";
import type { MachineOfRun } from "../model/environment.ts";

const SAMPLES = "ms,service,cpu_seconds,usage_bytes\n";
const LATENCIES = "metric,ms,value\nhandshake,0,39.908\n";

function recordedRun(
  t: TestContext,
  { complete = true, machines }: { complete?: boolean; machines?: MachineOfRun[] } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), "publish-"));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "certs"));
  mkdirSync(join(directory, "proxies"));
  writeFileSync(join(directory, "certs/policy.json"), JSON.stringify(POLICY));
  const { plan, environment, proxies, cells } = results({ rounds: 2 });
  const about = {
    plan: { ...plan, published: null },
    environment: { ...environment, ...(machines && { machines }) },
    proxies,
    command: "./bench run",
  };
  const store = Store.create(join(directory, "results"), "a-run", about);
  for (const record of cells) {
    const folder = store.cellFolder(record.id, record.attempt);
    writeFileSync(
      join(folder, "samples.csv"),
      SAMPLES + [0, 250, 500].map((ms) => `${ms},${record.proxy},${ms / 1000},5\n`).join(""),
    );
    writeFileSync(join(folder, "latencies.csv.gz"), gzipSync(LATENCIES));
    store.add(record);
  }
  if (complete) store.complete();
  const battle = join(directory, "published", plan.battle);
  const target = join(battle, store.results.run.startedAt.slice(0, 10));
  return {
    directory,
    store,
    battle,
    target,
    publish: () => publish(directory, { directory: store.directory }, () => {}),
  };
}

test("a published run is a few files, and its report is the one that was made from the folder of cells", async (t) => {
  const run = recordedRun(t);
  writeReport(run.directory, run.store);
  await run.publish();
  assert.deepEqual(readdirSync(join(run.directory, "published")), [run.store.results.plan.battle]);
  assert.deepEqual(readdirSync(run.target).sort(), [
    "comparisons.json",
    "environment.json",
    "raw.tar.zst",
    "report.md",
    "results.json",
  ]);
  // Where the raw files are is another thing of each.
  const read = (folder: string, name: string) =>
    readFileSync(join(folder, name), "utf8").split("Beside this file")[0];
  for (const name of ["comparisons.json", "report.md"])
    assert.equal(read(run.target, name), read(run.store.directory, name));
  const published = Store.open(run.target);
  const { files } = makeReport(run.directory, published);
  assert.equal(files["results.csv"], read(run.store.directory, "results.csv"));
  const [record] = published.results.cells;
  assert.equal(published.readRaw(record, "samples.csv"), run.store.readRaw(record, "samples.csv"));
  assert.equal(published.readRaw(record, "missing.csv"), null);
});

test("the archive holds every raw file, what was compressed on its own in the plain; the record holds each attempt once", async (t) => {
  const run = recordedRun(t);
  await run.publish();
  const { archive, cells } = Store.open(run.target).results;
  assert.ok(archive);
  const contents = unpackCells(run.target, archive);
  assert.equal(archive.files, contents.size);
  const expected = cells.flatMap(({ id }) =>
    ["latencies.csv", "samples.csv"].map((name) => `cells/${id}/${name}`),
  );
  assert.deepEqual([...contents.keys()].sort(), expected.sort());
  for (const { id } of cells)
    assert.equal(
      contents.get(`cells/${id}/latencies.csv`)?.toString(),
      "metric,second,us\nhandshake,0,39900\n",
    );
  const lines = readFileSync(join(run.target, "results.json"), "utf8").split("\n");
  assert.equal(lines.filter((line) => line.includes('"attempt":')).length, cells.length);
  assert.deepEqual(cells, Store.open(run.store.directory).results.cells);
  const page = makeReport(run.directory, Store.open(run.target)).files["report.html"];
  assert.doesNotMatch(page, /base64/);
});

test("the same run gives the same archive", async (t) => {
  const run = recordedRun(t);
  await run.publish();
  const first = Store.open(run.target).results.archive;
  rmSync(run.target, { recursive: true });
  await run.publish();
  assert.deepEqual(Store.open(run.target).results.archive, first);
});

test("an archive that was changed or is missing is refused, and named", async (t) => {
  const run = recordedRun(t);
  await run.publish();
  appendFileSync(join(run.target, "raw.tar.zst"), "x");
  assert.throws(
    () => writeReport(run.directory, Store.open(run.target)),
    /raw.tar.zst is not the archive of this run: its SHA-256 is [0-9a-f]{64}/,
  );
  rmSync(join(run.target, "raw.tar.zst"));
  assert.throws(
    () => writeReport(run.directory, Store.open(run.target)),
    /raw.tar.zst cannot be read/,
  );
});

test("a report needs no archive that the record says is in an earlier commit; whatever reads raw files does", async (t) => {
  const run = recordedRun(t);
  await run.publish();
  const published = Store.open(run.target);
  const { archive, cells } = published.results;
  assert.ok(archive);
  archive.commit = "0123abc";
  published.write("results.json", JSON.stringify(published.results));
  rmSync(join(run.target, archive.file));
  writeReport(run.directory, Store.open(run.target));
  assert.match(
    readFileSync(join(run.target, "report.md"), "utf8"),
    /raw.tar.zst of commit 0123abc/,
  );
  assert.throws(() => Store.open(run.target).readRaw(cells[0], "samples.csv"), {
    next: /git checkout 0123abc -- .*raw.tar.zst/,
  });
});

test("a run replaces no other: the next of a battle stands beside it", async (t) => {
  const run = recordedRun(t);
  await run.publish();
  const next = { ...run.store.results, run: { ...run.store.results.run, name: "another" } };
  writeFileSync(join(run.store.directory, "results.json"), JSON.stringify(next));
  await run.publish();
  assert.equal(Store.open(run.target).results.run.name, "a-run");
  const names = readdirSync(run.battle).sort();
  assert.deepEqual(names, [basename(run.target), names[1]]);
  assert.equal(Store.open(join(run.battle, names[1])).results.run.name, "another");
  await assert.rejects(run.publish(), /is published already: published/);
});

test("a run of a part of a battle's proxies does not take its place", async (t) => {
  const run = recordedRun(t);
  await run.publish();
  const { plan, ...about } = run.store.results;
  const [left, ...proxies] = plan.proxies;
  const part = { ...about, run: { ...about.run, name: "part" }, plan: { ...plan, proxies } };
  writeFileSync(join(run.store.directory, "results.json"), JSON.stringify(part));
  const refused = `a-run lacks ${left} of published/${plan.battle}/`;
  await assert.rejects(run.publish(), ({ message }) => message.includes(refused));
  assert.equal(readdirSync(run.battle).length, 1);
});

test("a published run is neither published again nor resumed", async (t) => {
  const run = recordedRun(t);
  await run.publish();
  await assert.rejects(run.publish(), /is published already: published/);
  await assert.rejects(
    publish(run.directory, { directory: run.target }, () => {}),
    /is published already/,
  );
  const published = Store.open(run.target);
  assert.throws(() => published.cellFolder("r1", 1), /is a published run: it is complete/);
  assert.equal(Store.open(run.target).results.cells.length, run.store.results.cells.length);
});

test("a battle over several machines is published beside the same on one", async (t) => {
  const machine: (name: string) => MachineOfRun = (name) => ({
    ...{ name, roles: ["load"], engine: "28.2.2", cores: 2, memoryBytes: 2 ** 34 },
    ...{ kernel: "6.1", clock: null },
  });
  const publishedOf = async (machines: MachineOfRun[]) => {
    const run = recordedRun(t, { machines });
    await run.publish();
    return readdirSync(join(run.directory, "published"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  };
  const { battle } = results({ rounds: 1 }).plan;
  assert.deepEqual(await publishedOf([machine("here")]), [battle]);
  assert.deepEqual(await publishedOf([machine("here"), machine("back")]), [`${battle}-machines`]);
});

test("what the publisher remarks is in the record, and in the report", async (t) => {
  const run = recordedRun(t);
  const remark = "The fan of this machine was <off>.";
  await publish(run.directory, { directory: run.store.directory, remark }, () => {});
  assert.equal(Store.open(run.target).results.run.remark, remark);
  assert.match(
    readFileSync(join(run.target, "report.md"), "utf8"),
    /^The fan of this machine was/m,
  );
  const page = makeReport(run.directory, Store.open(run.target)).files["report.html"];
  assert.match(page, /The fan of this machine was &lt;off&gt;\./);
});

test("an interrupted run is not published", async (t) => {
  const run = recordedRun(t, { complete: false });
  await assert.rejects(run.publish(), /is not complete/);
  assert.ok(!readdirSync(run.directory).includes("published"));
});

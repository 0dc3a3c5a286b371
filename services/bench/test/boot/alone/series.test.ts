/**
 * What a tiny battle leaves in InfluxDB: every measurement of services/influxdb/README.md, with its
 * tags and fields; and the same again from the record alone.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MEASURES } from "../../../src/analyse/measures.ts";
import { Influx } from "../../../src/platform/influx.ts";
import { readLive } from "../../../src/record/live.ts";
import { Store } from "../../../src/record/store.ts";
import { POINT_WORDS } from "../../../src/report/point-words.ts";
import { republish } from "../../../src/series/republish.ts";
import { until } from "../../../src/platform/wait.ts";
import { isQuiet, testbed } from "../../testbed.ts";
import { joinProject } from "../../lab.ts";
import type { Series } from "../../../src/platform/influx.ts";

const BATTLE = `title: Tiny battle
proxies: [nginx]
rounds: 1
seed: 3
tests:
  - scenario: short-lived
    schemes: [ws]
    parameters: { CONNECTIONS: 600, CONCURRENCY: 50, MESSAGES: 5, MESSAGE_BYTES: 500 }
    warmUp: { CONNECTIONS: 50 }
  - scenario: idle
    schemes: [wss]
    parameters: { CONNECTIONS: 100, CONNECTIONS_PER_SECOND: 200, HOLD_SECONDS: 2, INTERVAL_SECONDS: 0.5, MESSAGE_BYTES: 10 }
`;

const OF_CELL = ["proxy", "run", "scenario", "scheme", "setting"];
const LIVE = ["opened", "failed", "proxy_throttled_seconds", "cell"];

/**
 * What the README promises: tags beyond those of all, fields that every point has, and whether
 * there must be points.
 */
const PROMISED: Record<string, { tags: string[]; fields: string[] }> = {
  phases: { tags: ["phase"], fields: ["title", "text", "cell", "round"] },
  live: { tags: [], fields: LIVE },
  aligned: { tags: ["round", "service", "role"], fields: ["working_set_bytes", "cell"] },
  cells: {
    tags: ["round", "validity"],
    fields: ["connections_opened", "cell", "attempt", "findings", "concern"],
  },
  summaries: { tags: ["measure", "unit", "question"], fields: ["figure", "place", "rounds"] },
  comparisons: {
    tags: ["baseline", "measure", "unit"],
    fields: ["value", "baseline_value", "differs", "now", "was", "outcome", "place"],
  },
};

test("every measurement has what is promised, and has it again from the record alone", async (t) => {
  const { bench, directory, project } = testbed(t, BATTLE);
  const runs = () => readdirSync(join(directory, "results")).sort();
  for (let i = 0; i < 2; i++) {
    const { code, output } = await bench(["run", "one"]).ended;
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /Grafana lacks|not all of the run/);
    if (i > 0)
      assert.match(output, new RegExp(`compared with ${runs()[0]}: |in common with ${runs()[0]}`));
  }
  const store = Store.open(join(directory, "results", runs()[1]));
  const { name: run } = store.results.run;
  await project.check(["up", "--detach", "--no-deps", "influxdb"]);
  await joinProject(t, project.name);
  const influx = new Influx("http://influxdb:8086");
  await until(
    Date.now() + 30_000,
    () => influx.databases().catch(() => [] as string[]),
    (names) => names.includes("bench"),
  );
  const rowsOf = async (measurement: string) => {
    const series = await influx.query(
      `SELECT * FROM ${measurement} WHERE run = '${run}' GROUP BY *`,
      { database: "bench" },
    );
    return series.flatMap(rows);
  };
  const before = Object.fromEntries(
    await Promise.all(Object.keys(PROMISED).map(async (name) => [name, await rowsOf(name)])),
  );

  const areQuiet = runs()
    .map((name) => Store.open(join(directory, "results", name)).results)
    .every(isQuiet);
  if (!areQuiet) t.diagnostic("something else took too much of the machine: nothing is compared");

  await t.test("tags and fields", () => {
    for (const [name, { tags, fields }] of Object.entries(PROMISED)) {
      const isCompared = name === "summaries" || name === "comparisons";
      assert.ok(before[name].length > 0 || (isCompared && !areQuiet), `no ${name}`);
      for (const row of before[name]) {
        assert.deepEqual(Object.keys(row.tags).sort(), [...OF_CELL, ...tags].sort(), name);
        for (const field of fields) assert.ok(field in row.fields, `${name} lacks ${field}`);
      }
    }
    const settings = new Set(before.cells.map((row: any) => row.tags.setting));
    assert.deepEqual(settings, new Set(["short-lived ws", "idle wss"]));
  });

  await t.test("the figures are those of the record", () => {
    const { cells } = store.results;
    assert.equal(before.cells.length, cells.length);
    for (const { tags, fields } of before.cells) {
      const record = cells.find(
        ({ id, attempt }) => id === fields.cell && attempt === Number(fields.attempt),
      );
      assert.equal(fields.connections_opened, record?.connections?.opened);
      // On a machine with other work, findings may void it.
      if ("total_seconds" in fields) assert.equal(fields.total_seconds, record?.totalSeconds);
      else assert.ok(fields.findings, `${fields.cell} lacks total_seconds and has no finding`);
      assert.equal(tags.proxy, record?.proxy);
      const keys = Object.keys(fields).filter((key) => MEASURES.some((one) => one.key === key));
      assert.ok(keys.length > 20, String(keys));
    }
    /** of all attempts at a cell */
    const lines: Map<string, number> = new Map();
    for (const record of cells) {
      const file = join(store.cellPath(record.id, record.attempt), "live.csv");
      const kept = readLive(readFileSync(file, "utf8"));
      lines.set(record.id, (lines.get(record.id) ?? 0) + kept.length);
      // All were open before the measured phase of idle, and all have ended after that of
      // short-lived.
      const last = kept.at(-1);
      assert.equal(last?.opened, record.connections?.opened, record.id);
      assert.equal(last?.failed, 0);
      assert.equal(last?.open, record.scenario === "idle" ? 100 : 0, record.id);
      // The handshakes of idle were before.
      const isThere = { echo: true, handshake: record.scenario !== "idle" };
      for (const [what, expected] of Object.entries(isThere))
        assert.equal(
          kept.some((sample) => `${what}_p99_ms` in sample),
          expected,
          `${record.id}: ${what}`,
        );
      // A phase shorter than a quarter of a second has no rates.
      if (Number(record.phases.measure) > 0.3) {
        assert.ok(kept.some((sample) => Number(sample.messages_per_second) > 0));
        assert.ok(kept.some((sample) => Number(sample.proxy_cores) > 0));
      }
    }
    for (const [id, count] of lines)
      assert.equal(before.live.filter((row: any) => row.fields.cell === id).length, count, id);
    const [{ id, phases }] = cells;
    const told = before.phases.filter(({ fields }: any) => fields.cell === id);
    assert.deepEqual(
      new Set(told.map(({ tags }: any) => tags.phase)),
      new Set(Object.keys(phases).flatMap((key) => ({ warmUp: "warm up", load: [] })[key] ?? key)),
    );
    assert.ok(before.aligned.every(({ ms }: any) => ms >= 0 && ms < 60_000));
  });

  await t.test("dropped and written again from the record it is the same", async () => {
    const curves = () =>
      influx.query("SELECT count(value) FROM cpu_usage_total WHERE container_name =~ /-nginx-1$/", {
        database: "cadvisor",
      });
    const seen = await curves();
    assert.ok(seen.length > 0);
    await influx.query('DROP DATABASE "bench"');
    await influx.query("DROP SERIES FROM /.*/", { database: "cadvisor" });
    assert.deepEqual(await curves(), []);
    for (let i = 0; i < 2; i++) {
      const { notes } = await republish(store, influx, {
        directory,
        words: POINT_WORDS,
        project: project.name,
      });
      assert.deepEqual(notes, []);
      for (const name of Object.keys(PROMISED).filter((name) => name !== "comparisons"))
        assert.deepEqual(sorted(await rowsOf(name)), sorted(before[name]), name);
    }
    assert.ok((await curves()).length > 0);
  });

  await t.test("compare writes its figures again, and prints them", async () => {
    if (!areQuiet) return;
    const { code, output } = await bench(["compare", runs()[1], runs()[0], "--all"]).ended;
    assert.equal(code, 0, output);
    assert.match(output, /also in InfluxDB/);
    assert.match(output, /^ +CPU per connection, × reference *\n +nginx /m);
    await joinProject(t, project.name);
    assert.deepEqual(sorted(await rowsOf("comparisons")), sorted(before.comparisons));
    const wrong = await bench(["compare", runs()[1], `${runs()[0]}x`]).ended;
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.output,
      new RegExp(`there is no run ${runs()[0]}x\n.*Did you mean ${runs()[0]}`),
    );
  });

  const shares = before.cells.map((row: any) => row.fields.observers_cpu_percent);
  t.diagnostic(`CPU of InfluxDB, cAdvisor and runner, % of all CPU used: ${shares.join(", ")}`);
});

/** @param series of all fields, grouped by all tags */
function rows({
  tags,
  columns,
  values,
}: Series): { ms: number; tags: Record<string, string>; fields: Record<string, unknown> }[] {
  return values.map(([ms, ...rest]) => ({
    ms,
    tags,
    fields: Object.fromEntries(
      columns.slice(1).flatMap((name, i) => (rest[i] === null ? [] : [[name, rest[i]]])),
    ),
  }));
}

function sorted(list: unknown[]) {
  return list.map((row) => JSON.stringify(row)).sort();
}

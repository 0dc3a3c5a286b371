import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Influx, Point } from "../platform/influx.ts";
import { POLICY, results } from "../analyse/testing/results.ts";
import { liveCsv } from "../record/live.ts";
import { Store } from "../record/store.ts";
import { POINT_WORDS } from "../report/point-words.ts";
import { containerOf, serviceOf } from "../record/curve-names.ts";
import { curvePoints, republish } from "./republish.ts";

const CURVES = "ms,service,series,value\n1000000000500,nginx,cpu_usage_total,1649944425\n";

function storeOf(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "republish-"));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "certs"));
  writeFileSync(join(directory, "certs/policy.json"), JSON.stringify(POLICY));
  const { plan, environment, proxies, cells } = results({ rounds: 2, schemes: ["ws"] });
  const about = { plan, environment, proxies, command: "./bench run" };
  const store = Store.create(join(directory, "results"), "a-run", about);
  for (const record of cells) {
    const folder = store.cellFolder(record.id, record.attempt);
    writeFileSync(join(folder, "cadvisor.csv"), CURVES);
    writeFileSync(
      join(folder, "samples.csv"),
      `ms,service,cpu_seconds,working_set_bytes\n0,${record.proxy},1,5\n250,${record.proxy},2,6\n`,
    );
    const sample = { ms: 1e12 + 1000, opened: 1, failed: 0, proxy_cores: 1 };
    const rates = { connections_per_second: 1, messages_per_second: 1, proxy_throttled_seconds: 0 };
    writeFileSync(join(folder, "live.csv"), liveCsv([{ ...sample, ...rates }]));
    store.add(record);
  }
  return { directory, store };
}

/** @param about seen: containers that cAdvisor has curves of */
function influxOf({
  databases = ["cadvisor"],
  keptMs = Infinity,
  seen = [],
}: { databases?: string[]; keptMs?: number; seen?: string[] } = {}) {
  const done: string[] = [];
  const written = new Map<string, Point[]>();
  const influx = {
    createDatabase: async (name: string) => done.push(`create ${name}`),
    remove: async (_: string, measurement: string, tags: object) =>
      done.push(`remove ${measurement} of ${Object.values(tags)}`),
    write: async (database: string, points: Point[]) => {
      done.push(`write ${database}`);
      written.set(database, [...(written.get(database) ?? []), ...points]);
    },
    databases: async () => databases,
    keptMs: async () => keptMs,
    query: async (text: string) => {
      const pattern = new RegExp(text.match(/container_name =~ \/(.+)\//)?.[1] ?? "");
      return seen.some((name) => pattern.test(name)) ? [{}] : [];
    },
  } as unknown as Influx;
  return { influx, done, written };
}

test("a run is replaced by what its record says, each measurement, and the curves are given back", async (t) => {
  const { directory, store } = storeOf(t);
  const { influx, done, written } = influxOf();
  const { points, curves, notes } = await republish(store, influx, {
    directory,
    words: POINT_WORDS,
  });
  const cells = store.results.cells.length;
  assert.equal(curves, cells);
  assert.deepEqual(notes, []);
  assert.equal(points, written.get("bench")?.length);
  const found = Map.groupBy(written.get("bench") ?? [], ({ measurement }) => measurement);
  assert.deepEqual([...found.keys()].sort(), [
    "aligned",
    "cells",
    "glance",
    "live",
    "phases",
    "summaries",
  ]);
  assert.equal(found.get("cells")?.length, cells);
  assert.equal(found.get("live")?.length, cells);
  assert.equal(found.get("aligned")?.length, 2 * cells);
  assert.equal(written.get("cadvisor")?.length, cells);
  // Nothing is written before all that was there is gone.
  const firstWrite = done.indexOf("write bench");
  assert.deepEqual(done.slice(0, firstWrite), [
    "create bench",
    ...[
      ...["phases", "events", "live", "glance", "failures", "aligned", "aligned_events"],
      ...["cells", "summaries", "probes"],
    ].map((name) => `remove ${name} of ${store.results.run.name}`),
  ]);
});

test("curves that are there already, or would be refused for their age, or have no database, are not written", async (t) => {
  const { directory, store } = storeOf(t);
  const containers = ["none", "nginx", "haproxy", "http-proxy"];
  const there = influxOf({ seen: containers.map((name) => `ws-proxy-bench-${name}-1`) });
  assert.equal((await republish(store, there.influx, { directory, words: POINT_WORDS })).curves, 0);
  const old = influxOf({ keptMs: 30 * 86_400_000 });
  const { notes } = await republish(store, old.influx, { directory, words: POINT_WORDS });
  assert.match(notes[0], /curves of 8 cells are older than the database cadvisor keeps/);
  const without = influxOf({ databases: [] });
  assert.deepEqual(
    (await republish(store, without.influx, { directory, words: POINT_WORDS })).notes,
    ["InfluxDB has no database cadvisor"],
  );
  for (const { written } of [there, old, without]) assert.ok(!written.has("cadvisor"));
});

test("curves of a cell are missing although cAdvisor saw an observer of that project then", async (t) => {
  const { directory, store } = storeOf(t);
  const { influx } = influxOf({ seen: ["ws-proxy-bench-influxdb-1"] });
  const { curves } = await republish(store, influx, { directory, words: POINT_WORDS });
  assert.equal(curves, store.results.cells.length);
});

test("curves are as cAdvisor's driver writes them, under the container's name", () => {
  assert.deepEqual(curvePoints(CURVES, "p"), [
    {
      measurement: "cpu_usage_total",
      tags: { container_name: "p-nginx-1", machine: "cadvisor" },
      fields: { value: 1649944425n },
      ms: 1000000000500,
    },
  ]);
});

test("a service's name leads back to its container, also one that ends in a number, and each load to its own", () => {
  for (const container of ["p-nginx-1", "p-http-proxy-3-1", "p-load-1", "p-load-2", "p-warm-up-1"])
    assert.equal(containerOf(serviceOf(container, "p"), "p"), container);
  assert.equal(containerOf("load", "p"), "p-load-1");
});

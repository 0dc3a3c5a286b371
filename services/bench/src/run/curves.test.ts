import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keepCurves } from "./curves.ts";

test("what passes the machine's own network is no container's", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "curves-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const cells = [
    {
      id: "one",
      attempt: 1,
      measured: { fromMs: 1000, toMs: 2000 },
      containers: { nginx: { network: null }, influxdb: { network: {} } },
    },
  ];
  const store = { results: { cells }, cellPath: () => folder } as any;
  const series = (name: string, service: string) => ({
    name,
    tags: { container_name: `p-${service}-1` },
    values: [[1500, 7]],
  });
  const influx = {
    query: async () => [
      series("cpu_usage_total", "nginx"),
      series("rx_bytes", "nginx"),
      series("rx_bytes", "influxdb"),
    ],
  } as any;
  assert.equal(await keepCurves(store, influx, () => "p"), 0);
  assert.deepEqual(readFileSync(join(folder, "cadvisor.csv"), "utf8").trim().split("\n"), [
    "ms,service,series,value",
    "1500,nginx,cpu_usage_total,7",
    "1500,influxdb,rx_bytes,7",
  ]);
});

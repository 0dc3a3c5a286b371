import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { curvePoints } from "../series/republish.ts";
import { keepCurves } from "../run/curves.ts";
import type { TestContext } from "node:test";
import type { Influx, Series } from "../platform/influx.ts";
import type { Store } from "../record/store.ts";

/** @param series that InfluxDB has */
async function kept(
  t: TestContext,
  { clocks }: { clocks?: Record<string, { offsetMs: number }> },
  series: Omit<Series, "columns">[],
) {
  const directory = mkdtempSync(join(tmpdir(), "curves-"));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, "cell"));
  const cell = {
    id: "cell",
    attempt: 1,
    measured: { fromMs: 10_000, toMs: 20_000 },
    containers: {},
    clocks,
  };
  const store = {
    results: { cells: [cell] },
    cellPath: () => join(directory, "cell"),
  };
  let asked = "";
  const influx = {
    query: async (text: string) => {
      asked = text;
      return series;
    },
  };
  const missing = await keepCurves(
    store as unknown as Store,
    influx as unknown as Influx,
    () => "p",
  );
  assert.equal(missing, 0);
  return { asked, csv: readFileSync(join(directory, "cell/cadvisor.csv"), "utf8") };
}

test("one machine's curves name none", async (t) => {
  const { asked, csv } = await kept(t, {}, [
    {
      name: "memory_usage",
      tags: { container_name: "p-nginx-1", machine: "cadvisor" },
      values: [[9000, 5]],
    },
  ]);
  assert.equal(csv, "ms,service,series,value\n9000,nginx,memory_usage,5\n");
  assert.match(asked, /WHERE time >= 9000ms AND time <= 21000ms /);
});

test("another machine's curves have its name, and the time of this machine's clock", async (t) => {
  const { asked, csv } = await kept(
    t,
    {
      clocks: { one: { offsetMs: 3000.4 }, two: { offsetMs: -7.5 } },
    },
    [
      {
        name: "memory_usage",
        tags: { container_name: "p-cadvisor-1", machine: "cadvisor" },
        values: [[9000, 5]],
      },
      {
        name: "memory_usage",
        tags: { container_name: "p-cadvisor-1", machine: "one" },
        values: [
          [9000, 6],
          [15_000, 7],
        ],
      },
    ],
  );
  assert.match(
    asked,
    /WHERE time >= 8992ms AND time <= 24001ms .* GROUP BY container_name, machine/,
  );
  assert.equal(
    csv,
    "ms,service,series,value,machine\n9000,cadvisor,memory_usage,5,\n12000,cadvisor,memory_usage,7,one\n",
  );
  // And back.
  assert.deepEqual(
    curvePoints(csv, "p").map(({ tags }) => tags),
    ["cadvisor", "one"].map((machine) => ({ container_name: "p-cadvisor-1", machine })),
  );
});

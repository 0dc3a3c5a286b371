import assert from "node:assert/strict";
import { test } from "node:test";
import type { Influx } from "../platform/influx.ts";
import { singleLoad, singleLoads } from "./single-load.ts";

const LABELS = { proxy: "nginx", scenario: "short-lived", scheme: "wss" };

/** A database of k6 with one load: when the first and last of each measurement were. */
function influxWith(samples: Record<string, [fromMs: number, toMs: number]>) {
  return {
    databases: async () => ["k6"],
    query: async (query: string) => {
      if (query.includes('"loads"'))
        return [
          { name: "loads", tags: LABELS, columns: ["time", "CONNECTIONS"], values: [[1, 300]] },
        ];
      const [, which] = query.match(/SELECT (first|last)/) ?? [];
      return Object.entries(samples)
        .filter(([name]) => query.includes(`"${name}"`))
        .map(([name, [fromMs, toMs]]) => ({
          name,
          tags: { ...LABELS, run: "r" },
          columns: ["time", which],
          values: [[which === "first" ? fromMs : toMs, 1]],
        }));
    },
  } as unknown as Influx;
}

const LOAD = { ...LABELS, parameters: { CONNECTIONS: 300 } };

test("a load that is through within a second is a run too, though k6 has counted no virtual users", async () => {
  const influx = influxWith({ iterations: [100, 900] });
  assert.deepEqual(await singleLoads(influx), [{ name: "r", fromMs: 100 }]);
  assert.deepEqual(await singleLoad(influx, "r"), { fromMs: 100, toMs: 900, loads: [LOAD] });
});

test("one that holds its connections begins with the first second, not when a virtual user's turn ends", async () => {
  const influx = influxWith({ vus: [1000, 59_000], iterations: [60_000, 60_100] });
  assert.deepEqual(await singleLoads(influx), [{ name: "r", fromMs: 1000 }]);
  assert.deepEqual(await singleLoad(influx, "r"), { fromMs: 1000, toMs: 60_100, loads: [LOAD] });
});

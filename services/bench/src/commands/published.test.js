/**
 * The runs in published/: every figure can be had again from the files beside it, and the reports are those of this version.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { csvParse } from "d3-dsv";
import { Store } from "../record/store.js";
import { summarise } from "../statistics/index.js";
import { makeReport } from "./report.js";

/** @import { CellRecord, LatencySummary } from "../record/types.js" */

const PROJECT = join(import.meta.dirname, "../../../..");
const PUBLISHED = join(PROJECT, "published");
/** Latencies are kept to the µs. */
const ROUNDING_MS = 0.0011;
/** The first and last sample are taken right after the edge at which the table's counters were read. */
const EDGE_SHARE = 0.05;

const runs = readdirSync(PUBLISHED).filter((name) =>
  existsSync(join(PUBLISHED, name, "results.json")),
);

test("there are published runs, a dozen files each at most", () => {
  assert.ok(runs.length > 0);
  for (const name of runs) assert.ok(readdirSync(join(PUBLISHED, name)).length <= 12, name);
});

for (const name of runs) {
  suite(`published/${name}`, () => {
    const store = Store.open(join(PUBLISHED, name));
    const { cells } = store.results;
    const counted = cells.filter(({ status }) => status === "ok");

    test("each attempt's own record is in the archive, as the run's has it", () => {
      for (const cell of cells.filter(({ status }) => status !== "skipped"))
        assert.equal(JSON.parse(store.readRaw(cell, "cell.json") ?? "{}").id, cell.id);
    });

    test("latencies come out of the raw samples", () => {
      for (const cell of counted) {
        const text = store.readRaw(cell, "latencies.csv");
        // Programs such as wrk tell percentiles alone.
        if (text === null) continue;
        const rows = csvParse(text);
        for (const [metric, summary] of /** @type {[string, LatencySummary | null][]} */ ([
          ["handshake", cell.handshakeMs],
          ["echo", cell.echoLatencyMs],
        ])) {
          const values = rows.flatMap((row) => (row.metric === metric ? Number(row.value) : []));
          if (!summary) continue;
          const again = summarise(values);
          assert.ok(again);
          assert.equal(again.count, summary.count, `${cell.id} ${metric}`);
          for (const key of /** @type {const} */ (["mean", "median", "p99", "max"]))
            assert.ok(Math.abs(again[key] - summary[key]) <= ROUNDING_MS, `${cell.id} ${key}`);
        }
      }
    });

    test("CPU time comes out of the raw samples", () => {
      for (const cell of counted)
        for (const [service, container] of Object.entries(cell.containers))
          assertCpu(cell, service, container.cpu.totalSeconds, store.readRaw(cell, "samples.csv"));
    });

    test("the report is what this version makes of the record", () => {
      const made = makeReport(PROJECT, store);
      for (const [file, text] of Object.entries(made.files))
        assert.ok(
          readFileSync(join(store.directory, file), "utf8") === text,
          `published/${name}/${file} is of another version: ./bench report published/${name}`,
        );
    });
  });
}

/**
 * @param {CellRecord} cell
 * @param {string} service
 * @param {number} seconds
 * @param {string | null} csv
 */
function assertCpu({ id }, service, seconds, csv) {
  const rows = csvParse(csv ?? "").filter((row) => row.service === service);
  const sampled = Number(rows.at(-1)?.cpu_seconds) - Number(rows[0]?.cpu_seconds);
  // Under 10 ms the moment between edge and sample weighs more than the share.
  const tolerance = Math.max(0.01, EDGE_SHARE * seconds);
  assert.ok(Math.abs(sampled - seconds) <= tolerance, `${id} ${service}: ${sampled}, ${seconds}`);
}

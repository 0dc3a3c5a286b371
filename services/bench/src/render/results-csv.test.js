import assert from "node:assert/strict";
import { test } from "node:test";
import { csvParse } from "d3-dsv";
import { CELL_MEASURES } from "../analyse/index.js";
import { results } from "../analyse/testing/results.js";
import { resultsCsv } from "./results-csv.js";

test("results.csv has a row an attempt and a column a measure of one cell", () => {
  const sample = results({ rounds: 2 });
  const failed = {
    ...sample.cells[0],
    status: /** @type {const} */ ("failed"),
    cause: { kind: /** @type {const} */ ("load"), message: 'a "b", c' },
  };
  const rows = csvParse(resultsCsv({ ...sample, cells: [failed, sample.cells[1]] }));
  assert.equal(rows.length, 2);
  for (const key of CELL_MEASURES) assert.ok(rows.columns.includes(key), key);
  assert.deepEqual([rows[0].status, rows[0].cause], ["failed", "load"]);
  assert.deepEqual([rows[1].id, rows[1].status], [sample.cells[1].id, "ok"]);
  assert.equal(Number(rows[1].connections_opened), sample.cells[1].connections?.opened);
});

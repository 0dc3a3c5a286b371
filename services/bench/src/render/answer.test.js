import assert from "node:assert/strict";
import { test } from "node:test";
import { mergedOverview } from "../analyse/merged-overview.js";
import { results } from "../analyse/testing/results.js";
import { answerBlocks, answerPicture } from "./answer.js";
import { publishedRun, RUNS } from "./testing/published.js";

const NAMES = ["haproxy", "http-proxy", "nginx"];

test("whom to choose, a table of every question that a run has measured, and a picture", () => {
  const overview = mergedOverview(RUNS, NAMES);
  const [sentence, table, picture] = answerBlocks(RUNS, overview);
  assert.match(sentence, /^\*\*(Choose|No proxy is best in all).*\.\*\*$/);
  assert.doesNotMatch(sentence, /not measured/);
  const [head, , ...rows] = table.split("\n");
  assert.equal(head.split(" | ").length, overview.proxies.length + 2);
  assert.equal(rows.length, overview.columns.length);
  for (const row of rows) {
    assert.match(row, /\]\(published\/[a-z]+\/report\.md\)/);
    assert.doesNotMatch(row, /\b(undefined|NaN|null|Infinity)\b/);
    assert.equal(row.split(" | ").length, overview.proxies.length + 2);
  }
  assert.match(picture, /^!\[CPU per .*\]\(published\/which-proxy\.svg\)$/);
  assert.match(answerPicture(RUNS, overview) ?? "", /^<svg .*nginx, ws/s);
});

test("the picture is of the question that ranks most proxies", () => {
  const overview = mergedOverview(RUNS, NAMES);
  const titleOf = (/** @type {typeof overview} */ shown) =>
    /!\[([^:]*):/.exec(answerBlocks(RUNS, shown)[2])?.[1];
  assert.equal(titleOf(overview), "CPU per connection");
  const columns = overview.columns.map((column) =>
    column.key === "connection"
      ? { ...column, cells: column.cells.filter(({ proxy }) => proxy === "nginx") }
      : column,
  );
  const fewer = titleOf({ ...overview, columns });
  assert.ok(fewer && fewer !== "CPU per connection", fewer);
});

test("a run that ranks nobody is chosen by nobody, and has no picture", () => {
  const runs = [publishedRun("short", results({ rounds: 2 }))];
  const overview = mergedOverview(runs, NAMES);
  assert.match(answerBlocks(runs, overview)[0], /No published run ranks proxies/);
  assert.equal(answerPicture(runs, overview), null);
  assert.deepEqual(answerBlocks(runs, mergedOverview(runs, [])), []);
});

test("the table says which versions were measured", () => {
  const [reference] = RUNS;
  const [, table] = answerBlocks([reference], mergedOverview([reference], NAMES));
  assert.match(table.split("\n")[0], /\| nginx \d+\.\d+/);
});

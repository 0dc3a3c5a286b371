import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { panelsOf, pick, readDashboards } from "./dashboards.ts";

const PANELS = [
  { id: 100, type: "row", title: "Row", panels: [{ id: 102, type: "stat", title: "Folded" }] },
  { id: 101, type: "timeseries", title: "CPU" },
];

function project(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "export-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const folder = join(directory, "dashboards/generated");
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const uid of ["battle", "compare"])
    write(`${uid}.json`, JSON.stringify({ uid, title: uid, panels: PANELS }));
  return { directory, write };
}

test("panels are those that show data, folded ones too; one dashboard or one panel can be picked", (t) => {
  const dashboards = readDashboards(project(t).directory);
  assert.deepEqual(
    panelsOf(dashboards[0]).map(({ id }) => id),
    [102, 101],
  );
  const ids = (wanted: Parameters<typeof pick>[1]) =>
    pick(dashboards, wanted).map(({ dashboard, panels }) => [
      dashboard.uid,
      ...panels.map(({ id }) => id),
    ]);
  assert.deepEqual(ids({}), [
    ["battle", 102, 101],
    ["compare", 102, 101],
  ]);
  assert.deepEqual(ids({ dashboard: "compare", panel: 102 }), [["compare", 102]]);
});

test("an unknown dashboard or panel is refused with what there is; a broken file is named", (t) => {
  const { directory, write } = project(t);
  const dashboards = readDashboards(directory);
  assert.throws(() => pick(dashboards, { dashboard: "batle" }), {
    exitCode: 2,
    message: /batle/,
    next: /Did you mean battle\?/,
  });
  assert.throws(() => pick(dashboards, { dashboard: "battle", panel: 7 }), {
    exitCode: 2,
    next: /battle 101 {2}CPU/,
  });
  write("broken.json", "{");
  assert.throws(() => readDashboards(directory), { message: /broken\.json cannot be read/ });
  write("broken.json", "[]");
  assert.throws(() => readDashboards(directory), { message: /broken\.json is no dashboard/ });
});

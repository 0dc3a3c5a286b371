import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../errors.js";
import { panelsOf, pick, readDashboards } from "../panels/dashboards.js";
import { parseExport } from "../plan/arguments.js";

/** @import { TestContext } from "node:test" */

const FORMATS = ["svg", "png", "csv", "json"];
const PANELS = [
  { id: 100, type: "row", title: "Row", panels: [{ id: 102, type: "stat", title: "Folded" }] },
  { id: 101, type: "timeseries", title: "CPU" },
];

/** @param {TestContext} t */
function project(t) {
  const directory = mkdtempSync(join(tmpdir(), "export-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const folder = join(directory, "dashboards/generated");
  mkdirSync(folder, { recursive: true });
  const write = (/** @type {string} */ name, /** @type {string} */ text) =>
    writeFileSync(join(folder, name), text);
  for (const uid of ["battle", "compare"])
    write(`${uid}.json`, JSON.stringify({ uid, title: uid, panels: PANELS }));
  return { directory, write };
}

test("without options: the newest run, every panel, every format, no snapshot", () => {
  assert.deepEqual(parseExport([]), {
    run: undefined,
    dashboard: undefined,
    panel: undefined,
    formats: FORMATS,
    snapshot: undefined,
    grafana: undefined,
  });
});

test("the value of --snapshot may be left out", () => {
  const cases = /** @type {const} */ ([
    [["--snapshot"], "", undefined],
    [["--snapshot", "my-run"], "", "my-run"],
    [["--snapshot", "--panel", "3"], "", undefined],
    [["my-run", "--snapshot", "http://g:3000"], "http://g:3000", "my-run"],
    [["--snapshot", "out/one.json", "my-run"], "out/one.json", "my-run"],
    [["--snapshot=https://g"], "https://g", undefined],
  ]);
  for (const [args, snapshot, run] of cases) {
    const parsed = parseExport([...args]);
    assert.deepEqual([parsed.snapshot, parsed.run], [snapshot, run], args.join(" "));
  }
});

for (const [args, fact, next] of /** @type {const} */ ([
  [["--format", "svg,pgn"], /--format is "svg,pgn"/, /svg, png, csv or json/],
  [["--panel", "cpu"], /--panel is "cpu"/, /whole number/],
  [["--dashbord", "battle"], /unknown option: --dashbord/, /--dashboard/],
  [["--snapshot=file.txt"], /--snapshot is "file.txt"/, /\.json/],
  [["--grafana", "localhost:3000"], /--grafana is/, /http:/],
  [["one", "two"], /unexpected argument: two/, /at most one RUN/],
])) {
  test(`${args.join(" ")}: refused`, () => {
    assert.throws(
      () => parseExport([...args]),
      (error) =>
        error instanceof UserError &&
        error.exitCode === 2 &&
        fact.test(error.message) &&
        next.test(error.next),
    );
  });
}

test("panels are those that show data, folded ones too; one dashboard or one panel can be picked", (t) => {
  const dashboards = readDashboards(project(t).directory);
  assert.deepEqual(
    panelsOf(dashboards[0]).map(({ id }) => id),
    [102, 101],
  );
  const ids = (/** @type {Parameters<typeof pick>[1]} */ wanted) =>
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

/**
 * Every query of every panel, variable and annotation of the dashboards, on a real InfluxDB: under
 * a single load, and after a tiny battle.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { interpolate } from "../../../../dashboards/src/influxql.ts";
import { compareRuns } from "../../src/analyse/compare-runs.ts";
import { analyse } from "../../src/analyse/index.ts";
import { settingKey } from "../../src/analyse/settings.ts";
import { rankText } from "../../src/numbers.ts";
import { settingLabel } from "../../src/plan/describe.ts";
import { Influx } from "../../src/platform/influx.ts";
import { Store } from "../../src/record/store.ts";
import { comparisonPoints, questionLabel } from "../../src/series/points.ts";
import { DATABASE } from "../../src/series/publisher.ts";
import { figuresTable } from "../../src/report/table.ts";
import { POINT_WORDS } from "../../src/report/point-words.ts";
import { republish } from "../../src/series/republish.ts";
import { until } from "../../src/platform/wait.ts";
import { testbed, undisturbed, LIMIT_MS } from "../testbed.ts";
import { joinProject, lab, projectDirectory, waitForLoad } from "../lab.ts";
import type { Series } from "../../src/platform/influx.ts";
import type { Figure } from "../../src/model/comparison.ts";
import type { Table } from "../../src/report/table.ts";

const policy = JSON.parse(readFileSync(join(projectDirectory, "certs/policy.json"), "utf8"));
/** The dashboards look for containers of this project. */
const USUAL_PROJECT = "ws-proxy-bench";

/** All kinds of load, so that each measure but HTTP's has a setting with figures. */
const BATTLE = `title: Tiny battle
proxies: [none, nginx]
rounds: 1
seed: 3
tests:
  - scenario: short-lived
    schemes: [ws]
    parameters: { CONNECTIONS: 600, CONCURRENCY: 20, MESSAGES: [1, 40], MESSAGE_BYTES: 500 }
    warmUp: { CONNECTIONS: 50 }
  - scenario: idle
    schemes: [ws]
    parameters: { CONNECTIONS: 100, CONNECTIONS_PER_SECOND: 100, HOLD_SECONDS: 3, INTERVAL_SECONDS: 0.5, MESSAGE_BYTES: 100 }
    warmUp: { CONNECTIONS: 20, HOLD_SECONDS: 1, INTERVAL_SECONDS: 0.2 }
  - scenario: hot
    schemes: [ws]
    parameters: { CONNECTIONS: 50, CONNECTIONS_PER_SECOND: 100, MESSAGES: 50, MESSAGE_BYTES: 100 }
`;

/** Of events, and of searches for the most under a promise (capacity.test.ts). */
const OF_OTHERS = [
  "Connections still open",
  "New connections that failed",
  "Rates that were tried",
];

test("under a single load every panel of Proxies live has data", async (t) => {
  const from = new Date();
  const project = lab(t, {
    profile: "haproxy",
    env: { CONNECTIONS: "300", CONCURRENCY: "20" },
  });
  await project.check(["up", "--detach"]);
  assert.equal(await waitForLoad(project), 0);
  assert.equal(await waitForLoad(project, "watch"), 0);
  await joinProject(t, project.name);
  const influx = new Influx("http://influxdb:8086");
  const context = { from, to: new Date(), variables: { proxy: ".*" } };
  const dashboard = read("proxies-live");
  const ask = (query: string) =>
    influx.query(filled(query, context).replaceAll(USUAL_PROJECT, project.name));
  // Nothing has failed, and the runner alone knows how much was throttled.
  assert.deepEqual(await emptyPanels(dashboard, ask), [
    "Connections failed, by cause",
    "Throttled by the CPU budget",
  ]);
  assert.deepEqual(await emptyVariables(dashboard, ask), []);
});

/** @returns whether a table has a row of it */
function isShownIn({ rows }: Table): (figure: Figure) => boolean {
  return ({ proxy }) => rows.some(([first]) => first.proxy === proxy);
}

test("after a battle every panel has data", async (t) => {
  const { bench, directory, project, runFolder } = testbed(t, BATTLE);
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  const store = Store.open(join(directory, runFolder()));
  await project.check(["up", "--detach", "influxdb"]);
  await joinProject(t, project.name);
  const influx = new Influx("http://influxdb:8086");
  await until(Date.now() + LIMIT_MS, () => influx.databases().catch(() => []), isComplete);
  const results = undisturbed(store.results);
  // None fails by itself, as a rule.
  Object.assign(results.cells[0].connections ?? {}, { failed: 1, failedByCause: { timeout: 1 } });
  // Nor has this battle events.
  const steps = [{ ms: Date.parse(results.cells[0].startedAt), what: "HUP to the proxy" }];
  Object.assign(results.cells[0], {
    survival: { event: "reload", steps, open: [], probes: [] },
  });
  await republish(new Store(store.directory, results), influx, {
    directory,
    words: POINT_WORDS,
  });
  const { startedAt, endedAt, name } = results.run;

  await t.test("Proxies live", async () => {
    const dashboard = read("proxies-live");
    const context = {
      ...{ from: new Date(startedAt), to: new Date(String(endedAt)) },
      variables: { proxy: ".*" },
    };
    const ask = (query: string) => influx.query(filled(query, context));
    assert.deepEqual(await emptyPanels(dashboard, ask), []);
    assert.deepEqual(await emptyVariables(dashboard, ask), []);
    for (const { name, target } of dashboard.annotations.list)
      if (name !== "Parts") assert.ok((await ask(target.query)).length > 0, name);
  });

  const ALL = { question: ".*", everywhere: ".*" };
  const settings = [...new Set(results.plan.cells.map(settingLabel))];
  const emptyEverywhere = async (dashboard: any, variables: Record<string, string>) => {
    const { from, to } = dashboard.time;
    const range = from.startsWith("now")
      ? { from: new Date(startedAt), to: new Date() }
      : { from: new Date(from), to: new Date(to) };
    const empty = await Promise.all(
      settings.map((setting) =>
        emptyPanels(dashboard, (query) =>
          influx.query(filled(query, { ...range, variables: { ...ALL, ...variables, setting } })),
        ),
      ),
    );
    const [first, ...others] = empty;
    return first.filter(
      (title) => others.every((titles) => titles.includes(title)) && !OF_OTHERS.includes(title),
    );
  };

  await t.test("Battle", async () => {
    const dashboard = read("battle");
    assert.deepEqual(await emptyEverywhere(dashboard, { run: name }), []);
    const [runs, chosen] = await Promise.all(
      dashboard.templating.list.map(({ query }: { query: string }) =>
        influx.query(
          interpolate(query, {
            from: new Date(),
            to: new Date(),
            intervalSeconds: 1,
            variables: { run: name, setting: settings[0] },
          }),
        ),
      ),
    );
    assert.deepEqual(runs[0].values, [["run", name]]);
    assert.deepEqual(
      chosen[0].values.map(([, value]: string[]) => value).sort(),
      [...settings].sort(),
    );
  });

  await t.test("Battle: each figure is the report's", async () => {
    const { comparisons } = analyse(results, { policy });
    const { panels } = read("battle");
    const [matrix, ranking, counts] = [1001, 1101, 501].map((id) =>
      panels.find((panel: any) => panel.id === id),
    );
    const rowsOf = async ({ targets: [{ query }] }: any, variables: Record<string, string>) => {
      const context = { from: new Date(0), to: new Date(), variables: { run: name, ...variables } };
      const found = await influx.query(filled(query, context));
      return found.flatMap(({ columns, values, tags }) =>
        values.map((row): any => ({
          ...tags,
          ...Object.fromEntries(columns.map((column, i) => [column, row[i]])),
        })),
      );
    };
    const own = comparisons.comparisons.filter((one) => one.settings.length === 1 && !one.beside);
    assert.ok(own.length > 20, String(own.length));
    let figures = 0;
    for (const comparison of own) {
      const {
        measure,
        figures: expected,
        settings: [key],
      } = comparison;
      const cell = results.plan.cells.find((one) => settingKey(one) === key);
      assert.ok(cell, key);
      const setting = settingLabel(cell);
      const question = questionLabel(comparison).replace(/[().]/g, "\\$&");
      const rows = await rowsOf(ranking, { setting, question });
      const table = figuresTable(comparisons, [{ comparison, title: "" }]);
      // A question without any figure has no table, and a control without one no row.
      const shown = rows.length === 0 ? [] : expected.filter(isShownIn(table));
      if (rows.length === 0)
        assert.ok(
          expected.every(({ estimate }) => !estimate),
          question,
        );
      for (const { proxy, estimate, rank, tied } of shown) {
        const row = rows.find(({ Proxy }) => Proxy === proxy);
        assert.ok(row, `${proxy} in ${question} of ${setting}`);
        assert.equal(row.Median, estimate?.value ?? null, `${proxy} ${measure.key} ${setting}`);
        assert.equal(row.Rank ?? "", rankText(rank, tied.length > 0));
        const cells = table.rows.find(([first]) => first.proxy === proxy);
        assert.equal(row.Figure.split(" ")[0], cells?.[1].text.split(" ")[0]);
        figures += 1;
      }
      assert.equal(rows.length, shown.length);
      const everywhere = await rowsOf(matrix, { everywhere: question });
      for (const { Proxy, Figure } of rows)
        assert.ok(
          everywhere.some(
            (row) => row.Proxy === Proxy && row.Setting === setting && row.Figure === Figure,
          ),
          `${Proxy}: ${Figure} in ${setting}`,
        );
    }
    assert.ok(figures > 50, `${figures} figures compared`);
    const byValidity = await rowsOf(counts, {});
    const all = byValidity.reduce((sum, row) => sum + row.count, 0);
    assert.equal(all, results.cells.length);
  });

  await t.test("Compare, with no comparison: it says so", async () => {
    assert.deepEqual(await emptyEverywhere(read("compare"), { run: name, baseline: "" }), [
      "What differs, run to baseline",
    ]);
  });

  await t.test("Compare", async () => {
    const baseline = { ...results, run: { ...results.run, name: "earlier" } };
    await influx.write(
      DATABASE,
      comparisonPoints(compareRuns(results, baseline, null), results.cells, POINT_WORDS),
    );
    await republish(new Store(store.directory, baseline), influx, {
      directory,
      words: POINT_WORDS,
    });
    const variables = { run: name, baseline: "earlier" };
    assert.deepEqual(await emptyEverywhere(read("compare"), variables), []);
    const [panel] = read("compare").panels.filter(({ id }: { id: number }) => id === 101);
    const context = {
      from: new Date(0),
      to: new Date(),
      variables: { ...variables, setting: ".*" },
    };
    const [{ columns, values }] = await influx.query(filled(panel.targets[0].query, context));
    const { rows } = compareRuns(results, baseline, null);
    assert.equal(values.length, rows.length);
    const at = (name: string) => columns.indexOf(name);
    for (const { cell, measure, ratio } of rows) {
      const row = values.find(
        (one) =>
          one[at("Measure")] === measure &&
          one[at("Proxy")] === cell.proxy &&
          one[at("Setting")] === settingLabel(cell),
      );
      assert.equal(row?.[at("Value")] ?? null, ratio?.value ?? null, `${measure} ${cell.proxy}`);
    }
  });
});

function read(uid: string) {
  return JSON.parse(
    readFileSync(join(projectDirectory, "dashboards/generated", `${uid}.json`), "utf8"),
  );
}

function filled(
  query: string,
  context: { from: Date; to: Date; variables: Record<string, string> },
) {
  return interpolate(query, { ...context, intervalSeconds: 1 });
}

/** @returns titles of the panels of which no query returns a row */
async function emptyPanels(
  dashboard: any,
  ask: (query: string) => Promise<Series[]>,
): Promise<string[]> {
  const empty = [];
  const panels = dashboard.panels.flatMap((panel: any) => [panel, ...(panel.panels ?? [])]);
  for (const { title, targets = [] } of panels) {
    if (targets.length === 0) continue;
    let rows = 0;
    for (const { query } of targets)
      rows += (await ask(query)).flatMap(({ values }) => values).length;
    if (rows === 0) empty.push(title);
  }
  return empty;
}

/** @returns names of the variables without a value */
async function emptyVariables(
  dashboard: any,
  ask: (query: string) => Promise<Series[]>,
): Promise<string[]> {
  const empty = [];
  for (const { name, query } of dashboard.templating.list)
    if ((await ask(query)).length === 0) empty.push(name);
  return empty;
}

function isComplete(databases: string[]) {
  return databases.includes(DATABASE);
}

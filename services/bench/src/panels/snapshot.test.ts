import assert from "node:assert/strict";
import { test } from "node:test";
import { framesOf } from "./frames.ts";
import { snapshotOf } from "./snapshot.ts";

const RANGE = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 1, 1) };
const ANSWER = [
  {
    name: "cpu",
    tags: { proxy: "nginx" },
    columns: ["time", "p50", "p99"],
    values: [
      [RANGE.fromMs, 1.5, 3],
      [RANGE.fromMs + 1000, null, 4],
    ],
  },
];
const INFLUXDB = { type: "influxdb", uid: "influxdb-bench" };
const TARGET = {
  refId: "A",
  datasource: INFLUXDB,
  query: "SELECT secret",
  alias: "$tag_proxy $col",
};
const RENAME = [{ id: "renameByRegex", options: {} }];

const DASHBOARD: any = {
  uid: "battle",
  title: "Battle",
  time: { from: "now-15m", to: "now" },
  refresh: "5s",
  links: [{ title: "elsewhere" }],
  panels: [
    {
      id: 100,
      type: "row",
      title: "Row",
      collapsed: true,
      panels: [{ id: 102, type: "stat", title: "Now", datasource: INFLUXDB, targets: [TARGET] }],
    },
    {
      id: 101,
      type: "timeseries",
      title: "Latency",
      datasource: INFLUXDB,
      targets: [TARGET],
      transformations: RENAME,
    },
  ],
  templating: {
    list: [
      {
        name: "setting",
        type: "query",
        query: "SHOW secret",
        definition: "SHOW secret",
        datasource: INFLUXDB,
        refresh: 2,
      },
      {
        name: "proxy",
        type: "query",
        query: "SHOW secret",
        multi: true,
        includeAll: true,
        allValue: ".*",
        refresh: 2,
      },
    ],
  },
  annotations: {
    list: [
      {
        name: "Cells",
        enable: true,
        iconColor: "red",
        query: "SELECT secret",
        datasource: INFLUXDB,
      },
      {
        name: "Phases",
        enable: false,
        iconColor: "blue",
        query: "SELECT secret",
        datasource: INFLUXDB,
      },
    ],
  },
};

const frames = framesOf(TARGET, ANSWER);
const { name, dashboard } = snapshotOf(DASHBOARD, {
  name: "Battle · run",
  shown: new Map([[101, [{ title: "Latency", frames }]]]),
  annotations: [{ ms: RANGE.fromMs + 500, title: "nginx", text: "round 1" }],
  variables: {
    setting: { values: ["ws"] },
    proxy: { values: [], all: ".*" },
  },
  range: RANGE,
});
const [row, panel] = dashboard.panels;

test("the data inside are what the query answered, and the panel's own transformations follow them", () => {
  const [target] = panel.targets;
  assert.equal(panel.targets.length, 1);
  assert.equal(target.queryType, "snapshot");
  const values = target.snapshot.slice(0, 2).map(({ data }: any) => data.values);
  const [{ values: rows }] = ANSWER;
  assert.deepEqual(
    values,
    [1, 2].map((column) => [rows.map(([time]) => time), rows.map((one) => one[column])]),
  );
  assert.deepEqual(
    target.snapshot[1].schema.fields.map((field: any) => [
      field.name,
      field.type,
      field.config.displayNameFromDS,
    ]),
    [
      ["Time", "time", undefined],
      ["Value", "number", "nginx p99"],
    ],
  );
  assert.deepEqual(panel.transformations, RENAME);
});

test("annotations are frames of the curves, and no query is left for them", () => {
  const marks = panel.targets[0].snapshot[2];
  assert.deepEqual(marks.schema.meta, { dataTopic: "annotations" });
  assert.deepEqual(marks.data.values, [[RANGE.fromMs + 500], ["nginx"], ["round 1"]]);
  assert.deepEqual(
    dashboard.annotations.list.map((one: any) => [one.name, one.snapshotData]),
    [["Cells", []]],
  );
});

test("it needs neither data source nor the time of today, and gives no query away", () => {
  assert.equal(name, "Battle · run");
  assert.doesNotMatch(JSON.stringify(dashboard), /secret|influxdb/);
  assert.deepEqual(dashboard.time, {
    from: "2026-01-01T00:00:00.000Z",
    to: "2026-01-01T01:00:00.000Z",
  });
  assert.equal(dashboard.refresh, "");
  assert.deepEqual(dashboard.links, []);
  const [setting, proxy] = dashboard.templating.list;
  assert.deepEqual([setting.current.value, setting.options.length, setting.refresh], ["ws", 1, 0]);
  assert.deepEqual(proxy.current.value, ["$__all"]);
});

test("a panel without data, also in a folded row, asks for nothing", () => {
  assert.deepEqual(row.panels[0].targets[0].snapshot, []);
  assert.equal(row.panels[0].datasource.type, "grafana");
});

test("a panel is there once for each value of what it varies by, beside each other", () => {
  const gridPos = { x: 0, y: 1, w: 12, h: 8 };
  const repeated = { ...DASHBOARD.panels[1], repeat: "question", gridPos };
  const shown = ["CPU", "Memory", "Latency"].map((title) => ({ title, frames }));
  const { dashboard: made } = snapshotOf(
    { ...DASHBOARD, panels: [repeated] },
    { name, shown: new Map([[101, shown]]), annotations: [], variables: {}, range: RANGE },
  );
  assert.deepEqual(
    made.panels.map(({ id, title, repeat, gridPos: { x, y } }: any) => [id, title, repeat, x, y]),
    [
      [101000, "CPU", undefined, 0, 1],
      [101001, "Memory", undefined, 12, 1],
      [101002, "Latency", undefined, 0, 9],
    ],
  );
});

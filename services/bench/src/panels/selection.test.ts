import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import type { Series } from "../platform/influx.ts";
import type { Panel, Picked, Variable } from "./dashboards.ts";
import { annotationsOf, select } from "./selection.ts";

const RUN = { name: "r", store: null, startedMs: 0, fromMs: 1000, toMs: 2000, loads: [] };
const PROXY = { name: "proxy", query: "p", multi: true, includeAll: true, allValue: ".*" };
const description = "Made by battles.";
const SETTING = { name: "setting", query: "settings", label: "Setting", description };

/** @param query what it asks; answers are by its first word */
function panel(id: number, query: string, rest: Partial<Panel> = {}): Panel {
  return { id, type: "stat", title: `P${id}`, targets: [{ refId: "A", query }], ...rest };
}

function saying(noValue: string): Partial<Panel> {
  return { fieldConfig: { defaults: { noValue }, overrides: [] } };
}

function dashboard(uid: string, panels: Panel[], list: Variable[] = []): Picked {
  const made = { uid, title: uid.toUpperCase(), panels, templating: { list } };
  return { dashboard: made, panels: panels.filter(({ type }) => type !== "row") };
}

function series(value: unknown): Series[] {
  return [{ name: "m", tags: {}, columns: ["time", "v"], values: [[1500, value]] }];
}

/** What InfluxDB answers to each query's first word. */
const ANSWERS: Record<string, Series[]> = {
  ...{ data: series(1), zero: series(0), nulls: series(null), nothing: [], settings: [] },
};

async function selected(picked: Picked[], isNamed = false) {
  const asked: string[] = [];
  const ask = async (query: string) => {
    asked.push(query);
    if (query === "broken") throw new Error("InfluxDB refuses a query");
    return ANSWERS[query.split(" ")[0]];
  };
  const found = await select(picked, { run: RUN, isNamed, ask });
  return {
    asked,
    shown: found.selected.map(({ dashboard: { uid }, jobs }) => [
      uid,
      ...jobs.map(({ panel, noData, error }) => [panel.id, noData ?? (error ? "failed" : "shown")]),
    ]),
    leftOut: found.leftOut.map(({ dashboard: { uid }, reason }) => [uid, reason]),
    titles: found.selected.flatMap(({ jobs }) => jobs.map(({ title }) => title)),
  };
}

const LIVE = dashboard(
  "live",
  [
    ...[panel(1, "data ${proxy:regex}"), panel(2, "nulls"), panel(5, "zero")],
    ...[panel(3, "nothing", saying("In battles alone")), panel(4, "nothing", saying("–"))],
  ],
  [PROXY],
);
const BATTLE = dashboard(
  "battle",
  [panel(1, "nothing ${setting:regex}"), panel(2, "data")],
  [SETTING],
);
const NOTHING = "No sample in this range";
const NO_SETTING = "this run has no setting (Made by battles)";

type Row = {
  name: string;
  picked: Picked[];
  isNamed?: boolean;
  shown: unknown[];
  leftOut: unknown[];
};
const ROWS: Row[] = [
  {
    name: "a dashboard without data, or about what the run has not, is left out; the others say which panels have none",
    picked: [BATTLE, dashboard("empty", [panel(1, "nothing"), panel(2, "nulls")]), LIVE],
    shown: [
      ["live", [1, "shown"], [2, NOTHING], [5, "shown"], [3, "In battles alone"], [4, NOTHING]],
    ],
    leftOut: [
      ["battle", NO_SETTING],
      ["empty", NOTHING],
    ],
  },
  {
    name: "a dashboard that is named has what there is",
    ...{ picked: [BATTLE], isNamed: true, leftOut: [] },
    shown: [["battle", [1, NOTHING], [2, "shown"]]],
  },
  {
    name: "and is left out when that is nothing",
    picked: [{ ...BATTLE, panels: BATTLE.panels.slice(0, 1) }],
    ...{ isNamed: true, shown: [], leftOut: [["battle", NO_SETTING]] },
  },
  {
    name: "a panel whose query is refused is no panel without data",
    picked: [dashboard("d", [panel(1, "broken"), panel(2, "nothing")])],
    ...{ shown: [["d", [1, "failed"], [2, NOTHING]]], leftOut: [] },
  },
];
for (const { name, picked, isNamed, shown, leftOut } of ROWS)
  test(name, async () => {
    const found = await selected(picked, isNamed);
    assert.deepEqual([found.shown, found.leftOut], [shown, leftOut]);
  });

test("of a dashboard that is left out unasked, no panel's query is asked", async () => {
  const { asked } = await selected([BATTLE, LIVE]);
  assert.ok(!asked.includes("data") && !asked.includes("nothing "), `${asked}`);
});

test("an InfluxDB that is gone ends it", async () => {
  const ask = async () => {
    throw new UserError("InfluxDB does not answer");
  };
  await assert.rejects(select([LIVE], { run: RUN, isNamed: false, ask }), UserError);
});

test("where panels have the same title, a picture says the section", async () => {
  const row = (id: number, title: string) => ({ id, type: "row", title });
  const { titles } = await selected([
    dashboard("d", [
      ...[row(100, "Proxy"), panel(101, "data", { title: "CPU" }), panel(102, "data")],
      ...[row(200, "Echo"), panel(201, "data", { title: "CPU" })],
    ]),
  ]);
  assert.deepEqual(titles, ["Proxy: CPU", "P102", "Echo: CPU"]);
});

test("events are those that the dashboard shows when it is opened; one that cannot be asked is reported", async () => {
  const target = { titleColumn: "title", textColumn: "text" };
  const list = [
    {
      name: "Cells",
      enable: true,
      iconColor: "red",
      target: { ...target, query: "cells $timeFilter" },
    },
    { name: "Broken", enable: true, target: { ...target, query: "$nobody" } },
    { name: "Phases", enable: false, target: { ...target, query: "phases" } },
  ];
  const made = { ...LIVE.dashboard, annotations: { list } };
  const choice = { variables: {}, varying: [], missing: [] };
  const failed: unknown[] = [];
  const ask = async () => [
    {
      name: "phases",
      tags: {},
      columns: ["time", "text", "title"],
      values: [
        [5, "round 1", "nginx"],
        [2, null, "b"],
      ],
    },
  ];
  const range = { fromMs: 0, toMs: 9 };
  const found = await annotationsOf({ dashboard: made, range }, choice, ask, (name, error, query) =>
    failed.push([name, query]),
  );
  assert.deepEqual(found, [
    { ms: 2, title: "b", text: "", colour: "red" },
    { ms: 5, title: "nginx", text: "round 1", colour: "red" },
  ]);
  assert.deepEqual(failed, [["Broken", "$nobody"]]);
});

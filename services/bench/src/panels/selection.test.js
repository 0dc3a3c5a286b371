import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.js";
import { select } from "./selection.js";

/** @import { Dashboard, Panel, Variable } from "./dashboards.js" */

const RUN = { name: "r", store: null, startedMs: 0, fromMs: 1000, toMs: 2000, loads: [] };
const PROXY = {
  name: "proxy",
  type: "query",
  query: "p",
  multi: true,
  includeAll: true,
  allValue: ".*",
};
const SETTING = {
  name: "setting",
  type: "query",
  query: "settings",
  label: "Setting",
  description: "Made by battles.",
};

/**
 * @param {number} id
 * @param {string} query what it asks; answers are by its first word
 * @param {Partial<Panel>} [rest]
 * @returns {Panel}
 */
function panel(id, query, rest = {}) {
  return { id, type: "stat", title: `P${id}`, targets: [{ refId: "A", query }], ...rest };
}

/**
 * @param {string} uid
 * @param {Panel[]} panels
 * @param {Variable[]} [list]
 */
function dashboard(uid, panels, list = []) {
  /** @type {Dashboard} */
  const made = { uid, title: uid.toUpperCase(), panels, templating: { list } };
  return { dashboard: made, panels: panels.filter(({ type }) => type !== "row") };
}

/** @param {any} value */
function series(value) {
  return [{ name: "m", tags: {}, columns: ["time", "v"], values: [[1500, value]] }];
}

/** What InfluxDB answers to each query's first word. @type {Record<string, any[]>} */
const ANSWERS = {
  data: series(1),
  zero: series(0),
  nulls: series(null),
  nothing: [],
  settings: [],
};

/**
 * @param {Parameters<typeof select>[0]} picked
 * @param {boolean} [isNamed]
 */
async function selected(picked, isNamed = false) {
  /** @type {string[]} */
  const asked = [];
  const found = await select(picked, {
    run: RUN,
    isNamed,
    ask: async (query) => {
      asked.push(query);
      if (query === "broken") throw new Error("InfluxDB refuses a query");
      return ANSWERS[query.split(" ")[0]];
    },
  });
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
    panel(1, "data ${proxy:regex}"),
    panel(2, "nulls"),
    panel(3, "nothing", {
      fieldConfig: { defaults: { noValue: "In battles alone" }, overrides: [] },
    }),
    panel(4, "nothing", { fieldConfig: { defaults: { noValue: "–" }, overrides: [] } }),
    panel(5, "zero"),
  ],
  [PROXY],
);
const BATTLE = dashboard(
  "battle",
  [panel(1, "nothing ${setting:regex}"), panel(2, "data")],
  [SETTING],
);
const EMPTY = dashboard("empty", [panel(1, "nothing"), panel(2, "nulls")]);

test("a dashboard without data, or about what the run has not, is left out; the others say which panels have none", async () => {
  const { asked, shown, leftOut } = await selected([BATTLE, EMPTY, LIVE]);
  assert.deepEqual(shown, [
    [
      "live",
      [1, "shown"],
      [2, "No sample in this range"],
      [3, "In battles alone"],
      [4, "No sample in this range"],
      [5, "shown"],
    ],
  ]);
  assert.deepEqual(leftOut, [
    ["battle", "this run has no setting (Made by battles)"],
    ["empty", "No sample in this range"],
  ]);
  assert.ok(!asked.some((query) => query.startsWith("nothing ") || query === "data"), `${asked}`);
});

test("a dashboard that is named has what there is, and is left out when that is nothing", async () => {
  const one = await selected([BATTLE], true);
  assert.deepEqual(one.shown, [["battle", [1, "No sample in this range"], [2, "shown"]]]);
  assert.deepEqual(one.leftOut, []);
  const none = await selected([{ ...BATTLE, panels: BATTLE.panels.slice(0, 1) }], true);
  assert.deepEqual(none.shown, []);
  assert.deepEqual(none.leftOut, [["battle", "this run has no setting (Made by battles)"]]);
});

test("a panel whose query is refused is no panel without data", async () => {
  const { shown, leftOut } = await selected([
    dashboard("d", [panel(1, "broken"), panel(2, "nothing")]),
  ]);
  assert.deepEqual(shown, [["d", [1, "failed"], [2, "No sample in this range"]]]);
  assert.deepEqual(leftOut, []);
});

test("an InfluxDB that is gone ends it", async () => {
  const ask = async () => {
    throw new UserError("InfluxDB does not answer");
  };
  await assert.rejects(select([EMPTY], { run: RUN, isNamed: false, ask }), UserError);
});

test("where panels have the same title, a picture says the section", async () => {
  const { titles } = await selected([
    dashboard("d", [
      { id: 100, type: "row", title: "Proxy" },
      panel(101, "data", { title: "CPU" }),
      panel(102, "data", { title: "Memory" }),
      { id: 200, type: "row", title: "Echo" },
      panel(201, "data", { title: "CPU" }),
    ]),
  ]);
  assert.deepEqual(titles, ["Proxy: CPU", "Memory", "Echo: CPU"]);
});

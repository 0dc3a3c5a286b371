import assert from "node:assert/strict";
import { test } from "node:test";
import type { Variable } from "./dashboards.ts";
import type { Choice } from "./query.ts";
import { choicesOf, interpolate, partOf, snapshotChoices, stepOf, titled } from "./query.ts";

const RANGE = { fromMs: 1_000_500, toMs: 1_060_999 };
const PROXY = { name: "proxy", query: "proxies", multi: true, includeAll: true, allValue: ".*" };

test("macros and variables are what Grafana puts in", () => {
  const rows: [text: string, variables: Choice["variables"], expected: string][] = [
    ["$timeFilter", {}, "time >= 1000500ms and time <= 1060999ms"],
    ["time($__interval) < ${__to:date:seconds}s", {}, "time(2s) < 1060s"],
    ["/^${proxy:regex}$/", { proxy: { values: [], all: ".*" } }, "/^.*$/"],
    ["/^${proxy:regex}$/", { proxy: { values: ["a.b (1)"] } }, "/^a\\.b \\(1\\)$/"],
    ["/^${proxy:regex}$/", { proxy: { values: ["nginx", "haproxy"] } }, "/^(nginx|haproxy)$/"],
    ["/^${baseline:regex}$/", { baseline: { values: [""] } }, "/^$/"],
  ];
  for (const [text, variables, expected] of rows)
    assert.equal(interpolate(text, { ...RANGE, variables, stepMs: 2000 }), expected);
});

test("what nothing is known about is named", () => {
  const variables = { proxy: { values: ["x"] } };
  for (const unknown of ["${prox:regex}", "${proxy:glob}", "$proxy", "$__range"])
    assert.throws(
      () => interpolate(unknown, { ...RANGE, variables }),
      ({ message }) => message.includes(unknown) && message.includes("variables: proxy"),
    );
});

test("a step is one that people read, no finer than the panel's", () => {
  const rows: [seconds: number, finest: string | undefined, ms: number][] = [
    [60, "1s", 1000],
    [1342, "1s", 2000],
    [60, "10s", 10_000],
    [60, undefined, 1000],
    [86_400, "1s", 120_000],
  ];
  for (const [seconds, finest, ms] of rows)
    assert.equal(stepOf({ fromMs: 0, toMs: 1000 * seconds }, finest), ms);
});

test("the run is given, All is All, and a setting takes each of its values in turn", async () => {
  const asked: string[] = [];
  const list: Variable[] = [
    { name: "run", query: "runs" },
    PROXY,
    { name: "setting", query: "settings of ${run:regex}", sort: 2 },
    { name: "baseline", query: "baselines" },
  ];
  const dashboard = { uid: "d", title: "D", panels: [], templating: { list } };
  const choices = await choicesOf(dashboard, { run: "r1" }, RANGE, async (query) => {
    asked.push(query);
    const values = query.startsWith("settings")
      ? [
          ["k", "ws"],
          ["k", "wss"],
          ["k", "ws"],
        ]
      : [];
    return [{ name: "cells", tags: {}, columns: ["key", "value"], values }];
  });
  assert.deepEqual(asked, ["settings of r1", "baselines"]);
  assert.deepEqual(
    choices.map(({ variables, varying, missing }) => [
      ...[variables.setting.values, variables.baseline.values, varying],
      missing.map(({ name }) => name),
    ]),
    ["wss", "ws"].map((setting) => [[setting], [""], ["setting"], ["baseline"]]),
  );
  assert.equal(choices[0].variables.proxy.all, ".*");
  const panel = (query: string) => {
    return { id: 1, type: "stat", title: "T", targets: [{ refId: "A", query }] };
  };
  assert.deepEqual(partOf(panel("x =~ /^${setting:regex}$/"), choices[1]), ["ws"]);
  assert.deepEqual(partOf(panel("x = ${settings:regex} AND ${run:regex}"), choices[1]), []);
});

test("a value is called by the group `text` of its variable, also in a title", async () => {
  const list: Variable[] = [
    { name: "question", query: "questions", regex: "/(?<value>\\d\\d (?<text>.+))/" },
  ];
  const dashboard = { uid: "d", title: "D", panels: [], templating: { list } };
  const values = [["question", "03 CPU per connection"]];
  const answer = [{ name: "summaries", tags: {}, columns: ["key", "value"], values }];
  const [choice] = await choicesOf(dashboard, {}, RANGE, async () => answer);
  assert.deepEqual(choice.variables.question.values, ["03 CPU per connection"]);
  assert.equal(
    titled("${question:text}: all of ${other:text}", choice),
    "CPU per connection: all of ${other:text}",
  );
});

test("what varies in one panel alone makes no snapshot of its own", () => {
  const panels = ["${setting:regex} ${question:regex}", "${setting:regex}"].map((query, id) => {
    return { id, type: "table", title: "T", targets: [{ refId: "A", query }] };
  });
  const choices = ["ws", "wss"].flatMap((setting) =>
    ["01 a", "02 b"].map((question): Choice => {
      const variables = { setting: { values: [setting] }, question: { values: [question] } };
      return { variables, varying: ["setting", "question"], missing: [] };
    }),
  );
  assert.deepEqual(
    snapshotChoices(choices, panels).map(({ variables, varying }) => [
      variables.setting.values[0],
      varying,
    ]),
    [
      ["ws", ["setting"]],
      ["wss", ["setting"]],
    ],
  );
});

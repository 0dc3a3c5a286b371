import assert from "node:assert/strict";
import { test } from "node:test";
import { choicesOf, partOf } from "./variables.js";

const RANGE = { fromMs: 0, toMs: 1000, intervalMs: 1000 };

/** @param {any[]} list */
function dashboardOf(list) {
  return { uid: "d", title: "D", panels: [], templating: { list } };
}

/** @param {string[]} values */
function answer(values) {
  return [
    {
      name: "cells",
      tags: {},
      columns: ["key", "value"],
      values: values.map((value) => ["k", value]),
    },
  ];
}

test("the run is given, All is All, and a setting takes each of its values in turn", async () => {
  /** @type {string[]} */
  const asked = [];
  const dashboard = dashboardOf([
    { name: "run", type: "query", query: "runs" },
    {
      name: "proxy",
      type: "query",
      query: "proxies",
      multi: true,
      includeAll: true,
      allValue: ".*",
    },
    { name: "setting", type: "query", query: "settings of ${run:regex}", sort: 1 },
    { name: "baseline", type: "query", query: "baselines" },
  ]);
  const choices = await choicesOf(dashboard, {
    given: { run: "r1" },
    range: RANGE,
    ask: async (query) => {
      asked.push(query);
      return query.startsWith("settings") ? answer(["wss", "ws"]) : [];
    },
  });
  assert.deepEqual(asked.slice(0, 1), ["settings of r1"]);
  assert.deepEqual(
    choices.map(({ variables, varying, missing }) => [
      variables.setting.values,
      variables.baseline.values,
      varying,
      missing.map(({ name }) => name),
    ]),
    [
      [["ws"], [""], ["setting"], ["baseline"]],
      [["wss"], [""], ["setting"], ["baseline"]],
    ],
  );
  assert.equal(choices[0].variables.proxy.all, ".*");

  const uses = {
    id: 1,
    type: "stat",
    title: "T",
    targets: [{ refId: "A", query: "x =~ /^${setting:regex}$/" }],
  };
  assert.deepEqual(partOf(uses, choices[1]), ["wss"]);
  const doesNot = { ...uses, targets: [{ refId: "A", query: "x = '$settings' AND ${run}" }] };
  assert.deepEqual(partOf(doesNot, choices[1]), []);
});

test("a regular expression takes its group out of a value", async () => {
  const [{ variables }] = await choicesOf(
    dashboardOf([
      {
        name: "p",
        type: "query",
        query: "q",
        regex: "/^x-(.+)-[0-9]+$/",
        sort: 2,
        multi: true,
        includeAll: true,
      },
    ]),
    { given: {}, range: RANGE, ask: async () => answer(["x-a-1", "other", "x-b-2"]) },
  );
  assert.deepEqual(variables.p.values, ["b", "a"]);
});

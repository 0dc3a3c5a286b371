import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "./data.js";
import { framesOf, shownFields } from "./frames.js";
import { transformed } from "./transform.js";

/** @import { Panel } from "./dashboards.js" */

const SERIES = [
  {
    name: "cpu",
    tags: { container_name: "x-nginx-1" },
    columns: ["time", "mean"],
    values: [
      [0, 1],
      [1000, null],
    ],
  },
  {
    name: "cpu",
    tags: { container_name: "x-echo-1" },
    columns: ["time", "mean"],
    values: [[1000, 3]],
  },
];
const CELLS = [
  {
    name: "cells",
    tags: { proxy: "nginx" },
    columns: ["time", "Round", "Why"],
    values: [
      [5, 1, 'a "b", c'],
      [6, 2, null],
    ],
  },
];

/**
 * @param {Partial<Panel>} panel
 * @returns {Panel}
 */
function panelOf(panel) {
  return { id: 1, type: "timeseries", title: "CPU", ...panel };
}

test("each column of each series is a series, named by the alias", () => {
  const frames = framesOf({ refId: "A", alias: "$tag_container_name $col" }, SERIES);
  assert.deepEqual(
    frames.map(({ name }) => name),
    ["x-nginx-1 mean", "x-echo-1 mean"],
  );
  assert.deepEqual(frames[0].fields[1].values, [1, null]);
  assert.equal(framesOf({ refId: "A" }, SERIES)[0].name, "cpu.mean {container_name: x-nginx-1}");
});

test("a table has time, tags and columns of all series", () => {
  const [frame] = framesOf({ refId: "A", resultFormat: "table" }, CELLS);
  assert.deepEqual(
    frame.fields.map(({ name, type, values }) => [name, type, values]),
    [
      ["Time", "time", [5, 6]],
      ["proxy", "string", ["nginx", "nginx"]],
      ["Round", "number", [1, 2]],
      ["Why", "string", ['a "b", c', null]],
    ],
  );
});

test("overrides meet fields by the name that a transformation gave them", () => {
  const panel = panelOf({
    transformations: [
      { id: "renameByRegex", options: { regex: "^x-(.+)-1$", renamePattern: "$1" } },
    ],
    fieldConfig: {
      defaults: { unit: "ms", custom: { lineWidth: 2 } },
      overrides: [
        {
          matcher: { id: "byRegexp", options: "/^nginx( |$)/" },
          properties: [{ id: "color", value: { mode: "fixed", fixedColor: "#009E73" } }],
        },
        {
          matcher: { id: "byName", options: "echo" },
          properties: [{ id: "custom.lineWidth", value: 1 }],
        },
      ],
    },
  });
  const frames = transformed(framesOf({ refId: "A", alias: "$tag_container_name" }, SERIES), panel);
  const [, nginx, , echo] = shownFields(frames, panel);
  assert.equal(nginx.name, "nginx");
  assert.equal(nginx.config.color.fixedColor, "#009E73");
  assert.equal(nginx.config.custom.lineWidth, 2);
  assert.equal(echo.config.custom.lineWidth, 1);
  assert.equal(echo.config.color, undefined);
});

test("a transformation that is not known is named", () => {
  const panel = panelOf({ transformations: [{ id: "joinByField" }] });
  assert.throws(() => transformed([], panel), /joinByField/);
});

test("CSV: series beside each other by time, a table as it is", () => {
  const panel = panelOf({});
  const series = framesOf({ refId: "A", alias: "$tag_container_name" }, SERIES);
  assert.equal(
    csvOf(shownFields(series, panel)),
    "Time,x-nginx-1,x-echo-1\n1970-01-01T00:00:00.000Z,1,\n1970-01-01T00:00:01.000Z,,3\n",
  );
  const table = transformed(framesOf({ refId: "A", resultFormat: "table" }, CELLS), {
    ...panel,
    transformations: [{ id: "organize", options: { excludeByName: { Time: true } } }],
  });
  assert.equal(
    csvOf(shownFields(table, panel)),
    'proxy,Round,Why\nnginx,1,"a ""b"", c"\nnginx,2,\n',
  );
  assert.equal(csvOf([]), "Time\n");
});

/**
 * Every panel of the generated dashboards is drawn from what InfluxDB answered of published runs
 * (testing/frames.json).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pngOf } from "../report/png.ts";
import type { Panel } from "./dashboards.ts";
import { panelsOf, readDashboards } from "./dashboards.ts";
import { scaleOf, svgOf, valueText } from "./draw.ts";
import type { Field, Frame } from "./frames.ts";
import { csvOf, framesOf, hasData, shownFields } from "./frames.ts";
import { pixelsOf } from "./testing/png.ts";

const FROM_MS = Date.UTC(2026, 10, 25);
const CAPTION = "run r · nginx · wss · short-lived: 4,000 connections · 2026-01-01 00:00 UTC";
const AROUND = {
  ...{ fromMs: FROM_MS, toMs: FROM_MS + 10_000, caption: CAPTION },
  annotations: [{ ms: FROM_MS + 3000, title: "reload", text: "nginx", colour: "#E02F44" }],
};
const project = join(import.meta.dirname, "../../../..");
const dashboards = readDashboards(project);
type Column = [name: string, ...values: any[]];
const recorded: Record<string, Column[]> = JSON.parse(
  readFileSync(join(import.meta.dirname, "testing/frames.json"), "utf8"),
);

function typeOf(values: any[]): Field["type"] {
  return values.some((value) => typeof value === "string") ? "string" : "number";
}

/** @param columns of a table; of curves and bars a series each */
function framesFrom(panel: Panel, columns: Column[], fromMs = FROM_MS): Frame[] {
  const [{ refId, resultFormat }] = panel.targets ?? [{ refId: "A" }];
  const fields = columns.map(([name, ...values]): Field => {
    return { name, type: name === "Time" ? "time" : typeOf(values), values };
  });
  if (resultFormat === "table") return [{ refId, fields }];
  return fields.map(({ name, type, values }) => {
    const time: Field = {
      name: "Time",
      type: "time",
      values: values.map((_, i) => fromMs + 1000 * i),
    };
    const config = { displayNameFromDS: name };
    return { refId, name, fields: [time, { name: "Value", type, values, config }] };
  });
}

function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text.replaceAll("&amp;", "&"));
}

for (const dashboard of dashboards)
  test(`${dashboard.uid}: each panel with its title, unit, names and caption, and as data`, () => {
    for (const panel of panelsOf(dashboard)) {
      const columns = recorded[`${dashboard.uid} ${panel.id}`];
      assert.ok(columns, `${dashboard.uid} ${panel.id} ${panel.title}: nothing is recorded of it`);
      const frames = framesFrom(panel, columns, dashboard.uid === "battle" ? 0 : FROM_MS);
      assert.ok(hasData(frames, panel), panel.title);
      const svg = svgOf(panel, frames, AROUND);
      assert.doesNotMatch(svg, /NaN|Infinity|undefined/, panel.title);
      const texts = textsOf(svg);
      for (const part of [panel.title, CAPTION])
        assert.ok(texts.includes(part), `${part}: ${texts}`);
      const shown = shownFields(frames, panel).filter(({ field }) => field.type !== "time");
      for (const { name, config } of shown)
        assert.ok(config.custom?.hideFrom?.legend || texts.includes(name), `${name} in ${texts}`);
      assert.equal(csvOf(frames, panel).split("\n")[0].split(",").length >= 2, true);
    }
  });

/** A panel of the dashboards, with other data; what is read in its picture. */
const DETAILS: [uid: string, id: number, columns: Column[], expected: string[]][] = [
  [
    "battle",
    102,
    [
      ["nginx", 190],
      ["http-proxy", 1234],
    ],
    ["CPU per connection (ms)", "190\u00a0µs", "1.23\u00a0ms"],
  ],
  ["battle", 201, [["nginx", 2 ** 21]], ["Memory, peak (MiB)", "2\u00a0MiB"]],
  [
    "battle",
    401,
    [["ws-proxy-bench-nginx-1 on cadvisor", 0.5, 1]],
    ["Time since the measured phase began (s)", "nginx"],
  ],
  [
    "proxies-live",
    107,
    [["ws-proxy-bench-nginx-1 on cadvisor", 0.5, 1]],
    ["Time (UTC)", "00:00:10", "nginx", "reload"],
  ],
  ["proxies-live", 106, [["connections", 3]], ["3"]],
  ["proxies-live", 104, [["last second", 1, null]], ["1.0\u00a0ms"]],
  ["proxies-live", 201, [["none", 1, 2]], ["no proxy (control)"]],
  [
    "battle",
    502,
    [
      ["Validity", "weak", "valid"],
      ["Why", null, "slow"],
    ],
    ["~ weak", "✓ valid", "–", "slow"],
  ],
];
test("units, calculations, names and mappings are the panel's", () => {
  for (const [uid, id, columns, expected] of DETAILS) {
    const panel = panelsOf(dashboards.find((one) => one.uid === uid)!).find(
      (one) => one.id === id,
    )!;
    const texts = textsOf(
      svgOf(panel, framesFrom(panel, columns, uid === "battle" ? 0 : FROM_MS), AROUND),
    );
    for (const text of expected)
      assert.ok(texts.includes(text), `${panel.title}: ${text} in ${texts}`);
  }
});

test("a PNG is twice as wide, light, and has the proxy's colour", async () => {
  const panel = panelsOf(dashboards[0]).find(({ type }) => type === "bargauge")!;
  const svg = svgOf(panel, framesFrom(panel, [["nginx", 190]]), AROUND);
  const { width, colours } = pixelsOf(await pngOf(svg));
  assert.equal(width, 1800);
  assert.ok(colours.has("255,255,255,255") && colours.has("0,158,115,255"));
});

test("rows are sorted as the panel says; a gap is bridged up to the length that it says", () => {
  const table = {
    id: 1,
    type: "table",
    title: "T",
    targets: [{ refId: "A", query: "", resultFormat: "table" as const }],
  };
  const sorted = { ...table, options: { sortBy: [{ displayName: "Proxy", desc: true }] } };
  const texts = textsOf(
    svgOf(
      sorted,
      framesFrom(table, [
        ["Proxy", "a", "c", "b"],
        ["CPU", 3, 1, 2],
      ]),
      AROUND,
    ),
  );
  assert.deepEqual(
    texts.filter((text) => /^[a-c]$/.test(text)),
    ["c", "b", "a"],
  );
  const curves = {
    ...{ id: 1, type: "timeseries", title: "T" },
    fieldConfig: { defaults: { custom: { spanNulls: 2500 } }, overrides: [] },
  };
  const svg = svgOf(curves, framesFrom(curves, [["x", 1, null, 2, null, null, null, 3]]), AROUND);
  const [, path] = /<path d="([^"]*)"/.exec(svg) ?? [];
  assert.equal(path.match(/M/g)?.length, 2);
});

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
const PANEL: Panel = { id: 1, type: "timeseries", title: "CPU" };

test("series are named by the alias, then by a transformation; overrides meet that name", () => {
  const frames = framesOf({ refId: "A", query: "", alias: "$tag_container_name $col" }, SERIES);
  assert.deepEqual(
    frames.map(({ name }) => name),
    ["x-nginx-1 mean", "x-echo-1 mean"],
  );
  const fields = shownFields(frames, {
    ...PANEL,
    transformations: [
      { id: "renameByRegex", options: { regex: "^x-(.+)-1 mean$", renamePattern: "$1" } },
    ],
    fieldConfig: {
      defaults: { unit: "ms", custom: { lineWidth: 2 } },
      overrides: [
        {
          matcher: { id: "byRegexp", options: "/^nginx( |$)/" },
          properties: [{ id: "unit", value: "s" }],
        },
        {
          matcher: { id: "byName", options: "echo" },
          properties: [{ id: "custom.lineWidth", value: 1 }],
        },
      ],
    },
  });
  assert.deepEqual(
    fields.map(({ name, config }) => [name, config.unit, config.custom.lineWidth]),
    [
      ["Time", "ms", 2],
      ["nginx", "s", 2],
      ["Time", "ms", 2],
      ["echo", "ms", 1],
    ],
  );
});

test("CSV: series beside each other by time, a table as it is", () => {
  const series = framesOf({ refId: "A", query: "", alias: "$tag_container_name" }, SERIES);
  assert.equal(
    csvOf(series, PANEL),
    "Time,x-nginx-1,x-echo-1\n1970-01-01T00:00:00.000Z,1,\n1970-01-01T00:00:01.000Z,,3\n",
  );
  const table = framesOf({ refId: "A", query: "", resultFormat: "table" }, CELLS);
  const transformations = [{ id: "organize", options: { excludeByName: { Time: true } } }];
  assert.equal(
    csvOf(table, { ...PANEL, transformations }),
    'proxy,Round,Why\nnginx,1,"a ""b"", c"\nnginx,2,\n',
  );
});

test("what no dashboard of ours uses is refused by its name", () => {
  const frames = framesFrom(PANEL, [["nginx", 1]]);
  const matcher = { id: "byType", options: "number" };
  const refused: [() => unknown, RegExp][] = [
    [() => svgOf({ ...PANEL, type: "piechart" }, frames, AROUND), /piechart/],
    [
      () =>
        shownFields(frames, { ...PANEL, transformations: [{ id: "joinByField", options: {} }] }),
      /joinByField/,
    ],
    [
      () =>
        shownFields(frames, {
          ...PANEL,
          fieldConfig: { defaults: {}, overrides: [{ matcher, properties: [] }] },
        }),
      /byType/,
    ],
    [() => scaleOf("furlongs", [1]), /furlongs/],
    [
      () =>
        svgOf(
          { ...PANEL, type: "stat", options: { reduceOptions: { calcs: ["p99"] } } },
          frames,
          AROUND,
        ),
      /p99/,
    ],
  ];
  for (const [call, name] of refused) assert.throws(call, name);
});

test("figures have three digits, the decimals that are asked for, and no space before /s", () => {
  const rows: [any, Record<string, any>, string][] = [
    [1234.5, { unit: "suffix:/s" }, "1,235/s"],
    [0.5, { unit: "percentunit" }, "50\u00a0%"],
    [1.5, { unit: "suffix:×", decimals: 3 }, "1.500\u00a0×"],
    [null, { noValue: "none" }, "none"],
    [null, {}, "–"],
    ["text", {}, "text"],
    [3e6, { unit: "Bps" }, "3\u00a0MB/s"],
    [9912, { unit: "decbytes", decimals: 1 }, "9.9\u00a0kB"],
    [2000, { unit: "locale" }, "2,000"],
    [1_795_695_419_027, { unit: "dateTimeFromNow" }, "2026-11-26 12:16:59"],
  ];
  for (const [value, config, text] of rows) assert.equal(valueText(value, config), text);
});

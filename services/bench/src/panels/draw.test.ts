/**
 * Every panel of the generated dashboards is drawn from what InfluxDB answered of published runs
 * (testing/frames.json).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pngOf } from "../report/png.ts";
import type { Config, Panel } from "./dashboards.ts";
import { panelsOf, readDashboards } from "./dashboards.ts";
import { rankedOf, scaleOf, svgOf, valueText } from "./draw.ts";
import type { Field, Frame } from "./frames.ts";
import { csvOf, framesOf, hasData, shownFields } from "./frames.ts";
import { slideOf } from "./slide.ts";
import type { Job } from "./selection.ts";
import type { Series } from "../platform/influx.ts";
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

/** What its picture names: series, columns; of tables that are drawn as bars or cells their proxies. */
function namedIn(panel: Panel, frames: Frame[]): { name: string; config: Config }[] {
  const shown = shownFields(frames, panel).filter(({ field }) => field.type !== "time");
  const isMatrix = panel.transformations?.some(({ id }) => id === "groupingToMatrix");
  const isDrawn = isMatrix || rankedOf(panel, frames);
  const [proxies] = shown.filter(({ name }) => name === "Proxy");
  if (!isDrawn) return shown;
  const { field, config } = proxies;
  return field.values.map((value) => ({ name: valueText(value, config), config }));
}

/** In one text, or word by word, each whole or cut: many columns leave little room. */
function isShown(name: string, texts: string[]): boolean {
  const isPart = (word: string, text: string) =>
    text === word || (/.…$/.test(text) && word.startsWith(text.slice(0, -1)));
  const shown = texts.flatMap((text) => text.split(" "));
  return (
    texts.includes(name) ||
    name.split(" ").every((word) => shown.some((text) => isPart(word, text)))
  );
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
      for (const { name, config } of namedIn(panel, frames))
        assert.ok(
          config.custom?.hideFrom?.legend || isShown(name, texts) === !config.custom?.hidden,
          `${name} in ${texts}`,
        );
      assert.equal(csvOf(frames, panel).split("\n")[0].split(",").length >= 2, true);
    }
  });

/** A panel of the dashboards, with other data; what is read in its picture. */
const DETAILS: [uid: string, id: number, columns: Column[], expected: string[]][] = [
  [
    "battle",
    1101,
    [
      ["Rank", "2", "1 =", null],
      ["Proxy", "nginx", "haproxy", "none"],
      ["Figure", "1.23 MB", "1.20 MB", "n/a"],
      ["Place", 2, 1, 1000],
      ["Median", 1.23e6, 1.2e6, null],
      ["Low", 1.2e6, null, null],
      ["High", 1.3e6, null, null],
      ["Unit", "bytes", "bytes", "bytes"],
    ],
    ["MB, with interval", "haproxy", "1.20 MB  #1 =", "1.23 MB  #2", "no proxy (control)", "n/a"],
  ],
  ["battle", 402, [["nginx", 2 ** 21]], ["Memory of the proxy (MiB)", "nginx"]],
  ["battle", 1201, [["none", 100, 0]], ["Connections still open (%)", "no proxy (control)"]],
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
  ["proxies-live", 101, [["per connection", 0.000_258]], ["258\u00a0µs"]],
  ["proxies-live", 201, [["none", 1, 2]], ["no proxy (control)"]],
  [
    "battle",
    502,
    [
      ["Validity", "weak", "valid"],
      ["Why", "slow", null],
      ["Place", 1, 2],
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

test("a PNG is twice as wide, light, and has the series' colour", async () => {
  const panel = panelsOf(dashboards[0]).find(({ type }) => type === "bargauge")!;
  const svg = svgOf(panel, framesFrom(panel, [["valid", 190]]), AROUND);
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

test("CSV: the times are real, or seconds of a cell, or none", () => {
  const organize = { id: "organize", options: { excludeByName: { Time: true, Round: true } } };
  const sortBy = { id: "sortBy", options: { sort: [{ field: "Round", desc: true }] } };
  const alias = "$tag_container_name";
  const at = (ms: number, rows: [ms: number, value: number | null][]) => ({
    ...{ name: "cpu", tags: { container_name: "nginx" }, columns: ["time", "mean"] },
    values: rows.map(([offset, value]) => [ms + offset, value]),
  });
  const rows: [Partial<Panel>, Series[], "table" | "time_series", string][] = [
    [{}, SERIES, "time_series", "Seconds,x-nginx-1,x-echo-1\n0,1,\n1,,3\n"],
    [
      {},
      [
        at(FROM_MS, [
          [0, 1],
          [1000, null],
        ]),
      ],
      "time_series",
      "Time,nginx\n2026-11-25T00:00:00.000Z,1\n2026-11-25T00:00:01.000Z,\n",
    ],
    [{ type: "bargauge" }, [at(0, [[0, 5]])], "time_series", "Name,Value\nnginx,5\n"],
    [
      { type: "table", transformations: [sortBy, organize] },
      CELLS.map((cells) => ({
        ...cells,
        values: cells.values.map(([ms, ...rest]) => [FROM_MS + Number(ms), ...rest]),
      })),
      "table",
      "Time,proxy,Round,Why\n2026-11-25T00:00:00.006Z,nginx,2,\n" +
        '2026-11-25T00:00:00.005Z,nginx,1,"a ""b"", c"\n',
    ],
  ];
  for (const [panel, series, resultFormat, expected] of rows) {
    const frames = framesOf({ refId: "A", query: "", alias, resultFormat }, series);
    assert.equal(csvOf(frames, { ...PANEL, ...panel }), expected);
  }
});

test("rows become columns where a row and a column meet; the rest of the table is gone", () => {
  const series = [
    {
      ...{ name: "summaries", tags: {}, columns: ["time", "Proxy", "Setting", "Figure", "Place"] },
      values: [
        [9, "none", "ws", "3", 1000],
        [9, "nginx", "wss", "2", 1],
        [9, "nginx", "ws", "1", 1],
      ],
    },
  ];
  const frames = framesOf({ refId: "A", query: "", resultFormat: "table" }, series);
  const options = { columnField: "Setting", rowField: "Proxy", valueField: "Figure" };
  const transformations = [
    { id: "sortBy", options: { sort: [{ field: "Place" }] } },
    { id: "groupingToMatrix", options },
  ];
  assert.deepEqual(
    shownFields(frames, { ...PANEL, transformations }).map(({ name, field: { values } }) => [
      name,
      ...values,
    ]),
    [
      ["Proxy\\Setting", "nginx", "none"],
      ["wss", "2", ""],
      ["ws", "1", "3"],
    ],
  );
});

test("events stand out in red with their label, however many cells there are", () => {
  const curves = { ...PANEL, fieldConfig: { defaults: {}, overrides: [] } };
  const cells = Array.from({ length: 100 }, (_, i) => {
    return { ms: FROM_MS + 10 * i, title: "cell", text: "", colour: "rgba(128, 128, 128, 0.5)" };
  });
  const drawn = (annotations: typeof cells, fromMs: number) =>
    svgOf(curves, framesFrom(curves, [["x", 1, 2, 3, 4, 5]], fromMs), { ...AROUND, annotations });
  const event = { ms: FROM_MS + 500, title: "nginx · reload", text: "", colour: "#E02F44" };
  const svg = drawn([...cells, event], FROM_MS);
  assert.match(svg, /<line [^>]*stroke="#E02F44" stroke-width="1.5"/);
  assert.match(svg, /<text [^>]*fill="#E02F44"[^>]*>nginx · reload</);
  assert.doesNotMatch(svg, />cell</);
  // Of cells that lie over each other, one line for an event that all of them have.
  const aligned = ["nginx", "haproxy"].map((proxy, i) => {
    return { ...event, ms: 1000 + i, title: `${proxy} · reload` };
  });
  assert.equal(textsOf(drawn(aligned, 0)).filter((text) => text === "reload").length, 1);
});

test("a difference is coloured behind its text, and none is not", () => {
  const compare = dashboards.find(({ uid }) => uid === "compare")!;
  const [panel] = panelsOf(compare);
  const columns: Column[] = [
    ["Proxy", "nginx", "haproxy"],
    ["Difference", "worse", "no difference"],
    ["Place", 1, 2],
  ];
  const svg = svgOf(panel, framesFrom(panel, columns), AROUND);
  const grounds = [...svg.matchAll(/<rect [^>]*fill="(#[0-9A-F]{6})"[^>]*fill-opacity="0.3"/g)];
  assert.deepEqual(
    grounds.map(([, colour]) => colour),
    ["#D55E00"],
  );
});

test("a table fits: what is too long stands on several lines", () => {
  const long = "a word ".repeat(200);
  const table = {
    ...PANEL,
    type: "table",
    targets: [{ refId: "A", query: "", resultFormat: "table" as const }],
  };
  const svg = svgOf(
    table,
    framesFrom(table, [
      ["Why", long],
      ["Proxy", "nginx"],
    ]),
    AROUND,
  );
  assert.match(svg, /<svg [^>]*width="900"/);
  assert.equal(textsOf(svg).filter((text) => /\bword\b/.test(text)).length, 4);
});

test("one picture is fit for a slide: 1,200 by 630, the best proxies and the control", async () => {
  const battle = dashboards.find(({ uid }) => uid === "battle")!;
  const jobs = [401, 1101].map((id): Job => {
    const panel = panelsOf(battle).find((one) => one.id === id)!;
    const names = ["none", ...Array.from({ length: 12 }, (_, i) => `proxy ${i}`)];
    const columns: Column[] = [
      ["Rank", null, ...names.slice(1).map((_, i) => String(i + 1))],
      ["Proxy", ...names],
      ["Figure", ...names.map((_, i) => `${i} µs`)],
      ["Place", ...names.map((_, i) => i || 1000)],
      ["Median", ...names.map((_, i) => i)],
      ["Unit", ...names.map(() => "µs")],
    ];
    const frames = framesFrom(panel, id === 401 ? [["nginx", 1]] : columns);
    const choice = { variables: {}, varying: [], missing: [] };
    return { panel, choice, title: "CPU", name: "", queries: [], frames };
  });
  const svg = slideOf(jobs, () => CAPTION);
  assert.ok(svg);
  const texts = textsOf(svg);
  assert.deepEqual(
    texts.filter((text) => /^proxy \d+$|control/.test(text)),
    [...Array.from({ length: 7 }, (_, i) => `proxy ${i}`), "no proxy (control)"],
  );
  assert.ok(
    texts.some((text) => text.includes("5 proxies behind these")),
    String(texts),
  );
  const { width, height } = pixelsOf(await pngOf(svg));
  assert.deepEqual([width, height], [1200, 630]);
  assert.equal(
    slideOf(jobs.slice(0, 1), () => CAPTION),
    null,
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

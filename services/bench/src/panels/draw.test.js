import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { svgText } from "../render/charts.js";
import { visibleFields } from "./data.js";
import { figureOf } from "./draw.js";
import { pngOf } from "./png.js";
import { pixelsOf } from "./testing/png.js";
import { timeTicks } from "./time-series.js";

/**
 * @import { Panel } from "./dashboards.js"
 * @import { Frame } from "./frames.js"
 */

const FROM_MS = Date.UTC(2026, 0, 1);
const CAPTION = "run r · nginx · wss · short-lived: 4,000 connections · 2026-01-01 00:00 UTC";
const AROUND = { fromMs: FROM_MS, toMs: FROM_MS + 10_000, caption: CAPTION };
const GREEN = {
  matcher: { id: "byRegexp", options: "/^nginx( |$)/" },
  properties: [{ id: "color", value: { mode: "fixed", fixedColor: "#009E73" } }],
};

/**
 * @param {string} name
 * @param {(number | null)[]} values
 * @param {number} [fromMs]
 * @returns {Frame}
 */
function series(name, values, fromMs = FROM_MS) {
  return {
    refId: "A",
    name,
    fields: [
      { name: "Time", type: "time", values: values.map((_, i) => fromMs + i * 1000) },
      { name: "Value", type: "number", values, config: { displayNameFromDS: name } },
    ],
  };
}

/** @type {Frame} */
const TABLE = {
  fields: [
    { name: "Proxy", type: "string", values: ["nginx", "haproxy"] },
    { name: "Ratio", type: "number", values: [0.97, 1.12] },
    { name: "Why", type: "string", values: [null, "the generator was slow"] },
  ],
};

/**
 * @param {string} type
 * @param {Record<string, any>} defaults
 * @param {Partial<Panel>} [rest]
 * @returns {Panel}
 */
function panelOf(type, defaults, rest = {}) {
  return {
    id: 1,
    type,
    title: "CPU of the proxy: p50 bold",
    description: "What it means.",
    fieldConfig: { defaults, overrides: [GREEN] },
    ...rest,
  };
}

/**
 * @param {Panel} panel
 * @param {Frame[]} frames
 */
function draw(panel, frames) {
  const svg = svgText(figureOf(panel, visibleFields(panel, frames), AROUND));
  const { document } = new JSDOM(svg, { contentType: "image/svg+xml" }).window;
  const texts = [...document.querySelectorAll("text")].map(({ textContent }) => textContent);
  return { svg, document, texts };
}

/** @type {[name: string, panel: Panel, frames: Frame[], expected: string[]][]} what must be read in each kind of panel */
const KINDS = [
  [
    "curves",
    panelOf("timeseries", { unit: "bytes" }),
    [series("nginx", [2 ** 21, null, 2 ** 22]), series("haproxy", [2 ** 20])],
    ["CPU of the proxy (MiB)", "Time (UTC)", "00:00:10", "nginx", "haproxy"],
  ],
  [
    "curves from the start of each cell",
    panelOf("timeseries", { unit: "suffix:cores" }),
    [series("nginx", [0.5, 1, 1.5], 0)],
    ["CPU of the proxy (cores)", "Time since the measured phase began (s)", "nginx"],
  ],
  [
    "stacked bars",
    panelOf("timeseries", { unit: "short", custom: { drawStyle: "bars" } }),
    [series("nginx", [1, 2]), series("timeout", [3, 0])],
    ["CPU of the proxy", "Time (UTC)", "timeout"],
  ],
  [
    "a bar for each series",
    panelOf("bargauge", { unit: "µs" }),
    [series("nginx", [190]), series("http-proxy", [1234])],
    ["CPU of the proxy (ms)", "nginx", "190\u00a0µs", "1.23\u00a0ms"],
  ],
  [
    "bars of a table",
    panelOf("barchart", { unit: "short", decimals: 2 }, { options: { xField: "Proxy" } }),
    [TABLE],
    ["CPU of the proxy", "nginx", "0.97", "1.12"],
  ],
  [
    "figures",
    panelOf("stat", { unit: "ms" }, { options: { reduceOptions: { calcs: ["lastNotNull"] } } }),
    [series("nginx", [1, 2.345, null])],
    ["nginx", "2.35\u00a0ms"],
  ],
  [
    "a table, sorted",
    panelOf(
      "table",
      { unit: "string", noValue: "–" },
      { options: { sortBy: [{ displayName: "Proxy" }] } },
    ),
    [TABLE],
    ["Proxy", "haproxy", "nginx", "Why", "the generator was slow", "–"],
  ],
];

for (const [name, panel, frames, expected] of KINDS) {
  test(`${name}: title, axes with their units, names, and a PNG that shows them`, async () => {
    const { svg, document, texts } = draw(panel, frames);
    assert.equal(document.querySelector("title")?.textContent, panel.title);
    assert.match(
      document.querySelector("desc")?.textContent ?? "",
      /^What it means\. .* run r · nginx · wss /s,
    );
    for (const text of [panel.title, CAPTION, ...expected])
      assert.ok(texts.includes(text), `no "${text}" in ${texts.join(" | ")}`);
    assert.doesNotMatch(svg, /NaN|undefined|null/);
    const { width, colours } = pixelsOf(await pngOf(svg));
    assert.ok(width >= 1800);
    assert.ok(colours.has("255,255,255,255"), "no light ground");
    assert.ok(colours.size > 10, "blank");
    const isColoured = svg.includes("#009E73");
    assert.equal(colours.has("0,158,115,255"), isColoured);
  });
}

test("the rows of a table are sorted as the panel says", () => {
  const { texts } = draw(KINDS[6][1], [TABLE]);
  assert.ok(texts.indexOf("haproxy") < texts.indexOf("nginx"));
});

test("a gap is bridged where the panel says so, up to that length", () => {
  const lines = (/** @type {unknown} */ spanNulls) => {
    const panel = panelOf("timeseries", { custom: { spanNulls } });
    const { document } = draw(panel, [series("nginx", [1, null, 2, null, null, null, 3])]);
    const path = document.querySelector('[aria-label="line"] path')?.getAttribute("d") ?? "";
    return path.match(/M/g)?.length;
  };
  assert.equal(lines(false), 3);
  assert.equal(lines(2500), 2);
  assert.equal(lines(true), 1);
});

test("a kind of panel that cannot be drawn is named", () => {
  assert.throws(() => figureOf(panelOf("piechart", {}), [], AROUND), /piechart/);
});

test("times on an axis are round, and never more than fit beside each other", () => {
  const from = Date.UTC(2026, 10, 21, 5, 20, 55, 400);
  for (const seconds of [3, 16, 90, 1400, 7200, 90_000]) {
    const ticks = timeTicks(from, from + 1000 * seconds);
    assert.ok(ticks.length >= 2 && ticks.length <= 9, `${seconds} s: ${ticks.length}`);
  }
  assert.deepEqual(
    timeTicks(from, from + 16_000).map((date) => date.toISOString().slice(17, 19)),
    ["56", "58", "00", "02", "04", "06", "08", "10"],
  );
});

test("a long caption takes as many lines as it needs, and the picture is higher by them", () => {
  const panel = panelOf("stat", { unit: "ms" });
  const fields = visibleFields(panel, [series("nginx", [1])]);
  const drawn = (/** @type {string} */ caption) => {
    const svg = svgText(figureOf(panel, fields, { ...AROUND, caption }));
    const { document } = new JSDOM(svg, { contentType: "image/svg+xml" }).window;
    const texts = [...document.querySelectorAll('text[font-size="11"]')];
    const height = Number(document.documentElement.getAttribute("height"));
    return { lines: texts.map(({ textContent }) => textContent ?? ""), height };
  };
  const none = drawn("");
  const words = Array.from({ length: 60 }, (_, i) => `word${i}`);
  const many = drawn(words.join(" "));
  assert.deepEqual(none.lines, []);
  assert.ok(many.lines.length > 2, `${many.lines}`);
  const parts = [words.slice(0, 10), words.slice(10, 20)].map((part) => part.join(" "));
  assert.deepEqual(drawn(parts.join(" · ")).lines, [parts.join(" · ")]);
  const long = [...parts, words.slice(20, 30).join(" ")];
  assert.deepEqual(drawn(long.join(" · ")).lines, [parts.join(" · "), long[2]]);
  assert.equal(many.lines.join(" "), words.join(" "));
  for (const line of many.lines) assert.ok(line.length * 6.6 < 900, line);
  assert.ok(many.height >= none.height + 15 * many.lines.length);
});

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import * as chart from "./chart.ts";
import { scaleOf, spread, wrapped } from "./svg.ts";

const nginx = { label: "nginx", colour: "#009E73", shape: "triangle" } as const;
const haproxy = { label: "HAProxy & <co>", colour: "#3043BC", shape: "square" } as const;
const none = { label: "no proxy", colour: "#999999", shape: "circle", muted: true } as const;
const LOOKS = [nginx, haproxy, none];
const title = 'It costs "twice"';
const bar = (value: number) => ({ value, low: 0.9 * value, high: 1.2 * value });
const over = (xs: number[]) =>
  LOOKS.map((look, i) => ({ ...look, points: xs.map((x) => ({ x, ...interval(x * (i + 1)) })) }));
const interval = (y: number) => ({ y, low: y - 1, high: y + 2 });

const bars: chart.Bars = {
  ...{ title, axis: { label: "CPU, µs" }, better: "lower", caption: "run 1 · 2 cores" },
  rows: [
    { ...none, values: [bar(5)] },
    { ...nginx, values: [{ value: null, text: "no reload" }] },
    { ...haproxy, values: [bar(2)] },
  ],
};
const lines: chart.Lines = {
  ...{ title, x: { label: "s" }, y: { label: "MB", limits: [{ value: 9, label: "promise" }] } },
  ...{ series: over([0, 1, 2, 3]), events: [{ x: 1, label: "reload" }] },
};
const dots: chart.Dots = {
  ...{ title, x: { label: "percentile", categories: ["p50", "p99"] }, y: { label: "ms" } },
  series: over([0, 1]),
};

/** Every kind, each as a function of the view; words that it must show. */
const KINDS: [string, (view?: chart.View) => string, string[]][] = [
  ["bars", (view) => chart.bars(bars, view), ["shorter is better", "no reload", "2.00", "5.00"]],
  [
    "bars of two series in groups",
    (view) =>
      chart.bars(
        {
          ...{ title, axis: { label: "µs" }, series: ["plain", "TLS"], better: "higher" },
          rows: LOOKS.map((look, i) => ({
            ...look,
            values: [bar(i + 1), bar(3 * i + 1)],
            group: `${i % 2}`,
          })),
        },
        view,
      ),
    ["plain", "TLS", "longer is better", "7.00"],
  ],
  [
    "marks on a logarithmic axis",
    (view) => chart.bars({ ...bars, mark: "dot", axis: { label: "ms", scale: "log" } }, view),
    ["ms, log scale", "lower is better"],
  ],
  ["lines", (view) => chart.lines(lines, view), ["MB", "s", "promise", "reload", "nginx"]],
  [
    "lines over time, stacked and with a gap",
    (view) =>
      chart.lines(
        {
          ...{ title, x: { label: "UTC", scale: "time" }, y: { label: "/s" }, names: "below" },
          spans: [{ from: 2000, to: 4000, label: "restart" }],
          series: [
            { ...nginx, as: "stack", points: [1000, 2000].map((x) => ({ x, y: 3 })) },
            { ...none, as: "stack", points: [1000, 2000].map((x) => ({ x, y: 2 })) },
            { ...haproxy, dash: "4 2", points: [0, 9000].map((x, i) => ({ x, y: i ? null : 2 })) },
          ],
        },
        view,
      ),
    ["00:00:0", "restart", "no proxy"],
  ],
  ["dots", (view) => chart.dots(dots, view), ["p50", "p99", "percentile"]],
  [
    "stat",
    (view) =>
      chart.stat({ title, figures: [{ label: "p99", text: "12 ms", spark: [1, 3, 2] }] }, view),
    ["p99", "12 ms"],
  ],
  [
    "table",
    (view) =>
      chart.table(
        { title, columns: [{ label: "CPU", align: "end" }], rows: [["1"], ["2"]], most: 1 },
        view,
      ),
    ["CPU", "1", "and 1 row more, in the data"],
  ],
  [
    "matrix",
    (view) =>
      chart.matrix(
        {
          ...{ title, columns: ["Reload"] },
          rows: [{ ...nginx, cells: [{ text: "none dropped", tone: "good" }] }],
        },
        view,
      ),
    ["Reload", "none dropped"],
  ],
];

test("each shape that a proxy may have is drawn, and no two are alike", () => {
  const schema = new URL("../plan/proxy.schema.json", import.meta.url);
  const { shape } = JSON.parse(readFileSync(schema, "utf8")).properties;
  assert.deepEqual(shape.enum, chart.SHAPES);
  const marks = chart.SHAPES.map((shape) =>
    chart.keyMarks({ nginx: { colour: "#009E73", shape } }),
  );
  assert.equal(new Set(marks).size, chart.SHAPES.length);
});

function parsed(svg: string): Document {
  return new JSDOM(svg, { contentType: "image/svg+xml" }).window.document;
}

for (const [kind, draw, words] of KINDS)
  test(`${kind}: whole, within its width, the same bytes again; as a part of a page without title`, async () => {
    const file = draw();
    assert.equal(file, draw());
    for (const svg of [file, draw({ id: "a", width: chart.PHONE })]) {
      assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
      const { documentElement: root } = parsed(svg);
      const texts = [...root.querySelectorAll("text")].map(({ textContent }) => textContent);
      for (const word of words) assert.ok(texts.join("\n").includes(word), `${word}: ${texts}`);
      assert.equal(texts.includes(title), svg === file);
      assert.equal(root.querySelector("title")?.textContent, title);
      for (const line of root.querySelectorAll("line")) assert.ok(line.getAttribute("stroke"));
      for (const rect of root.querySelectorAll("rect")) assert.ok(rect.getAttribute("fill"));
      const width = Number(root.getAttribute("width"));
      for (const text of root.querySelectorAll("text")) {
        const [start, length] = [Number(text.getAttribute("x")), text.textContent.length * 5];
        const anchor = text.getAttribute("text-anchor");
        const end = anchor === "start" ? start + length : start;
        assert.ok(start >= 0 && end <= width + 1, `${text.textContent} at ${start} of ${width}`);
      }
    }
    if (existsSync("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"))
      assert.deepEqual([...(await chart.pngOf(file)).slice(1, 4)], [...Buffer.from("PNG")]);
  });

test("bars: the best first, those without a figure last; each from zero, in its own colour", () => {
  const document = parsed(chart.bars(bars));
  const labels = [...document.querySelectorAll('text[text-anchor="end"]')];
  assert.deepEqual(
    labels.map(({ textContent }) => textContent),
    [haproxy.label, none.label, nginx.label],
  );
  const rects = [...document.querySelectorAll("g > rect")];
  assert.deepEqual(
    rects.map((rect) => rect.getAttribute("fill")),
    [haproxy.colour, none.colour],
  );
  const [two, five] = rects.map((rect) => Number(rect.getAttribute("width")));
  assert.ok(Math.abs(five / two - 2.5) < 0.01);
  assert.equal(new Set(rects.map((rect) => rect.getAttribute("x"))).size, 1);
  const given = chart.bars({ ...bars, order: "given" });
  assert.match(given, /no proxy: 5\.00 \(4\.50 to 6\.00\)\. nginx: no reload\. HAProxy/);
});

test("a bar on a logarithmic axis is refused: it has no zero", () => {
  const axis = { label: "µs", scale: "log" } as const;
  assert.throws(() => chart.bars({ ...bars, axis }), /a bar begins at zero/);
});

test("intervals and points stand side by side, and in order", () => {
  const document = parsed(chart.dots(dots));
  const ends = [...document.querySelectorAll("line[stroke^='#']:not([stroke-dasharray])")].map(
    (one) => Number(one.getAttribute("x1")),
  );
  assert.equal(new Set(ends).size, 6);
});

test("ticks are round, and a scale meets both ends of its range", () => {
  const rows: [Parameters<typeof scaleOf>[0], number[], string[]][] = [
    [{ label: "" }, [3, 97], ["0", "20", "40", "60", "80", "100"]],
    [{ label: "" }, [0.004], ["0", "0.001", "0.002", "0.003", "0.004"]],
    [{ label: "" }, [-20, 60], ["-20", "0", "20", "40", "60"]],
    [{ label: "" }, [0], ["0", "0.2", "0.4", "0.6", "0.8", "1"]],
    [{ label: "", scale: "log" }, [8, 1200], ["10", "20", "50", "100", "200", "500", "1,000"]],
    [
      { label: "", scale: "log" },
      [0, 1, 1e6],
      ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"],
    ],
    [
      { label: "", scale: "time", domain: [61_000, 185_000] },
      [],
      ["00:01:30", "00:02:00", "00:02:30", "00:03:00"],
    ],
  ];
  for (const [axis, values, ticks] of rows) {
    const scale = scaleOf(axis, values, [10, 110]);
    assert.deepEqual(
      scale.ticks.map(({ text }) => text),
      ticks,
    );
    assert.deepEqual(scale.domain.map(scale.at), [10, 110]);
  }
});

test("labels that would cover each other move apart, those that do not stay", () => {
  assert.deepEqual(spread([10, 50, 90], 15, 0, 100), [10, 50, 90]);
  assert.deepEqual(spread([50, 51, 52], 15, 0, 100), [36, 51, 66]);
  assert.deepEqual(spread([98, 5, 99], 15, 0, 100), [85, 5, 100]);
});

test("a caption's lines end where its parts do", () => {
  assert.deepEqual(wrapped("run 1 · nginx, HAProxy · wss", 23 * 8), [
    "run 1 · nginx, HAProxy",
    "wss",
  ]);
});

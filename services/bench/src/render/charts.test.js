import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import {
  axisType,
  dotChart,
  keyMark,
  lineChart,
  pairChart,
  shape,
  SIZES,
  spread,
  svgElement,
  svgText,
} from "./charts.js";

const hostile = `A & B</text><script>`;
const looks = [
  { label: "nginx", colour: "#009E73", shape: shape(0) },
  { label: hostile, colour: "#D55E00", shape: shape(1) },
];

const lines = () =>
  lineChart({
    title: `Memory, MB ${hostile}`,
    x: { label: "seconds" },
    y: { label: "MB" },
    series: looks.map((look, i) => ({
      ...look,
      points: [
        { x: 0, y: 1 + i, low: 0.5, high: 2 + i },
        { x: 5, y: 4.25 + i },
      ],
    })),
  });

/** @param {string} text */
function parseXml(text) {
  return new JSDOM(text, { contentType: "image/svg+xml" }).window.document;
}

test("a stand-alone file is well-formed SVG with title, unit, colours and nothing from elsewhere", () => {
  const text = svgText(lines());
  const { documentElement: svg } = parseXml(text);
  assert.equal(svg.namespaceURI, "http://www.w3.org/2000/svg");
  assert.equal(svg.querySelector("title").textContent, `Memory, MB ${hostile}`);
  assert.ok([...svg.querySelectorAll("text")].some((node) => node.textContent === "MB"));
  assert.match(text, /#009E73/);
  assert.match(text, /prefers-color-scheme: dark/);
  assert.equal(svg.querySelector("script, image, use"), null);
  assert.equal(svg.querySelectorAll("style").length, 1);
  assert.doesNotMatch(text.replaceAll("http://www.w3.org/", ""), /https?:|NaN|undefined/);
});

test("in a page it is an image with a name and a description that has its figures", () => {
  const { document } = new JSDOM(svgElement(lines(), SIZES.narrow, "figure-7")).window;
  const svg = document.querySelector("svg");
  assert.equal(svg.getAttribute("role"), "img");
  for (const id of svg.getAttribute("aria-labelledby").split(" ")) {
    assert.ok(document.getElementById(id).textContent);
  }
  assert.match(document.querySelector("desc").textContent, /nginx: 0: 1\.00, 5: 4\.25/);
  assert.equal(document.querySelector("script"), null);
});

test("an axis of a second or two has decimals", () => {
  const figure = lineChart({
    title: "Memory",
    x: { label: "seconds" },
    y: { label: "MB" },
    series: [{ ...looks[0], points: [0, 0.4, 0.85, 1.31].map((x) => ({ x, y: 20 + x })) }],
  });
  for (const size of Object.values(SIZES)) {
    const svg = figure.draw(size);
    assert.equal(svg.getAttribute("width"), String(size.width));
    const ticks = [...svg.querySelectorAll('[aria-label="x-axis tick label"] text')].map(
      (node) => node.textContent,
    );
    assert.ok(ticks.length > 1);
    assert.equal(new Set(ticks).size, ticks.length, ticks.join(" "));
  }
  assert.match(figure.description, /0\.85: 20\.9, 1\.31: 21\.3/);
});

test("the same data give the same bytes", () => {
  assert.equal(svgText(lines()), svgText(lines()));
});

test("each series is named beside its line, in the colour of text", () => {
  const svg = parseXml(svgText(lines())).documentElement;
  const label = [...svg.querySelectorAll("text")].find((node) => node.textContent === "nginx");
  assert.ok(label);
  assert.equal(label.closest("[fill]").getAttribute("fill"), "currentColor");
});

test("a dot chart shows every round, the median, and the interval only where there is one", () => {
  const figure = dotChart({
    title: "CPU",
    x: { label: "µs" },
    rows: [
      { ...looks[0], median: 200, interval: [190, 210], values: [190, 200, 210] },
      { ...looks[1], median: 700, interval: null, values: [690, 710] },
    ],
  });
  const rings = figure.draw(SIZES.narrow).querySelectorAll('[r="2.2"]');
  assert.equal(rings.length, 5);
  assert.equal(figure.draw(SIZES.narrow).querySelectorAll('[aria-label="link"] path').length, 1);
  assert.match(figure.description, /nginx: 200 \(190 to 210\)\. /);
  assert.match(figure.description, /: 700\.$/);
});

test("rows with the same shortened name stay apart", () => {
  const label = "a name that is much too long for a chart";
  const figure = pairChart({
    title: "TLS",
    x: { label: "µs" },
    rows: [1, 2].map((n) => ({ ...looks[0], label: `${label} ${n}`, from: n, to: 2 * n })),
    names: ["ws", "wss"],
  });
  const names = [...figure.draw(SIZES.narrow).querySelectorAll("text")].filter((node) =>
    node.textContent?.startsWith("a name"),
  );
  assert.equal(names.length, 2);
  assert.notEqual(names[0].getAttribute("transform"), names[1].getAttribute("transform"));
});

test("shapes differ, and the mark in a table is the shape in the charts", () => {
  const marks = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => keyMark({ ...looks[0], shape: shape(i) }));
  assert.equal(new Set(marks).size, marks.length);
});

test("labels are moved apart as little as their order allows, and stay inside", () => {
  assert.deepEqual(spread([10, 50], 13, 0, 100), [10, 50]);
  assert.deepEqual(spread([50, 50, 50], 10, 0, 100), [40, 50, 60]);
  assert.deepEqual(spread([99, 98], 10, 0, 100), [100, 90]);
  assert.deepEqual(spread([0, 1, 2], 10, 0, 100), [0, 10, 20]);
  const crowded = spread([95, 99, 80, 99], 10, 0, 100);
  assert.deepEqual(crowded, [80, 90, 70, 100]);
});

test("an axis is logarithmic only where a linear one would hide the small", () => {
  assert.equal(axisType([10, 130]), "log");
  assert.equal(axisType([10, 100]), "linear");
  assert.equal(axisType([0, 100]), "linear");
  assert.equal(axisType([10, 40], 3), "log");
});

test("a line across the chart marks a place on either axis, with its name", () => {
  const chart = lineChart({
    title: "Open",
    x: { label: "seconds", limit: { value: 0, label: "reload" } },
    y: { label: "open", limit: { value: 3, label: "promise" } },
    series: [{ ...looks[0], points: [-5, 0, 5].map((x) => ({ x, y: 2 })) }],
  });
  const svg = svgElement(chart, SIZES.narrow, "marked");
  for (const name of ["reload", "promise"]) assert.match(svg, new RegExp(`>${name}<`));
  assert.equal(svg.match(/stroke-dasharray="6 3"/g)?.length, 2);
});

import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { analyse } from "../analyse/index.js";
import { rateResults } from "../analyse/testing/rates.js";
import { ratesFrom } from "../plan/pilot.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";
import { curveChart } from "./sections/set-rates.js";
import { verdictTexts } from "./verdicts.js";

/** @import { CellRecord } from "../model/cell.ts" */

/** @param {Parameters<typeof rateResults>[0]} [options] */
function analysed(options) {
  return analyse(rateResults(options), { policy: null });
}

/**
 * @param {ReturnType<typeof analyse>} analysis
 * @param {RegExp} question
 */
function answersTo(analysis, question) {
  const { verdicts } = verdictTexts(analysis);
  return verdicts.filter((one) => question.test(one.question)).flatMap(({ answers }) => answers);
}

test("the verdict: what a relay of 5 ms each way adds, by percentile, and a proxy that adds nothing", () => {
  const analysis = analysed({
    proxies: { relay: { addedMs: 10, cpuUs: 600 }, nginx: { addedMs: 0, cpuUs: 200 } },
  });
  const [answer] = answersTo(
    analysis,
    /^What delay does a proxy add to a handshake at this rate, arrivals/,
  );
  assert.match(
    answer.over,
    /^ws, 200 connections a second as a Poisson process for 10 s, open loop$/,
  );
  assert.match(
    answer.text,
    /^The control took (0\.99\d|1\.\d+) ms \(.* to .*\) at p50, .* at p99 and 2\d\.\d ms \(.*\) at p99\.9; to that, /,
  );
  assert.match(answer.text, /; relay \+10\.0 ms \(10\.0 to 10\.0\) at p50, \+/);
  assert.match(
    answer.text,
    /nginx \+?0\.0\d\d? ms \(-?0\.\d\d\d? to 0\.\d\d\d?, no difference seen\) at p50/,
  );
  assert.equal(answersTo(analysis, /^How much time does a proxy add/).length, 0);
});

test("over TLS figures are absolute, and the control stands beside them", () => {
  const [{ text }] = answersTo(
    analysed({ scenarios: ["arrivals"], schemes: ["wss"] }),
    /^What delay/,
  );
  assert.match(text, /^In all, as the control is no baseline over TLS: nginx 1\.\d+ ms/);
  assert.match(text, /; beside them, no proxy (0\.99\d|1\.\d+) ms/);
  assert.doesNotMatch(text, /\+\d/);
});

test("without the control nothing is told of what is added, and why it has no figure", () => {
  const why = "its test leaves the control out";
  const withControl = (/** @type {Pick<CellRecord, "status" | "cause">} */ ended) =>
    rateResults({
      scenarios: ["steady"],
      change: (record) => {
        if (record.proxy === "none") Object.assign(record, ended);
      },
    });
  const skipped = withControl({ status: "skipped", cause: { kind: "skipped", message: why } });
  for (const cell of skipped.plan.cells) if (cell.proxy === "none") cell.skip = why;
  const failed = withControl({ status: "failed", cause: { kind: "load", message: "lost" } });
  const texts = [skipped, failed].map((made) => {
    const [{ text }] = answersTo(analyse(made, { policy: null }), /^What delay/);
    return text;
  });
  const rest = /, so nothing is told of what is added: nginx 1\.\d+ ms/;
  for (const text of texts) assert.match(text, rest);
  assert.match(texts[0], /^The control was left out,/);
  assert.match(texts[1], /^The control has no valid cell,/);
});

test("with too few rounds for an interval the lowest and the highest stand there, and nothing is claimed", () => {
  const [{ text }] = answersTo(analysed({ scenarios: ["steady"], rounds: 3 }), /^What delay/);
  assert.match(text, /nginx \+0\.\d+ ms \(0\.\d+ to 0\.\d+/);
  assert.doesNotMatch(text, /rank/);
});

test("the picture: one line a proxy, over percentiles with a logarithmic tail", () => {
  const analysis = analysed({ scenarios: ["arrivals"] });
  const chart = curveChart(analysis, analysis.delays[0]);
  const svg = chart.draw({
    width: 550,
    height: 290,
    fontSize: 12,
    characterWidth: 7.4,
    labelHeight: 15,
  });
  const texts = [...svg.querySelectorAll("text")].map((node) => node.textContent);
  for (const tick of ["0 %", "90 %", "99 %", "99.9 %", "99.99 %"])
    assert.ok(texts.includes(tick), `${tick} in ${texts.join(" | ")}`);
  for (const name of ["no proxy", "nginx", "HAProxy"]) assert.ok(texts.includes(name), name);
  assert.equal(svg.querySelectorAll('[aria-label="line"] path').length, 3);
  assert.match(chart.description, /nginx: .*99\.99\d* %: 2\d\.\d/);
});

test("both reports have the delay by percentile and the cost at equal load, the closed loop's beside it", () => {
  const analysis = analysed({ scenarios: ["arrivals", "steady", "short-lived"] });
  const { document } = new JSDOM(renderHtml(analysis, { curves: {} })).window;
  const rows = (/** @type {string} */ id) =>
    [...document.querySelectorAll(`section[aria-labelledby=${id}] tbody tr`)].map((row) =>
      [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim()),
    );
  const delays = rows("delays");
  // Handshake and echo of arrivals, echo of steady; three proxies each.
  assert.equal(delays.length, 9);
  assert.deepEqual(delays[0].length, 8);
  assert.match(delays[0][0], /no proxy ?control/);
  assert.match(delays[1][2], /^\+0\.\d+ ?0\.\d+ to 0\.\d+/);
  assert.match(document.querySelector("#delays").parentElement.textContent, /1 µs below 2\.05 ms/);
  const [nginx] = rows("equal-load");
  assert.equal(nginx.length, 5);
  assert.match(nginx[2], /^(1\.00|0\.99\d|1\.0\d)/);
  const markdown = renderMarkdown(analysis);
  assert.match(markdown, /## Delay at a fixed rate[^]*### Handshake: arrivals[^]*\| p99\.9, ms \|/);
  assert.match(
    markdown,
    /## Cost at equal load[^]*closed loop: 2,000 connections, 100 at a time \| × reference/,
  );
});

test("the rate of a pilot, and how busy the machine was, stand with the delay", () => {
  const run = rateResults({ scenarios: ["arrivals"] });
  run.plan.pilot = { busyPercent: 60, run: "the-pilot", rates: ratesFrom(run, 60) };
  run.plan.pilot.rates[0].rate = 200;
  const markdown = renderMarkdown(analyse(run, { policy: null }));
  assert.match(
    markdown,
    /computed by a pilot, for a machine below 60 % busy: through HAProxy, the slowest, 200 a second left it 4\d(\.\d)? % busy\. The machine was at most 4\d(\.\d)? % busy\./,
  );
  assert.doesNotMatch(renderMarkdown(analysed()), /pilot/);
});

test("a run without a set rate has neither", () => {
  const markdown = renderMarkdown(analysed({ scenarios: ["short-lived"] }));
  assert.doesNotMatch(markdown, /at a fixed rate|Cost at equal load/);
});

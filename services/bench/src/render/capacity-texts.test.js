import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { capacityResults } from "../analyse/testing/capacities.js";
import {
  capacityRows,
  capacityTitle,
  controlText,
  promiseText,
  stretchedText,
} from "./capacity-texts.js";
import { glanceOf } from "./glance.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";
import { renderText } from "./report-text.js";

/** @param {Parameters<typeof capacityResults>[0]} [course] */
function analysed(course) {
  return analyse(capacityResults(course), { policy: null });
}

/** @param {Parameters<typeof capacityResults>[0]} [course] */
function row(course) {
  const analysis = analysed(course);
  const found = capacityRows(analysis, analysis.capacities[0]).find(
    ({ proxy }) => proxy === "nginx",
  );
  assert.ok(found);
  return found.cells;
}

test("a confirmed rate, per budgeted core, and what broke first", () => {
  assert.deepEqual(row(), ["322 to 336", "1", "644 to 672", "0.161", "p99", "80.0", "10.0", "yes"]);
});

test("what is not confirmed is a range, or at least, and says why", () => {
  assert.deepEqual(
    [row({ at: ["holds", "fails", "holds"] })].map(([rate, , , , , , , confirmed]) => [
      rate,
      confirmed,
    ]),
    [["between 308 and 336", "no: kept in 2 of 3, broken above in 3 of 3"]],
  );
  const [rate, , , , broke] = row({
    search: [
      [200, "holds"],
      [400, "limited"],
    ],
    above: [],
  });
  assert.deepEqual([rate, broke], ["at least 200: the generator was the limit", "–"]);
  assert.equal(row({ search: [[1, "fails"]], at: [], above: [] })[0], "below 1");
  assert.equal(
    row({ search: [[1, "limited"]], at: [], above: [] })[0],
    "not known: the generator was the limit at every rate",
  );
});

test("the control shows that the budget by itself does not break the promise", () => {
  const [setting] = analysed().capacities;
  assert.equal(controlText(setting), null, "it has not run");
  const control = {
    ...setting.answers[1],
    proxy: "none",
    atRate: { rate: 95.8, p99Ms: 16.3, throttled: 0.1 },
  };
  assert.match(
    controlText({ ...setting, answers: [control] }) ?? "",
    /held back for 0\.1\d* s in each second at 95\.8 a second, and its p99 was 16\.3 ms/,
  );
  const unthrottled = { ...control, atRate: { ...control.atRate, throttled: 0 } };
  assert.equal(controlText({ ...setting, answers: [unthrottled] }), null);
});

test("a promise that broke with CPU time left in the budget says what one operation takes with it", () => {
  const analysis = analysed();
  assert.match(
    stretchedText(analysis, analysis.capacities[0]) ?? "",
    /^p99 broke before the budget was used up: nginx \(80\.0 % used; 2\.38 ms a handshake\)\. .* at 0\.5 cores; where it is no small part of 50 ms,/,
  );
  assert.match(renderMarkdown(analysis), /p99 broke before the budget was used up: nginx/);
  assert.match(
    renderHtml(analysis, { curves: {} }),
    /p99 broke before the budget was used up: nginx/,
  );

  const full = capacityResults();
  for (const { containers, probes = [] } of full.cells)
    for (const measured of [containers, ...probes.map((probe) => probe.containers)])
      if (measured.nginx) measured.nginx.cpu.totalSeconds = 2.4;
  const used = analyse(full, { policy: null });
  assert.equal(used.capacities[0].answers[1].budgetPercent, 96);
  assert.equal(stretchedText(used, used.capacities[0]), null);
});

test("a coarse search says how coarse it is", () => {
  const results = capacityResults();
  Object.assign(results.plan.promise ?? {}, { resolutionPercent: 50 });
  const text = promiseText(analyse(results, { policy: null }));
  assert.match(text, /what is left to 50 %, .* 3 at 100 % above did not/);
  assert.match(promiseText(analysed()), /what is left to 5 %, .* 3 at 10 % above did not/);
});

test("a proxy without a search says so", () => {
  const analysis = analysed();
  const [none] = capacityRows(analysis, analysis.capacities[0]);
  assert.equal(none.cells[0], "not measured: it has not run");
});

test("the promise and the budget are told", () => {
  assert.match(
    promiseText(analysed()),
    /at or under 50 ms, at most 0.1 % fail, and 99 %.* 0.5 core/,
  );
  assert.equal(capacityTitle(analysed().capacities[0]), "handshakes, ws");
});

test("every report has it: a line with the promise, each probe as a point; none reads NaN or undefined", () => {
  const analysis = analysed();
  const page = renderHtml(analysis, { curves: {} });
  const section = page.slice(
    page.indexOf('id="capacity"'),
    page.indexOf('id="noise"', page.indexOf("<section")),
  );
  assert.match(section, /promise: 50 ms/);
  assert.match(section, /p99 over the offered rate, handshakes, ws/);
  const [markdown, terminal] = [renderMarkdown(analysis), renderText(analysis)];
  for (const text of [page.replace(/<script[\s\S]*?<\/script>/g, ""), markdown, terminal])
    assert.doesNotMatch(text, /NaN|undefined|\[object/);
  for (const text of [markdown, terminal]) assert.match(text, /322 to 336/);
  assert.match(page, /1 proxy and the control in 1 search, 4 rounds/);
});

test("the table at a glance has the rate, up to where it may be, and under what promise", () => {
  const cell = (/** @type {Parameters<typeof capacityResults>[0]} */ course) => {
    const glance = glanceOf(analysed(course));
    const column = glance?.columns.find(({ title }) => title.startsWith("connections a second"));
    assert.ok(glance && column);
    assert.equal(column.title, "connections a second within a promised p99, ws");
    assert.equal(column.load, "at most 50 ms with 0.5 cores");
    assert.match(glance.legend, /^Within a promised p99: the highest rate that kept it/);
    assert.ok(!column.hasRatios);
    return column.cells.find(({ proxy }) => proxy === "nginx");
  };
  const confirmed = cell(undefined);
  assert.deepEqual(
    [confirmed?.text, confirmed?.spread, confirmed?.isFirst],
    ["322", "322–336", true],
  );
  const limited = cell({
    search: [
      [200, "holds"],
      [400, "limited"],
    ],
    above: [],
  });
  assert.deepEqual([limited?.text, limited?.spread], ["at least 200", ""]);
});

/**
 * Nothing is known of a scenario by its name, or of a parameter: under other names a record makes the same report.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { filesResults, httpResults, tlsResults } from "../analyse/testing/http.js";
import { idleResults, POLICY, results } from "../analyse/testing/results.js";
import { renderHtml, renderMarkdown, resultsCsv } from "./index.js";

/** @import { Parameters, Plan, ScenarioDescription } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */

const policy = /** @type {any} */ (POLICY);

/** In the order of the usual ones. @param {string} name */
const other = (name) => `Zq${name}`;

/** @param {Parameters} parameters */
function renamedParameters(parameters) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [other(name), value]),
  );
}

/** @param {ScenarioDescription} description */
function renamedDescription({ parameterNames, ...rest }) {
  const names = Object.entries(parameterNames).map(([meaning, name]) => [meaning, other(name)]);
  return { ...rest, parameterNames: Object.fromEntries(names) };
}

/**
 * @param {Results} of
 * @returns {Results} with other names of scenarios and parameters
 */
function renamed({ plan, cells, ...rest }) {
  const cell = (/** @type {{scenario: string, parameters: Parameters}} */ one) => ({
    ...one,
    scenario: other(one.scenario),
    parameters: renamedParameters(one.parameters),
  });
  const scenarios = Object.fromEntries(
    Object.entries(plan.scenarios).map(([name, description]) => [
      other(name),
      renamedDescription(description),
    ]),
  );
  const planned = /** @type {Plan["cells"]} */ (plan.cells.map(cell));
  const records = /** @type {Results["cells"]} */ (cells.map(cell));
  return { ...rest, plan: { ...plan, scenarios, cells: planned }, cells: records };
}

/**
 * @param {Results} of
 * @returns {Record<string, string>} without the record inside of it, and with the usual names
 */
function reportOf(of) {
  const analysis = analyse(of, { policy });
  const usual = (/** @type {string} */ text) =>
    text.replace(/base64,[\w+/=]*/g, "").replace(/zq/gi, "");
  return {
    markdown: usual(renderMarkdown(analysis)),
    html: usual(renderHtml(analysis, { curves: {} })),
    csv: usual(resultsCsv(of)),
  };
}

for (const [name, of] of /** @type {const} */ ([
  ["short connections", results()],
  ["held connections", idleResults()],
  ["requests", httpResults()],
  ["files", filesResults()],
  ["TLS handshakes", tlsResults()],
])) {
  test(`under other names the report of ${name} is the same`, () => {
    const [expected, found] = [of, renamed(of)].map(reportOf);
    for (const kind of Object.keys(expected)) assert.equal(found[kind], expected[kind], kind);
  });
}

test("a report explains the loops that its scenarios are, and says which is which", () => {
  const loopsIn = (/** @type {Results} */ of) =>
    [
      ...renderHtml(analyse(of, { policy }), { curves: {} }).matchAll(
        /<dt>((?:Open|Closed) loop[^<]*)<\/dt>/g,
      ),
    ].map(([, term]) => term);
  /** @type {(loops: Record<string, "closed" | "open">) => Results} */
  const withLoops = (loops) => {
    const of = results();
    const description = of.plan.scenarios["short-lived"];
    const scenarios = Object.fromEntries(
      Object.entries(loops).map(([name, loop]) => [name, { ...description, loop }]),
    );
    return { ...of, plan: { ...of.plan, scenarios } };
  };
  assert.deepEqual(loopsIn(withLoops({ "short-lived": "closed" })), ["Closed loop"]);
  assert.deepEqual(loopsIn(withLoops({ "short-lived": "open" })), ["Open loop"]);
  assert.deepEqual(loopsIn(withLoops({ "short-lived": "open", other: "closed" })), [
    "Closed loop: other",
    "Open loop: short-lived",
  ]);
});

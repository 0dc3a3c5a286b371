import assert from "node:assert/strict";
import { test } from "node:test";
import { results as sample } from "../analyse/testing/results.js";
import { filesResults, httpResults, tlsResults } from "../analyse/testing/http.js";
import described from "./scenarios-of-schema-1.json" with { type: "json" };
import { validateResults } from "./schema.js";
import { upgradePlan } from "./upgrade.js";

/** @import { Results } from "./types.js" */

/**
 * @param {Results} results
 * @returns {any} as a version that wrote schema 1 did
 */
function older(results) {
  const { scenarios, ...plan } = results.plan;
  return { ...results, schema: 1, plan: { ...plan, schema: 1 } };
}

for (const [name, results] of /** @type {const} */ ([
  ["short-lived", sample()],
  ["http", httpResults()],
  ["files", filesResults()],
  ["tls-handshake", tlsResults()],
]))
  test(`a record of schema 1 is read as of schema 2, with what ${name} was`, () => {
    const { schema, plan } = validateResults(older(results), "results.json");
    assert.equal(schema, 2);
    assert.equal(plan.schema, 2);
    assert.deepEqual(plan.scenarios[name], described[name]);
    assert.deepEqual(
      Object.keys(plan.scenarios).sort(),
      [...new Set(plan.cells.map(({ scenario }) => scenario))].sort(),
    );
  });

test("a record of schema 2 stays as it is", () => {
  const results = sample();
  assert.deepEqual(validateResults(results, "results.json"), results);
});

test("a scenario of schema 1 that nobody knows is refused", () => {
  const { plan } = sample();
  const cells = plan.cells.map((cell) => ({ ...cell, scenario: "mine" }));
  assert.throws(() => upgradePlan({ ...plan, schema: 1, cells }, "x/plan.json"), {
    message: /^x\/plan\.json is of schema 1, .* and mine is none that came with it$/,
    next: /^Expected one of: .*short-lived.*"schema": 2/,
  });
});

test("a schema 2 record without its scenarios is refused", () => {
  const results = older(sample());
  results.schema = results.plan.schema = 2;
  assert.throws(() => validateResults(results, "results.json"), /\/plan .*scenarios/);
});

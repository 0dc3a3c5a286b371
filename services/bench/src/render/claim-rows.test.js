import assert from "node:assert/strict";
import { test } from "node:test";
import { claimTable } from "../analyse/claim-table.js";
import { analyse } from "../analyse/index.js";
import { POLICY, results } from "../analyse/testing/results.js";
import { claimCounts, claimEntries } from "./claim-rows.js";

/** @import { ClaimRule, PublishedClaim } from "../analyse/types.js" */

const policy = /** @type {any} */ (POLICY);
const ABOUT = { title: "Study", year: 2013, source: "s", machine: "m", note: "n", tables: [] };
const AT = { scenario: "short-lived", scheme: /** @type {const} */ ("ws") };

/** @type {ClaimRule} */
const RULE = {
  ...{ measure: "cpu_us_per_connection", of: "http-proxy", to: ["nginx"] },
  at: { ...AT, parameters: { CONNECTIONS: 2000 } },
  min: 2,
};

/**
 * @param {PublishedClaim[]} claims
 * @param {Parameters<typeof results>[0]} [options]
 */
function entries(claims, options) {
  const runs = [{ name: "a-run", analysis: analyse(results(options), { policy }) }];
  const battles = [{ name: "large", plan: results({ connections: [9000], rounds: 1 }).plan }];
  return claimEntries(claimTable([{ ...ABOUT, claims }], runs, battles));
}

const elsewhere = { ...AT, parameters: { CONNECTIONS: 9000 } };
const CLAIMS = [
  { claim: "one", rule: RULE },
  { claim: "two", rule: { ...RULE, at: elsewhere } },
  { claim: "three", rule: { ...RULE, at: { ...AT, parameters: { CONNECTIONS: 7 } } } },
  {
    claim: "four",
    rule: null,
    kind: /** @type {const} */ ("advice"),
    reason: "A matter of taste.",
  },
];

test("every claim says who claimed it, what is so today, and which run says it, or why none does", () => {
  const [told, unrun, unasked, advice] = entries(CLAIMS);
  assert.equal(told.by, "Study, 2013");
  assert.deepEqual([told.state, told.run], ["holds", "a-run"]);
  assert.match(told.today, /^CPU per connection: http-proxy to nginx 3\.\d\d times \(/);
  assert.equal(unrun.today, "No published run has what it is about: ./bench run large would tell.");
  assert.equal(unasked.today, "No battle asks it as it is now.");
  assert.deepEqual([advice.state, advice.today, advice.run], ["advice", "A matter of taste.", ""]);
});

test("figures that do not count say why", () => {
  const [entry] = entries([{ claim: "one", rule: RULE }], {
    change: (record) => {
      if (record.machine) Object.assign(record.machine, { stealSeconds: 100 });
      return [record];
    },
  });
  assert.equal(entry.run, "a-run");
  assert.match(
    entry.today,
    /^Run a-run of \d{4}-\d\d-\d\d has no figure that counts: http-proxy: steal took [^;]*; nginx: steal took [^;]*\.$/,
  );
});

test("what is undecided says what would decide it", () => {
  const large = { claim: "two", rule: { ...RULE, at: elsewhere } };
  const [few] = entries([large], { connections: [9000], rounds: 2 });
  assert.match(
    few.today,
    /too few rounds .* More rounds would tell: \.\/bench run large --rounds 6\.$/,
  );
  const [wide] = entries([{ claim: "one", rule: { ...RULE, min: 3.5 } }], { spread: 0.2 });
  assert.equal(wide.state, "inconclusive");
  assert.match(wide.today, /The interval lies on both sides of that\.$/);
});

test("how many there are of each", () => {
  assert.equal(
    claimCounts(entries(CLAIMS)),
    "4 claims: 1 holding; 1 advice, which no run measures; 2 without a published run yet.",
  );
});

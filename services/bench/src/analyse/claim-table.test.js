import assert from "node:assert/strict";
import { test } from "node:test";
import { claimTable } from "./claim-table.js";
import { analyse } from "./index.js";
import { POLICY, results } from "./testing/results.js";

/** @import { PublishedRun } from "./claim-table.js" */
/** @import { ClaimRule, PublishedClaim } from "./types.js" */

const policy = /** @type {any} */ (POLICY);
const ABOUT = { title: "t", year: 2013, source: "s", machine: "m", note: "n", tables: [] };

/** @type {ClaimRule} http-proxy costs 3.5 times as much as nginx */
const RULE = {
  measure: "cpu_us_per_connection",
  of: "http-proxy",
  to: ["nginx"],
  at: { scenario: "short-lived", scheme: "ws", parameters: { CONNECTIONS: 2000 } },
  min: 2,
};

/**
 * @param {string} name
 * @param {string} day
 * @param {Parameters<typeof results>[0]} [options]
 * @returns {PublishedRun}
 */
function run(name, day, options) {
  const made = results(options);
  const startedAt = `${day}T10:00:00.000Z`;
  const analysis = analyse({ ...made, run: { ...made.run, startedAt } }, { policy });
  return { name, analysis };
}

/**
 * @param {PublishedClaim} claim
 * @param {PublishedRun[]} runs
 * @param {Parameters<typeof claimTable>[2]} [battles]
 */
function row(claim, runs, battles = []) {
  const [only] = claimTable([{ ...ABOUT, claims: [claim] }], runs, battles);
  return {
    state: only.state,
    by: only.told?.run.name ?? null,
    others: only.others.map((other) => other.run.name),
    battles: only.battles.map(({ name }) => name),
  };
}

const claim = { claim: "it costs twice as much", rule: RULE };
const cheap = { nginx: {}, "http-proxy": { cpuUsPerHandshake: 210 } };
const few = run("few", "2026-03-03", { rounds: 2 });
const old = run("old", "2026-01-01");
const other = run("other", "2026-02-02", { connections: [5000] });

test("of runs that have a figure the one that says most tells a claim, not the newest", () => {
  assert.deepEqual(row(claim, [few, other, old]), {
    ...{ state: "holds", by: "old", others: [], battles: [] },
  });
  assert.deepEqual(row(claim, [few]).state, "inconclusive");
});

test("of two that decide the newer one does, and the opposite of the older is told", () => {
  const newer = run("newer", "2026-02-02", { proxies: cheap });
  assert.deepEqual(row(claim, [old, newer]), {
    ...{ state: "no longer", by: "newer", others: ["old"], battles: [] },
  });
});

test("figures that do not count say more than no run, and less than any that do", () => {
  const isVoid = run("void", "2026-04-04", {
    change: (record) => {
      if (record.machine) Object.assign(record.machine, { stealSeconds: 100 });
      return [record];
    },
  });
  assert.deepEqual(row(claim, [isVoid, other]), {
    ...{ state: "inconclusive", by: "void", others: [], battles: [] },
  });
  assert.equal(row(claim, [isVoid, few]).by, "few");
});

test("without a figure in any run, the battles that ask it", () => {
  const plans = [
    { name: "small", plan: results({ rounds: 1 }).plan },
    { name: "large", plan: results({ connections: [5000], rounds: 1 }).plan },
  ];
  assert.deepEqual(row(claim, [other], plans), {
    ...{ state: "no run yet", by: null, others: [], battles: ["small"] },
  });
});

test("what no run can tell is what its study's file says", () => {
  const advice = {
    claim: "buy it",
    rule: null,
    kind: /** @type {const} */ ("advice"),
    reason: "r",
  };
  assert.deepEqual(row(advice, [old]), {
    ...{ state: "advice", by: null, others: [], battles: [] },
  });
});

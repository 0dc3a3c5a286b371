import assert from "node:assert/strict";
import { test } from "node:test";
import { claimTable } from "./claims.ts";
import type { ClaimRule, Ground, PublishedClaim } from "./claims.ts";
import { analyse } from "./index.ts";
import { POLICY, results } from "./testing/results.ts";

const ABOUT = { title: "t", year: 2013, source: "s", machine: "m", note: "n", tables: [] };

/** http-proxy costs 3.5 times as much as nginx. */
const RULE: ClaimRule = {
  measure: "cpu_us_per_connection",
  of: "http-proxy",
  to: ["nginx"],
  at: { scenario: "short-lived", scheme: "ws", parameters: { CONNECTIONS: 2000 } },
  min: 2,
};

function ground(name: string, day: string, options?: Parameters<typeof results>[0]): Ground {
  const { run, comparisons } = analyse(results(options), { policy: POLICY as never });
  const runs = [{ run, comparisons: comparisons.comparisons }];
  return { name, report: `${name}/report.md`, startedAt: `${day}T10:00:00.000Z`, runs };
}

/** @param battles several grounds, or the one that a battle has */
function row(claim: PublishedClaim, battles: (Ground | Ground[])[]) {
  const grounds = battles.map((own) => [own].flat());
  const [{ state, told, others }] = claimTable([{ ...ABOUT, claims: [claim] }], grounds);
  return { state, by: told?.ground.name ?? null, others: others.map(({ ground }) => ground.name) };
}

const claim = { claim: "it costs twice as much", rule: RULE };
const cheap = { nginx: {}, "http-proxy": { cpuUsPerHandshake: 210 } };
const few = ground("few", "2026-03-03", { rounds: 2 });
const old = ground("old", "2026-01-01");
const other = ground("other", "2026-02-02", { connections: [5000] });

test("of runs that have a figure the one that says most tells a claim, not the newest", () => {
  assert.deepEqual(row(claim, [few, other, old]), { state: "holds", by: "old", others: [] });
  assert.deepEqual(row(claim, [few]).state, "inconclusive");
  assert.deepEqual(row(claim, [other]), { state: "no run yet", by: null, others: [] });
});

test("of two runs that decide, the newer one does; the other is named where it says the opposite", () => {
  const newer = ground("newer", "2026-02-02", { proxies: cheap });
  assert.deepEqual(row(claim, [old, newer]), {
    ...{ state: "no longer", by: "newer", others: ["old"] },
  });
});

test("several runs decide together: by what each came to, and how far they lie apart", () => {
  const runsOf = (...cpuUs: number[]): Ground => {
    const proxies = (us: number) => ({ nginx: {}, "http-proxy": { cpuUsPerHandshake: us } });
    const all = cpuUs.map((us) => ground("one", "2026-01-01", { proxies: proxies(us) }));
    return { ...all[0], runs: all.flatMap(({ runs }) => runs) };
  };
  const outcome = (of: Ground) => row(claim, [of]).state;
  const costs = (us: number) => outcome(runsOf(us, us * 1.02, us * 0.99));
  assert.deepEqual([costs(500), costs(240)], ["holds", "no longer"]);
  // Each of them decides alone, and each otherwise.
  assert.equal(outcome(runsOf(500, 240, 900)), "inconclusive");
  assert.equal(outcome(runsOf(500, 240)), outcome(runsOf(500)), "two runs were pooled");
});

test("a battle's first run decides only where its pooled runs lack what the claim is about", () => {
  assert.deepEqual(row(claim, [[other, old]]), { state: "holds", by: "old", others: [] });
  const newer = ground("newer", "2026-02-02", { proxies: cheap });
  assert.deepEqual(row(claim, [[newer, old]]), { state: "no longer", by: "newer", others: [] });
});

test("figures that do not count say more than no run, and less than any that do", () => {
  const isVoid = ground("void", "2026-04-04", {
    change: (record) => {
      if (record.machine) Object.assign(record.machine, { stealSeconds: 100 });
      return [record];
    },
  });
  assert.deepEqual(row(claim, [isVoid, other]), { state: "inconclusive", by: "void", others: [] });
  assert.equal(row(claim, [isVoid, few]).by, "few");
});

test("what no run can tell is what its study's file says", () => {
  const advice = { claim: "buy it", rule: null, kind: "advice", reason: "r" } as const;
  assert.deepEqual(row(advice, [old]), { state: "advice", by: null, others: [] });
});

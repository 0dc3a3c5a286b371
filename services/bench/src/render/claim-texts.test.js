import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { recorded } from "../analyse/testing/recorded.js";
import { PARAMETERS, POLICY, results, slopeRow } from "../analyse/testing/results.js";
import { claimText, toldClaims, untoldText } from "./claim-texts.js";

/** @import { Analysis, ClaimRule, PublishedClaim, SlopeRow } from "../analyse/types.js" */

const policy = /** @type {any} */ (POLICY);
const ABOUT = { title: "t", year: 2013, source: "s", machine: "m", note: "n", tables: [] };
const WS = { scenario: "short-lived", scheme: /** @type {const} */ ("ws") };

/**
 * @param {PublishedClaim} claim
 * @param {Parameters<typeof results>[0]} [options]
 */
function told(claim, options) {
  const analysis = analyse(results(options), { policy, published: { ...ABOUT, claims: [claim] } });
  assert.ok(analysis.published);
  const [first] = toldClaims(analysis.published);
  return first ? claimText(first, analysis) : untoldText(analysis.published);
}

/**
 * @param {Partial<ClaimRule>} rule
 * @param {Parameters<typeof results>[0]} [options]
 */
function today(rule, options) {
  const at = { ...WS, parameters: { CONNECTIONS: 2000 } };
  const whole = { measure: "total_seconds", of: "http-proxy", to: ["nginx"], at, ...rule };
  return told({ claim: "it is so", rule: whole }, options);
}

test("a figure with its interval, and what the claim needs", () => {
  assert.match(
    today({ min: 2 }),
    /^Total: http-proxy to nginx 2\.\d\d times \(2\.\d\d to 2\.\d\d\)\. The claim needs at least 2\.00 times\.$/,
  );
  assert.match(today({ min: 2, max: 3 }), /needs at least 2\.00 times and at most 3\.00 times\.$/);
  assert.match(
    today({ to: ["nginx", "haproxy"], min: 2 }),
    /^Total: http-proxy to nginx 2\.\d\d times \(2\.\d\d to 2\.\d\d\); to haproxy 2\.\d\d times \(/i,
  );
  assert.match(today({ to: ["nginx", "haproxy-hitch"], min: 2 }), /haproxy-hitch was not measured/);
  assert.match(
    today({ measure: "proxy_memory_peak_usage_bytes", of: "nginx", to: undefined, max: 40e6 }),
    /^Memory, peak: nginx \d\d(\.\d)? MB \(.* to .*\)\. The claim needs at most 40 MB\.$/,
  );
});

test("a time in the queue says whose, how busy the machine was, and what of the same two compares", () => {
  const analysis = recorded("balancerbattle");
  assert.ok(analysis.published);
  const texts = toldClaims(analysis.published)
    .filter(({ claim }) => claim.outcome === "not comparable")
    .map((one) => claimText(one, analysis));
  assert.equal(new Set(texts).size, texts.length);
  for (const text of texts)
    assert.match(
      text,
      /^(Total|Echo latency, mean), 10,000 short-lived connections, wss?: time in the queue, as 100 at a time kept the machine 9\d(\.\d)? % busy \(limit 90 %\)\. (What can be compared there is CPU per connection: (nginx|http-proxy|HAProxy \+ hitch) to .* \d\.\d\d times \(.*\)|No CPU time stands in for it.*)\.$/,
    );
  const control = texts.filter((text) => text.includes("No CPU time stands in"));
  assert.equal(control.length, 2);
});

test("a time that is told one at a time says so, and of how many", () => {
  const options = { parameters: { ...PARAMETERS, CONCURRENCY: 1 } };
  const rule = { of: "http-proxy", to: ["nginx"], min: 2 };
  assert.match(
    today(rule, options),
    /^Total, 2,000 short-lived connections, 1 at a time, ws: http-proxy to nginx 2\.\d\d times/,
  );
  assert.match(
    today({ ...rule, measure: "proxy_memory_peak_usage_bytes" }, options),
    /^Memory, peak: http-proxy to nginx/,
  );
});

test("a proxy against itself with other parameters, or over the other scheme", () => {
  const of = "nginx";
  const to = undefined;
  assert.match(
    today(
      {
        of,
        to,
        at: { ...WS, parameters: { CONNECTIONS: 5000 } },
        against: { parameters: { CONNECTIONS: 1000 } },
        min: 4,
      },
      { connections: [1000, 5000] },
    ),
    /^Total: nginx to itself with CONNECTIONS=1000 \d\.\d\d times \(/,
  );
  /** @type {Partial<ClaimRule>} */
  const tls = {
    measure: "cpu_us_per_connection",
    at: { ...WS, scheme: "wss" },
    against: { scheme: "ws" },
    min: 2,
  };
  assert.match(
    today({ ...tls, of, to }),
    /^CPU per connection: nginx to itself over ws 2\.\d\d times/,
  );
  assert.match(today(tls), /^CPU per connection: http-proxy to nginx over ws 8\.\d\d times/);
});

test("of many figures those that decide, each with its setting, and how many of the others agree", () => {
  const connections = [1000, 2000, 3000, 4000, 5000, 6000, 7000];
  const against = { parameters: { CONNECTIONS: 1000 } };
  const rule = { of: "nginx", to: undefined, at: WS, against };
  const holds = today({ ...rule, min: 0.9, max: 1.1 }, { connections });
  assert.match(holds, /^Total, 2,000 short-lived connections, ws: nginx to itself with /);
  assert.match(holds, /; and 2 more, of which 2 agree\. The claim needs /);
  const one = today(
    { ...rule, max: 1.1 },
    {
      connections,
      change: (record) =>
        record.parameters.CONNECTIONS === 6000 ? [{ ...record, totalSeconds: 9 }] : [record],
    },
  );
  assert.match(one, /^Total, 6,000 short-lived connections, ws: nginx to itself with /);
  assert.match(one, /and 2 more, of which 2 agree/);
});

test("a slope over held connections, or why there is none", () => {
  const measure = "proxy_memory_mean_usage_bytes";
  const row = slopeRow();
  /** @type {SlopeRow} */
  const none = {
    ...row,
    proxy: "haproxy",
    slope: null,
    missing: { kind: "few-counts", counts: 2, least: 4 },
  };
  const family = {
    scenario: "idle",
    scheme: /** @type {const} */ ("ws"),
    parameters: { MESSAGE_BYTES: 10 },
    most: 5000,
    parts: [{ measure, rows: [row, none] }],
    unranked: null,
  };
  const at = { scenario: "idle", scheme: /** @type {const} */ ("ws") };
  const analysed = {
    results: results({ rounds: 1 }),
    settings: [],
    slopes: [family],
    countsSocketBuffers: false,
  };
  const slope = (/** @type {string} */ of, /** @type {Analysis["slopes"][number]} */ found) => {
    /** @type {ClaimRule} */
    const rule = { measure, of, at, slope: true, max: 21e3 };
    const estimate = found.parts[0].rows.find(({ proxy }) => proxy === of)?.slope ?? null;
    const outcome = /** @type {const} */ ("inconclusive");
    const figures = [{ outcome, at: found, other: null, estimate, queue: null, instead: null }];
    const claim = {
      ...{ claim: "it is so", rule, outcome, figures, places: figures.length },
      ...{ isTold: estimate !== null, battles: [] },
    };
    return claimText({ claim, rule }, analysed);
  };
  assert.equal(
    slope("nginx", family),
    "Memory, mean, per connection, without socket buffers: nginx 20.0 kB (19.5 to 20.5). The claim needs at most 21 kB.",
  );
  assert.match(
    slope("haproxy", family),
    /HAProxy: 2 of at least 4 connection counts have a counted cell\./,
  );
});

test("what this run cannot tell is counted, with the battles that would", () => {
  const parameters = { CONNECTIONS: 10000 };
  assert.equal(
    today({ min: 2, at: { ...WS, parameters } }),
    "1 other claim of this study is about what this run did not measure, and can be told: 1 by no battle as it is now.",
  );
  assert.match(today({ min: 2 }, { rounds: 3 }), /too few rounds for an interval/);
  const rule = { measure: "total_seconds", of: "nginx", min: 2, at: { ...WS, parameters } };
  const claims = [
    { claim: "one", rule },
    { claim: "two", rule: { ...rule, at: { ...WS, parameters: { CONNECTIONS: 5000 } } } },
    { claim: "three", rule: { ...rule, to: ["http-proxy-3"] } },
    {
      claim: "four",
      rule: null,
      kind: /** @type {const} */ ("advice"),
      reason: "A matter of taste.",
    },
    { claim: "five", rule: { ...rule, against: { parameters: { CONNECTIONS: 5000 } } } },
  ];
  const [small, large, both] = [[5000], [10000], [5000, 10000]].map(
    (connections) => results({ connections, rounds: 1 }).plan,
  );
  const { published } = analyse(results(), {
    policy,
    published: {
      ...ABOUT,
      claims,
      battles: [
        { name: "small", plan: small },
        { name: "large", plan: large },
        { name: "both", plan: both },
      ],
    },
  });
  assert.ok(published);
  assert.deepEqual(toldClaims(published), []);
  assert.equal(
    untoldText(published),
    "5 other claims of this study are about what this run did not measure, and can be told: 1 by ./bench run large or both; 1 by ./bench run small or both; 1 by ./bench run both; 1 by no battle as it is now; 1 by no run of this benchmark.",
  );
});

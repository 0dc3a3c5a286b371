import assert from "node:assert/strict";
import { test } from "node:test";
import { contestsOf } from "./contests.js";
import { differenceIn, foundIn, namedIn, quotientIn } from "./found.js";
import { analyse } from "./index.js";
import { stallResults, stormResults, survivalResults } from "./testing/experiments.js";
import { rateResults } from "./testing/rates.js";
import { POLICY, results } from "./testing/results.js";

/** @import { Results } from "../model/record.ts" */
/** @import { FoundKind } from "./found.js" */
/** @import { Contest } from "./types.js" */

/** @type {(name: string, made: import("../model/record.ts").Results) => import("./claim-table.js").PublishedRun} */
const run = (name, made) => ({
  name,
  analysis: analyse(made, { policy: /** @type {any} */ (POLICY) }),
});

const SIX = run("six", results());
const SURVIVAL = run(
  "survival",
  survivalResults({
    proxies: {
      none: { none: {}, reload: {} },
      haproxy: { none: {}, reload: {} },
      nginx: { none: {}, reload: { ends: [{ afterMs: 100, how: "reset", count: 2000 }] } },
    },
  }),
);

/** @type {(contest: Contest) => string} */
const titleOf = ({ question, measure, detail }) => `${question} ${measure.key} ${detail}`;

/**
 * @param {Results} made
 * @param {Record<string, Partial<Results["proxies"][number]>>} changes by name of a proxy
 * @returns {Results} with these in its record
 */
function described(made, changes) {
  return { ...made, proxies: made.proxies.map((one) => ({ ...one, ...changes[one.name] })) };
}

/**
 * @param {Results} ws
 * @param {Results} wss of the same proxies
 * @returns {Results} of both schemes
 */
function overBoth(ws, wss) {
  const plan = { ...ws.plan, cells: [...ws.plan.cells, ...wss.plan.cells] };
  return { ...ws, plan, cells: [...ws.cells, ...wss.cells] };
}

/**
 * @param {Results} made
 * @param {FoundKind} kind
 * @returns {string[]} `cpu_us_per_connection ws: nginx, envoy`, the lowest first
 */
function ofKind(made, kind) {
  return foundIn([run("made", made)], titleOf)
    .flat()
    .filter((found) => found.kind === kind)
    .map(
      ({ contest: { measure, scheme }, low, high }) =>
        `${measure.key} ${scheme}: ${low.proxy}, ${high.proxy}`,
    );
}

const VARIANT = { proxy: "nginx", differs: "fewer slots" };
const DEAR = { cpuUsPerHandshake: 700 };

test("what differs is found, the larger difference first, each scheme once", () => {
  const found = foundIn([SIX, SURVIVAL], titleOf);
  const [[first]] = found;
  assert.equal(first.contest.question, "lost");
  assert.deepEqual([first.low.proxy, first.high.proxy], ["haproxy", "nginx"]);
  const strengths = found.map(([{ strength }]) => strength);
  assert.deepEqual(
    strengths,
    strengths.toSorted((a, b) => b - a),
  );
  const cpu = found.find(([{ contest }]) => contest.measure.key === "cpu_us_per_connection");
  assert.deepEqual(cpu?.map(({ contest }) => contest.scheme).sort(), ["ws", "wss"]);
  for (const { high } of cpu ?? []) assert.equal(high.proxy, "http-proxy");
});

test("too few rounds find nothing, and neither do equals", () => {
  const few = run("few", results({ rounds: 4 }));
  assert.equal(foundIn([few], titleOf).length, 0);
  const equals = run("equals", results({ proxies: { nginx: {}, haproxy: {} }, schemes: ["ws"] }));
  assert.equal(foundIn([equals], titleOf).length, 0);
});

test("the best is held against the worst by their ratio, not by figures that tie", () => {
  const [contest] = contestsOf(SIX.analysis).filter(
    ({ measure }) => measure.key === "connections_per_second",
  );
  const best = contest.cells.find(({ isBest }) => isBest);
  const cells = contest.cells.map((cell) =>
    cell.proxy === "http-proxy" || cell === best
      ? cell
      : { ...cell, value: { value: 1e6, interval: null } },
  );
  const found = differenceIn({ ...contest, cells, run: SIX });
  assert.deepEqual([found?.low.proxy, found?.high.proxy], ["http-proxy", best?.proxy]);
  assert.equal(found?.strength, Math.abs(Math.log(Number(found?.low.ratio?.value))));
});

test("where nobody is ranked the intervals lie apart", () => {
  const [contest] = contestsOf(SURVIVAL.analysis).filter(({ question }) => question === "lost");
  const changed = { ...contest, run: SURVIVAL };
  assert.ok(differenceIn(changed));
  const cells = contest.cells.map((cell) => ({
    ...cell,
    value: cell.value && { ...cell.value, interval: /** @type {[number, number]} */ ([0, 100]) },
  }));
  assert.equal(differenceIn({ ...changed, cells }), null);
  const unknown = contest.cells.map((cell) => ({
    ...cell,
    value: cell.value && { ...cell.value, interval: null },
  }));
  assert.equal(differenceIn({ ...changed, cells: unknown }), null);
});

test("a setting with fewer rounds than its run is told apart by its own", () => {
  const one = { sent: 4e6, heldBack: true, p99Ms: /** @type {[number, number]} */ ([1, 2]) };
  const proxies = { nginx: { ...one, grown: 1e3 }, "http-proxy": { ...one, grown: 1e6 } };
  const foundOf = (/** @type {number} */ rounds) => {
    const made = stallResults(proxies, { rounds });
    return foundIn([run("made", { ...made, plan: { ...made.plan, rounds: 6 } })], titleOf).flat();
  };
  assert.deepEqual(
    foundOf(6).map(({ contest, high }) => [contest.question, high.proxy]),
    [["stall", "http-proxy"]],
  );
  assert.deepEqual(foundOf(5), []);
});

test("a variant that ties with its original is neither the lowest nor the highest, be it the best", () => {
  const proxies = { nginx: { cpuUsPerHandshake: 201 }, slots: {}, haproxy: DEAR };
  const made = run("made", described(results({ proxies }), { slots: { variantOf: VARIANT } }));
  const found = foundIn([made], titleOf).flat();
  const cpu = found.filter(({ contest }) => contest.measure.key === "cpu_us_per_connection");
  assert.ok(cpu.some(({ contest }) => contest.question === "best"));
  for (const { low, high } of found)
    assert.ok(![low.proxy, high.proxy].includes("slots"), `${low.proxy}, ${high.proxy}`);
  const [{ contest, high, ...own }] = cpu.filter(({ contest }) => contest.question === "best");
  assert.deepEqual(namedIn(contest), ["nginx", "haproxy"]);
  assert.deepEqual([own.low.proxy, high.proxy], ["nginx", "haproxy"]);
  const [low] = contest.cells;
  const times = Number(high.ratio?.value) / (low.ratio?.value ?? 1);
  assert.ok(Math.abs(quotientIn({ contest, high, ...own }) / times - 1) < 1e-9);
});

test("a variant is told from its original where they lie apart, and only there", () => {
  const proxies = { nginx: {}, slots: { peakBytes: 60e6 }, haproxy: {} };
  const made = described(results({ proxies, schemes: ["ws"] }), { slots: { variantOf: VARIANT } });
  assert.deepEqual(ofKind(made, "variant").sort(), [
    "proxy_memory_baseline_usage_bytes ws: nginx, slots",
    "proxy_memory_growth_bytes ws: nginx, slots",
  ]);
  const few = results({ proxies, schemes: ["ws"], rounds: 4 });
  assert.deepEqual(ofKind(described(few, { slots: { variantOf: VARIANT } }), "variant"), []);
});

test("who does the same work over one scheme is held against the other over the other scheme alone", () => {
  const sameWorkAs = { proxy: "haproxy", scheme: /** @type {const} */ ("ws") };
  const behind = { nginx: {}, haproxy: {}, "haproxy-hitch": DEAR };
  const made = results({ proxies: behind });
  assert.deepEqual(ofKind(described(made, { "haproxy-hitch": { sameWorkAs } }), "same-work"), [
    "cpu_us_per_connection wss: haproxy, haproxy-hitch",
  ]);
  assert.deepEqual(ofKind(made, "same-work"), []);
});

test("who is behind over one scheme and among the first over the other is found, with both", () => {
  const plain = results({ proxies: { nginx: {}, haproxy: DEAR }, schemes: ["ws"] });
  const secured = results({ proxies: { nginx: {}, haproxy: {} }, schemes: ["wss"] });
  assert.deepEqual(ofKind(overBoth(plain, secured), "turned"), [
    "cpu_us_per_connection ws: nginx, haproxy",
    "cpu_us_per_connection wss: haproxy, haproxy",
  ]);
  assert.deepEqual(ofKind(results({ proxies: { nginx: {}, haproxy: DEAR } }), "turned"), []);
});

test("of storms, who took longer than without a proxy in every round", () => {
  /** @type {(factor: number, rounds?: number) => Parameters<typeof stormResults>[0][string]} */
  const back = (factor, rounds = 4) =>
    Array.from({ length: rounds }, (_, i) => ({
      seconds: [0.5 * factor, factor * (1 + i / 100), 1.5 * factor],
    }));
  const storm = { none: back(1), nginx: back(1), haproxy: back(2), "http-proxy": back(3) };
  const made = stormResults(storm);
  assert.deepEqual(ofKind(made, "storm"), ["back_ms_p99 ws: nginx, http-proxy"]);
  const few = Object.fromEntries(Object.entries(storm).map(([n, all]) => [n, all.slice(1)]));
  assert.deepEqual(ofKind(stormResults(few), "storm"), []);
});

test("of events, new handshakes that failed, and what a server got that started", () => {
  const failed = [{ second: 1, count: 15, cause: "refused" }];
  /** @type {(connections: number) => {address: string, connections: number, isNew: boolean}[]} */
  const servers = (connections) => [
    { address: "10.0.0.1", connections: 500 - connections, isNew: false },
    { address: "10.0.0.2", connections, isNew: true },
  ];
  const made = survivalResults({
    proxies: {
      nginx: { none: {}, "backend-scale": { failed, echoShare: servers(10) } },
      haproxy: { none: {}, "backend-scale": { echoShare: servers(250) } },
    },
  });
  assert.deepEqual(ofKind(made, "apart"), [
    "newcomers ws: nginx, haproxy",
    "failed ws: haproxy, nginx",
  ]);
  // As many without the event: it is not the event's.
  const always = survivalResults({
    proxies: {
      nginx: { none: { failed }, "backend-scale": { failed } },
      haproxy: { none: {}, "backend-scale": {} },
    },
  });
  assert.deepEqual(ofKind(always, "apart"), []);
});

test("the surprising come before larger differences of costs", () => {
  const proxies = { nginx: {}, slots: { peakBytes: 60e6 }, haproxy: { cpuUsPerHandshake: 2000 } };
  const made = described(results({ proxies }), { slots: { variantOf: VARIANT } });
  const found = foundIn([run("made", made)], titleOf);
  const kinds = found.map(([{ kind }]) => kind);
  assert.ok(kinds.lastIndexOf("variant") < kinds.indexOf("apart"), kinds.join(", "));
  assert.ok(found[0][0].strength < Math.max(...found.map(([{ strength }]) => strength)));
});

test("of what grows, that is found which its own report says grows", () => {
  const soak = run(
    "soak",
    rateResults({
      scenarios: ["steady"],
      rounds: 1,
      change: (record) => {
        record.course = Array.from({ length: 239 }, (_, i) => ({
          ...{ seconds: 15 * (i + 1), usageBytes: 30e6, tcpInUse: 2010, descriptors: 2050 },
          rssBytes: 20e6 + (record.proxy === "nginx" ? 1e5 * i : 0) + (i % 2),
        }));
      },
    }),
  );
  const grown = () =>
    foundIn([soak], titleOf)
      .flat()
      .filter(({ contest }) => contest.question === "course")
      .map(({ contest, high }) => `${contest.detail} ${high.proxy}`);
  assert.deepEqual(grown(), ["rssBytes nginx"]);
  for (const { parts } of soak.analysis.courses[0].rows)
    for (const part of parts) part.grows = false;
  assert.deepEqual(grown(), []);
});

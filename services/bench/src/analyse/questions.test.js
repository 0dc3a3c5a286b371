import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "../plan/testing/scenarios.js";
import { analyse } from "./index.js";
import { POLICY, results } from "./testing/results.js";

/** @import { NoiseFloor, Verdict } from "./types.js" */

const policy = /** @type {any} */ (POLICY);

/**
 * @param {Parameters<typeof results>[0]} [options]
 * @param {NoiseFloor | null} [noiseFloor]
 */
const analysed = (options, noiseFloor) => analyse(results(options), { policy, noiseFloor });

/**
 * @param {Verdict[]} verdicts
 * @param {string} measure
 */
function bestUnder(verdicts, measure) {
  const found = verdicts.find((one) => one.question === "best" && one.measure === measure);
  assert.ok(found?.question === "best");
  return found;
}

test("questions with their measure, each answer with the settings and the comparison it rests on", () => {
  const { settings, asked, verdicts } = analysed();
  assert.deepEqual(
    verdicts.map((one) => [one.question, "measure" in one && one.measure, one.answers.length]),
    [
      ["best", "cpu_us_per_connection", 2],
      ["tls", "cpu_us_per_connection", 1],
      ["added", "handshake_ms_mean", 1],
      ["added", "echo_latency_ms_mean", 1],
      ["memory", false, 2],
      ["best", "connections_per_second", 2],
    ],
  );
  assert.deepEqual(
    asked.flatMap((pool) => pool.settings),
    settings,
  );
  const { scope, answers } = bestUnder(verdicts, "cpu_us_per_connection");
  const description = SCENARIOS["short-lived"];
  assert.deepEqual(scope, { scenario: null, parameters: {}, description });
  assert.deepEqual(
    answers.map((one) => one.settings),
    settings.map((setting) => [setting]),
  );
  for (const [i, { comparison, order }] of answers.entries()) {
    assert.ok(settings[i].comparisons.includes(comparison));
    assert.deepEqual(
      order.map(({ rank }) => rank),
      [1, 1, 3],
    );
    assert.equal(order[2].proxy, "http-proxy");
  }
  const tls = verdicts.find(({ question }) => question === "tls");
  assert.deepEqual(tls?.answers[0].settings, [settings[1], settings[0]]);
});

test("all numbers of connections are answered for together, each proxy where it has figures", () => {
  const { asked, pools, settings } = analysed({
    schemes: ["ws"],
    connections: [2000, 5000],
    change: (record, { proxy, parameters: { CONNECTIONS } }) =>
      CONNECTIONS === 5000 && ["haproxy", "http-proxy"].includes(proxy) ? [] : [record],
  });
  assert.deepEqual(
    asked.map((pool) => pool.settings),
    [settings],
  );
  assert.deepEqual(
    asked,
    pools.map(({ rounds, ...pool }) => pool),
  );
});

test("what reaches an answer: settings that a proxy lacks, a difference inside of the noise", () => {
  const floor = {
    run: "2026-aa-nginx",
    proxy: "nginx",
    connections: [1000],
    scenarios: ["short-lived"],
    rounds: 6,
    ratios: { cpu_us_per_connection: 1.08 },
  };
  const { verdicts } = analysed(
    {
      schemes: ["ws"],
      connections: [2000, 10000],
      proxies: {
        none: {},
        nginx: { cpuUsPerHandshake: 210 },
        haproxy: {},
        "http-proxy": { cpuUsPerHandshake: 700 },
      },
      change: (record, { proxy, parameters: { CONNECTIONS } }) =>
        proxy === "http-proxy" && CONNECTIONS === 10000 ? [] : [record],
    },
    floor,
  );
  const [{ caveats, order, singles }] = bestUnder(verdicts, "cpu_us_per_connection").answers;
  assert.deepEqual(
    caveats.map(({ gate, figures }) => [gate, figures]),
    [
      ["lacks-settings", { proxies: [{ proxy: "http-proxy", connections: [10_000] }] }],
      ["inside-noise", { proxies: ["nginx"], ratio: 1.08, floor }],
    ],
  );
  assert.deepEqual(
    order.map(({ proxy, rank }) => [proxy, rank]),
    [
      ["haproxy", 1],
      ["nginx", 2],
      ["http-proxy", 3],
    ],
  );
  assert.deepEqual(
    singles.map((single) => single.order.length),
    [3, 2],
  );
});

test("what a proxy adds: the control's figure, and who differs from it", () => {
  const { verdicts } = analysed({
    proxies: { none: {}, nginx: { handshakeMs: 20.1 }, haproxy: { handshakeMs: 25 } },
  });
  const added = verdicts.find((one) => one.question === "added");
  assert.ok(added?.question === "added");
  const [{ control, comparison }] = added.answers;
  assert.equal(control?.proxy, "none");
  assert.deepEqual(comparison.relations, { nginx: "same", haproxy: "worse" });
});

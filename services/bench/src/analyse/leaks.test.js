import assert from "node:assert/strict";
import { test } from "node:test";
import { leaksOf } from "./leaks.js";
import { workloadFor } from "./testing/results.js";

/** @import { Parameters } from "../model/plan.ts" */

const PARAMETERS = { CONNECTIONS_PER_SECOND: 200, CHURN_SECONDS: 60, SETTLE_SECONDS: 10 };

/**
 * @param {Record<string, {sockets: number, descriptors: number} | null>} left by proxy
 * @param {{scenario?: string, scheme?: string, parameters?: Parameters}} [changes] of the setting
 * @returns {any}
 */
function setting(left, changes = {}) {
  const rows = (/** @type {"sockets" | "descriptors"} */ kind) =>
    Object.entries(left).map(([proxy, kept]) => ({ proxy, median: kept && { value: kept[kind] } }));
  const { scenario = "churn", parameters = PARAMETERS } = changes;
  return {
    scenario,
    scheme: "ws",
    parameters,
    workload: workloadFor({ scenario, parameters }),
    comparisons: [
      { measure: "proxy_sockets_left", rows: rows("sockets") },
      { measure: "proxy_descriptors_left", rows: rows("descriptors") },
    ],
    ...changes,
  };
}

test("a hundredth of the connections is a leak, in sockets or in descriptors; the control is not asked", () => {
  const leaking = setting({
    none: { sockets: 5000, descriptors: 5000 },
    nginx: { sockets: 119, descriptors: 0 },
    "http-proxy": { sockets: 0, descriptors: 120 },
  });
  assert.deepEqual(leaksOf([leaking]), [
    {
      settings: [leaking],
      connections: 12_000,
      settleSeconds: 10,
      left: [
        { proxy: "http-proxy", left: 120, isLeak: true },
        { proxy: "nginx", left: 119, isLeak: false },
      ],
    },
  ]);
});

test("the most connections of each scheme tell; what was not looked at again tells nothing", () => {
  const few = setting(
    { nginx: { sockets: 3000, descriptors: 0 } },
    { parameters: { ...PARAMETERS, CHURN_SECONDS: 15 } },
  );
  const many = setting({ nginx: { sockets: 0, descriptors: 0 } });
  const tls = setting({ nginx: { sockets: 0, descriptors: 0 } }, { scheme: "wss" });
  assert.deepEqual(
    leaksOf([few, many, tls]).map(({ settings }) => settings),
    [[many], [tls]],
  );
  assert.deepEqual(leaksOf([setting({ nginx: null })]), []);
  assert.deepEqual(
    leaksOf([setting({}, { scenario: "idle", parameters: { CONNECTIONS: 10 } })]),
    [],
  );
});

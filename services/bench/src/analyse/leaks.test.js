import assert from "node:assert/strict";
import { test } from "node:test";
import { leaksOf } from "./leaks.js";
import { results } from "./testing/results.js";

const PARAMETERS = { CONNECTIONS_PER_SECOND: 200, CHURN_SECONDS: 60, SETTLE_SECONDS: 10 };

/**
 * @param {Record<string, {sockets: number, descriptors: number} | null>} left by proxy
 * @param {object} [changes] of the setting
 * @returns {any}
 */
function setting(left, changes = {}) {
  const rows = (/** @type {"sockets" | "descriptors"} */ kind) =>
    Object.entries(left).map(([proxy, kept]) => ({ proxy, median: kept && { value: kept[kind] } }));
  return {
    scenario: "churn",
    scheme: "ws",
    parameters: PARAMETERS,
    comparisons: [
      { measure: "proxy_sockets_left", rows: rows("sockets") },
      { measure: "proxy_descriptors_left", rows: rows("descriptors") },
    ],
    ...changes,
  };
}

/** @param {any[]} settings */
const texts = (settings) => leaksOf(results(), settings).map(({ text }) => text);

test("a proxy that lets go of every connection keeps none", () => {
  const none = { sockets: 0, descriptors: -1 };
  assert.deepEqual(texts([setting({ nginx: none, "http-proxy": none })]), [
    "None does: 10 s after the last of 12,000 connections, no proxy had a socket or descriptor more than before",
  ]);
  assert.match(texts([setting({ nginx: { sockets: 1, descriptors: 3 } })])[0], /over 3 sockets or/);
});

test("a hundredth of the connections is a leak, in sockets or in descriptors; the control is not asked", () => {
  const leaking = setting({
    none: { sockets: 5000, descriptors: 5000 },
    nginx: { sockets: 119, descriptors: 0 },
    "http-proxy": { sockets: 0, descriptors: 120 },
  });
  assert.deepEqual(texts([leaking]), [
    "10 s after the last of 12,000 connections, http-proxy had 120 sockets or descriptors more than before (1 %); nginx let go of them",
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
    leaksOf(results(), [few, many, tls]).map(({ setting }) => setting),
    [many, tls],
  );
  assert.deepEqual(texts([setting({ nginx: null })]), []);
  assert.deepEqual(texts([setting({}, { parameters: { CONNECTIONS: 10 } })]), []);
});

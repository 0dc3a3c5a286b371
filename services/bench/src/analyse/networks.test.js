import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { results } from "./testing/results.js";
import { onBothNetworks } from "./testing/networks.js";

test("over several machines what Docker made is the overlay", () => {
  const networksOf = (/** @type {number} */ dockers) =>
    analyse(onBothNetworks({ cost: 1.25, dockers }), { policy: null }).networkCosts.map(
      ({ network }) => network,
    );
  assert.deepEqual(networksOf(0), ["bridge", "bridge"]);
  assert.deepEqual(networksOf(2), ["overlay", "overlay"]);
});

test("a setting on Docker's network, beside the same on the machine's own", () => {
  const { networkCosts } = analyse(onBothNetworks({ cost: 1.25 }), { policy: null });
  assert.deepEqual(
    networkCosts.map(({ setting, beside }) => [
      setting.scheme,
      setting.parameters.HOST_NETWORK,
      beside.parameters.HOST_NETWORK,
      beside.scheme,
    ]),
    [
      ["ws", 0, 1, "ws"],
      ["wss", 0, 1, "wss"],
    ],
  );
  const [{ measures }] = networkCosts;
  assert.deepEqual(
    measures.map(({ measure }) => measure),
    ["cpu_us_per_connection"],
  );
  const nginx = measures[0].rows.find(({ proxy }) => proxy === "nginx");
  assert.ok(nginx?.ratio.interval);
  const [low, high] = nginx.ratio.interval;
  assert.ok(low < 1.25 && high > 1.25 && low > 1.15, `${low} to ${high}`);
  assert.ok(Math.abs(nginx.medians[0] / nginx.medians[1] - nginx.ratio.value) < 0.05);
  assert.deepEqual(analyse(results(), { policy: null }).networkCosts, []);
});

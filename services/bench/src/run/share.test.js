import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseUncounted, share } from "./loads.js";

test("load containers that share connections share the rate at which they are opened, and nothing else", () => {
  const parameters = { CONNECTIONS: 10, CONNECTIONS_PER_SECOND: 5, HOLD_SECONDS: 30 };
  const names = { connections: "CONNECTIONS", connectionsPerSecond: "CONNECTIONS_PER_SECOND" };
  const shares = [0, 1, 2].map((i) => share(parameters, names, i, 3));
  assert.deepEqual(
    shares.map(({ CONNECTIONS, HOLD_SECONDS }) => [CONNECTIONS, HOLD_SECONDS]),
    [
      [4, 30],
      [3, 30],
      [3, 30],
    ],
  );
  assert.ok(shares.every((one) => Math.abs(one.CONNECTIONS_PER_SECOND - 5 / 3) < 1e-12));
});

test("what a load counts fits to its loop, as its scenario says it", () => {
  const counted = { sends: { due: 1, late: 0, dropped: 0 } };
  refuseUncounted([counted, counted], { loop: "open" });
  refuseUncounted([{ sends: null }], { loop: "closed" });
  assert.throws(() => refuseUncounted([counted, { sends: null }], { loop: "open" }), {
    kind: "load",
    message: /does not count what was due, .* an open loop$/,
  });
  assert.throws(() => refuseUncounted([counted], { loop: "closed" }), {
    message: /counts what was due, .* a closed loop$/,
  });
});

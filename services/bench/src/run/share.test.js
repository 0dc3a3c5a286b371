import assert from "node:assert/strict";
import { test } from "node:test";
import { share } from "./loads.js";

test("load containers that share connections share the rate at which they are opened, and nothing else", () => {
  const parameters = { CONNECTIONS: 10, CONNECTIONS_PER_SECOND: 5, HOLD_SECONDS: 30 };
  const shares = [0, 1, 2].map((i) => share(parameters, i, 3));
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

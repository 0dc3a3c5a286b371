import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "../plan/testing/scenarios.ts";
import { workload } from "../plan/workload.ts";
import { connectionsAsked, isFewFailed, refuseUncounted, share } from "./loads.ts";

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

test("load containers that share a rate of messages have seeds of their own", () => {
  const names = { messagesPerSecond: "RATE", arrivalsPerSecond: "COME", seed: "SEED" };
  assert.deepEqual(
    [0, 1].map((i) => share({ RATE: 500, COME: 5, SEED: 7, HOLD_SECONDS: 3 }, names, i, 2)),
    [
      { RATE: 250, COME: 2.5, SEED: 7, HOLD_SECONDS: 3 },
      { RATE: 250, COME: 2.5, SEED: 8, HOLD_SECONDS: 3 },
    ],
  );
});

test("at a rate, as many connections were asked for as were due; of those that are held, as many as planned", () => {
  const sends = { due: 1983, late: 0, dropped: 3 };
  const asked = (scenario: string, parameters: Record<string, number>) =>
    connectionsAsked(workload(SCENARIOS[scenario], parameters), sends);
  assert.equal(asked("arrivals", { CONNECTIONS_PER_SECOND: 100, ARRIVE_SECONDS: 20 }), 1983);
  assert.equal(asked("steady", { CONNECTIONS: 50 }), 50);
  const mixed = { CONNECTIONS: 50, ARRIVALS_PER_SECOND: 2.5, MIXED_SECONDS: 6 };
  assert.equal(asked("mixed", mixed), 65);
});

test("in an open loop one connection in a thousand may fail, as under a promise; in a closed one none", () => {
  const open = { loop: "open" as const };
  const connections = (failed: number) => ({
    ...{ asked: 2000, opened: 2000 - failed, failed, failedByCause: { timeout: failed } },
  });
  assert.deepEqual(
    [1, 2, 3].map((failed) => isFewFailed(open, connections(failed))),
    [true, true, false],
  );
  // Then it is something else that the load has ended for.
  assert.equal(isFewFailed(open, connections(0)), false);
  assert.equal(isFewFailed({ loop: "closed" }, connections(1)), false);
});

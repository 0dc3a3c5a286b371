import assert from "node:assert/strict";
import { test } from "node:test";
import {
  connectionsAtATime,
  connectionsOf,
  holdsConnections,
  rampSeconds,
  sendsRequests,
  timedSeconds,
  workersEnv,
} from "./load.js";

const short = { CONNECTIONS: 1000, CONCURRENCY: 100, MESSAGES: 1 };
const idle = { CONNECTIONS: 1000, CONNECTIONS_PER_SECOND: 400, HOLD_SECONDS: 30 };
const churn = { CONNECTIONS_PER_SECOND: 0.5, CHURN_SECONDS: 60, CONCURRENCY: 100 };

for (const [name, parameters, expected] of /** @type {const} */ ([
  ["short connections", short, { held: false, all: 1000, atATime: 100, ramp: 0, timed: 0 }],
  ["held ones", idle, { held: true, all: 1000, atATime: 1000, ramp: 2.5, timed: 30 }],
  ["dropped ones", churn, { held: false, all: 30, atATime: 100, ramp: 0, timed: 60 }],
  [
    "kept connections",
    { CONNECTIONS: 400, THREADS: 4, DURATION_SECONDS: 30 },
    { held: false, all: 400, atATime: 400, ramp: 0, timed: 30, requests: true },
  ],
  [
    "requests with a connection each",
    { REQUESTS: 5000, CONCURRENCY: 10, FILE_BYTES: 12 },
    { held: false, all: 5000, atATime: 10, ramp: 0, timed: 0, requests: true },
  ],
  ["none", {}, { held: false, all: 0, atATime: 0, ramp: 0, timed: 0 }],
])) {
  test(`the load of ${name}`, () => {
    assert.deepEqual(
      {
        held: holdsConnections(parameters),
        all: connectionsOf(parameters),
        atATime: connectionsAtATime(parameters),
        ramp: rampSeconds(parameters),
        timed: timedSeconds(parameters),
        requests: sendsRequests(parameters),
      },
      { requests: false, ...expected },
    );
  });
}

test("workers of a plan are knobs of proxy and echo server; without them .env holds", () => {
  assert.deepEqual(workersEnv(8), { PROXY_WORKERS: "8", ECHO_WORKERS: "8" });
  assert.deepEqual(workersEnv(null), {});
});

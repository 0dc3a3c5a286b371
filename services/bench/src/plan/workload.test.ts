import assert from "node:assert/strict";
import { test } from "node:test";
import { workersEnv } from "./knobs.ts";
import { SCENARIOS } from "./testing/scenarios.ts";
import {
  connectionsAtATime,
  connectionsInAll,
  keyTypeOf,
  rampSeconds,
  schemeName,
  sizeNames,
  workload,
  workloadOf,
} from "./workload.ts";

const short = { CONNECTIONS: 1000, CONCURRENCY: 100, MESSAGES: 1 };
const idle = { CONNECTIONS: 1000, CONNECTIONS_PER_SECOND: 400, HOLD_SECONDS: 30 };
const churn = { CONNECTIONS_PER_SECOND: 0.5, CHURN_SECONDS: 60, CONCURRENCY: 100 };
const arrivals = { CONNECTIONS_PER_SECOND: 200, ARRIVE_SECONDS: 20, CONCURRENCY: 1000 };
const steady = { CONNECTIONS: 100, CONNECTIONS_PER_SECOND: 400, STEADY_SECONDS: 20 };
const http = { CONNECTIONS: 400, THREADS: 4, DURATION_SECONDS: 30 };
const files = { REQUESTS: 5000, CONCURRENCY: 10, FILE_BYTES: 12 };

for (const [scenario, parameters, expected] of [
  ["short-lived", short, { all: 1000, atATime: 100, ramp: 0, size: ["CONNECTIONS"] }],
  ["idle", idle, { all: 1000, atATime: 1000, ramp: 2.5, size: ["CONNECTIONS"] }],
  ["churn", churn, { all: 30, atATime: 100, ramp: 0, size: ["CHURN_SECONDS"] }],
  ["arrivals", arrivals, { all: 4000, atATime: 1000, ramp: 0, size: ["ARRIVE_SECONDS"] }],
  ["steady", steady, { all: 100, atATime: 100, ramp: 0.25, size: ["CONNECTIONS"] }],
  ["http", http, { all: 400, atATime: 400, ramp: 0, size: ["CONNECTIONS"] }],
  ["files", files, { all: 5000, atATime: 10, ramp: 0, size: [] }],
] as const) {
  test(`the workload of ${scenario}`, () => {
    const own = workloadOf({ scenarios: SCENARIOS }, { scenario, parameters });
    assert.deepEqual(
      {
        all: connectionsInAll(own),
        atATime: connectionsAtATime(own),
        ramp: rampSeconds(own),
        size: sizeNames(own),
      },
      expected,
    );
  });
}

test("parameters count by what they mean, whatever they are called", () => {
  const parameterNames = { connections: "CLIENTS", connectionsPerSecond: "ARRIVALS", rsaBits: "K" };
  const own = workload(
    { ...SCENARIOS.idle, parameterNames },
    { CLIENTS: 40, ARRIVALS: 8, K: 2048, CONNECTIONS: 7 },
  );
  assert.equal(connectionsInAll(own), 40);
  assert.equal(rampSeconds(own), 5);
  assert.deepEqual(sizeNames(own), ["CLIENTS"]);
  assert.equal(keyTypeOf(own, "ecdsa"), "rsa");
  assert.equal(own.phaseSeconds, undefined);
});

test("a scenario without a say in it has the plan's key type", () => {
  assert.equal(keyTypeOf({}, "rsa"), "rsa");
  assert.equal(keyTypeOf({ rsaBits: 0 }, "rsa"), "ecdsa");
});

test("requests go over http and https", () => {
  const names = (scenario: string) =>
    (["ws", "wss"] as const).map((scheme) => schemeName({ scheme, workload: SCENARIOS[scenario] }));
  assert.deepEqual(names("files"), ["http", "https"]);
  assert.deepEqual(names("tls-handshake"), ["ws", "wss"]);
});

test("workers of a plan are knobs of proxy and echo server; without them .env holds", () => {
  assert.deepEqual(workersEnv(8), { PROXY_WORKERS: "8", ECHO_WORKERS: "8" });
  assert.deepEqual(workersEnv(null), {});
});

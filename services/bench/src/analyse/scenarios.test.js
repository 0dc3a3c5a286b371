import assert from "node:assert/strict";
import { test } from "node:test";
import { readScenario, scenarioNames } from "../plan/scenarios.js";
import { cellRecord, containerRecord } from "./testing/results.js";
import { comparesServers, generatorCores, hasOneThread, isHttp, schemeName } from "./scenarios.js";

const PROJECT = new URL("../../../..", import.meta.url).pathname;

test("what is known of a scenario by its name is what loadgen/ says of it", () => {
  const names = scenarioNames(PROJECT);
  assert.ok(
    ["http", "files", "tls-handshake", "short-lived"].every((name) => names.includes(name)),
  );
  for (const name of names) {
    const { protocol, compares, runner } = readScenario(PROJECT, name);
    assert.equal(isHttp(name), protocol === "http", name);
    assert.equal(comparesServers(name), compares === "servers", name);
    // k6 has as many threads as there are cores.
    if (runner === "k6") assert.equal(hasOneThread(name), false, name);
  }
});

test("requests go over http and https", () => {
  assert.equal(schemeName({ scenario: "files", scheme: "wss" }), "https");
  assert.equal(schemeName({ scenario: "http", scheme: "ws" }), "http");
  assert.equal(schemeName({ scenario: "tls-handshake", scheme: "wss" }), "wss");
});

test("generators of one thread use a core each, and no more than there are", () => {
  const record = cellRecord();
  assert.equal(generatorCores(record), 2);
  record.scenario = "tls-handshake";
  assert.equal(generatorCores(record), 1);
  for (const n of [2, 3]) record.containers[`load-${n}`] = containerRecord({ role: "load" });
  assert.equal(generatorCores(record), 2);
});

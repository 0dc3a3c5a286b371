import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { filesResults } from "../analyse/testing/http.js";
import { idleResults, PARAMETERS, results } from "../analyse/testing/results.js";
import {
  bracketed,
  floorLoad,
  settingTitle,
  slopesTitle,
  titleOfProxy,
  tyingText,
} from "./words.js";

/** @param {import("../model/record.ts").Results} of */
function titles(of) {
  const { settings } = analyse(of, { policy: null });
  return settings.map((setting) => settingTitle(setting, settings));
}

test("settings are titled by what tells them apart", () => {
  assert.deepEqual(titles(results({ connections: [10000, 2000] })), [
    "2,000 short-lived connections, ws",
    "10,000 short-lived connections, ws",
    "2,000 short-lived connections, wss",
    "10,000 short-lived connections, wss",
  ]);
  const parameters = { ...PARAMETERS, MESSAGES: 100 };
  assert.equal(
    titles(results({ parameters }))[0],
    "2,000 short-lived connections × 100 messages, ws",
  );
  assert.deepEqual(titles(filesResults({ sizes: [12, 2216], schemes: ["wss"] })), [
    "files of 12 bytes, https",
    "files of 2,216 bytes, https",
  ]);
});

test("what another scenario of the run has otherwise tells settings apart by no more than its name", () => {
  const { settings } = analyse(results({ schemes: ["ws"] }), { policy: null });
  const [one] = settings;
  const other = { ...one, scenario: "hot", parameters: { ...one.parameters, MESSAGE_BYTES: 64 } };
  assert.equal(settingTitle(one, [...settings, other]), settingTitle(one, settings));
  const same = { ...other, scenario: one.scenario };
  assert.notEqual(settingTitle(one, [...settings, same]), settingTitle(one, settings));
});

test("the machine's own network is in every title", () => {
  const on = (/** @type {number} */ HOST_NETWORK) => {
    const of = results({ parameters: { ...PARAMETERS, HOST_NETWORK } });
    const { "short-lived": described, ...others } = of.plan.scenarios;
    const parameterNames = { ...described.parameterNames, hostNetwork: "HOST_NETWORK" };
    const scenarios = { ...others, "short-lived": { ...described, parameterNames } };
    return titles({ ...of, plan: { ...of.plan, scenarios } })[0];
  };
  assert.equal(on(1), "2,000 short-lived connections, the machine's own network, ws");
  assert.equal(on(0), "2,000 short-lived connections, ws");
});

test("one at a time is in every title", () => {
  const parameters = { ...PARAMETERS, CONCURRENCY: 1 };
  assert.equal(
    titles(results({ parameters }))[0],
    "2,000 short-lived connections, 1 at a time, ws",
  );
});

test("slopes are titled by their connections, and by what another has otherwise", () => {
  const { slopes } = analyse(idleResults(), { policy: null });
  assert.equal(slopesTitle(slopes[0], slopes), "idle connections, ws");
  const other = { ...slopes[0], parameters: { ...slopes[0].parameters, INTERVAL_SECONDS: 60 } };
  assert.equal(slopesTitle(other, [...slopes, other]), "idle connections, INTERVAL_SECONDS=60, ws");
});

test("among file servers the control is one of them", () => {
  assert.equal(titleOfProxy(filesResults({ sizes: [12] }), "none"), "Node, files in memory");
  assert.equal(titleOfProxy(results(), "none"), "no proxy");
  assert.equal(titleOfProxy(results(), "not-in-the-run"), "not-in-the-run");
});

test("the load of a noise floor, by its connections or its scenarios", () => {
  assert.equal(
    floorLoad({ connections: [1000, 5000], scenarios: ["idle"] }),
    "1,000 and 5,000 connections",
  );
  assert.equal(floorLoad({ connections: [], scenarios: ["churn"] }), "churn");
});

test("names that tie are a list that can be read, and variants of those in it are left out", () => {
  const made = results({ proxies: { nginx: {}, slots: {}, haproxy: {} } });
  const variantOf = { proxy: "nginx", differs: "fewer slots" };
  const own = { slots: { title: "nginx, 4,096 slots", variantOf } };
  const proxies = made.proxies.map((one) => ({
    ...one,
    ...own[/** @type {"slots"} */ (one.name)],
  }));
  const named = { ...made, proxies };
  assert.equal(tyingText(named, ["haproxy", "nginx"]), "HAProxy and nginx");
  assert.equal(tyingText(named, ["haproxy", "slots", "nginx"]), "HAProxy and nginx, with variants");
  assert.equal(tyingText(named, ["haproxy", "slots"]), "HAProxy and nginx (4,096 slots)");
  assert.equal(bracketed("Node, files in memory"), "Node (files in memory)");
});

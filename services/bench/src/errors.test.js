import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./errors.js";

const proxies = ["haproxy", "haproxy-hitch", "http-proxy", "nginx", "none"];

for (const [typed, meant] of [
  ["ngnix", "nginx"],
  ["haprox", "haproxy"],
  ["httpproxy", "http-proxy"],
  ["nginx", "nginx"],
  ["envoy", undefined],
  ["completely-different", undefined],
]) {
  test(`nearest to ${typed} is ${meant}`, () =>
    assert.equal(nearest(String(typed), proxies), meant));
}

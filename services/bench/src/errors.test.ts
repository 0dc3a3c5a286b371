import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean } from "./errors.ts";

const proxies = ["haproxy", "haproxy-hitch", "http-proxy", "nginx", "none"];

for (const [typed, question] of [
  ["ngnix", "Did you mean nginx? "],
  ["haprox", "Did you mean haproxy? "],
  ["httpproxy", "Did you mean http-proxy? "],
  ["nginx", "Did you mean nginx? "],
  ["envoy", ""],
  ["completely-different", ""],
]) {
  test(`nearest to ${typed}: ${question || "none"}`, () =>
    assert.equal(didYouMean(typed, proxies), question));
}

test("nothing is near where nothing is known", () => assert.equal(didYouMean("x", []), ""));

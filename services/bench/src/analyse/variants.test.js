import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutVariants } from "./variants.js";

/** @type {(name: string, original: string) => Parameters<typeof withoutVariants>[1][number]} */
const variant = (name, original) => ({
  name,
  variantOf: { proxy: original, differs: "a timeout" },
});

const PROXIES = [
  { name: "envoy" },
  { name: "nginx" },
  variant("nginx-16k", "nginx"),
  variant("nginx-4096", "nginx"),
  variant("envoy-hot", "envoy"),
];

test("a variant is left out beside its original, whichever comes first", () => {
  assert.deepEqual(withoutVariants(["nginx-16k", "envoy", "nginx", "nginx-4096"], PROXIES), [
    "envoy",
    "nginx",
  ]);
});

test("a variant stays where its original is not beside it, be it among other proxies or other variants", () => {
  assert.deepEqual(withoutVariants(["nginx-16k", "envoy"], PROXIES), ["nginx-16k", "envoy"]);
  assert.deepEqual(withoutVariants(["nginx-16k", "nginx-4096"], PROXIES), [
    "nginx-16k",
    "nginx-4096",
  ]);
  assert.deepEqual(withoutVariants(["envoy-hot", "nginx", "nginx-16k"], PROXIES), [
    "envoy-hot",
    "nginx",
  ]);
});

test("what is no variant stays, and so does what a record of before that was kept calls none", () => {
  assert.deepEqual(withoutVariants(["nginx", "envoy"], PROXIES), ["nginx", "envoy"]);
  const old = [{ name: "nginx" }, { name: "nginx-16k" }];
  assert.deepEqual(withoutVariants(["nginx", "nginx-16k"], old), ["nginx", "nginx-16k"]);
  assert.deepEqual(withoutVariants(["nginx", "nginx-16k"], [...old, ...PROXIES]), ["nginx"]);
  assert.deepEqual(withoutVariants([], PROXIES), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { inOneLine, officialImage, recipeFor, withVersion } from "./versions.ts";
import type { ComposeConfig } from "../platform/compose.ts";

const config = (services: ComposeConfig["services"]) => ({ services }) as ComposeConfig;

test("the official image of a version", () => {
  const rows = [
    [
      "registry.example/library/haproxy:3.2.26-trixie",
      "3.0",
      "registry.example/library/haproxy:3.0",
    ],
    ["mirror:5000/envoyproxy/envoy:v1.40.0", "1.36.2", "mirror:5000/envoyproxy/envoy:v1.36.2"],
    [
      "registry.example/library/caddy:2.11.7-alpine",
      "2.8.4",
      "registry.example/library/caddy:2.8.4",
    ],
  ];
  for (const [image, version, expected] of rows)
    assert.equal(withVersion(image, version), expected);
});

test("a proxy that is built here, is several containers or has no version has no others", () => {
  const services = config({
    haproxy: { image: "haproxy:3.2", profiles: ["haproxy"] },
    pair: { image: "haproxy:3.2", profiles: ["pair"] },
    "pair-tls": { image: "hitch:1", profiles: ["pair"] },
    built: { image: "x:1", build: { context: "." }, profiles: ["built"] },
    latest: { image: "mirror:5000/x:latest", profiles: ["latest"] },
  });
  assert.equal(officialImage(services, "haproxy"), "haproxy:3.2");
  for (const name of ["pair", "built", "latest", "none"])
    assert.throws(() => officialImage(services, name), {
      message: `${name} is not available in other versions`,
      exitCode: 2,
    });
});

test("a version has the recipe of its proxy, with another argument", () => {
  const local = (replaces: string, args: Record<string, string>) => ({
    image: "local:1",
    labels: { "ws-proxy-bench.replaces": replaces },
    build: {
      context: "/offline",
      dockerfile: "x/Dockerfile",
      args: { BASE_IMAGE: "base", ...args },
    },
  });
  const offline = config({
    haproxy: local("haproxy:3.2", { SUITES: "forky/3.2 trixie/3.0" }),
    envoy: local("envoy:v1.40.0", { ENVOY_VERSION: "1.40.0" }),
  });
  const rows = [
    ["haproxy", "haproxy:3.2", "2.6", { SUITES: "any/2.6" }],
    ["envoy", "envoy:v1.40.0", "1.36.2", { ENVOY_VERSION: "1.36.2" }],
  ] as const;
  for (const [proxy, official, version, args] of rows) {
    const replaces = withVersion(official, version);
    assert.deepEqual(recipeFor(offline, official, { proxy, version, replaces }), {
      ...local(replaces, args),
      image: `ws-proxy-bench/versions/${proxy}:${version}`,
    });
  }
  const relay = { proxy: "relay", version: "1.1", replaces: "relay:1.1" };
  assert.equal(recipeFor(offline, "relay:1.0", relay), null);
});

test("why a version does not start: what failed, and the errors of its log in one line", () => {
  const log =
    "waited 20 s for it\nIts log:\n\u001b[2Kx-1 | [NOTICE] begins\nx-1 | [ALERT] no such directive\nx-1 | ends";
  assert.equal(inOneLine(log), "waited 20 s for it x-1 | [ALERT] no such directive");
  assert.equal(inOneLine("it failed\na\nb\nc\nd\n"), "it failed b c d");
  assert.equal(inOneLine("x".repeat(900)).length, 401);
});

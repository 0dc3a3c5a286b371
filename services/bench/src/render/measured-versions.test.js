import assert from "node:assert/strict";
import { test } from "node:test";
import { results as sample } from "../analyse/testing/results.js";
import { versionsText } from "./measured-versions.js";

const VERSIONS = {
  nginx: "nginx version: nginx/1.26.3",
  "haproxy-hitch": "HAProxy version 3.0.11-1+deb13u3 2026/05/20 - https://haproxy.org/",
  "haproxy-hitch-tls": "hitch 1.8.0",
  none: "ws 8.23.0",
};

/** @param {Record<string, string>} images */
function textWith(images) {
  const results = sample();
  const part = (/** @type {string} */ name, /** @type {string[]} */ parts) => ({
    ...{ name, parts, title: name, colour: "#000000" },
  });
  return versionsText({
    ...results,
    proxies: [
      part("nginx", ["nginx"]),
      part("haproxy-hitch", ["haproxy-hitch", "haproxy-hitch-tls"]),
      part("none", ["none"]),
    ],
    environment: {
      ...results.environment,
      details: {
        Versions: VERSIONS,
        Images: { none: "ws-proxy-bench/echo, 1a, local build", ...images },
      },
    },
  });
}

test("versions in the order of the proxies, and whose builds they are", () => {
  const versions = "Measured: nginx 1.26.3, HAProxy 3.0.11, hitch 1.8.0 and ws 8.23.0.";
  const local = "ws-proxy-bench/nginx:1.26, 4aa5f734795d, local build";
  const official = "docker.io/library/nginx:1.30.7-trixie, 4aa5f734795d, nginx@sha256:00";
  assert.equal(
    textWith({ nginx: local, "haproxy-hitch": local }),
    `${versions} Built on the machine from packages (offline/), not the official images.`,
  );
  assert.equal(textWith({ nginx: official }), `${versions} Official images.`);
  assert.match(textWith({ nginx: official, "haproxy-hitch": local }), /Some were built on the/);
});

test("a record that tells no versions gives no sentence", () => {
  const results = sample();
  const environment = { ...results.environment, details: {} };
  assert.equal(versionsText({ ...results, environment }), "");
});

test("a version behind a commit is told; what was left out is not asked who built it", () => {
  const results = sample();
  const [nginx] = results.proxies;
  const envoy = { ...nginx, name: "envoy", parts: ["envoy"] };
  const absent = { ...nginx, name: "haproxy-3-4", parts: ["haproxy-3-4"] };
  const skipped = {
    ...results.cells[0],
    proxy: "haproxy-3-4",
    status: /** @type {const} */ ("skipped"),
  };
  const Versions = { envoy: `envoy  version: ${"9e".repeat(20)}/1.40.0/Clean/RELEASE/BoringSSL` };
  const Images = {
    envoy: "ws-proxy-bench/envoy:1.40, c83f55d9f066, local build",
    "haproxy-3-4": "docker.io/library/haproxy:3.4.4-trixie, not on this machine",
  };
  assert.equal(
    versionsText({
      ...results,
      cells: [...results.cells, skipped],
      proxies: [envoy, absent],
      environment: { ...results.environment, details: { Versions, Images } },
    }),
    "Measured: envoy 1.40.0. Built on the machine from packages (offline/), not the official images.",
  );
});

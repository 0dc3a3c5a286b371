/**
 * The code as text: types, lint, format.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../src/platform/subprocess.ts";

/** The copy of the project that these tests run in. */
const root = join(import.meta.dirname, "../../../..");
const modules = join(root, "node_modules/.bin");

async function passes(command: string[]) {
  const { code, output } = await run(command, { cwd: root });
  assert.equal(code, 0, output);
}

test("types", () => passes([join(modules, "tsc"), "--project", "."]));

test("types of the load generator", () => passes([join(modules, "tsc"), "--project", "loadgen"]));

test("lint", () => passes([join(modules, "oxlint")]));

test("format", () => passes([join(modules, "oxfmt"), "--check", "**/*.{ts,js,mjs,json}"]));

test("shell scripts", () =>
  passes([
    "shellcheck",
    "--external-sources",
    "--shell=sh",
    "bench",
    "certs/generate",
    "loadgen/play",
    "offline/base.sh",
    "offline/install.sh",
    "offline/influxdb/entrypoint.sh",
    "proxies/envoy/run-envoy.sh",
    "proxies/envoy-file-xds/write-xds.sh",
    "proxies/envoy-hot-restart/drain-envoy.sh",
    "proxies/envoy-hot-restart/restart-envoy.sh",
    "proxies/haproxy-runtime-api/set-map.sh",
    "proxies/nghttpx/run-nghttpx.sh",
    "proxies/on-hup.sh",
    "proxies/raise-limits.sh",
    "proxies/run-nginx.sh",
    "proxies/supervise.sh",
    "proxies/traefik/run-traefik.sh",
    "proxies/write-files.sh",
    "services/bench/test/run-tests",
    "services/echo/start",
    "services/node-web/start",
    "services/spring/start",
    ".ci/run",
    ".github/release",
    ".github/try",
  ]));

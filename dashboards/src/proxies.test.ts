import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { discoverProxies } from "./proxies.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "proxies-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * @param about proxy.json
 * @param fragment compose.yaml
 */
function write(name: string, about: string, fragment: string) {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "proxy.json"), about);
  writeFileSync(join(folder, name, "compose.yaml"), fragment);
}

test("finds each folder's tuned proxy with its further containers, by name", () => {
  writeFileSync(join(folder, "shared.yaml"), "services: {}\n");
  write(
    "beta",
    '{"colour": "#009E73"}',
    "services:\n  &name beta:\n    profiles: [*name]\n  beta-tls: {}\n",
  );
  write("alpha", '{"colour": "#0072B2"}', "services:\n  alpha: {}\n");
  write("alpha-defaults", '{"tuned": false}', "services:\n  alpha-defaults: {}\n");
  write("alpha-log", '{"onlyByName": true}', "services:\n  alpha-log: {}\n");
  assert.deepEqual(discoverProxies(folder), [
    { name: "alpha", colour: "#0072B2", parts: [] },
    { name: "beta", colour: "#009E73", parts: ["tls"] },
  ]);
});

test("says which file lacks a colour", () => {
  write("alpha", "{}", "services:\n  alpha: {}\n");
  assert.throws(() => discoverProxies(folder), /alpha\/proxy\.json: "colour" is undefined/);
});

test("says which fragment lacks the proxy's own service", () => {
  write("alpha", '{"colour": "#0072B2"}', "services:\n  beta: {}\n");
  assert.throws(() => discoverProxies(folder), /alpha\/compose\.yaml: services are beta/);
});

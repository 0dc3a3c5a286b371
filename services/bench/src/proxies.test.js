import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pickProxies, readProxies } from "./proxies.js";

const valid = {
  title: "X",
  vendor: "https://example.com",
  colour: "#0072B2",
  terminatesTls: true,
  speaksHttp: true,
  addsForwardedHeaders: true,
  configChecks: [{ part: "tls", command: ["x", "-t"] }],
  versions: [{ command: ["x", "-V"] }],
  reload: null,
};

/**
 * @param {import("node:test").TestContext} t
 * @param {Record<string, string>} files content of proxy.json by folder
 */
function directoryWith(t, files) {
  const directory = mkdtempSync(join(tmpdir(), "proxies-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, "proxy.json"), content);
  }
  mkdirSync(join(directory, "no-proxy"));
  return directory;
}

test("a folder with a proxy.json is a proxy, named as the folder", (t) => {
  const directory = directoryWith(t, { b: JSON.stringify(valid), a: JSON.stringify(valid) });
  assert.deepEqual(readProxies(directory), [
    { name: "a", ...valid },
    { name: "b", ...valid },
  ]);
});

for (const [title, content, message] of /** @type {const} */ ([
  ["no JSON", "{", /proxies\/a\/proxy\.json cannot be read/],
  ["a missing key", JSON.stringify({ ...valid, colour: undefined }), /"colour" is missing/],
  ["a wrong colour", JSON.stringify({ ...valid, colour: "blue" }), /"colour" is "blue"/],
  [
    "a command that is no list",
    JSON.stringify({ ...valid, configChecks: [{ command: "x -t" }] }),
    /"configChecks"/,
  ],
  ["no versions", JSON.stringify({ ...valid, versions: undefined }), /"versions" is missing/],
  [
    "a version whose part is no text",
    JSON.stringify({ ...valid, versions: [{ part: 1, command: ["x"] }] }),
    /"versions" is \[\{"part":1/,
  ],
  [
    "a version that is null",
    JSON.stringify({ ...valid, versions: [null] }),
    /"versions" is \[null/,
  ],
  ["an unknown key", JSON.stringify({ ...valid, colr: 1 }), /unknown key "colr"/],
])) {
  test(`${title} is refused`, (t) => {
    const directory = directoryWith(t, { a: content });
    assert.throws(() => readProxies(directory), { message });
  });
}

test("an unknown proxy is refused with the nearest name", (t) => {
  const proxies = readProxies(directoryWith(t, { nginx: JSON.stringify(valid) }));
  assert.throws(() => pickProxies(proxies, ["ngnx"]), {
    message: /unknown proxy: ngnx/,
    next: /Did you mean nginx\?/,
    exitCode: 2,
  });
});

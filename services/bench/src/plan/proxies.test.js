import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const usual = {
    sendsProxyProtocol: false,
    serves: "websockets",
    schemes: ["ws", "wss"],
    maxConnections: null,
    processes: "one",
    descriptorLimit: null,
    sameWorkAs: null,
  };
  assert.deepEqual(readProxies(directory), [
    { name: "a", ...usual, ...valid },
    { name: "b", ...usual, ...valid },
  ]);
});

test("what differs from most is read", (t) => {
  const own = {
    sendsProxyProtocol: true,
    serves: "files",
    schemes: ["wss"],
    maxConnections: 1000,
    processes: "workers",
    descriptorLimit: 16384,
    sameWorkAs: { proxy: "nginx", scheme: "ws" },
  };
  const directory = directoryWith(t, { a: JSON.stringify({ ...valid, ...own }) });
  assert.deepEqual(readProxies(directory), [{ name: "a", ...valid, ...own }]);
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
  ["no scheme", JSON.stringify({ ...valid, schemes: [] }), /"schemes" is \[\]/],
  ["an unknown scheme", JSON.stringify({ ...valid, schemes: ["http"] }), /"schemes" is \["http"\]/],
  ["a scheme twice", JSON.stringify({ ...valid, schemes: ["ws", "ws"] }), /"schemes" is/],
  ["no connections", JSON.stringify({ ...valid, maxConnections: 0 }), /"maxConnections" is 0/],
  ["something else served", JSON.stringify({ ...valid, serves: "mail" }), /"serves" is "mail"/],
  ["some processes", JSON.stringify({ ...valid, processes: 2 }), /"processes" is 2/],
  [
    "the same work as none",
    JSON.stringify({ ...valid, sameWorkAs: { proxy: "nginx" } }),
    /"sameWorkAs" is \{"proxy":"nginx"\}/,
  ],
  ["no descriptors", JSON.stringify({ ...valid, descriptorLimit: 0 }), /"descriptorLimit" is 0/],
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

test("the descriptors that a proxy says its configuration allows are those of the configuration", () => {
  const root = join(import.meta.dirname, "../../../../proxies");
  for (const { name, descriptorLimit } of readProxies(root)) {
    const compose = readFileSync(join(root, name, "compose.yaml"), "utf8");
    // A variant has the configuration of what it varies.
    const [, varied] = compose.match(/extends: \{ file: \.\.\/([^/]+)\/compose\.yaml/) ?? [];
    const limits = [name, ...(varied ? [varied] : [])]
      .flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(folder, file)))
      .filter((file) => /\.(conf|cfg)$/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(root, file), "utf8").matchAll(
          /^\s*(?:worker_connections|fd-hard-limit)\s+(\d+)/gm,
        ),
      ])
      .map(([, limit]) => Number(limit));
    assert.equal(descriptorLimit, limits[0] ?? null, name);
  }
});

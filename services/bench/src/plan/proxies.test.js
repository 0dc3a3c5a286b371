import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { groupNames, pickProxies, pickProxy, readProxies } from "./proxies.js";

const valid = {
  title: "X",
  vendor: "https://example.com",
  colour: "#0072B2",
  terminatesTls: true,
  speaksHttp: true,
  addsForwardedHeaders: true,
  configChecks: [{ part: "tls", command: ["x", "-t"] }],
  versions: [{ command: ["x", "-V"] }],
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
    choosesTls13Cipher: true,
    sendsProxyProtocol: false,
    serves: "websockets",
    schemes: ["ws", "wss"],
    maxConnections: null,
    processes: "one",
    descriptorLimit: null,
    sameWorkAs: null,
    reload: null,
    drain: null,
    worker: null,
    generation: null,
    balances: false,
    groups: [],
  };
  assert.deepEqual(readProxies(directory), [
    { name: "a", ...usual, ...valid },
    { name: "b", ...usual, ...valid },
  ]);
});

test("what differs from most is read", (t) => {
  const own = {
    choosesTls13Cipher: false,
    groups: ["common"],
    sendsProxyProtocol: true,
    serves: "files",
    schemes: ["wss"],
    maxConnections: 1000,
    processes: "workers",
    descriptorLimit: 16384,
    sameWorkAs: { proxy: "nginx", scheme: "ws" },
    reload: {
      signals: [{ signal: "USR2" }, { part: "tls", signal: "HUP" }],
      closesAfterSeconds: 10,
    },
    drain: { signals: [{ signal: "QUIT" }] },
    worker: "child",
    generation: { file: "x.conf", text: "answer {generation};" },
    balances: true,
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
  [
    "a reload by a command",
    JSON.stringify({ ...valid, reload: ["kill", "-HUP", "1"] }),
    /"reload" is \["kill"/,
  ],
  [
    "a signal with SIG",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "SIGHUP" }] } }),
    /"reload" is .*SIGHUP/,
  ],
  [
    "a reload that closes at once",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "HUP" }], closesAfterSeconds: 0 } }),
    /"reload" is .*"closesAfterSeconds":0/,
  ],
  [
    "a place that is no yes or no",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "HUP" }], inPlace: "yes" } }),
    /"reload" is .*"inPlace":"yes"/,
  ],
  [
    "a reload with a key too many",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "HUP" }], after: 1 } }),
    /"reload" is .*"after":1/,
  ],
  ["a drain without signals", JSON.stringify({ ...valid, drain: { signals: [] } }), /"drain" is/],
  [
    "another kind of worker",
    JSON.stringify({ ...valid, worker: "thread" }),
    /"worker" is "thread"/,
  ],
  [
    "a generation without its number",
    JSON.stringify({ ...valid, generation: { file: "x", text: "1" } }),
    /"generation" is/,
  ],
  [
    "a generation in another folder",
    JSON.stringify({ ...valid, generation: { file: "../x", text: "{generation}" } }),
    /"generation" is/,
  ],
  ["a vague balance", JSON.stringify({ ...valid, balances: "perhaps" }), /"balances" is "perhaps"/],
  ["no descriptors", JSON.stringify({ ...valid, descriptorLimit: 0 }), /"descriptorLimit" is 0/],
  ["one group", JSON.stringify({ ...valid, groups: "common" }), /"groups" is "common"/],
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

test("a group stands for its proxies, each once; what asks for one proxy takes no group", (t) => {
  const proxies = readProxies(
    directoryWith(t, {
      a: JSON.stringify({ ...valid, groups: ["common"] }),
      b: JSON.stringify(valid),
      c: JSON.stringify({ ...valid, groups: ["common"] }),
    }),
  );
  const picked = (/** @type {string[]} */ ...names) =>
    pickProxies(proxies, names).map(({ name }) => name);
  assert.deepEqual(groupNames(proxies), ["all", "common"]);
  assert.deepEqual(picked("common"), ["a", "c"]);
  assert.deepEqual(picked("c", "common", "b"), ["c", "a", "b"]);
  assert.deepEqual(picked("all"), ["a", "b", "c"]);
  assert.throws(() => pickProxy(proxies, "common"), {
    message: "common is a group of proxies",
    next: "Expected one of a, c.",
    exitCode: 2,
  });
});

test("no group has the name of a folder", () => {
  const proxies = readProxies(join(import.meta.dirname, "../../../../proxies"));
  const names = proxies.map(({ name }) => name);
  assert.deepEqual(
    groupNames(proxies).filter((group) => names.includes(group)),
    [],
  );
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

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chosenProxies, groupNames, pickProxies, pickProxy, readProxies } from "./proxies.ts";
import type { TestContext } from "node:test";

const root = join(import.meta.dirname, "../../../../proxies");

const valid = {
  title: "X",
  vendor: "https://example.com",
  colour: "#0072B2",
  shape: "square",
  terminatesTls: true,
  speaksHttp: true,
  addsForwardedHeaders: true,
  configChecks: [{ part: "tls", command: ["x", "-t"] }],
  versions: [{ command: ["x", "-V"] }],
};

/** @param files content of proxy.json by folder */
function directoryWith(t: TestContext, files: Record<string, string>) {
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
    websocketsOverHttp2: false,
    tuned: true,
    onlyByName: false,
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
    hostNetwork: false,
    groups: [],
    variantOf: null,
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
    websocketsOverHttp2: true,
    tuned: false,
    onlyByName: true,
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
    hostNetwork: true,
  };
  const directory = directoryWith(t, { a: JSON.stringify({ ...valid, ...own }) });
  assert.deepEqual(readProxies(directory), [{ name: "a", ...valid, variantOf: null, ...own }]);
});

const original = {
  ...valid,
  colour: "#000000",
  groups: ["common"],
  sameWorkAs: { proxy: "none", scheme: "ws" },
  descriptorLimit: 16384,
  reload: { signals: [{ signal: "HUP" }], inPlace: true },
  drain: { signals: [{ signal: "QUIT" }] },
};
const variant = {
  title: "X, larger",
  colour: "#FFFFFF",
  variantOf: { proxy: "x", differs: "a larger buffer" },
};

test("a variant has what its original has, except what it states itself, and what identifies the two", (t) => {
  const own = {
    ...variant,
    descriptorLimit: 512,
    reload: { closesAfterSeconds: 10, inPlace: null },
    drain: null,
  };
  const [x, larger] = readProxies(
    directoryWith(t, { x: JSON.stringify(original), "x-larger": JSON.stringify(own) }),
  );
  assert.deepEqual(x, { ...x, ...original });
  assert.deepEqual(larger, {
    ...x,
    ...variant,
    name: "x-larger",
    groups: [],
    sameWorkAs: null,
    descriptorLimit: 512,
    reload: { signals: [{ signal: "HUP" }], closesAfterSeconds: 10 },
    drain: null,
  });
});

for (const [title, files, message, next] of [
  [
    "a variant of none that there is",
    { nginx: valid, v: { ...variant, variantOf: { proxy: "ngnx", differs: "a" } } },
    'proxies/v/proxy.json, line 5: it is a variant of "ngnx", and there is no proxies/ngnx/proxy.json',
    "Did you mean nginx? Expected a folder of proxies/.",
  ],
  [
    "a variant of a variant",
    { x: original, v: variant, w: { ...variant, variantOf: { proxy: "v", differs: "a" } } },
    'proxies/w/proxy.json, line 5: it is a variant of "v", which is a variant itself',
    "Expected an original, not a variant: name the original of both, and state here everything that differs from it.",
  ],
  [
    "a variant of itself",
    { x: { ...variant, variantOf: { proxy: "x", differs: "a" } } },
    'proxies/x/proxy.json, line 5: it is a variant of "x", which is a variant itself',
    "Expected an original, not a variant: name the original of both, and state here everything that differs from it.",
  ],
  [
    "a variant that does not say what differs",
    { x: original, v: { ...variant, variantOf: { proxy: "x" } } },
    'proxies/v/proxy.json, line 4: "differs" is missing in "variantOf"',
    /^Expected one line\./,
  ],
  [
    "a variant with the title of its original",
    { x: original, v: { ...variant, title: undefined } },
    'proxies/v/proxy.json, line 1: "title" is missing',
    /^Expected a text\./,
  ],
  [
    "a variant with a mistake",
    { x: original, v: { ...variant, reload: { closesAfterSeconds: -1 } } },
    'proxies/v/proxy.json, line 9: "closesAfterSeconds" is -1',
    /^Expected a number from 0\./,
  ],
  [
    "a mistake of the original's, which is reported as that",
    { x: { ...original, worker: "thread" }, v: variant },
    /^proxies\/x\/proxy\.json, line \d+: "worker" is "thread"/,
    /^Expected "child", or null\./,
  ],
] as const) {
  test(`${title} is refused`, (t) => {
    const written = Object.entries(files).map(([name, content]) => [
      name,
      JSON.stringify(content, null, 2),
    ]);
    assert.throws(() => readProxies(directoryWith(t, Object.fromEntries(written))), {
      message,
      next,
      exitCode: 2,
    });
  });
}

test("all variants of this project stand beside their original in Compose, too", () => {
  for (const { name, variantOf } of readProxies(root)) {
    const compose = readFileSync(join(root, name, "compose.yaml"), "utf8");
    const [, extended] = compose.match(/extends: \{ file: \.\.\/([^/]+)\/compose\.yaml/) ?? [];
    assert.equal(extended, variantOf?.proxy, name);
  }
});

for (const [title, content, message] of [
  ["no JSON", "{", /proxies\/a\/proxy\.json, line 1: /],
  ["a missing key", JSON.stringify({ ...valid, colour: undefined }), /"colour" is missing/],
  ["a wrong colour", JSON.stringify({ ...valid, colour: "blue" }), /"colour" is "blue"/],
  [
    "a command that is no list",
    JSON.stringify({ ...valid, configChecks: [{ command: "x -t" }] }),
    /"command" is "x -t"/,
  ],
  ["no versions", JSON.stringify({ ...valid, versions: undefined }), /"versions" is missing/],
  [
    "a version whose part is no text",
    JSON.stringify({ ...valid, versions: [{ part: 1, command: ["x"] }] }),
    /"part" is 1/,
  ],
  [
    "a version that is null",
    JSON.stringify({ ...valid, versions: [null] }),
    /entry 1 of "versions" is empty/,
  ],
  ["no scheme", JSON.stringify({ ...valid, schemes: [] }), /"schemes" is an empty list/],
  [
    "an unknown scheme",
    JSON.stringify({ ...valid, schemes: ["http"] }),
    /entry 1 of "schemes" is "http"/,
  ],
  [
    "a scheme twice",
    JSON.stringify({ ...valid, schemes: ["ws", "ws"] }),
    /"ws" is listed twice in "schemes"/,
  ],
  ["no connections", JSON.stringify({ ...valid, maxConnections: 0 }), /"maxConnections" is 0/],
  ["something else served", JSON.stringify({ ...valid, serves: "mail" }), /"serves" is "mail"/],
  ["some processes", JSON.stringify({ ...valid, processes: 2 }), /"processes" is 2/],
  [
    "the same work as none",
    JSON.stringify({ ...valid, sameWorkAs: { proxy: "nginx" } }),
    /"scheme" is missing in "sameWorkAs"/,
  ],
  [
    "a reload by a command",
    JSON.stringify({ ...valid, reload: ["kill", "-HUP", "1"] }),
    /"reload" is a list/,
  ],
  [
    "a signal with SIG",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "SIGHUP" }] } }),
    /"signal" is "SIGHUP"/,
  ],
  [
    "a reload that closes before it happens",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "HUP" }], closesAfterSeconds: -1 } }),
    /"closesAfterSeconds" is -1/,
  ],
  [
    "a place that is no yes or no",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "HUP" }], inPlace: "yes" } }),
    /"inPlace" is "yes"/,
  ],
  [
    "a reload with a key too many",
    JSON.stringify({ ...valid, reload: { signals: [{ signal: "HUP" }], after: 1 } }),
    /unknown key "after"/,
  ],
  [
    "a drain without signals",
    JSON.stringify({ ...valid, drain: { signals: [] } }),
    /"signals" is an empty list/,
  ],
  [
    "another kind of worker",
    JSON.stringify({ ...valid, worker: "thread" }),
    /"worker" is "thread"/,
  ],
  [
    "a generation without its number",
    JSON.stringify({ ...valid, generation: { file: "x", text: "1" } }),
    /"text" is "1"/,
  ],
  [
    "a generation in another folder",
    JSON.stringify({ ...valid, generation: { file: "../x", text: "{generation}" } }),
    /"file" is "\.\.\/x"/,
  ],
  ["a vague balance", JSON.stringify({ ...valid, balances: "perhaps" }), /"balances" is "perhaps"/],
  ["no descriptors", JSON.stringify({ ...valid, descriptorLimit: 0 }), /"descriptorLimit" is 0/],
  ["one group", JSON.stringify({ ...valid, groups: "common" }), /"groups" is "common"/],
  ["an unknown key", JSON.stringify({ ...valid, colr: 1 }), /unknown key "colr"/],
] as const) {
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
      d: JSON.stringify({ ...valid, groups: ["defaults"], tuned: false }),
      e: JSON.stringify({ ...valid, onlyByName: true }),
    }),
  );
  const picked = (...names: string[]) => pickProxies(proxies, names).map(({ name }) => name);
  assert.deepEqual(groupNames(proxies), ["all", "common", "defaults"]);
  assert.deepEqual(picked("common"), ["a", "c"]);
  assert.deepEqual(picked("c", "common", "b"), ["c", "a", "b"]);
  assert.deepEqual(picked("all"), ["a", "b", "c"]);
  assert.deepEqual(picked("defaults"), ["d"]);
  assert.deepEqual(picked("all", "e"), ["a", "b", "c", "e"]);
  assert.deepEqual(
    chosenProxies(proxies).map(({ name }) => name),
    ["a", "b", "c", "d"],
  );
  assert.throws(() => pickProxy(proxies, "common"), {
    message: "common is a group of proxies",
    next: "Expected one of a, c.",
    exitCode: 2,
  });
});

test("what is not tuned is a variant of what is, in the group defaults alone", () => {
  const proxies = readProxies(root);
  const own = proxies.filter(({ tuned }) => !tuned);
  assert.ok(own.length >= 6);
  assert.deepEqual(pickProxies(proxies, ["defaults"]), own);
  for (const { name, groups, variantOf } of own) {
    assert.deepEqual(groups, ["defaults"], name);
    assert.ok(variantOf && name === `${variantOf.proxy}-defaults`, name);
  }
});

test("no group has the name of a folder", () => {
  const proxies = readProxies(root);
  const names = proxies.map(({ name }) => name);
  assert.deepEqual(
    groupNames(proxies).filter((group) => names.includes(group)),
    [],
  );
});

test("the descriptors that a proxy says its configuration allows are those of the configuration", () => {
  for (const { name, descriptorLimit, variantOf } of readProxies(root)) {
    // A variant has the configuration of its original, where it has none of its own.
    const limits = [name, ...(variantOf ? [variantOf.proxy] : [])]
      .flatMap((folder) =>
        readdirSync(join(root, folder)).map((file) => ({ file, path: join(root, folder, file) })),
      )
      .filter(({ file }, i, all) => all.findIndex((one) => one.file === file) === i)
      .filter(({ file }) => /\.(conf|cfg)$/.test(file))
      .flatMap(({ path }) => [
        ...readFileSync(path, "utf8").matchAll(
          /^\s*(?:worker_connections|fd-hard-limit)\s+(\d+)/gm,
        ),
      ])
      .map(([, limit]) => Number(limit));
    assert.equal(descriptorLimit, limits[0] ?? null, name);
  }
});

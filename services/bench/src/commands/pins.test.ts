import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Tags of the official images, by the name of their variable. */
const tags = Object.fromEntries(
  [...read(".env").matchAll(/^([A-Z0-9_]+)_IMAGE=\S+:(\S+)$/gm)].map(([, name, tag]) => [
    name,
    tag,
  ]),
);
const local = parse(read("offline/compose.yaml"), { merge: true }).services;

test("local builds of k6, Node, Envoy, Caddy and Traefik are of the pinned version", () => {
  assert.equal(local.k6.build.args.K6_VERSION, tags.K6);
  assert.equal(`v${local.envoy.build.args.ENVOY_VERSION}`, tags.ENVOY);
  assert.equal(`${local.caddy.build.args.CADDY_VERSION}-alpine`, tags.CADDY);
  assert.equal(`v${local.traefik.build.args.TRAEFIK_VERSION}`, tags.TRAEFIK);
  assert.ok(tags.NODE.startsWith(`${local.node.build.args.NODE_VERSION}-`), tags.NODE);
});

test("the tag of a local build is where the version that it names begins", () => {
  for (const name of ["k6", "node", "envoy", "caddy", "traefik"]) {
    const { image, build } = local[name];
    const version = build.args[`${name.toUpperCase()}_VERSION`];
    assert.ok(version.startsWith(`${image.split(":")[1]}.`), image);
  }
  for (const name of ["nginx", "reference", "haproxy", "haproxy-3-4"]) {
    const { image, build } = local[name];
    assert.equal(build.args.SUITES.match(/^\w+\/(\S+)/)[1], image.split(":")[1], image);
  }
});

test("the types of k6's modules are those of the pinned k6", () => {
  const { devDependencies } = JSON.parse(read("services/bench/package.json"));
  const minor = (version: string) => version.split(".").slice(0, 2).join(".");
  assert.equal(minor(devDependencies["@types/k6"]), minor(tags.K6));
});

/** @returns versions that renovate.json's own expressions find in it */
function foundByRenovate(file: string): string[] {
  const managers: { managerFilePatterns: string[]; matchStrings: string[] }[] = JSON.parse(
    read("renovate.json"),
  ).customManagers;
  return managers
    .filter(({ managerFilePatterns }) =>
      managerFilePatterns.some((pattern) => new RegExp(pattern.slice(1, -1)).test(file)),
    )
    .flatMap(({ matchStrings }) => matchStrings)
    .flatMap((pattern) => [...read(file).matchAll(new RegExp(pattern, "g"))])
    .map(({ groups }) => groups?.currentValue ?? "");
}

test("Renovate finds every pinned image, and the versions of local builds that are not Debian's", () => {
  assert.ok(Object.keys(tags).length >= 12);
  assert.deepEqual(foundByRenovate(".env").sort(), Object.values(tags).sort());
  assert.deepEqual(
    foundByRenovate("offline/compose.yaml").sort(),
    [
      local.k6.build.args.K6_VERSION,
      local.node.build.args.NODE_VERSION,
      local.node.build.args.NPM_VERSION,
      local.envoy.build.args.ENVOY_VERSION,
      local.caddy.build.args.CADDY_VERSION,
      local.traefik.build.args.TRAEFIK_VERSION,
    ].sort(),
  );
});

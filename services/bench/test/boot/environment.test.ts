import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readEnvironment } from "../../src/machine/environment.ts";
import { identityDifferences } from "../../src/record/identity.ts";
import { machine } from "../../src/machine/testing/host.ts";
import { plan } from "../../src/machine/testing/plan.ts";
import { readProxies } from "../../src/plan/proxies.ts";
import { Project } from "../../src/platform/compose.ts";
import { copyOfProject } from "../lab.ts";

test("this project, with its engine: versions of what runs, and an identity that a changed config changes", async (t) => {
  const directory = copyOfProject(t);
  const project = new Project(directory, { profile: "*" });
  const proxies = readProxies(join(directory, "proxies"));
  const read = async () =>
    readEnvironment({
      directory,
      config: await project.config(),
      proxies,
      plan,
      ...machine(t),
    });
  const before = await read();

  const { Versions, "Build options": build, Packages, Images, Machine } = before.details;
  assert.match(String(Versions.nginx), /^nginx version: nginx\/1\./);
  assert.match(String(build.nginx), /built with OpenSSL 3\.[^]*configure arguments: /);
  assert.match(String(Versions["haproxy-hitch"]), /^HAProxy version 3\./);
  assert.match(
    String(build["haproxy-hitch"]),
    /Running on (OpenSSL|SSL library) version : OpenSSL 3\./,
  );
  assert.match(String(Versions["haproxy-hitch-tls"]), /^hitch 1\./);
  assert.match(String(build["haproxy-hitch-tls"]), /^libssl3\S* 3\./);
  assert.match(String(Versions.none), /^ws 8\./);
  assert.match(String(build.none), /^node v24\.[^]*OpenSSL 3\./);
  assert.match(String(Versions.load), /^k6 v\d/);
  assert.match(String(Versions.influxdb), /^InfluxDB v?1\./);
  assert.equal(Versions.haproxy, undefined, "no proxy of the plan");
  assert.match(String(Images.nginx), /nginx.*, [0-9a-f]{12}, (local build|.*@sha256:)/);
  if (String(Images.nginx).startsWith("ws-proxy-bench/"))
    assert.match(String(Packages.nginx), /^nginx 1\.\S+ from Debian \w+/);
  assert.equal(Machine.CPU, "AMD EPYC (family 26, model 2)");

  for (const service of ["echo", "load", "nginx", "haproxy-hitch-tls", "influxdb", "cadvisor"])
    assert.match(String(before.identity[`image of ${service}`]), /^sha256:[0-9a-f]{64}$/, service);
  assert.equal(before.identity.cores, 2);
  assert.match(String(before.identity["proxies/nginx"]), /^[0-9a-f]{16}$/);
  assert.equal(before.identity["proxies/nginx-copy"], undefined);
  assert.equal(before.identity.TLS_KEY_TYPE, "ecdsa");
  assert.ok(before.advice.length > 0);

  appendFileSync(join(directory, "proxies/nginx/nginx.conf"), "# changed\n");
  // Of a proxy that does not take part.
  appendFileSync(join(directory, "proxies/haproxy/haproxy.cfg"), "# changed\n");
  const after = await read();
  assert.deepEqual(
    identityDifferences(before.identity, after.identity).map(({ key }) => key),
    ["proxies/nginx"],
  );
});

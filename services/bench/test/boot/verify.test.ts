/**
 * `verify`: of proxies with an RSA key, and of a copy.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Project, run } from "../../src/platform/docker.ts";
import { setup } from "../../src/commands/setup.ts";
import { verifyProxies } from "../../src/commands/verify.ts";
import { copyOfProject, projectDirectory } from "../lab.ts";

// One of each that ends TLS: the other folders run the same programs.
test("each TLS implementation conforms with an RSA key", async () => {
  process.env.TLS_KEY_TYPE = "rsa";
  const lines: string[] = [];
  const proxies = [
    "none",
    "nginx",
    "haproxy",
    "hitch",
    "apache",
    "envoy",
    "caddy",
    "traefik",
    "nghttpx",
  ];
  const status = await verifyProxies(projectDirectory, proxies, (line) => lines.push(line)).finally(
    () => delete process.env.TLS_KEY_TYPE,
  );
  assert.equal(status, 0, lines.join("\n"));
});

test("a copy of proxies/nginx under another name is a profile and conforms", async (t) => {
  const directory = copyOfProject(t);
  const nginx = join(directory, "proxies/nginx");
  const copy = join(directory, "proxies/nginx-copy");
  await run(["cp", "-r", nginx, copy]);
  const fragment = readFileSync(join(copy, "compose.yaml"), "utf8");
  writeFileSync(join(copy, "compose.yaml"), fragment.replace("&name nginx:", "&name nginx-copy:"));
  const compose = readFileSync(join(directory, "compose.yaml"), "utf8");
  writeFileSync(
    join(directory, "compose.yaml"),
    compose.replace("include:\n", "include:\n  - proxies/nginx-copy/compose.yaml\n"),
  );
  await setup(directory, () => {});

  const profiles = await new Project(directory).check(["config", "--profiles"]);
  assert.match(profiles, /^nginx-copy$/m);
  const lines: string[] = [];
  assert.equal(
    await verifyProxies(directory, ["nginx-copy"], (line) => lines.push(line)),
    0,
    lines.join("\n"),
  );
});

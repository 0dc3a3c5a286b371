/**
 * `verify`: of a copy, with an RSA key.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Project, run } from "../../src/platform/docker.ts";
import { setup } from "../../src/commands/setup.ts";
import { verifyProxies } from "../../src/commands/verify.ts";
import { atEnd, copyOfProject } from "../lab.ts";

test("a copy of proxies/nginx under another name is a profile and conforms, with an RSA key too", async (t) => {
  atEnd(t, () => delete process.env.TLS_KEY_TYPE);
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
  for (const keyType of ["ecdsa", "rsa"]) {
    process.env.TLS_KEY_TYPE = keyType;
    const lines: string[] = [];
    const status = await verifyProxies(directory, ["nginx-copy"], (line) => lines.push(line));
    assert.equal(status, 0, lines.join("\n"));
  }
});

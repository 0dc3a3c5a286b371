/**
 * `verify`: of a copy, with an RSA key; and of lines that are taken out.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Project } from "../../src/platform/compose.ts";
import { run } from "../../src/platform/subprocess.ts";
import { setup } from "../../src/commands/setup.ts";
import { verify, verifyProxies } from "../../src/commands/verify.ts";
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

test("the matrix names the line that decides, and what is missing without it", async (t) => {
  const directory = copyOfProject(t);
  const page: string[] = [];
  const wanted = { markdown: true };
  await verify(
    directory,
    ["nginx"],
    wanted,
    () => {},
    (text) => page.push(...text.split("\n")),
  );
  const cellsOf = (title: string) => page.find((line) => line.startsWith(`| ${title} |`)) ?? "";
  for (const [title, directive] of [
    ["WebSockets over HTTP/1.1", "proxy_set_header Upgrade"],
    ["X-Forwarded-For", "proxy_set_header X-Forwarded-For"],
    ["Idle connection stays open for 3 s", "proxy_read_timeout"],
  ])
    assert.match(cellsOf(title), new RegExp(`\\| ✓ \\| nginx\\.conf:\\d+ ${directive} `));
  for (const title of [
    ...["permessage-deflate passes", "Ping reaches the server"],
    "Connections open 1 s after a graceful stop",
  ])
    assert.match(cellsOf(title), /\| ✓ \|/);

  const config = join(directory, "proxies/nginx/nginx.conf");
  const whole = readFileSync(config, "utf8");
  const rowWithout = async (directive: string, title: string) => {
    const kept = whole.split("\n").filter((line) => !line.includes(directive));
    writeFileSync(config, kept.join("\n"));
    const printed: string[] = [];
    await verifyProxies(directory, ["nginx"], (text) => printed.push(...text.split("\n")));
    return printed.find((line) => line.startsWith(title)) ?? printed.join("\n");
  };
  for (const [title, directive] of [
    ["X-Forwarded-For", "proxy_set_header X-Forwarded-For"],
    ["WebSockets over HTTP/1.1", "proxy_set_header Upgrade"],
  ])
    assert.match(await rowWithout(directive, title), new RegExp(` ✗ .*\\bno ${directive}$`));
});

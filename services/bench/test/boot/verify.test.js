/**
 * Conformance of every proxy, and the proxies' own config checkers.
 */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkConfig } from "../../src/conformance/config-check.js";
import { CHECKS } from "../../src/conformance/checks.js";
import { Project, run } from "../../src/platform/docker.js";
import { readProxies } from "../../src/plan/proxies.js";
import { setup } from "../../src/commands/setup.js";
import { verifyProxies } from "../../src/commands/verify.js";
import { copyOfProject, lab, projectDirectory } from "../lab.js";

const proxies = readProxies(join(projectDirectory, "proxies"));

for (const { name, schemes, serves } of proxies) {
  test(`${name} conforms`, async () => {
    /** @type {string[]} */
    const lines = [];
    assert.equal(
      await verifyProxies(projectDirectory, [name], (line) => lines.push(line)),
      0,
      lines.join("\n"),
    );
    const told = lines.filter((line) => /^ {2}(ok|skip)/.test(line)).length;
    const checks = schemes.flatMap((scheme) => CHECKS[serves][scheme]);
    assert.equal(told, checks.length, lines.join("\n"));
  });
}

// One of each that ends TLS: the other folders run the same programs.
test("each TLS implementation conforms with an RSA key", async () => {
  process.env.TLS_KEY_TYPE = "rsa";
  /** @type {string[]} */
  const lines = [];
  const proxies = ["none", "nginx", "haproxy", "hitch", "apache"];
  const status = await verifyProxies(projectDirectory, proxies, (line) => lines.push(line)).finally(
    () => delete process.env.TLS_KEY_TYPE,
  );
  assert.equal(status, 0, lines.join("\n"));
});

for (const [name, file, mistake, line] of /** @type {const} */ ([
  [
    "nginx",
    "nginx.conf",
    "no_such_directive on;",
    /unknown directive "no_such_directive".*nginx\.conf:\d+/,
  ],
  [
    "haproxy",
    "haproxy.cfg",
    "    no-such-keyword",
    /haproxy\.cfg:\d+.*unknown keyword 'no-such-keyword'/,
  ],
  ["haproxy-hitch", "hitch.conf", "no-such-key = 1", /hitch\.conf/],
  ["apache", "httpd.conf", "NoSuchDirective on", /line \d+ of .*httpd\.conf.*'NoSuchDirective'/s],
  ["nginx-files", "nginx.conf", "http {}", /"http" directive is duplicate.*nginx\.conf:\d+/],
  ["nginx-tcp", "nginx.conf", "stream {}", /"stream" directive is duplicate.*nginx\.conf:\d+/],
  ["http-proxy", "server.js", "const = 1;", /server\.js:\d+/],
])) {
  test(`a broken ${file} of ${name} is refused with its checker's message`, async (t) => {
    const directory = copyOfProject(t);
    appendFileSync(join(directory, "proxies", name, file), `\n${mistake}\n`);
    const proxy = proxies.find((candidate) => candidate.name === name);
    assert.ok(proxy);
    await assert.rejects(
      checkConfig(lab(t, { directory, profile: name }), proxy),
      (/** @type {Error} */ error) => {
        assert.match(error.message, line);
        return true;
      },
    );
  });
}

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
  /** @type {string[]} */
  const lines = [];
  assert.equal(
    await verifyProxies(directory, ["nginx-copy"], (line) => lines.push(line)),
    0,
    lines.join("\n"),
  );
});

test("verify says when a proxy does not forward what it should", async (t) => {
  const directory = copyOfProject(t);
  const config = join(directory, "proxies/nginx/nginx.conf");
  writeFileSync(config, readFileSync(config, "utf8").replace(/.*X-Forwarded-Proto.*\n/, ""));
  /** @type {string[]} */
  const lines = [];
  assert.equal(await verifyProxies(directory, ["nginx"], (line) => lines.push(line)), 1);
  const failures = lines.filter((line) => line.startsWith("  FAIL"));
  assert.ok(
    failures.length > 0 && failures.every((line) => line.includes("X-Forwarded-Proto")),
    lines.join("\n"),
  );
});

/**
 * Configs that are broken, or do not do what every proxy must.
 */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { verifyProxies } from "../../src/commands/verify.ts";
import { checkConfig } from "../../src/conformance/config-check.ts";
import { ensureCertificates } from "../../src/platform/certificates.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { readProxies } from "../../src/plan/proxies.ts";
import { copyOfProject, lab, LabProject, projectDirectory } from "../lab.ts";

const proxies = readProxies(join(projectDirectory, "proxies"));

/** A proxy, its file, a wrong line, and the message about it. */
const MISTAKES = [
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
  ["envoy", "envoy.yaml", "no_such_key: 1", /no\s+such\s+field:\s+'no_such_key'/],
  ["caddy", "Caddyfile", ":8081 {\n\tno_such_directive\n}", /Caddyfile:\d+.*no_such_directive/s],
  ["http-proxy", "server.js", "const = 1;", /server\.js:\d+/],
] as const;

test("a broken config is refused with its checker's message", async (t) => {
  const directory = copyOfProject(t);
  for (const [name, file, mistake] of MISTAKES)
    appendFileSync(join(directory, "proxies", name, file), `\n${mistake}\n`);
  const { name: own, env } = lab(t, { directory });
  for (const [name, file, , line] of MISTAKES) {
    await t.test(`${file} of ${name}`, async () => {
      const proxy = proxies.find((candidate) => candidate.name === name);
      assert.ok(proxy);
      const project = new LabProject(directory, { name: own, env, profile: name });
      await ensureCertificates(project);
      await assert.rejects(checkConfig(project, proxy), (error: Error) => {
        assert.match(error.message, line);
        return true;
      });
    });
  }
});

test("verify says when a proxy does not forward what it should", async (t) => {
  const directory = copyOfProject(t);
  const config = join(directory, "proxies/nginx/nginx.conf");
  writeFileSync(config, readFileSync(config, "utf8").replace(/.*X-Forwarded-Proto.*\n/, ""));
  const lines: string[] = [];
  assert.equal(await verifyProxies(directory, ["nginx"], (line) => lines.push(line)), 1);
  const failures = lines.filter((line) => line.startsWith("  FAIL"));
  assert.ok(
    failures.length > 0 && failures.every((line) => line.includes("X-Forwarded-Proto")),
    lines.join("\n"),
  );
});

test("a config check that an entrypoint keeps from ending is given up", async (t) => {
  const proxy = proxies.find(({ name }) => name === "nginx");
  assert.ok(proxy);
  const services = { nginx: { entrypoint: ["sh", "-c", "echo serving; exec sleep 600"] } };
  const project = lab(t, { profile: "nginx", services });
  await ensureCertificates(project);
  await assert.rejects(checkConfig(project, proxy, 10_000), {
    message: /^the config check of nginx, .* still runs after 10 s:\n(.*\n)*serving/,
  });
  const left = await OWN_ENGINE.containersOf(project.name);
  assert.deepEqual(
    left.map(({ service }) => service),
    ["echo"],
  );
});

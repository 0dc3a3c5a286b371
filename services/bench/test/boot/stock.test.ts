/**
 * A user's own configuration: the default files of the official nginx image and of Debian's HAProxy
 * with a site in them, of which only those lines are changed that README names.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkConfig } from "../../src/conformance/config-check.ts";
import { readProxies } from "../../src/plan/proxies.ts";
import { ensureCertificates } from "../../src/platform/certificates.ts";
import { copyOfProject, lab, projectDirectory, runLoad } from "../lab.ts";

const proxies = readProxies(join(projectDirectory, "proxies"));

for (const [name, file, changes] of [
  [
    "nginx",
    "nginx.conf",
    [
      [/listen +80;/, "listen 8080;"],
      [/listen +443 ssl;/, "listen 8443 ssl;"],
      ["http://127.0.0.1:3000", "http://echo:8080"],
      [/ssl_certificate .*/, "ssl_certificate /certs/cert.pem;"],
      [/ssl_certificate_key .*/, "ssl_certificate_key /certs/key.pem;"],
    ],
  ],
  [
    "haproxy",
    "haproxy.cfg",
    [
      ["bind :80\n", "bind :8080\n"],
      [/bind :443 .*/, "bind :8443 ssl crt /certs/combined.pem"],
      ["127.0.0.1:3000", "echo:8080"],
      [/\tchroot .*\n/, ""],
    ],
  ],
] as const) {
  test(`a stock ${file} starts, and carries a load over ws and wss`, async (t) => {
    const directory = copyOfProject(t);
    const stock = readFileSync(join(import.meta.dirname, "../stock", file), "utf8");
    const changed = changes.reduce((text, [was, is]) => {
      const next = text.replace(was, is);
      assert.notEqual(next, text, `${was} is not in ${file}`);
      return next;
    }, stock);
    writeFileSync(join(directory, "proxies", name, file), changed);
    const proxy = proxies.find((candidate) => candidate.name === name);
    assert.ok(proxy);
    const env = { CONNECTIONS: "200", CONCURRENCY: "20" };
    const project = lab(t, { directory, profile: name, env });
    await ensureCertificates(project);
    await checkConfig(project, proxy);
    await project.check(["up", "--detach", "echo", name]);
    for (const SCHEME of ["ws", "wss"]) {
      const { code, output, summary } = await runLoad(project, { SCHEME });
      assert.equal(code, 0, output + (await project.run(["logs", name])).output);
      assert.equal(summary.messagesEchoed, 200);
    }
  });
}

/**
 * `try`: a configuration that carries no WebSockets, one with lines that break something else, and
 * the suite's own against itself, on an image without a shell.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tryConfig } from "../../src/commands/try.ts";
import { Project } from "../../src/platform/compose.ts";
import { check, run } from "../../src/platform/subprocess.ts";
import { actIn, atEnd, copyOfProject, uniqueName } from "../lab.ts";
import type { TestContext } from "node:test";
import type { TryArguments } from "../../src/commands/definitions/try.ts";

async function tried(t: TestContext, directory: string, wanted: Partial<TryArguments>) {
  actIn(t, directory);
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const status = await tryConfig(
    directory,
    {
      proxy: "nginx",
      config: "",
      set: {},
      measures: ["cpu"],
      idle: 3,
      tolerance: 0.1,
      json: false,
      markdown: false,
      ...wanted,
    },
    { say: () => {}, print },
    ["try"],
  );
  const left = readdirSync(join(directory, ".bench")).filter((name) => name.startsWith("try-"));
  assert.deepEqual(left, []);
  return { status, text: lines.join("\n") };
}

test("a location without the header Upgrade: its line is named, and nothing is measured", async (t) => {
  const directory = copyOfProject(t);
  const config = join(directory, "own.conf");
  writeFileSync(
    config,
    `events {}
http {
  server {
    listen 80;
    location /ws {
      proxy_pass http://app:3000;
      proxy_http_version 1.1;
      proxy_read_timeout 60s;
    }
  }
}
`,
  );
  const { status, text } = await tried(t, directory, { config });
  assert.equal(status, 1, text);
  assert.match(text, /own\.conf:5 {2}location \/ws passes no WebSockets on/);
  assert.match(text, /own\.conf carries no WebSockets, and is not measured/);
  assert.ok(!existsSync(join(directory, "results")), "a run was started");
});

test("what common lines break, beside what the suite's own does", async (t) => {
  const directory = copyOfProject(t);
  const config = join(directory, "own.conf");
  writeFileSync(
    config,
    `events { worker_connections 256; }
http {
  access_log /var/log/nginx/access.log;
  server {
    listen 443 ssl;
    ssl_certificate /etc/ssl/own.pem;
    ssl_certificate_key /etc/ssl/own.key;
    ssl_session_cache off;
    ssl_session_tickets off;
    location /ws {
      proxy_pass http://app:3000;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
      proxy_read_timeout 60s;
    }
  }
}
`,
  );
  const { text } = await tried(t, directory, { config, idle: 62, rounds: 1, connections: [50] });
  assert.match(text, /own\.conf differs from nginx in what it does/);
  assert.match(text, /many connections at once: expected 1,000 open; got \d+ open, and the next/);
  assert.match(text, /idle connection stays open: .* after 62 s .*; got connection closed/);
  assert.match(text, /TLS 1\.3 session resumed or not.*a full handshake/);
});

/** @returns one that has nothing but Traefik */
async function imageWithoutShell(t: TestContext, directory: string): Promise<string> {
  const { services } = await new Project(directory, { profile: "traefik" }).config();
  const folder = join(directory, "scratch");
  mkdirSync(folder);
  const binary = "/usr/local/bin/traefik";
  const from = `FROM ${services.traefik.image} AS official\nFROM scratch\n`;
  writeFileSync(join(folder, "Dockerfile"), `${from}COPY --from=official ${binary} ${binary}\n`);
  const image = `${uniqueName()}:scratch`;
  await check(["docker", "build", "--quiet", "--tag", image, folder]);
  atEnd(t, () => run(["docker", "image", "rm", "--force", image]));
  const { code } = await run(["docker", "run", "--rm", "--entrypoint", "sh", image, "-c", ":"]);
  assert.notEqual(code, 0, "it has a shell");
  return image;
}

test("the suite's own, on an image without a shell, passes the same checks; one round cannot tell whether it is worse", async (t) => {
  const directory = copyOfProject(t);
  const config = join(directory, "proxies/traefik");
  const image = await imageWithoutShell(t, directory);
  // One round ranks nobody.
  const few = { rounds: 1, connections: [50] };
  const { status, text } = await tried(t, directory, { proxy: "traefik", config, image, ...few });
  assert.equal(status, 3, text);
  assert.match(text, /does what Traefik does, in every check/);
  assert.ok(text.includes(`Could not tell whether traefik on ${image} is worse`), text);
  const [run] = readdirSync(join(directory, "results"));
  assert.ok(existsSync(join(directory, "results", run, "comparisons.json")));
});

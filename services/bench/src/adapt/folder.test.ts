import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { readProxies } from "../plan/proxies.ts";
import { isOneContainer, kindOf, makeProject, removeProject, writeCompose } from "./index.ts";
import { Source } from "./source.ts";
import type { Tried } from "./index.ts";
import type { TestContext } from "node:test";

/** @returns a project with nginx alone */
function projectOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "adapt-test-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const folder of ["proxies/nginx", "services/reference", "services/echo"])
    cpSync(join(import.meta.dirname, "../../../..", folder), join(directory, folder), {
      recursive: true,
      filter: (path) => !path.endsWith("node_modules"),
    });
  writeFileSync(
    join(directory, "compose.yaml"),
    "name: x\ninclude:\n  # One folder each.\n  - proxies/nginx/compose.yaml\n",
  );
  return directory;
}

function triedOf(): Tried {
  const kind = kindOf("nginx");
  const source = new Source("my.conf", kind.root, {
    read: () => "server { listen 80; location / { proxy_pass http://app; } }",
    list: () => [],
  });
  const adapted = kind.adapt(source, { set: {}, hasOwnImage: false });
  const about = { name: "yours", title: "my.conf", colour: "#D55E00", differs: "my.conf" };
  return { ...about, kind, adapted, original: "nginx", image: null };
}

function serviceIn(project: string) {
  const text = readFileSync(join(project, "proxies/yours/compose.yaml"), "utf8");
  assert.match(text, /"profiles": !override \["yours"\]/);
  return parse(text, { logLevel: "silent" }).services.yours;
}

test("a project has the folder of what is tried, a variant that is not held to what takes tuning", (t) => {
  const directory = projectOf(t);
  const project = makeProject(directory, [triedOf()], { title: "a battle" }, null);
  const compose = parse(readFileSync(join(project, "compose.yaml"), "utf8"));
  assert.deepEqual(compose.include, ["proxies/nginx/compose.yaml", "proxies/yours/compose.yaml"]);
  const proxies = readProxies(join(project, "proxies"));
  assert.deepEqual(
    proxies.map(({ name }) => name),
    ["nginx", "yours"],
  );
  const { tuned, schemes, generation, reload, configChecks } = proxies[1];
  assert.deepEqual(
    { tuned, schemes, generation },
    { tuned: false, schemes: ["ws"], generation: null },
  );
  assert.deepEqual(reload, proxies[0].reload);
  assert.deepEqual(configChecks, [{ command: ["nginx", "-t", "-c", "/etc/nginx/nginx.conf"] }]);
  const service = serviceIn(project);
  assert.ok(service.volumes.includes("./files/my.conf:/etc/nginx/nginx.conf:ro"));
  assert.deepEqual(service.command.slice(-1), ["daemon off; worker_processes ${PROXY_WORKERS};"]);
  // A proxy writes there as its own user.
  assert.equal(statSync(join(project, "proxies/yours/logs")).mode & 0o777, 0o777);
  removeProject(project);
  assert.ok(!existsSync(project));
  assert.ok(existsSync(join(directory, "proxies/nginx/nginx.conf")), "what was linked is gone");
});

test("a baseline has the reference's place, without the proxy's name", (t) => {
  const directory = projectOf(t);
  const project = makeProject(directory, [triedOf()], {}, "nginx");
  const text = readFileSync(join(project, "services/reference/compose.yaml"), "utf8");
  assert.match(text, /"networks": !override \{"default":\{\}\}/);
  const { reference } = parse(text, { logLevel: "silent" }).services;
  assert.deepEqual(reference.extends, {
    file: "../../proxies/nginx/compose.yaml",
    service: "nginx",
  });
  assert.ok(existsSync(join(project, "services/echo/package.json")), "the other services are gone");
  assert.ok(isOneContainer(directory, "nginx"));
  const ofTwo = join(import.meta.dirname, "../../../..");
  assert.ok(!isOneContainer(ofTwo, "haproxy-hitch"));
});

test("without a shell in its image, the engine sets the limit of open files", (t) => {
  const tried = { ...triedOf(), image: "my/nginx:dev" };
  const project = makeProject(projectOf(t), [tried], {}, null);
  assert.deepEqual(serviceIn(project).entrypoint, ["sh", "/raise-limits.sh"]);
  writeCompose(project, tried, { openFiles: 20_000 });
  const { entrypoint, ulimits, image } = serviceIn(project);
  assert.deepEqual(
    { entrypoint, ulimits, image },
    { entrypoint: [], ulimits: { nofile: 20_000 }, image: "my/nginx:dev" },
  );
});

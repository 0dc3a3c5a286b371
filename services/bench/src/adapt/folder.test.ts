import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
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
import {
  isOneContainer,
  kindOf,
  makeProject,
  removeProject,
  writeCompose,
  writeFolder,
  writeVersion,
} from "./index.ts";
import { Source } from "./source.ts";
import type { Made, Tried } from "./index.ts";
import type { TestContext } from "node:test";

/** @returns a project with that proxy alone */
function projectOf(t: TestContext, proxy = "nginx"): string {
  const directory = mkdtempSync(join(tmpdir(), "adapt-test-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const folder of [`proxies/${proxy}`, "services/reference", "services/echo"])
    cpSync(join(import.meta.dirname, "../../../..", folder), join(directory, folder), {
      recursive: true,
      filter: (path) => !path.endsWith("node_modules"),
    });
  writeFileSync(
    join(directory, "compose.yaml"),
    `name: x\ninclude:\n  # One folder each.\n  - proxies/${proxy}/compose.yaml\n`,
  );
  return directory;
}

function triedOf(
  original = "nginx",
  config = "server { listen 80; location / { proxy_pass http://app; } }",
): Tried {
  const kind = kindOf(original);
  const source = new Source("my.conf", kind.root, { read: () => config, list: () => [] });
  const adapted = kind.adapt(source, { set: {}, hasOwnImage: false });
  const about = { name: "yours", title: "my.conf", colour: "#D55E00", differs: "my.conf" };
  return { ...about, kind, adapted, original, image: null };
}

function madeFor(directory: string, tried: Tried, made: Omit<Made, "added"> = {}): string {
  const project = makeProject(directory, { ...made, added: [tried.name] });
  writeFolder(project, tried);
  return project;
}

function serviceIn(project: string, service = "yours") {
  const text = readFileSync(join(project, "proxies/yours/compose.yaml"), "utf8");
  const { services } = parse(text, { logLevel: "silent" });
  const tags = text.match(/"profiles": !override \["yours"\]/g);
  assert.equal(tags?.length, Object.keys(services).length);
  return services[service];
}

test("a project has the folder of what is tried, a variant that is not held to what takes tuning", (t) => {
  const directory = projectOf(t);
  const project = madeFor(directory, triedOf(), { battle: { title: "a battle" } });
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
  const project = madeFor(directory, triedOf(), { baseline: "nginx" });
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
  const project = madeFor(projectOf(t), tried);
  assert.deepEqual(serviceIn(project).entrypoint, ["sh", "/raise-limits.sh"]);
  writeCompose(project, tried, { openFiles: 20_000 });
  const { entrypoint, ulimits, image } = serviceIn(project);
  assert.deepEqual(
    { entrypoint, ulimits, image },
    { entrypoint: [], ulimits: { nofile: 20_000 }, image: "my/nginx:dev" },
  );
});

test("of two containers, the one that reads the configuration gets it", (t) => {
  const tried = triedOf("haproxy-hitch", 'pem-file = "x"\n');
  const project = madeFor(projectOf(t, "haproxy-hitch"), tried);
  const { command } = serviceIn(project);
  assert.equal(command, undefined);
  const tls = serviceIn(project, "yours-tls");
  assert.equal(tls.extends.service, "haproxy-hitch-tls");
  assert.equal(tls.network_mode, "service:yours");
  assert.ok(tls.volumes.includes("./files/my.conf:/etc/hitch/hitch.conf:ro"));
  const [, { configChecks, schemes }] = readProxies(join(project, "proxies"));
  const check = { part: "tls", command: ["hitch", "--test", "--config=/etc/hitch/hitch.conf"] };
  assert.deepEqual({ configChecks, schemes }, { configChecks: [check], schemes: ["wss"] });
});

test("a version is the folder of its proxy with another image, and can be the baseline", (t) => {
  const version = { name: "yours", proxy: "nginx", image: "nginx:1.26" };
  const made = { added: [version.name], baseline: version.name };
  const project = makeProject(projectOf(t), made);
  writeVersion(project, version);
  const { extends: extended, image } = serviceIn(project);
  assert.deepEqual(extended, { file: "../nginx/compose.yaml", service: "nginx" });
  assert.equal(image, "nginx:1.26");
  const reference = readFileSync(join(project, "services/reference/compose.yaml"), "utf8");
  assert.match(reference, /"file":"..\/..\/proxies\/yours\/compose.yaml"/);
});

/**
 * The path that most users take: images pulled under their official names, here from a registry on loopback that
 * holds this machine's own images.
 */
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { check, localImages, Project, run } from "../../src/platform/docker.js";
import { setup } from "../../src/commands/setup.js";
import { atEnd, copyOfProject, lab, projectDirectory } from "../lab.js";

const REGISTRY_CONFIG =
  "{version: 0.1, storage: {filesystem: {rootdirectory: /tmp/registry}}, http: {addr: ':5000'}}";

test("setup pulls from IMAGE_REGISTRY, and what was pulled carries a load", async (t) => {
  const registry = await startRegistry(t);
  // Grafana has no local build: any image that is present stands in, and is not started.
  const env = { IMAGE_REGISTRY: registry, GRAFANA_IMAGE: "ws-proxy-bench/bench" };
  const pushed = await pushUnderOfficialNames(t, env);

  const directory = copyOfProject(t);
  rmSync(join(directory, "compose.override.yaml"), { force: true });
  Object.assign(process.env, env);
  atEnd(t, () => {
    for (const name of Object.keys(env)) delete process.env[name];
  });
  /** @type {string[]} */
  const lines = [];
  await setup(directory, (line) => lines.push(line));

  for (const image of pushed)
    assert.ok(lines.includes(`pulling ${image}`), `${image}\n${lines.join("\n")}`);
  assert.deepEqual([...(await localImages(pushed)).keys()].sort(), pushed.sort());
  assert.ok(!existsSync(join(directory, "compose.override.yaml")), "an override was written");

  const project = lab(t, {
    directory,
    profile: "nginx",
    env: { CONNECTIONS: "50", CONCURRENCY: "5", SCHEME: "wss" },
  });
  await project.check(["up", "--detach", "nginx", "load"]);
  const load = (await project.check(["ps", "--all", "--quiet", "load"])).trim();
  assert.equal(
    (await check(["docker", "wait", load])).trim(),
    "0",
    (await project.run(["logs"])).output,
  );

  /** @type {string[]} */
  const again = [];
  await setup(directory, (line) => again.push(line));
  assert.deepEqual(again, [], "a second setup did something");
});

for (const [title, images] of /** @type {const} */ ([
  ["no image at all", 0],
  ["only Node's image", 1],
])) {
  test(`a registry that has ${title}: the one it lacks is named, nothing is built instead`, async (t) => {
    const registry = await startRegistry(t);
    await pushUnderOfficialNames(t, { IMAGE_REGISTRY: registry }, images);
    const directory = copyOfProject(t);
    rmSync(join(directory, "compose.override.yaml"), { force: true });
    process.env.IMAGE_REGISTRY = registry;
    atEnd(t, () => delete process.env.IMAGE_REGISTRY);
    await assert.rejects(
      setup(directory, () => {}),
      (/** @type {Error} */ error) => {
        assert.match(error.message, new RegExp(`cannot pull ${registry}/.*manifest unknown`, "s"));
        return true;
      },
    );
    assert.ok(!existsSync(join(directory, "compose.override.yaml")), "an override was written");
  });
}

/**
 * @param {import("node:test").TestContext} t
 * @returns {Promise<string>} its address
 */
async function startRegistry(t) {
  const script = `echo "${REGISTRY_CONFIG}" >/tmp/registry.yml && exec docker-registry serve /tmp/registry.yml`;
  const id = (
    await check([
      "docker",
      "run",
      "--detach",
      "--publish",
      "127.0.0.1::5000",
      "--entrypoint",
      "sh",
      "ws-proxy-bench/bench-test",
      "-c",
      script,
    ])
  ).trim();
  atEnd(t, () => check(["docker", "rm", "--force", "--volumes", id]));
  return (await check(["docker", "port", id, "5000"])).trim();
}

/**
 * Pushes what this project runs on here under the names that compose.yaml gives it with that environment.
 *
 * @param {import("node:test").TestContext} t
 * @param {Record<string, string>} env
 * @param {number} [limit] how many; the first is Node's
 * @returns {Promise<string[]>} the names
 */
async function pushUnderOfficialNames(t, env, limit = Infinity) {
  const options = { profile: "*", env };
  const official = await new Project(projectDirectory, {
    ...options,
    files: ["compose.yaml"],
  }).config();
  const here = await new Project(projectDirectory, options).config();
  /** @type {Map<string, string>} official name to image here */
  const names = new Map();
  for (const [service, { image, build, profiles }] of Object.entries(official.services)) {
    // Compose pulls it when its profile is up: setup does not.
    if (profiles?.includes("render")) continue;
    const counterpart = here.services[service];
    if (build?.args) names.set(build.args.NODE_IMAGE, counterpart.build?.args?.NODE_IMAGE ?? "");
    else if (image?.startsWith(env.IMAGE_REGISTRY)) names.set(image, counterpart.image ?? "");
  }
  const pushed = [...names]
    .sort(([a], [b]) => Number(b.includes("/node:")) - Number(a.includes("/node:")))
    .slice(0, limit);
  const push = async (/** @type {[string, string]} */ [name, image]) => {
    atEnd(t, () => run(["docker", "image", "rm", "--no-prune", name]));
    await check(["docker", "tag", image, name]);
    await check(["docker", "push", "--quiet", name]);
    // The name only: setup shall find nothing here.
    await check(["docker", "image", "rm", "--no-prune", name]);
  };
  // The others share layers with the first, Node's.
  const [node, ...others] = pushed;
  if (node) await push(node);
  await Promise.all(others.map(push));
  return pushed.map(([name]) => name);
}

/**
 * The path that most users take: images pulled under their official names, here from a registry on
 * loopback that holds this machine's own images.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Project } from "../../src/platform/compose.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { check, run } from "../../src/platform/subprocess.ts";
import { setup } from "../../src/commands/setup.ts";
import { until } from "../../src/platform/wait.ts";
import { atEnd, copyOfProject, lab, projectDirectory, uniqueName } from "../lab.ts";
import type { TestContext } from "node:test";

const REGISTRY_CONFIG =
  "{version: 0.1, storage: {filesystem: {rootdirectory: /tmp/registry}}, http: {addr: ':5000'}}";
/** How long `up` may take to pull and build before its load has ended, in ms. */
const BUILD_LIMIT_MS = 300_000;

const container = uniqueName();
/**
 * Its address, and the names of the images that it has: all. What else it has is under names with a
 * path between.
 */
let registry = "";
let pushed: string[] = [];
before(async () => {
  registry = await startRegistry();
  pushed = await pushUnderOfficialNames(registry);
});
after(() => check(["docker", "rm", "--force", "--volumes", container]));

test("setup pulls from IMAGE_REGISTRY, and what was pulled carries a load", async (t) => {
  atEnd(t, () => removeNames(pushed));
  const directory = copyOfProject(t);
  rmSync(join(directory, "compose.override.yaml"), { force: true });
  process.env.IMAGE_REGISTRY = registry;
  atEnd(t, () => delete process.env.IMAGE_REGISTRY);
  const lines: string[] = [];
  await setup(directory, (line) => lines.push(line));

  for (const image of pushed)
    assert.ok(lines.includes(`pulling ${image}`), `${image}\n${lines.join("\n")}`);
  assert.deepEqual([...(await OWN_ENGINE.localImages(pushed)).keys()].sort(), pushed.sort());
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

  const again: string[] = [];
  await setup(directory, (line) => again.push(line));
  assert.deepEqual(again, [], "a second setup did something");
});

test("plain Compose on a clean copy needs IMAGE_REGISTRY and nothing else, over ws and wss", async (t) => {
  atEnd(t, () => removeNames(pushed));
  const directory = copyOfProject(t);
  for (const made of ["compose.override.yaml", ".bench"])
    rmSync(join(directory, made), { recursive: true, force: true });
  renameOwnImages(t, directory);
  const project = lab(t, {
    isPlain: true,
    directory,
    profile: "haproxy",
    env: { IMAGE_REGISTRY: registry, CONNECTIONS: "50", CONCURRENCY: "5" },
  });

  for (const scheme of ["ws", "wss"]) {
    project.env.SCHEME = scheme;
    let hasEnded = false;
    const up = project.run(["up"]).finally(() => (hasEnded = true));
    await until(
      Date.now() + BUILD_LIMIT_MS,
      () => OWN_ENGINE.containersOf(project.name),
      (all) =>
        hasEnded ||
        all.some(
          ({ service, running, startedAt }) =>
            service === "load" && !running && !startedAt.startsWith("0001"),
        ),
    );
    await project.check(["stop"]);
    const { output } = await up;
    assert.match(output, /load-1 +\| SUMMARY \{.*"opened":50,"failed":0,/);
    assert.match(output, /^load-1 exited with code 0/m);
    assert.doesNotMatch(output, /Warning/, "an image of ours was looked for in a registry");
    // The second time it is there.
    assert.equal(/made a certificate/.test(output), scheme === "ws", output);
    await project.check(["rm", "--force", "load"]);
  }
  await project.down();
  const { stdout } = await run(["docker", "volume", "ls", "--quiet"]);
  assert.ok(!stdout.includes(project.name), "a volume was left");
});

for (const [title, images] of [
  ["no image at all", 0],
  ["only Node's image", 1],
] as const) {
  test(`a registry that has ${title}: the one it lacks is named, nothing is built instead`, async (t) => {
    const lacking = `${registry}/${images}`;
    const names = await pushUnderOfficialNames(lacking, images);
    atEnd(t, () => removeNames(names));
    const directory = copyOfProject(t);
    rmSync(join(directory, "compose.override.yaml"), { force: true });
    process.env.IMAGE_REGISTRY = lacking;
    atEnd(t, () => delete process.env.IMAGE_REGISTRY);
    await assert.rejects(
      setup(directory, () => {}),
      (error: Error) => {
        assert.match(error.message, new RegExp(`cannot pull ${lacking}/.*manifest unknown`, "s"));
        return true;
      },
    );
    assert.ok(!existsSync(join(directory, "compose.override.yaml")), "an override was written");
  });
}

/**
 * Gives the images that a copy of the project builds names that no machine has, so that Compose
 * must build them.
 *
 * @param directory of the copy
 */
function renameOwnImages(t: TestContext, directory: string) {
  const name = uniqueName();
  for (const file of globSync("{.,proxies/*}/compose.yaml", { cwd: directory })) {
    const path = join(directory, file);
    const renamed = readFileSync(path, "utf8").replaceAll("ws-proxy-bench/", `${name}/`);
    writeFileSync(path, renamed);
  }
  atEnd(t, async () => {
    const { stdout } = await run(["docker", "image", "ls", "--quiet", `${name}/*`]);
    await run(["docker", "image", "rm", "--no-prune", ...stdout.split("\n").filter(Boolean)]);
  });
}

/** @returns its address */
async function startRegistry(): Promise<string> {
  const script = `echo "${REGISTRY_CONFIG}" >/tmp/registry.yml && exec docker-registry serve /tmp/registry.yml`;
  await check([
    ...["docker", "run", "--detach", "--name", container, "--publish", "127.0.0.1::5000"],
    ...["--entrypoint", "sh", "ws-proxy-bench/bench-test", "-c", script],
  ]);
  return (await check(["docker", "port", container, "5000"])).trim();
}

/** The images stay. */
async function removeNames(names: string[]) {
  await run(["docker", "image", "rm", "--no-prune", ...names]);
}

/**
 * Pushes what this project runs on here under the names that compose.yaml gives it with that
 * registry.
 *
 * @param registry address
 * @param limit how many; the first is Node's
 * @returns the names
 */
async function pushUnderOfficialNames(
  registry: string,
  limit: number = Infinity,
): Promise<string[]> {
  const official = await new Project(projectDirectory, {
    profile: "*",
    files: ["compose.yaml"],
    env: { IMAGE_REGISTRY: registry },
  }).config();
  const here = await new Project(projectDirectory, { profile: "*" }).config();
  const present = await OWN_ENGINE.localImages(
    Object.values(here.services).map(({ image = "" }) => image),
  );
  /** official name to image here */
  const names: Map<string, string> = new Map();
  for (const [service, { image, build, profiles }] of Object.entries(official.services)) {
    // Compose pulls it when its profile is up: setup does not.
    if (profiles?.includes("render")) continue;
    const counterpart = here.services[service];
    // Others that builds are based on are images of services, too, or of servers that are not asked for.
    const node = build?.args?.NODE_IMAGE;
    if (node) names.set(node, counterpart.build?.args?.NODE_IMAGE ?? "");
    else if (image?.startsWith(registry)) names.set(image, counterpart.image ?? "");
  }
  // Grafana has no local build: Node stands in, which has nothing to do and ends.
  const standIn = here.services.certs.build?.args?.NODE_IMAGE ?? "";
  for (const [name, image] of names) if (!present.has(image)) names.set(name, standIn);
  const pushed = [...names]
    .sort(([a], [b]) => Number(b.includes("/node:")) - Number(a.includes("/node:")))
    .slice(0, limit);
  const push = async ([name, image]: [string, string]) => {
    await check(["docker", "tag", image, name]);
    await check(["docker", "push", "--quiet", name]);
    // The name only: setup must find nothing here.
    await removeNames([name]);
  };
  // The others share layers with the first, Node's.
  const [node, ...others] = pushed;
  if (node) await push(node);
  await Promise.all(others.map(push));
  return pushed.map(([name]) => name);
}

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Project } from "../../src/platform/compose.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { check, run } from "../../src/platform/subprocess.ts";
import { setup } from "../../src/commands/setup.ts";
import { atEnd, copyOfProject, projectDirectory, uniqueName } from "../lab.ts";

test("a container whose image alone names a project is none of that project", async (t) => {
  const project = uniqueName();
  const names = [`${project}-a`, `${project}-b`];
  atEnd(t, () => OWN_ENGINE.remove(names));
  const label = ["--label", `com.docker.compose.project=${project}`];
  const numbered = [...label, "--label", "com.docker.compose.container-number=1"];
  for (const [name, labels] of [
    [names[0], label],
    [names[1], numbered],
  ] as const)
    await check(["docker", "create", "--name", name, ...labels, "ws-proxy-bench/bench"]);
  assert.deepEqual(
    (await OWN_ENGINE.containersOf(project)).map(({ name }) => name),
    [names[1]],
  );
});

test("images that are built here are the same whatever the benchmark is called", async (t) => {
  const built = ["ws-proxy-bench/echo", "ws-proxy-bench/http-proxy"];
  const before = await OWN_ENGINE.localImages(built);
  assert.equal(before.size, built.length);
  // A copy knows of no builds: it makes its own.
  const directory = copyOfProject(t);
  const name = process.env.COMPOSE_PROJECT_NAME;
  atEnd(t, () => {
    if (name === undefined) delete process.env.COMPOSE_PROJECT_NAME;
    else process.env.COMPOSE_PROJECT_NAME = name;
  });
  process.env.COMPOSE_PROJECT_NAME = uniqueName();
  await setup(directory, () => {});
  assert.deepEqual(await OWN_ENGINE.localImages(built), before);
});

test("./bench uses the engine of the chosen docker context, wherever its socket is", async (t) => {
  const config = mkdtempSync(join(tmpdir(), "docker-config-"));
  atEnd(t, () => rmSync(config, { recursive: true }));
  // In the project's folder, which is the same path for this container and for the engine that
  // mounts the socket.
  const socket = join(projectDirectory, ".bench", `${uniqueName()}.sock`);
  symlinkSync("/var/run/docker.sock", socket);
  atEnd(t, () => rmSync(socket));
  const env = { DOCKER_CONFIG: config, DOCKER_HOST: "" };
  await check(["docker", "context", "create", "other", "--docker", `host=unix://${socket}`], {
    env,
  });
  const bench = [join(projectDirectory, "bench"), "doctor"];
  const { code, output } = await run(bench, { env: { ...env, DOCKER_CONTEXT: "other" } });
  assert.equal(code, 0, output);
  assert.match(output, /^ {2}counters of containers +CPU, memory$/m);
});

test("a project that was read once makes the same containers, and goes by what was read", async (t) => {
  const directory = copyOfProject(t);
  const options = {
    name: uniqueName(),
    profile: "haproxy-hitch",
    env: { SCENARIO: "hot", GENERATION_FOLDER: directory, PROXY_CPU_QUOTA: "1500" },
  };
  // Compose makes a container again whose hash has changed.
  const hashes = async (project: Project) =>
    (await project.check(["config", "--hash", "*"])).trim().split("\n").sort();
  const project = new Project(directory, options);
  const before = await hashes(project);
  await project.readOnce();
  assert.deepEqual(await hashes(project), before);
  appendFileSync(join(directory, "compose.yaml"), "\nno such key: 1\n");
  assert.deepEqual(await hashes(project), before);
  const another = new Project(directory, { ...options, profile: "nginx" });
  await another.readOnce();
  assert.ok((await hashes(another)).some((line) => line.startsWith("nginx ")));
  await assert.rejects(hashes(new Project(directory, options)), { next: /no such key/ });
  // What is there under a name goes without the files.
  await new Project(directory, options).down();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { check, containersOf, localImages, remove } from "../../src/platform/docker.js";
import { setup } from "../../src/commands/setup.js";
import { atEnd, copyOfProject, uniqueName } from "../lab.js";

test("a container whose image alone names a project is none of that project", async (t) => {
  const project = uniqueName();
  const names = [`${project}-a`, `${project}-b`];
  atEnd(t, () => remove(names));
  const label = ["--label", `com.docker.compose.project=${project}`];
  const numbered = [...label, "--label", "com.docker.compose.container-number=1"];
  for (const [name, labels] of /** @type {const} */ ([
    [names[0], label],
    [names[1], numbered],
  ]))
    await check(["docker", "create", "--name", name, ...labels, "ws-proxy-bench/bench"]);
  assert.deepEqual(
    (await containersOf(project)).map(({ name }) => name),
    [names[1]],
  );
});

test("images that are built here are the same whatever the benchmark is called", async (t) => {
  const built = ["ws-proxy-bench/echo", "ws-proxy-bench/http-proxy"];
  const before = await localImages(built);
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
  assert.deepEqual(await localImages(built), before);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { BENCH_IMAGE } from "../machine/engine.ts";
import { reachEngines } from "./engines.ts";
import { fakeEngines, MACHINES } from "./testing/engines.ts";

test("an engine that says nothing is not reached, and the others are", async () => {
  const fakes = fakeEngines();
  fakes.stopped.add("back");
  const engines = await reachEngines(MACHINES, fakes.run, { reach: 300, step: 10_000, again: 100 });
  assert.deepEqual(
    engines.map(({ machine, info }) => [machine.name, info !== null]),
    [
      ["middle", true],
      ["back", false],
      ["front", true],
      ["runner", true],
    ],
  );
  assert.match(engines[1].error, /^no answer within 0\.\d s to: docker info$/);
});

test("a command that is not answered says machine, step and what to do, and has less time the next time", async () => {
  const fakes = fakeEngines();
  const patience = { reach: 10_000, step: 1500, again: 100 };
  const [, back] = await reachEngines(MACHINES, fakes.run, patience);
  fakes.stopped.add("back");
  const silence = (step: string, time = "0\\.\\d") => ({
    message: new RegExp(`^back: no answer within ${time} s to: ${step}$`),
    next: /docker --context back version works on the machine where \.\/bench runs/,
  });
  const list = ["docker", "volume", "ls", "--quiet"];
  await assert.rejects(back.run(list), silence("docker volume ls", "2"));
  const ping = ["docker", "run", "--rm", "--entrypoint", "ping", BENCH_IMAGE, "-n", "one"];
  await assert.rejects(back.run(ping), silence("docker run, ping"));
  const ports = ["docker", "run", "--rm", BENCH_IMAGE, "taken-ports"];
  await assert.rejects(back.run(ports), silence("docker run, taken-ports"));

  fakes.stopped.clear();
  assert.equal((await back.run(["docker", "volume", "ls", "--filter", "label=none"])).code, 0);
});

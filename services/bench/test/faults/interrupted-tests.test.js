/**
 * Tests that are ended from outside.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { check } from "../../src/platform/docker.js";
import { projectDirectory } from "../lab.js";

test("tests that are interrupted leave no container, network or volume", async () => {
  const run = randomBytes(4).toString("hex");
  const left = (/** @type {string[]} */ list) =>
    check(["docker", ...list, "--quiet", "--filter", `name=wpb-test-${run}`]);
  const containers = () => left(["ps", "--all"]);
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const tests = spawn(join(projectDirectory, "services/bench/test/run-tests"), ["boot/relay"], {
    cwd: projectDirectory,
    env: { ...env, BENCH_TEST_RUN: run },
    stdio: "ignore",
  });
  const ended = once(tests, "exit");
  while (!(await containers()) && tests.exitCode === null) await delay(200);
  tests.kill("SIGTERM");
  assert.deepEqual(await ended, [143, null]);
  assert.equal(await containers(), "");
  assert.equal(await left(["network", "ls"]), "");
  assert.equal(await left(["volume", "ls"]), "");
});

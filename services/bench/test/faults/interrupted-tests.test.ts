/**
 * Tests that are ended from outside.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { check } from "../../src/platform/subprocess.ts";
import { projectDirectory } from "../lab.ts";

/**
 * After the first container of Compose shows, in ms: while Compose creates others, starts them,
 * and while the run has joined the network.
 */
const MOMENTS = [0, 400, 900];
/** Longer than an engine takes for what it was asked to do before. */
const SETTLED_MS = 3_000;

describe("tests that are interrupted leave nothing", { concurrency: true }, () => {
  for (const moment of MOMENTS)
    test(`${moment} ms after their first container`, async () => {
      const run = randomBytes(4).toString("hex");
      const prefix = `wpb-test-${run}`;
      const left = (list: string[]) =>
        check(["docker", ...list, "--quiet", "--filter", `name=${prefix}`]);
      const containers = () => left(["ps", "--all"]);
      const composed = () =>
        left(["ps", "--all", "--filter", "label=com.docker.compose.container-number"]);
      const { NODE_TEST_CONTEXT, ...env } = process.env;
      const tests = spawn(
        join(projectDirectory, "services/bench/test/run-tests"),
        ["alone/relay"],
        {
          cwd: projectDirectory,
          env: { ...env, BENCH_TEST_RUN: run },
          stdio: "ignore",
        },
      );
      const ended = once(tests, "exit");
      while (!(await composed()) && tests.exitCode === null) await delay(200);
      await delay(moment);
      tests.kill("SIGTERM");
      assert.deepEqual(await ended, [143, null]);
      for (const waitMs of [0, SETTLED_MS]) {
        await delay(waitMs);
        assert.equal(await containers(), "");
        assert.equal(await left(["network", "ls"]), "");
        assert.equal(await left(["volume", "ls"]), "");
      }
      const copies = readdirSync(join(projectDirectory, ".bench"));
      assert.deepEqual(
        copies.filter((name) => name.startsWith(prefix)),
        [],
      );
    });
});

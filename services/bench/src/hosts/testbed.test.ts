import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { Engine } from "../platform/engine.ts";
import { SpreadPlacement } from "./placement.ts";
import { Testbed } from "../run/testbed.ts";
import type { Result } from "../platform/subprocess.ts";
import type { Store } from "../record/store.ts";
import type { Follower } from "../run/testbed.ts";

function siteOf(name: string, answer: (command: string) => Partial<Result>) {
  const engine = new Engine(["docker"], async (command) => ({
    ...{ code: 0, stdout: "", stderr: "", output: "" },
    ...answer(command.join(" ")),
  }));
  return { name, engine, isHere: name === "own", cores: 2 };
}

/** @param answer of the machine one */
async function errorOf(answer: (command: string) => Partial<Result>) {
  const own = siteOf("own", () => ({}));
  const one = siteOf("one", answer);
  const testbed = new Testbed({
    directory: "/nowhere",
    config: { name: "p", services: {}, networks: { default: { name: "p_default" } } },
    services: {},
    proxies: [],
    signal: new AbortController().signal,
    placement: new SpreadPlacement({
      sites: { proxy: one, servers: one, load: one, observe: own },
      network: "over-all",
    }),
  });
  const follower = { tell: () => {} } as unknown as Follower;
  const run = testbed.run({} as Store, { clear: true, keepGoing: false, follower });
  const error = await run.then(
    () => assert.fail("it has run"),
    (why: unknown) => why,
  );
  // Every other error ends in a stack trace.
  assert.ok(error instanceof UserError, String(error));
  assert.ok(testbed.isClear, "nothing was started");
  return error;
}

test("a machine that does not answer before the first cell is for the user to fix", async () => {
  const { message, next } = await errorOf(() => ({ code: 1, output: "cannot connect" }));
  assert.equal(message, "the Docker engine of the machine one does not answer: cannot connect");
  assert.match(next, /\.\/bench hosts check/);
});

test("what an earlier run has left there and cannot be removed is named with the machine", async () => {
  const { message, next } = await errorOf((command) =>
    command.includes("volume ls") ? { code: 1, output: "no space left" } : {},
  );
  assert.match(
    message,
    /^the machine one could not be cleared of an earlier run: docker volume ls/,
  );
  assert.equal(next, "no space left");
});

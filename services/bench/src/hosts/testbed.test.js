import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.js";
import { Engine } from "../platform/docker.js";
import { SpreadPlacement } from "./placement.js";
import { Testbed } from "../run/testbed.js";

/** @import { Result } from "../platform/docker.js" */
/** @import { Store } from "../record/store.js" */
/** @import { Follower } from "../run/testbed.js" */

/**
 * @param {string} name
 * @param {(command: string) => Partial<Result>} answer
 */
function siteOf(name, answer) {
  const engine = new Engine(["docker"], async (command) => ({
    ...{ code: 0, stdout: "", stderr: "", output: "" },
    ...answer(command.join(" ")),
  }));
  return { name, engine, isHere: name === "own", cores: 2 };
}

/** @param {(command: string) => Partial<Result>} answer of the machine one */
async function errorOf(answer) {
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
  const follower = /** @type {Follower} */ (/** @type {unknown} */ ({ tell: () => {} }));
  const run = testbed.run(/** @type {Store} */ ({}), { clear: true, keepGoing: false, follower });
  const error = await run.then(
    () => assert.fail("it has run"),
    (/** @type {unknown} */ why) => why,
  );
  // Every other error ends in a stack trace.
  assert.ok(error instanceof UserError, String(error));
  assert.ok(testbed.isClear, "nothing was started");
  return error;
}

test("a machine that does not answer before the first cell is for the user to mend", async () => {
  const { message, next } = await errorOf(() => ({ code: 1, output: "cannot connect" }));
  assert.equal(message, "the Docker engine of the machine one does not answer: cannot connect");
  assert.match(next, /\.\/bench hosts check/);
});

test("what an earlier run has left there and cannot be removed is told with the machine", async () => {
  const { message, next } = await errorOf((command) =>
    command.includes("volume ls") ? { code: 1, output: "no space left" } : {},
  );
  assert.match(
    message,
    /^the machine one could not be cleared of an earlier run: docker volume ls/,
  );
  assert.equal(next, "no space left");
});

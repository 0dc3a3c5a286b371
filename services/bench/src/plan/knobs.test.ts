import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readKnobs, readNetwork, readReferenceShare } from "./knobs.ts";
import type { TestContext } from "node:test";

/** @param env content of .env */
function project(t: TestContext, env: string) {
  const directory = mkdtempSync(join(tmpdir(), "knobs-"));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, ".env"), env);
  return directory;
}

test("environment variables override .env, an empty one too", (t) => {
  const directory = project(t, "# A comment=1\nA=1\nB=2\nC=3\n");
  assert.deepEqual(
    [...readKnobs(directory, { A: "9", B: "", D: "4" })],
    [
      ["A", "9"],
      ["B", ""],
      ["C", "3"],
    ],
  );
});

test("the share of the reference proxy: from .env, from the environment, or none", (t) => {
  const directory = project(t, "REFERENCE_SHARE=0.125\n");
  assert.equal(readReferenceShare(directory, {}), 0.125);
  assert.equal(readReferenceShare(directory, { REFERENCE_SHARE: "0.25" }), 0.25);
  for (const none of ["0", ""])
    assert.equal(readReferenceShare(directory, { REFERENCE_SHARE: none }), 0);
});

test("the network that battles measure: Docker's by default", (t) => {
  const directory = project(t, "NETWORK=bridge\n");
  assert.equal(readNetwork(directory, {}), "bridge");
  assert.equal(readNetwork(directory, { NETWORK: "host" }), "host");
  assert.equal(readNetwork(directory, { NETWORK: "" }), "bridge");
  assert.throws(() => readNetwork(directory, { NETWORK: "overlay" }), {
    message: "NETWORK is overlay",
    next: /^Expected bridge or host\./,
    exitCode: 2,
  });
});

test("what is no share is refused, with what was expected and where it is set", (t) => {
  const directory = project(t, "REFERENCE_SHARE=0.125\n");
  for (const wrong of ["8", "0.51", "-0.1", "1/8", "one", "12.5%"])
    assert.throws(() => readReferenceShare(directory, { REFERENCE_SHARE: wrong }), {
      message: `REFERENCE_SHARE is ${wrong}`,
      next: /from 0, .* to 0\.5, such as 0\.125\. Set it in the environment or in \.env/,
      exitCode: 2,
    });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { README, withAnswer } from "./readme.js";

test("README has the answer that this version makes of the published runs: npm run generate in services/bench", async () => {
  const text = readFileSync(README, "utf8");
  assert.ok((await withAnswer(text)) === text, "README.md: npm run generate in services/bench");
  await assert.rejects(withAnswer("# Another\n"), /README.md has no/);
});

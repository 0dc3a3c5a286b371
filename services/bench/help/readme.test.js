import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { README, withOverview } from "./readme.js";

test("README has the overview that this version makes of the published run: npm run generate in services/bench", async () => {
  const text = readFileSync(README, "utf8");
  assert.ok((await withOverview(text)) === text, "README.md: npm run generate in services/bench");
  await assert.rejects(withOverview("# Another\n"), /README.md has no/);
});

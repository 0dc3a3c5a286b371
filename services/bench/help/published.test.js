import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makePages } from "../src/commands/published-pages.js";
import { PROJECT } from "./published.js";

test("the pages over all published runs are those of this version: npm run generate in services/bench", () => {
  const pages = Object.entries(makePages(PROJECT));
  assert.deepEqual(pages.map(([name]) => name).sort(), [
    "FINDINGS.md",
    "README.md",
    "claims.html",
    "index.html",
    "which-proxy.svg",
  ]);
  for (const [name, text] of pages)
    assert.ok(
      readFileSync(join(PROJECT, "published", name), "utf8") === text,
      `published/${name} is of another version: npm run generate in services/bench`,
    );
});

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { helpTexts } from "./generate.ts";

test("the help texts are those of the program: npm run generate in services/bench", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".txt"));
  const found = files.map((name) => [name, readFileSync(join(import.meta.dirname, name), "utf8")]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(helpTexts()));
});

test("the text of ./bench names every command that has a text", () => {
  const texts = helpTexts();
  for (const name of texts.keys())
    assert.match(texts.get("help.txt") ?? "", new RegExp(`^ {2}${name.replace(".txt", "")} `, "m"));
});

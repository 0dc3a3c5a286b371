import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { battleNames, readBattle } from "../src/plan/battle.ts";
import { makeAaPlan } from "../src/plan/plan.ts";
import { proxies, root } from "../src/plan/testing/project.ts";
import { helpTexts, LIST, listOfNames } from "./generate.ts";

test("the help texts are those of the program: npm run generate in services/bench", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".txt"));
  const found = files.map((name) => [name, readFileSync(join(import.meta.dirname, name), "utf8")]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(helpTexts()));
});

test("so is the list of names", () => {
  assert.equal(readFileSync(LIST, "utf8"), listOfNames());
});

test("all fit 80 columns", () => {
  for (const text of [...helpTexts().values(), listOfNames()])
    for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
});

test("the rounds that help texts name are those of the battles", () => {
  const roundsOf = (name: string) => readBattle(root, name, { proxies }).rounds;
  const aa = { proxy: "nginx", overrides: {} };
  for (const [name, rounds] of [
    ["run", `the battle's: ${roundsOf("quick")} for quick, usually 6`],
    ["capacity", roundsOf("capacity")],
    ["aa", makeAaPlan(readBattle(root, "quick", { proxies }), aa, { proxies }).rounds],
  ]) {
    const text = (helpTexts().get(`${name}.txt`) ?? "").replace(/\s+/g, " ");
    assert.ok(text.includes(`so often (default: ${rounds})`), text);
  }
  const all = Map.groupBy(battleNames(root), roundsOf);
  const [[usual]] = [...all].toSorted(([, a], [, b]) => b.length - a.length);
  assert.equal(usual, 6);
});

test("the text of ./bench names every command that has a text", () => {
  const texts = helpTexts();
  for (const name of texts.keys())
    assert.match(texts.get("help.txt") ?? "", new RegExp(`^ {2}${name.replace(".txt", "")} `, "m"));
});

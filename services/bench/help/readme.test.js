import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { README, withAnswer } from "./readme.js";

const BATTLES = new URL("../../../battles/", import.meta.url);
const PROXIES = new URL("../../../proxies/", import.meta.url);

test("README has the answer that this version makes of the published runs: npm run generate in services/bench", async () => {
  const text = readFileSync(README, "utf8");
  assert.ok((await withAnswer(text)) === text, "README.md: npm run generate in services/bench");
  await assert.rejects(withAnswer("# Another\n"), /README.md has no/);
});

test("README's table of battles has each that can be run, and no row is empty", () => {
  const text = readFileSync(README, "utf8");
  // `./bench selfbench` runs its own.
  const names = readdirSync(BATTLES)
    .filter((file) => file.endsWith(".yaml") && file !== "selfbench.yaml")
    .map((file) => file.replace(".yaml", ""));
  const rows = text.split("| battle ")[1].split("\n\n")[0];
  const missing = names.filter((name) => !rows.includes(`\`${name}\``));
  assert.ok(names.length > 10);
  assert.deepEqual(missing, []);
  assert.doesNotMatch(text, /^\|+$/m);
});

test("proxies/README.md has each folder, and names no other", () => {
  const text = readFileSync(new URL("README.md", PROXIES), "utf8");
  const folders = readdirSync(PROXIES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  assert.ok(folders.length > 20);
  assert.deepEqual(
    folders.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...row.split("|")[1].matchAll(/`([^`]+)`/g)]);
  assert.deepEqual(
    named.map(([, name]) => name).filter((name) => !folders.includes(name)),
    [],
  );
});

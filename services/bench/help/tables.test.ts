import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const BATTLES = new URL("../../../battles/", import.meta.url);
const DOCS = new URL("../../../docs/", import.meta.url);
const PROXIES = new URL("../../../proxies/", import.meta.url);

test("docs/battles.md has each battle that can be run, and no row is empty", () => {
  const text = readFileSync(new URL("battles.md", DOCS), "utf8");
  // `./bench selfbench` runs its own.
  const names = readdirSync(BATTLES)
    .filter((file) => file.endsWith(".yaml") && file !== "selfbench.yaml")
    .map((file) => file.replace(".yaml", ""));
  const rows = text.split("| Battle ")[1].split("\n\n")[0];
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

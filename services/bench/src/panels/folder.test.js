import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Folder } from "./folder.js";

test("the page shows what is there, also from an export before, and every link leads to a file beside it", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "panels-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const folder = new Folder(directory);
  const entry = (/** @type {number} */ id, /** @type {string} */ title) => ({
    dashboard: "battle",
    dashboardTitle: "Battle",
    id,
    title,
    description: `about <${id}>`,
    name: `battle-${id}`,
  });
  folder.write("battle-1.svg", "<svg/>");
  folder.write("battle-1.csv", "Time\n");
  folder.finish("run", [entry(1, "First & best"), { ...entry(2, "Second"), failure: "refused" }]);
  folder.write("battle-2.png", "");
  folder.finish("run", [entry(2, "Second")]);

  const page = readFileSync(join(directory, "index.html"), "utf8");
  const links = [...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, link]) => link);
  assert.deepEqual(
    links.filter((link) => link.startsWith("battle-")),
    ["battle-1.svg", "battle-1.svg", "battle-1.csv", "battle-2.png", "battle-2.png"],
  );
  assert.ok(page.includes('alt="First &amp; best"'));
  assert.ok(page.includes("about &lt;2&gt;"));
  assert.doesNotMatch(page, /refused/);
  assert.doesNotMatch(page, /https?:\/\//);
});

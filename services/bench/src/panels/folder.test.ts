import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { finish, writeFile } from "./folder.ts";

const RUN = { name: "one", caption: "run one · nginx · wss" };

test("the page shows what is there, also from an export before, and every link leads to a file beside it", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "panels-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const entry = (id: number, title: string) => ({
    dashboard: "battle",
    dashboardTitle: "Battle",
    section: "CPU",
    id,
    title,
    description: `about <${id}>`,
    name: `battle-${id}`,
  });
  writeFile(directory, "battle-1.svg", "<svg/>");
  writeFile(directory, "battle-1.csv", "Time\n");
  finish(
    directory,
    RUN,
    [entry(1, "First & best"), { ...entry(2, "Second"), failure: "refused" }],
    [],
  );
  writeFile(directory, "battle-2.png", "");
  finish(directory, RUN, [entry(2, "Second")], []);

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
  assert.ok(page.includes("run one · nginx · wss"));
  // A run of `docker compose up` has no report.
  assert.doesNotMatch(page, /report\.html/);
});

test("what has no data is listed with the reason; files that stand for nothing any more are removed", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "panels-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const entry = (dashboard: string, id: number, part = "") => ({
    dashboard,
    dashboardTitle: dashboard,
    section: "",
    id,
    title: `Panel ${id}${part}`,
    description: "",
    name: `${dashboard}-${id}${part}`,
  });
  const written = ["battle-1-ws", "battle-1-wss", "compare-1", "live-1", "live-2"];
  for (const name of written) writeFile(directory, `${name}.svg`, "<svg/>");
  finish(
    directory,
    RUN,
    [
      ...[entry("battle", 1, "-ws"), entry("battle", 1, "-wss"), entry("compare", 1)],
      ...[entry("live", 1), entry("live", 2)],
    ],
    [],
  );
  const files = () => readdirSync(directory).filter((name) => name.endsWith(".svg"));
  const page = () => readFileSync(join(directory, "index.html"), "utf8");
  assert.deepEqual(files(), written.map((name) => `${name}.svg`).sort());
  // One panel under two settings: both are on the page.
  for (const name of written) assert.ok(page().includes(`src="${name}.svg"`), name);

  const noData = "Not measured in this setting";
  finish(
    directory,
    RUN,
    [
      { ...entry("battle", 1, "-ws"), noData },
      entry("battle", 1, "-wss"),
      { ...entry("live", 2), noData: "No load" },
    ],
    ["compare"],
  );
  assert.deepEqual(files(), ["battle-1-wss.svg", "live-1.svg"]);
  assert.ok(page().includes(`<li>${noData}: Panel 1-ws</li>`));
  assert.ok(page().includes("<li>No load: Panel 2</li>"));
  assert.doesNotMatch(page(), /compare|<img src="(battle-1-ws|live-2)\./);
});

test("panels stand in the order of the dashboard, whatever their ids are", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "panels-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const about = { dashboard: "battle", dashboardTitle: "Battle", section: "", description: "" };
  const entries = [401, 1001].map((id, i) => ({
    ...{ ...about, id, place: 1 - i, title: `Panel ${id}`, name: `battle-${id}` },
  }));
  finish(directory, RUN, entries, []);
  const page = readFileSync(join(directory, "index.html"), "utf8");
  assert.deepEqual(
    [...page.matchAll(/<figcaption>Panel (\d+)/g)].map(([, id]) => id),
    ["1001", "401"],
  );
});

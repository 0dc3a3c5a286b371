import assert from "node:assert/strict";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { parse } from "yaml";
import { anchorOf, onSite, pageOfMarkdown } from "../report/site-page.ts";
import { makeProgram } from "./program.ts";
import { site } from "./site.ts";
import { makeSmallProject } from "./testing/small-project.ts";

const URL_OF_SITE = "https://example.org/bench/";
const project = mkdtempSync(join(tmpdir(), "site-"));
after(() => rmSync(project, { recursive: true }));
makeSmallProject(project);

const build = async (directory = "results/site", url?: string) => {
  const said: string[] = [];
  await site(project, { directory, ...(url && { url }) }, (line) => said.push(line));
  return said;
};
const said = await build("results/site", URL_OF_SITE);
const built = join(project, "results/site");
const files = readdirSync(built, { recursive: true, encoding: "utf8" });
const pages = files
  .filter((name) => name.endsWith(".html"))
  .map((name) => ({ name, document: parsed(readFileSync(join(built, name), "utf8")) }));

function parsed(html: string): Document {
  return new JSDOM(html).window.document;
}

test("a site has the pages over all runs, each run's report, and the charts", () => {
  const runs = globSync("*/*/comparisons.json", { cwd: join(project, "published") }).map(dirname);
  assert.ok(runs.length > 2);
  assert.deepEqual(
    pages.map(({ name }) => name).sort(),
    [
      ...["CLAIMS.html", "FINDINGS.html", "README.html", "index.html"],
      ...runs.map((run) => `${run}/report.html`),
    ].sort(),
  );
  assert.deepEqual(files.filter((name) => name.startsWith("charts/")).sort(), [
    "charts/added.png",
    "charts/added.svg",
  ]);
  const told = said.join("\n");
  for (const run of runs) assert.ok(told.includes(`report of ${run}\n`), run);
  assert.match(
    told,
    new RegExp(`results/site/index\\.html: ${runs.length + 6} files, [\\d.]+ MB$`),
  );
});

test("links between its pages work, and none leads to Markdown", () => {
  for (const { name, document } of pages) {
    const links = [...document.querySelectorAll("[href], [src]")].map(
      (one) => one.getAttribute("href") ?? one.getAttribute("src") ?? "",
    );
    for (const link of links.filter((one) => !/^(https?|data):/.test(one))) {
      const [path, anchor] = link.split("#");
      const target = path ? join(dirname(name), path) : name;
      assert.ok(existsSync(join(built, target)), `${name} leads to ${link}`);
      const there = pages.find((page) => page.name === target)?.document;
      assert.ok(!anchor || there?.getElementById(anchor), `${name} leads to ${link}`);
    }
    if (name !== "index.html")
      assert.ok(
        links.some((link) => /^(\.\.\/)*index\.html$/.test(link)),
        name,
      );
  }
});

test("previews of links: each page's own title and description, one picture", () => {
  const seen = new Set<string>();
  for (const { name, document } of pages) {
    const content = (key: string) =>
      document
        .querySelector(`meta[property="${key}"], meta[name="${key}"]`)
        ?.getAttribute("content");
    assert.equal(content("og:title"), document.title, name);
    assert.equal(document.querySelectorAll('meta[name="description"]').length, 1, name);
    assert.equal(content("og:description"), content("description"), name);
    assert.ok((content("description") ?? "").length > 40, name);
    seen.add(`${content("og:title")} ${content("description")}`);
    assert.equal(content("og:image"), `${URL_OF_SITE}charts/added.png`);
    assert.equal(content("twitter:card"), "summary_large_image");
    assert.equal(content("og:url"), URL_OF_SITE + (name === "index.html" ? "" : name));
  }
  assert.equal(seen.size, pages.length);
  const png = readFileSync(join(built, "charts/added.png"));
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
});

test("an earlier site is replaced, with what it had and what is not its own left alone", async () => {
  writeFileSync(join(built, "CNAME"), "example.org");
  const mark = join(built, "site.json");
  const { files: own, ...rest } = JSON.parse(readFileSync(mark, "utf8"));
  writeFileSync(join(built, "gone.html"), "");
  writeFileSync(mark, JSON.stringify({ ...rest, files: [...own, "gone.html"] }));
  const again = await build();
  assert.ok(!existsSync(join(built, "gone.html")) && existsSync(join(built, "CNAME")));
  assert.match(again.at(-1) ?? "", /previews of links need --url/);
  assert.match(
    readFileSync(join(built, "soak/2026-11-24/report.html"), "utf8"),
    /content="\.\.\/\.\.\/charts\/added\.png"/,
  );
});

test("a folder that holds something else, or is none of the project, is refused before anything is made", async () => {
  mkdirSync(join(project, "full"));
  writeFileSync(join(project, "full/notes.txt"), "mine");
  mkdirSync(join(project, "other"));
  writeFileSync(join(project, "other/site.json"), "{}");
  for (const [folder, message] of [
    ["full", /^full is not empty, and is no earlier site$/],
    ["other", /^other is not empty, and is no earlier site$/],
    ["full/notes.txt", /^full\/notes\.txt is a file$/],
    [".", /^\. is not empty/],
    ["../elsewhere", /^\.\.\/elsewhere is outside the project, where \.\/bench cannot write$/],
    ["/tmp/elsewhere", /outside the project/],
  ] as const)
    await assert.rejects(build(folder), { message, exitCode: 2 });
  assert.deepEqual(readdirSync(join(project, "full")), ["notes.txt"]);
  const empty = mkdtempSync(join(tmpdir(), "site-"));
  await assert.rejects(
    site(empty, { directory: "site" }, () => {}),
    { message: "nothing is published" },
  );
  rmSync(empty, { recursive: true });
});

test("--url is an address, with one slash at its end", () => {
  const called = (url: string) => {
    const wanted: object[] = [];
    makeProgram((_, one) => void wanted.push(one)).parse(["site", "results/site", "--url", url], {
      from: "user",
    });
    return wanted[0];
  };
  for (const url of ["https://example.org/bench", URL_OF_SITE])
    assert.deepEqual(called(url), { directory: "results/site", url: URL_OF_SITE });
  for (const url of ["example.org", "file:///tmp", ""])
    assert.throws(() => called(url), { message: /Expected an address such as/ });
});

test("the hosted workflow builds where it uploads from, and gives the address", () => {
  const file = join(import.meta.dirname, "../../../../.github/workflows/pages.yml");
  const { steps } = parse(readFileSync(file, "utf8")).jobs.build;
  const step = (key: string, value: RegExp) => steps.find((one: any) => value.test(one[key] ?? ""));
  const [program, ...words] = step("run", /bench site/)
    .run.replace('"$URL"', URL_OF_SITE)
    .split(" ");
  const wanted: object[] = [];
  makeProgram((_, one) => void wanted.push(one)).parse(words, { from: "user" });
  const { path } = step("uses", /upload-pages-artifact/).with;
  assert.deepEqual([program, ...wanted], ["./bench", { directory: path, url: URL_OF_SITE }]);
});

test("Markdown becomes a page: anchors as GitHub makes them, tables that scroll, links elsewhere as they are", () => {
  const markdown =
    "# A & B\n\n## nginx's `x` costs 2×\n\n| a | b |\n|---|--:|\n| 1 | **2** |\n\n[x](https://example.org/y.md) [z](z.md#q)\n";
  const page = { name: "a/b.html", html: pageOfMarkdown(markdown), description: "d" };
  const document = parsed(onSite(page, { url: null, picture: "p.png" }));
  assert.equal(document.title, "A & B");
  assert.equal(document.querySelector("h2")?.id, anchorOf("nginx's `x` costs 2×"));
  assert.equal(document.querySelector("h2")?.id, "nginxs-x-costs-2");
  assert.equal(document.querySelector(".scroll td b, .scroll td strong")?.textContent, "2");
  assert.deepEqual(
    [...document.querySelectorAll("main a")].map((one) => one.getAttribute("href")),
    ["https://example.org/y.md", "z.html#q"],
  );
});
